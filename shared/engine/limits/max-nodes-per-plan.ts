import type { Cap } from "./limit.ts";
import { raisedCap } from "./sums.ts";

const key = ["max-nodes-per-plan"];

/** The operator's cap on new nodes and starts of one plan. */
export const maxNodesPerPlan = {
  charges: (_home, counters) =>
    counters.input.caps?.maxNodesPerPlan == null
      ? []
      : [{ scope: "plan", unit: "nodes", quota: counters.unbounded(key), perNode: 1 }],
  bound: (caps) => (caps.maxNodesPerPlan === null ? null : { max: caps.maxNodesPerPlan, used: 0 }),
  close: (counters, { max, used }) => counters.unbounded(key).atMost(max, used),
  without: (caps) => ({ ...caps, maxNodesPerPlan: null }),
  raise: { caps: (caps, { more }) => ({ maxNodesPerPlan: raisedCap(caps.maxNodesPerPlan, more) }) },
} satisfies Cap;
