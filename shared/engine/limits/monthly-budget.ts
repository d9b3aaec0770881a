import { inMicroUsd, micro, microUsdPerHour } from "../model/caps.ts";
import type { Cap } from "./limit.ts";
import { ReservedQuota } from "./reserved-quota.ts";

const key = ["monthly-budget"];
const scope = "month";

/** The operator's money for a month: a node is bought while what is left pays for an hour of it and of all that run. */
export const monthlyBudget = {
  scopeOf: () => scope,
  charges: ({ size }, counters) => {
    const perNode = microUsdPerHour(size);
    if (counters.input.caps?.budget == null || perNode === null) return [];
    const [money, pool] = [counters.unbounded(key), counters.poolOf(size.reservation)];
    // A node that costs nothing draws on no money anyway.
    const quota = pool === undefined || perNode === 0 ? money : new ReservedQuota(money, pool, perNode);
    return [{ scope, unit: "micro-usd", quota, perNode }];
  },
  bound: ({ budget }, { usdPerHour }) => {
    if (budget === null) return null;
    const used = inMicroUsd(budget.spentUsd) + inMicroUsd(usdPerHour);
    return { max: budget.maxUsd, used: used / micro };
  },
  close: (counters, { max, used }) =>
    counters.unbounded(key).atMost(Math.floor(max * micro), Math.ceil(used * micro)),
  without: (caps) => ({ ...caps, budget: null }),
  raise: {
    caps: ({ budget }, { more }) => ({
      budget: budget === null ? null : { ...budget, maxUsd: budget.maxUsd + more },
    }),
  },
} satisfies Cap;
