import type { Scenario } from "../scenario.ts";
import { arrayOf, nowAndThen, smallCluster, steadyJobs, troubleSeconds } from "./cluster.ts";

/** Azure takes spot machines back, with jobs on them. */
export const spotLoss: Scenario = {
  name: "spot-loss",
  about: "spot nodes are evicted while jobs run on them; the jobs are queued again",
  draw: (chance) => {
    const spot = arrayOf("spot", { interruptible: true, evictionsPerHour: chance.pick([0, 1, 4]) });
    const happenings = nowAndThen(chance, 5, {
      what: "a spot node is evicted",
      happens: ({ cloud, chance: draw }) => {
        const [first, ...rest] = cloud.nodes("hpc").filter((node) => node.isWanted);
        if (first === undefined) return;
        cloud.control.evict({ cluster: "hpc", names: [draw.pick([first, ...rest]).name] });
      },
    });
    const definition = smallCluster("hpc", { nodearrays: [spot] });
    return { clusters: [{ definition, jobs: steadyJobs(chance, 12) }], happenings, troubleSeconds };
  },
};
