import { checksOf, figuresOf, firstRefusing, looksAt } from "../constraints/any-constraint.ts";
import type { Constraint } from "../constraints/constraint-kinds.ts";
import { askedIn, type MinimumResource } from "../constraints/minimum-resource.ts";
import type { Subject } from "../constraints/subject.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerBucket, LedgerNode, Refusal } from "../ledger/ledger-bucket.ts";
import type { DemandCapHit } from "../model/demand-caps.ts";
import type { SpentBudget } from "../model/job.ts";
import type { Reason, ReasonCode } from "../model/reasons.ts";
import type { Allocation } from "../place/allocation.ts";
import { chooseIn } from "../place/alternatives.ts";
import { namedIn } from "../place/search.ts";
import { demandIn, type Shape } from "../place/shape.ts";
import { amountOf, covers } from "../values/amounts.ts";
import type { Scalar } from "../values/resources.ts";

/**
 * Why a job did not get all it asked for, at most one reason per bucket. Worked out when it is read: what refuses
 * an example node never changes, and what ran out was noted while planning.
 */
export function reasonsOf(allocation: Allocation, world: World): readonly Reason[] {
  const { asked, granted, refusals } = allocation;
  const { buckets } = world;
  if (asked > 0 && granted >= asked) return [];
  if (allocation.heldBy !== null) return [heldBack(allocation.heldBy)];
  if (asked <= 0) return [plainReason("NothingRequested", null, 1, 0)];
  if (buckets.length === 0) return [plainReason("NoBucketsDefined", null, asked, 0)];
  const gang = refusals.find(({ code }) => code === "GangIncomplete");
  if (gang !== undefined) return [plainReason(gang.code, null, asked, gang.left)];
  const drained = drainedPool(allocation, buckets);
  if (drained !== null) return [drained];
  const ranOut = new Map(refusals.map((refusal) => [refusal.bucket, refusal]));
  return buckets.map((bucket) => {
    const refusal = ranOut.get(bucket);
    return refusal === undefined ? refusedBy(allocation, bucket) : exhausted(allocation, refusal, world);
  });
}

/** The buckets and nodes that may have reasons. */
export interface World {
  readonly ledger: Ledger;
  /** Those that jobs could choose from. */
  readonly buckets: readonly LedgerBucket[];
  /** Checks of single nodes that may still be made only to find reasons. */
  readonly spare: { left: number };
}

function heldBack(held: DemandCapHit | SpentBudget): Reason {
  if (!("cap" in held)) {
    const { name: budget, spentUsd: asked, maxUsd: left } = held;
    return { code: "BudgetSpent", bucket: null, constraint: null, limit: null, budget, asked, left };
  }
  const { cap, owner, asked, limit: left } = held;
  const whose = owner === undefined ? {} : { owner };
  return {
    code: "DemandCapReached",
    bucket: null,
    constraint: null,
    limit: null,
    cap,
    ...whose,
    asked,
    left,
  };
}

function plainReason(code: ReasonCode, bucket: LedgerBucket | null, asked: Scalar, left: Scalar): Reason {
  return { code, bucket: bucket?.name ?? null, constraint: null, limit: null, asked, left };
}

function exhausted(allocation: Allocation, refusal: Refusal, world: World): Reason {
  const { code, bucket, limit, left } = refusal;
  const asked = allocation.asked - allocation.granted;
  const plain = { code, bucket: bucket?.name ?? null, constraint: null, limit, asked, left };
  if (bucket === null || !isFull(code)) return plain;
  const { shape } = allocation;
  // No node of it has room for any of the alternatives beside the rest, whatever the limits leave.
  const short =
    shape.profile.alternatives.length === 0 || bucket.closed !== null ? null : shortOf(shape, bucket);
  if (short !== null) return short;
  const refusing = firstRefusing(shape.profile.own, bucket.example);
  const narrowed = refusing !== null || bucket.closed === "on-premise";
  const unfit = narrowed ? noNodeFits(shape, bucket, { refusing, world }) : null;
  if (unfit !== null) return unfit;
  // A job that names its nodes gets no new ones, whatever the limits leave.
  const full: Reason =
    refusing === null
      ? plain
      : { ...plain, code: "OutOfCapacity", constraint: refusing, limit: null, left: 0 };
  return closedTo(allocation, bucket, full);
}

function isFull(code: ReasonCode): boolean {
  return code === "NoCapacity" || code === "OutOfCapacity" || code === "InvalidBucket";
}

/**
 * Of a bucket whose nodes have to be asked one by one, because the job names its nodes or because they are on-premise
 * hosts: what keeps it from all of them, were they empty; null when one of them would do.
 */
function noNodeFits(
  shape: Shape,
  bucket: LedgerBucket,
  { refusing, world }: { readonly refusing: Constraint | null; readonly world: World },
): Reason | null {
  let best: Reason | null = null;
  const checks = checksOf(shape.constraints);
  for (const node of nodesToAsk(shape, bucket, world.ledger)) {
    if (world.spare.left < checks) return null;
    world.spare.left -= checks;
    const empty = node.emptied();
    const refusal = firstRefusing(shape.constraints, empty);
    if (refusal === null) return null;
    const reason = reasonFor(refusal, empty, bucket);
    const isNearer = best === null || (isAmount(reason) && amountOf(reason.left) > amountOf(best.left));
    if (isNearer) best = reason;
  }
  if (refusing === null || (best !== null && best.constraint !== refusing)) return best;
  // A job that names nodes learns that they are not here, and no names of others.
  const reason = reasonFor(refusing, bucket.example, bucket);
  return reason.code === "InvalidOption" ? { ...reason, left: null } : reason;
}

