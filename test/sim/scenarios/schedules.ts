import type { Happening, Scenario } from "../scenario.ts";
import { smallCluster, steadyJobs, troubleSeconds } from "./cluster.ts";
import { floorIsMet } from "./wishes.ts";

/** From the end of the trouble until the last window begins: its nodes are asked for in time, and boot. */
const calmSeconds = 1_200;

/** The slowest boot, and what a plan and its snapshots take. */
const slowestSeconds = 400;

/** Windows that come and go in the trouble, with nodes and settings, and a last one in the calm after it. */
export const schedules: Scenario = {
  name: "schedules",
  about: "windows in which nodes are kept and time-outs change, and spare nodes, beside jobs",
  draw: (chance) => {
    const nodes = chance.whole(1, 6);
    const within = () => chance.between(0, troubleSeconds);
    const windows = {
      early: { at: within(), lasts: chance.between(60, 600), targets: [floorOf(chance.whole(1, 6))] },
      late: { at: within(), lasts: chance.between(60, 900), targets: [floorOf(chance.whole(1, 6))] },
      short: { at: within(), lasts: chance.between(60, 900), settings: { idle_timeout: 30 } },
      last: { at: troubleSeconds + calmSeconds, lasts: 300, lead: slowestSeconds, targets: [floorOf(nodes)] },
    };
    const spareNodes = [{ Name: "htc", SpareCount: chance.whole(0, 2) }];
    const spare = { at: 0, lasts: troubleSeconds + calmSeconds, targets: spareNodes };
    const begins: Happening = {
      atSeconds: 0,
      what: "schedules in autoscale.json",
      happens: (stage) =>
        stage.configure("hpc", {
          schedules: Object.fromEntries(
            Object.entries({ ...windows, spare }).map(([name, { at, lasts, ...holds }]) => [
              name,
              { start: moment(stage.nowSeconds + at), duration: lasts, ...holds },
            ]),
          ),
        }),
    };
    return {
      clusters: [{ definition: smallCluster("hpc"), jobs: steadyJobs(chance, 8) }],
      happenings: [begins, floorIsMet("hpc", troubleSeconds + calmSeconds + 1, { htc: nodes })],
      troubleSeconds,
    };
  },
};

function floorOf(nodes: number): object {
  return { Name: "htc", TargetCount: nodes };
}

function moment(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, "2026-12-01T08:00:00".length);
}
