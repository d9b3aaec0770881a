import type { Allocation } from "./allocate.ts";
import { capBounds, runningIn } from "./caps.ts";
import { CAP_NAMES } from "./limits.ts";
import type { PlanInput } from "./plan-input.ts";
import type { ClippingCap } from "./plan-result.ts";
import type { ReasonBook } from "./reason-book.ts";

const CAPS: ReadonlySet<string | null> = new Set(CAP_NAMES);

/** The caps that kept jobs from getting all they asked for, with their figures. */
export function clippingCaps(
  { caps, cluster, pending }: PlanInput,
  allocations: readonly Allocation[],
  book: ReasonBook,
): readonly ClippingCap[] {
  if (caps === undefined) return [];
  const jobs = new Map<string, number>();
  for (const allocation of allocations) {
    const { asked, granted, refusals } = allocation;
    // Reasons take time to word out; what ran out was noted anyway, and tells whether a cap was near.
    if (granted >= asked || !refusals.some(({ limit }) => CAPS.has(limit))) continue;
    for (const limit of new Set(book.of(allocation).map((reason) => reason.limit)))
      if (limit !== null) jobs.set(limit, (jobs.get(limit) ?? 0) + 1);
  }
  return capBounds(caps, runningIn(cluster, pending)).flatMap((bound) => {
    const held = jobs.get(bound.cap);
    return held === undefined ? [] : [{ ...bound, jobs: held }];
  });
}
