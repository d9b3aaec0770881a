import type { Chance } from "../chance.ts";
import type { Happening, Scenario } from "../scenario.ts";
import type { Body } from "../source.ts";
import { range, slotsJob, smallCluster, troubleSeconds } from "./cluster.ts";

/** Clocks of machines are at most so far apart. */
const mostApartSeconds = 5;
/** Shorter than any beat of the timer. */
const shortSeconds = 14;

/** What makes it hard to count each node-second once: nodes come and go between two snapshots, and snapshots overlap. */
export const shortLives: Scenario = {
  name: "short-lives",
  about:
    "nodes live shorter than the timer's beat; snapshots run twice at once, late and on clocks 5 s apart",
  draw: (chance) => {
    const seconds = (least: number, most: number) => ({
      minSeconds: least,
      medianSeconds: (least + most) / 2,
      maxSeconds: most,
    });
    const definition = smallCluster("hpc", { times: { boot: seconds(4, 12), terminate: seconds(2, 6) } });
    const jobs = range(chance.whole(6, 20)).map((index) =>
      slotsJob(`job-${index}`, {
        submitSeconds: chance.between(0, troubleSeconds * 0.9),
        runSeconds: chance.between(5, 90),
      }),
    );
    const happenings = [
      ...clocksApart(chance),
      ...moreBeats(chance),
      ...shortNodes(chance),
      ...changingOwners,
    ];
    const weights = { "cyclecloud.read": 8, "accounts.save": 8, "accounts.keep": 20, "snapshots.save": 4 };
    return { clusters: [{ definition, jobs }], happenings, troubleSeconds, weights };
  },
};

function clocksApart(chance: Chance): readonly Happening[] {
  return range(3).flatMap((which) => {
    const set = (offset: number): Omit<Happening, "atSeconds"> => ({
      what: `clock ${which + 1} is off by ${offset.toFixed(1)} s`,
      happens: ({ fleet }) => {
        const machine = fleet.machines[which];
        if (machine !== undefined) machine.clockOffsetSeconds = offset;
      },
    });
    const offset = chance.between(-mostApartSeconds / 2, mostApartSeconds / 2);
    return [
      { atSeconds: 0, ...set(offset) },
      { atSeconds: troubleSeconds, ...set(0) },
    ];
  });
}

/** The timer's function is run again while it runs: some instances do not learn that others have the beat. */
function moreBeats(chance: Chance): readonly Happening[] {
  return range(chance.whole(5, 40)).flatMap(() => {
    const atSeconds = chance.between(1, troubleSeconds);
    const beat = (at: number): Happening => ({
      atSeconds: at,
      what: "one more snapshot",
      happens: (stage) => stage.snapshot(),
    });
    return [beat(atSeconds), beat(atSeconds + chance.pick([0, 0.3, 2]))];
  });
}

/** Now and then a job belongs to somebody else, or to nobody. */
const changingOwners: readonly Happening[] = [
  {
    atSeconds: 0,
    what: "jobs have owners, who change",
    happens: (stage) => {
      const { chance } = stage;
      const owner = () => (chance.happens(0.1) ? {} : { user: chance.pick(["ada", "bob"]), account: "geo" });
      const owned = ({ jobs, ...body }: Body): Body => ({
        ...body,
        jobs: (jobs as readonly Body[]).map((job) => ({ ...job, ...owner() })),
      });
      stage.source("hpc").spoil = (body) => ({ body: owned(body), isRefused: false });
    },
  },
];

/** Somebody deletes nodes that have just come. */
function shortNodes(chance: Chance): readonly Happening[] {
  const every = chance.pick([7, 11, 23]);
  return range(Math.floor(troubleSeconds / every)).map((index) => ({
    atSeconds: index * every,
    what: "nodes that have just come are deleted by hand",
    happens: ({ cloud, chance: draw }) => {
      const names = cloud
        .nodes("hpc")
        .filter(({ ageSeconds }) => ageSeconds < shortSeconds && draw.happens(0.5))
        .map(({ name }) => name);
      if (names.length > 0) cloud.control.kill({ cluster: "hpc", names });
    },
  }));
}
