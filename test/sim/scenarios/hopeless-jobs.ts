import type { Scenario } from "../scenario.ts";
import { needOf, slotsJob, smallCluster, steadyJobs, troubleSeconds } from "./cluster.ts";

/** Jobs that no node can run stand in the queue with those that can. */
export const hopelessJobs: Scenario = {
  name: "hopeless-jobs",
  about: "a job that is too large and one for an array that is not there wait for ever, with a reason",
  draw: (chance) => {
    const hopeless = [
      slotsJob("too-large", { submitSeconds: chance.between(0, 900), need: needOf({ ncpus: 64 }) }),
      slotsJob("nowhere", { submitSeconds: chance.between(0, 900), need: needOf({ nodeArrays: ["gone"] }) }),
    ];
    const jobs = [...hopeless, ...steadyJobs(chance, 8)];
    const cluster = { definition: smallCluster("hpc"), jobs, hopeless: hopeless.map(({ name }) => name) };
    return { clusters: [cluster], happenings: [], troubleSeconds };
  },
};
