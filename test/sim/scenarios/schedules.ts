import type { Happening, Scenario } from "../scenario.ts";
import { arrayOf, range, slotsJob, smallCluster, steadyJobs, troubleSeconds } from "./cluster.ts";
import { floorIsMet } from "./wishes.ts";

/** From the end of the trouble until the last window begins: its nodes are asked for in time, and boot. */
const calmSeconds = 1_200;

/** The slowest boot, and what a plan and its snapshots take. */
const slowestSeconds = 400;

/** Between the end of the trouble and the last window. */
const autoSeconds = troubleSeconds + 500;
const lastSeconds = troubleSeconds + calmSeconds;

/** Four cores, as all simulated nodes have; that it has two GPUs is told by the configuration. */
const gpuSize = "Standard_NC4as_T4_v3";
const nodearrays = [arrayOf("htc"), arrayOf("gpu", { machineTypes: [gpuSize] })];

interface Day {
  readonly last: string | undefined;
  readonly startSeconds: number | undefined;
}

/**
 * Days on which the last window begins, by the clock in Berlin: a day like any other; in the hour that is left out, so that it
 * comes with the next; and behind the hour that comes twice.
 */
const days: readonly [Day, ...Day[]] = [
  { last: undefined, startSeconds: undefined },
  { last: "30 2 * * sun", startSeconds: Date.parse("2027-03-28T01:00Z") / 1000 - lastSeconds },
  { last: "0 3 * * sun", startSeconds: Date.parse("2027-10-31T02:00Z") / 1000 - lastSeconds },
];

/** Windows that come and go in the trouble, with nodes and settings, and a last one in the calm after it. */
export const schedules: Scenario = {
  name: "schedules",
  about:
    "windows in which nodes and GPUs are kept and time-outs change, and spare nodes or slots, beside jobs that come in a burst",
  draw: (chance) => {
    const nodes = chance.whole(1, 6);
    const { last, startSeconds } = chance.pick(days);
    const within = () => chance.between(0, troubleSeconds);
    const windows = {
      early: { at: within(), lasts: chance.between(60, 600), targets: [floorOf(chance.whole(1, 6))] },
      late: { at: within(), lasts: chance.between(60, 900), targets: [floorOf(chance.whole(1, 6))] },
      short: { at: within(), lasts: chance.between(60, 900), settings: { idle_timeout: 30 } },
      auto: { at: autoSeconds, lasts: 300, targets: [floorOf(nodes)] },
      last: {
        at: lastSeconds,
        lasts: 300,
        lead: slowestSeconds,
        targets: [floorOf(nodes)],
        ...(last === undefined ? {} : { start: last }),
      },
    };
    const room = chance.happens(0.5)
      ? { SpareCount: chance.whole(0, 2) }
      : { SpareSlots: chance.whole(1, 8), SlotResources: { ncpus: chance.whole(1, 3) } };
    const most = chance.happens(0.3) ? { SpareCostPerHour: chance.between(0, 0.5) } : {};
    const spareRoom = [{ Name: "htc", ...room, ...most }];
    const spare = { at: 0, lasts: lastSeconds, targets: spareRoom };
    const waveSeconds = chance.between(100, troubleSeconds);
    const burst = range(chance.whole(2, 8)).map((index) =>
      slotsJob(`wave-${index}`, {
        submitSeconds: waveSeconds + chance.between(0, 10),
        runSeconds: chance.between(20, 300),
      }),
    );
    const gpus = chance.whole(0, 5);
    const ofGpus = [{ Name: "gpu", TargetGpuCount: gpus }];
    const gpuWindows = {
      gpuEarly: { at: within(), lasts: chance.between(60, 900), targets: ofGpus },
      gpuLast: { ...windows.last, targets: ofGpus },
    };
    const begins: Happening = {
      atSeconds: 0,
      what: "schedules in autoscale.json",
      happens: (stage) =>
        stage.configure("hpc", {
          vm_sizes: { [gpuSize]: { gpus: 2 } },
          schedules: Object.fromEntries(
            Object.entries({ ...windows, spare, ...gpuWindows }).map(([name, { at, lasts, ...holds }]) => [
              name,
              inBerlin({ start: moment(stage.nowSeconds + at), duration: lasts, ...holds }),
            ]),
          ),
        }),
    };
    return {
      clusters: [
        { definition: smallCluster("hpc", { nodearrays }), jobs: [...steadyJobs(chance, 8), ...burst] },
      ],
      happenings: [
        begins,
        autoBegins(nodes),
        floorIsMet("hpc", lastSeconds + 1, { htc: nodes, gpu: Math.ceil(gpus / 2) }),
      ],
      troubleSeconds,
      ...(startSeconds === undefined ? {} : { startSeconds }),
    };
  },
};

/** Cron expressions are read by the clock there; moments are UTC. */
function inBerlin<Keys extends { readonly start: string }>(keys: Keys) {
  return keys.start.includes("*") ? { ...keys, time_zone: "Europe/Berlin" } : keys;
}

function autoBegins(nodes: number): Happening {
  return {
    atSeconds: autoSeconds,
    what: "a window begins whose nodes were asked for as early as boots take",
    happens: ({ cloud, windowBegan }) => {
      const up = cloud
        .nodes("hpc")
        .filter(({ name, status, isWanted }) => name.startsWith("htc-") && status === "Ready" && isWanted);
      windowBegan(up.length >= nodes);
    },
  };
}

function floorOf(nodes: number): object {
  return { Name: "htc", TargetCount: nodes };
}

function moment(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, "2026-12-01T08:00:00".length);
}
