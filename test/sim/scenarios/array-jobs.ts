import type { Scenario } from "../scenario.ts";
import { needOf, range, slotsJob, smallCluster, troubleSeconds } from "./cluster.ts";

/** Jobs of many small slots, of which several share a node. */
export const arrayJobs: Scenario = {
  name: "array-jobs",
  about: "jobs of many one-core and two-core slots that share nodes",
  draw: (chance) => {
    const jobs = range(chance.whole(1, 3)).map((index) =>
      slotsJob(`array-${index}`, {
        slots: chance.whole(5, 40),
        submitSeconds: chance.between(0, 900),
        runSeconds: chance.between(30, 200),
        need: needOf({ ncpus: chance.whole(1, 2) }),
      }),
    );
    return { clusters: [{ definition: smallCluster("hpc"), jobs }], happenings: [], troubleSeconds };
  },
};
