import { capBounds } from "../limits/cap-bounds.ts";
import { runningIn } from "../model/caps.ts";
import type { DemandCapName, DemandCaps, HeldBack } from "../model/demand-caps.ts";
import { capNames, type LimitName } from "../model/limits.ts";
import type { PlanInput } from "../model/plan-input.ts";
import type { ClippingCap, Plan } from "../model/plan-result.ts";
import type { Reason } from "../model/reasons.ts";
import type { TargetOutcome } from "../model/target.ts";
import type { Allocation } from "../place/allocation.ts";
import type { ReasonBook } from "./reason-book.ts";

const capLimits: ReadonlySet<string | null> = new Set(capNames);

/** The caps that kept jobs and targets from getting all they asked for, with their figures. */
export function clippingCaps(
  { caps, cluster, pending }: PlanInput,
  planned: {
    readonly allocations: readonly Allocation[];
    readonly book: ReasonBook;
    readonly targets: readonly TargetOutcome[];
  },
): readonly ClippingCap[] {
  if (caps === undefined) return [];
  const { allocations, book } = planned;
  const jobs = new Map<string, number>();
  const targets = new Map<string, number>();
  for (const { reasons } of planned.targets) countLimits(targets, reasons);
  for (const allocation of allocations) {
    const { asked, granted, refusals, heldBy } = allocation;
    // Reasons take time to work out. The noted refusals are there anyway, and show whether a cap was near.
    if (granted >= asked || heldBy !== null || !isNearCap(refusals)) continue;
    countLimits(jobs, isJustFull(allocation) ? refusals : book.of(allocation));
  }
  return capBounds(caps, runningIn(cluster, pending)).flatMap((bound) => {
    const held = { jobs: jobs.get(bound.cap) ?? 0, targets: targets.get(bound.cap) ?? 0 };
    return held.jobs + held.targets === 0 ? [] : [{ ...bound, ...held }];
  });
}

/** Whether it is refused for nothing but want of room: then the reasons have the limits of the refusals. */
function isJustFull({ shape }: Allocation): boolean {
  return shape.profile.own.length === 0 && shape.profile.draws.length === 0;
}

/** Each limit once, however many buckets it holds for. */
function countLimits(counts: Map<string, number>, reasons: readonly Pick<Reason, "limit">[]): void {
  for (const limit of limitsIn(reasons)) if (limit !== null) counts.set(limit, (counts.get(limit) ?? 0) + 1);
}

/** Many jobs share one list of refusals: it is gone through once. */
const knownLimits = new WeakMap<readonly Pick<Reason, "limit">[], ReadonlySet<LimitName | null>>();

function limitsIn(reasons: readonly Pick<Reason, "limit">[]): ReadonlySet<LimitName | null> {
  const known = knownLimits.get(reasons);
  if (known !== undefined) return known;
  const limits = new Set(reasons.map((reason) => reason.limit));
  knownLimits.set(reasons, limits);
  return limits;
}

function isNearCap(refusals: readonly Pick<Reason, "limit">[]): boolean {
  return [...limitsIn(refusals)].some((limit) => capLimits.has(limit));
}

/** The jobs and hosts that each cap on demand held back, in the order in which the caps were reached. */
export function heldBackOf(
  allocations: readonly Allocation[],
  hosts: readonly string[],
  caps: DemandCaps,
): Pick<Plan, "heldBack"> {
  const byCap = new Map<DemandCapName, HeldBack>();
  for (const { job, heldBy, asked, granted } of allocations) {
    if (heldBy === null || !("cap" in heldBy) || granted >= asked) continue;
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
