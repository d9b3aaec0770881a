import { microUsdPerHour } from "../model/caps.ts";
import type { Cap } from "./limit.ts";
import { Quota } from "./quota.ts";
import { ReservedQuota } from "./reserved-quota.ts";

/** Under a monthly budget, sizes whose price is not known are not bought: "cannot tell" is not "free". Reserved nodes are paid. */
export const unknownPrice = {
  charges: ({ size }, counters) => {
    if (counters.input.caps?.budget == null || microUsdPerHour(size) !== null) return [];
    const [none, pool] = [new Quota(0, 0), counters.poolOf(size.reservation)];
    const quota = pool === undefined ? none : new ReservedQuota(none, pool, 1);
    return [{ scope: size.vmSize, unit: "nodes", quota, perNode: 1 }];
  },
  bound: ({ budget }) => (budget === null ? null : { max: 0, used: 0 }),
  without: (caps) => ({ ...caps, budget: null }),
} satisfies Cap;