/** Hosts of one kind refuse alike, unless the job asks for what they alone are. */
function nodesToAsk({ profile }: Shape, bucket: LedgerBucket, ledger: Ledger): Iterable<LedgerNode> {
  const named = namedIn(ledger, profile, bucket);
  if (named !== null) return named.flatMap((position) => bucket.nodes[position] ?? []);
  if (profile.own.length > 0) return bucket.nodes;
  return bucket.kinds;
}

function isAmount({ code }: Reason): boolean {
  return code === "InsufficientResource";
}

/** Whether nodes that take no jobs are what is missing: then no limit has to be raised, and no job has to end. */
function closedTo({ shape, asked, granted, job }: Allocation, bucket: LedgerBucket, full: Reason): Reason {
  if (bucket.closedNodes.length === 0) return full;
  const fits = (node: LedgerNode): boolean => firstRefusing(shape.constraints, node) === null;
  const closed = bucket.closedNodes.filter(fits).length;
  const isWhole = job.colocated || job.packingStrategy === "scatter";
  const there = isWhole ? bucket.nodes.filter(fits).length + Number(full.left) : closed;
  const enough = job.packingStrategy === "scatter" ? asked - granted : 1;
  return closed === 0 || there < enough ? full : { ...full, code: "NodesTakeNoJobs", left: closed };
}

/** A shared pool that is empty, or that nobody defines, is a reason for the whole cluster. */
function drainedPool({ shape }: Allocation, [bucket]: readonly LedgerBucket[]): Reason | null {
  for (const constraint of shape.profile.draws) {
    for (const draw of constraint.draws) {
      const left = bucket?.context.pools.left(draw);
      if (left !== undefined && left >= draw.amount) continue;
      const code = left === undefined ? "UndefinedResource" : "SharedLimitReached";
      return { code, bucket: null, constraint, limit: null, asked: draw.amount, left: left ?? null };
    }
  }
  return null;
}

function refusedBy({ shape, job }: Allocation, bucket: LedgerBucket): Reason {
  if (job.colocated && bucket.placementGroup === null)
    return plainReason("NotInAPlacementGroup", bucket, true, null);
  const refusing = firstRefusing(shape.constraints, bucket.example);
  if (refusing !== null) return reasonFor(refusing, bucket.example, bucket);
  return (
    shortOf(shape, bucket) ??
    plainReason(bucket.closed === "invalid" ? "InvalidBucket" : "OutOfCapacity", bucket, 1, 0)
  );
}

/** A resource that several constraints ask for together, alternatives last, and that the example has too little of. */
export function shortOf(shape: Shape, bucket: LedgerBucket): Reason | null {
  const plain = demandIn(shape, bucket.columns);
  const { columns, amounts } = plain;
  const index = columns.findIndex((column, i) => !covers(bucket.exampleRow[column] ?? 0, amounts[i] ?? 0));
  const minimum = shape.minimums.find(
    ({ resource }) => bucket.columns.byName.get(resource) === columns[index],
  );
  if (minimum !== undefined) return shortReason(minimum, amounts[index] ?? 0, bucket);
  const choice = chooseIn(shape.profile.alternatives, bucket, plain);
  return choice !== null && "short" in choice ? shortReason(choice.short, choice.asked, bucket) : null;
}

function shortReason(constraint: MinimumResource, amount: number, bucket: LedgerBucket): Reason {
  const left = bucket.example.resource(constraint.resource) ?? null;
  return {
    code: "InsufficientResource",
    bucket: bucket.name,
    constraint,
    limit: null,
    ...countedBy(bucket, constraint.resource),
    asked: askedIn(left, amount),
    left,
  };
}

/** Whose figure of a new node's resource it is, where schedulers report what they count of such nodes. */
function countedBy(bucket: LedgerBucket | null, resource: string): Pick<Reason, "countedBy"> {
  const source = bucket?.counted?.countedBy.get(resource);
  return source === undefined ? {} : { countedBy: source };
}

/** Words nothing: code and figures of a constraint that refuses a subject. */
export function reasonFor(constraint: Constraint, subject: Subject, bucket: LedgerBucket | null): Reason {
  const reason = { bucket: bucket?.name ?? null, constraint, limit: null, ...figuresOf(constraint, subject) };
  const at = looksAt(constraint);
  if (typeof at === "string" || !("resource" in at)) return reason;
  const { resource } = at;
  // What nobody reports of nodes of which a scheduler reports the rest, it does not know there either.
  const isUnknown = reason.code === "UndefinedResource" && bucket?.counted != null;
  return {
    ...reason,
    ...(isUnknown ? { countedBy: bucket.counted.source } : {}),
    ...countedBy(bucket, resource),
  };
}
