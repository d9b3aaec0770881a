import type { Scenario } from "../scenario.ts";
import { arrayOf, nowAndThen, smallCluster, steadyJobs, troubleSeconds } from "./cluster.ts";

/** Nodes ask to stop, all at once, busy or not; CycleCloud tells of its nodes; Azure takes some back. */
export const askingNodes: Scenario = {
  name: "asking-nodes",
  about:
    "all nodes ask to stop at once, again and again, while events tell of evictions late, twice or never",
  draw: (chance) => {
    const spot = arrayOf("spot", { interruptible: true, evictionsPerHour: chance.pick([0, 1]) });
    const asking = nowAndThen(chance, 20, {
      what: "every node asks to stop",
      happens: ({ cloud, ask }) => {
        for (const { nodeId } of cloud.nodes("hpc")) ask("hpc", nodeId);
      },
    });
    const idle = { idle_time_before_jobs: 30, idle_time_after_jobs: chance.pick([0, 10, 60]) };
    const config = { idle_timeout: 600, autostop: idle };
    const definition = smallCluster("hpc", { nodearrays: [spot, arrayOf("htc")] });
    return {
      clusters: [{ definition, jobs: steadyJobs(chance, 15), config }],
      happenings: asking,
      troubleSeconds,
      events: true,
    };
  },
};
