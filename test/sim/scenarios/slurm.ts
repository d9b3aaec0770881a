import type { Chance } from "../chance.ts";
import { agentKilled, type Happening, type Scenario } from "../scenario.ts";
import { arrayOf, needOf, nowAndThen, range, slotsJob, smallCluster, troubleSeconds } from "./cluster.ts";

const cluster = "hpc";
/** The partition and node array of either mode. */
const saving = "mpi";
const planned = "htc";
const nodes = 8;

/** Slurm with the real agent beside it, which the planner, power saving or both bring nodes. */
export const slurm: Scenario = {
  name: "slurm",
  about:
    "slurmctld restarts, falls silent, is read in part; slurmdbd goes; its agent is killed; people hold nodes; clocks jump",
  draw: (chance) => {
    const partitions = chance.pick([[planned], [saving], [planned, saving]]);
    const jobs = range(chance.whole(3, 12)).map((index) => {
      const own = {
        // Some are there before the agent has read anything.
        submitSeconds: chance.happens(0.3) ? 0 : chance.between(0, troubleSeconds * 0.9),
        runSeconds: chance.between(20, 400),
        need: needOf({ nodeArrays: [chance.pick(partitions as [string, ...string[]])], exclusive: true }),
      };
      const name = `${chance.happens(0.2) ? "odd" : "job"}-${index}`;
      if (chance.happens(0.5)) return slotsJob(name, { ...own, slots: chance.whole(1, 3) });
      return { name, ...own, shape: { kind: "nodes", nodes: chance.whole(1, 3), colocated: false } as const };
    });
    const definition = smallCluster(cluster, {
      nodearrays: partitions.map((name) => arrayOf(name, { maxCount: nodes })),
    });
    const hasReservation = partitions.includes(saving) && chance.happens(0.3);
    const begin = chance.between(700, 1100);
    const script = {
      partitions: Object.fromEntries(partitions.map((name) => [name, { isSaving: name === saving, nodes }])),
      release: chance.pick([2205, 2505]),
      reservation: hasReservation
        ? { startSeconds: begin, endSeconds: begin + 300, nodes: [`${saving}-7`, `${saving}-8`] }
        : undefined,
    };
    // What it named in SuspendExcNodes is a person's for an agent that has lost its files, and stays.
    const losesState = !hasReservation && chance.happens(0.3);
    const happenings = [
      ...nowAndThen(chance, 3, {
        what: agentKilled,
        happens: (stage) => stage.slurm(cluster).killAgent({ losesState }),
      }),
      ...(chance.happens(0.5) ? absences(chance) : []),
      ...(chance.happens(0.3) ? databaseAbsences(chance) : []),
      ...(chance.happens(0.3) ? holds(chance) : []),
      ...(chance.happens(0.3) ? jumps(chance) : []),
      ...(chance.happens(0.4) ? losses(chance) : []),
    ];
    return {
      clusters: [{ definition, jobs, slurm: script }],
      happenings,
      troubleSeconds,
      weights: { "slurm reads": 2, "slurm commands": 4, "post demand": 3, service: 2 },
    };
  },
};

/** slurmctld is restarted, at once or after up to two minutes. */
function absences(chance: Chance): readonly Happening[] {
  return range(chance.whole(1, 3)).flatMap(() => {
    const atSeconds = chance.between(30, troubleSeconds - 130);
    return [
      { atSeconds, what: "slurmctld goes", happens: (stage) => stage.slurm(cluster).controller.stop() },
      {
        atSeconds: atSeconds + (chance.happens(0.3) ? 120 : chance.between(1, 120)),
        what: "slurmctld comes",
        happens: (stage) => stage.slurm(cluster).controller.start(stage.nowSeconds),
      },
    ] satisfies readonly Happening[];
  });
}

/** slurmdbd goes for up to five minutes; a restart of slurmctld meanwhile needs what it has saved. */
function databaseAbsences(chance: Chance): readonly Happening[] {
  const atSeconds = chance.between(30, troubleSeconds - 310);
  const hasSavedLists = chance.happens(0.7);
  return [
    {
      atSeconds,
      what: "slurmdbd goes",
      happens: (stage) => {
        Object.assign(stage.slurm(cluster).controller, { isDatabaseUp: false, hasSavedLists });
      },
    },
    {
      atSeconds: atSeconds + chance.between(10, 300),
      what: "slurmdbd comes",
      happens: (stage) => {
        stage.slurm(cluster).controller.isDatabaseUp = true;
      },
    },
  ];
}

/** A person drains a node or takes it down, and lets it go again. */
function holds(chance: Chance): readonly Happening[] {
  return range(chance.whole(1, 2)).flatMap((index) => {
    const atSeconds = chance.between(30, troubleSeconds * 0.8);
    const how = chance.pick(["DOWN", "DRAIN"] as const);
    const share = chance.between(0, 1);
    let held = "";
    return [
      {
        atSeconds,
        what: `a person sets a node ${how}`,
        happens: (stage) => {
          const { controller } = stage.slurm(cluster);
          const names = [...controller.nodes.values()].flatMap(({ name, version }) =>
            version === "" ? [] : name,
          );
          held = names[Math.floor(share * names.length)] ?? "";
          if (held !== "") controller.hold(held, how, `disk ${index} "odd" 'words' 💥`, stage.nowSeconds);
        },
      },
      {
        atSeconds: chance.between(atSeconds, troubleSeconds),
        what: "the person lets it go",
        happens: (stage) => stage.slurm(cluster).controller.letGo(held, stage.nowSeconds),
      },
    ] satisfies readonly Happening[];
  });
}

function jumps(chance: Chance): readonly Happening[] {
  const skew = (clockOffsetSeconds: number): Omit<Happening, "atSeconds"> => ({
    what: `the controller's clock is off by ${clockOffsetSeconds.toFixed(0)} s`,
    happens: (stage) => {
      for (const machine of stage.slurm(cluster).host.machines)
        machine.clockOffsetSeconds = clockOffsetSeconds;
    },
  });
  return [
    { atSeconds: chance.between(30, 700), ...skew(chance.between(-200, 200)) },
    { atSeconds: chance.between(700, troubleSeconds), ...skew(0) },
  ];
}

/** Machines go that nobody asked to go. */
function losses(chance: Chance): readonly Happening[] {
  return nowAndThen(chance, 3, {
    what: "a machine is deleted in CycleCloud",
    happens: (stage) => {
      const [node] = stage.cloud.nodes(cluster).filter(({ status }) => status === "Ready");
      if (node !== undefined) stage.cloud.control.kill({ cluster, names: [node.name] });
    },
  });
}
