import type { Scenario } from "../scenario.ts";
import { range, region, slotsJob, smallCluster } from "./cluster.ts";

const family = "standardFSv2Family";
/** A third of what residents and jobs of twenty clusters want at the same time: 100 nodes of four cores. */
const familyCores = 34 * 4;

/** Of the first clusters; the others have the usual one. */
const shares = [{ guaranteed: 0.2 }, { weight: 3 }, { most: 0.2 }];

/** Twenty clusters that want three times the quota that they share, and nobody else who draws on it. */
export const sharedQuota: Scenario = {
  name: "shared-quota",
  about: "twenty clusters of one subscription with a third of the quota that they want",
  draw: (chance) => {
    const quotas = { [region]: { cores: 4_000, families: { [family]: familyCores } } };
    const quotaLagSeconds = chance.pick([0, 30, 120]);
    const clusters = range(20).map((index) => ({
      definition: smallCluster(`cluster-${index + 1}`, { subscription: "shared", quotas, quotaLagSeconds }),
      ...(shares[index] !== undefined && { config: { shares: shares[index] } }),
      jobs: range(4).map((job) =>
        slotsJob(`job-${job}`, {
          submitSeconds: chance.between(0, 150),
          runSeconds: chance.between(20, 100),
        }),
      ),
    }));
    return { clusters, happenings: [], troubleSeconds: 500, ownsQuotas: true };
  },
};
