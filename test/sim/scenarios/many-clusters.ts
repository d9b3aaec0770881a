import type { Scenario } from "../scenario.ts";
import { range, region, smallCluster, steadyJobs, troubleSeconds } from "./cluster.ts";

/** Several clusters on the same machines, with one quota between them. */
export const manyClusters: Scenario = {
  name: "many-clusters",
  about: "clusters that share machines, queues and a quota that is too small for all of them",
  draw: (chance) => {
    // The smaller one is more than the residents of four clusters hold for ever, and less than all jobs would like.
    const quotas = { [region]: { cores: chance.pick([64, 400]) } };
    const clusters = range(chance.whole(2, 4)).map((index) => ({
      definition: smallCluster(`cluster-${index + 1}`, { subscription: "shared", quotas }),
      jobs: steadyJobs(chance, 7),
    }));
    return { clusters, happenings: [], troubleSeconds };
  },
};
