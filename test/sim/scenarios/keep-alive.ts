import type { Happening, Scenario } from "../scenario.ts";
import { nowAndThen, smallCluster, steadyJobs, troubleSeconds } from "./cluster.ts";

/** An operator protects nodes, busy or idle, and takes the protection away at the end. */
export const keepAlive: Scenario = {
  name: "keep-alive",
  about: "nodes are set to keep-alive at any moment, also while a plan wants them gone",
  draw: (chance) => {
    const kept = nowAndThen(chance, 6, {
      what: "a node is kept alive",
      happens: ({ cloud, chance: draw }) => {
        const [first, ...rest] = cloud.nodes("hpc").filter((node) => node.isWanted);
        if (first === undefined) return;
        cloud.control.keepAlive({ cluster: "hpc", names: [draw.pick([first, ...rest]).name], on: true });
      },
    });
    const given: Happening = {
      atSeconds: troubleSeconds,
      what: "no node is kept alive any more",
      happens: ({ cloud }) => {
        const names = cloud.nodes("hpc").map((node) => node.name);
        if (names.length > 0) cloud.control.keepAlive({ cluster: "hpc", names, on: false });
      },
    };
    const jobs = steadyJobs(chance, 12);
    return {
      clusters: [{ definition: smallCluster("hpc"), jobs }],
      happenings: [...kept, given],
      troubleSeconds,
    };
  },
};
