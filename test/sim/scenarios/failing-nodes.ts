import type { Scenario } from "../scenario.ts";
import { arrayOf, forAWhile, nowAndThen, smallCluster, steadyJobs, troubleSeconds } from "./cluster.ts";

const where = { cluster: "hpc", nodearray: "htc" };
/** Failed nodes that are kept for a look where the configuration says so. */
const mostKept = 2;

/** Nodes that fail right after their boot, and later under a job. */
export const failingNodes: Scenario = {
  name: "failing-nodes",
  about: "nodes that fail right after the boot and later under a job; failed nodes deleted, or some kept",
  draw: (chance) => {
    const failUnderJobs = nowAndThen(chance, 10, {
      what: "a node that is up fails",
      happens: ({ cloud, chance: draw }) => {
        const [first, ...rest] = cloud.nodes("hpc").filter(({ status }) => status === "Ready");
        if (first !== undefined)
          cloud.control.fail({ cluster: "hpc", names: [draw.pick([first, ...rest]).name] });
      },
    });
    const failBoots = forAWhile(
      chance,
      { what: "every boot fails", happens: ({ cloud }) => cloud.control.failBoots({ ...where, share: 1 }) },
      {
        what: "boots are as ever",
        happens: ({ cloud }) => cloud.control.failBoots({ ...where, share: 0 }),
      },
    );
    const array = arrayOf("htc", { bootFailureRate: chance.pick([0, 0.2, 0.4]) });
    const isKept = chance.happens(0.5);
    const kept = { failed_nodes: "keep", failed_nodes_kept: mostKept, failed_nodes_kept_for: 300 };
    return {
      clusters: [
        {
          definition: smallCluster("hpc", { nodearrays: [array] }),
          config: { boot_timeout: 250, boot_failure_backoff: 120, ...(isKept ? kept : {}) },
          jobs: steadyJobs(chance, 12),
          mostFailedNodes: isKept ? mostKept : 0,
        },
      ],
      happenings: [...failUnderJobs, ...failBoots],
      troubleSeconds,
    };
  },
};
