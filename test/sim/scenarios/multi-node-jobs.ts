import type { Scenario } from "../scenario.ts";
import { arrayOf, needOf, range, slotsJob, smallCluster, troubleSeconds } from "./cluster.ts";

/** Jobs that start on all their nodes or not at all, in one placement group or anywhere. */
export const multiNodeJobs: Scenario = {
  name: "multi-node-jobs",
  about: "jobs over several nodes, colocated or not, beside single ones",
  draw: (chance) => {
    const autoscale = { enabled: true, is_hpc: true };
    const hpc = arrayOf("hpc", { maxScalesetSize: 8, configuration: { autoscale } });
    const definition = smallCluster("hpc", { nodearrays: [hpc, arrayOf("htc")] });
    const wide = range(chance.whole(1, 4)).map((index) => {
      const colocated = chance.happens(0.5);
      return slotsJob(`mpi-${index}`, {
        submitSeconds: chance.between(0, 1000),
        runSeconds: chance.between(60, 300),
        shape: { kind: "nodes", nodes: chance.whole(2, 5), colocated },
        need: needOf({ exclusive: true, nodeArrays: [colocated ? "hpc" : "htc"] }),
      });
    });
    const single = range(chance.whole(0, 4)).map((index) =>
      slotsJob(`single-${index}`, {
        submitSeconds: chance.between(0, 1000),
        need: needOf({ nodeArrays: ["htc"] }),
      }),
    );
    return { clusters: [{ definition, jobs: [...wide, ...single] }], happenings: [], troubleSeconds };
  },
};
