import type { DemandCapName, DemandCaps, HeldBack } from "../model/demand-caps.ts";
import type { Plan } from "../model/plan-result.ts";
import type { Allocation } from "../place/allocation.ts";

/** What each cap on demand held back, in the order in which it was reached. */
export function heldBackOf(
  allocations: readonly Allocation[],
  hosts: readonly string[],
  caps: DemandCaps,
): Pick<Plan, "heldBack"> {
  const byCap = new Map<DemandCapName, HeldBack>();
  for (const { job, heldBy, asked, granted } of allocations) {
    if (heldBy === null || granted >= asked) continue;
    const { cap, limit } = heldBy;
    const known = byCap.get(cap) ?? { cap, limit, asked: heldBy.asked, jobs: 0, hosts: 0, first: job.name };
    byCap.set(cap, { ...known, asked: larger(known.asked, heldBy.asked), jobs: known.jobs + 1 });
  }
  const [first] = hosts;
  if (first !== undefined) {
    const limit = caps.maxSchedulerHosts;
    const cap = "max-scheduler-hosts";
    byCap.set(cap, { cap, limit, asked: limit + hosts.length, jobs: 0, hosts: hosts.length, first });
  }
  return byCap.size === 0 ? {} : { heldBack: [...byCap.values()] };
}

function larger(a: number | null, b: number | null): number | null {
  return a === null || b === null ? a : Math.max(a, b);
}
