import { firstRefusing } from "../constraints/any-constraint.ts";
import { open, vacantColumn } from "../ledger/columns.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerBucket } from "../ledger/ledger-bucket.ts";
import type { CreateSet } from "../model/plan-result.ts";
import type { Reason } from "../model/reasons.ts";
import type { KeptOut, SizeAlternative, SizeChoice } from "../model/size-choice.ts";
import type { Allocation } from "../place/allocation.ts";
import { priceOf } from "../place/bucket-kinds.ts";
import { refusalOf } from "../place/candidates.ts";
import { tierOf } from "../place/preference.ts";
import { demandIn, type Shape } from "../place/shape.ts";
import type { NewNodes } from "./create-sets.ts";
import { reasonFor, shortOf } from "./reasons-of.ts";

/** Cheaper buckets that are named, and shapes of jobs that are looked at, of one set. */
const mostNamed = 3;
const mostShapes = 8;

/** What lies on the new nodes of one set. */
interface Held {
  readonly bucket: LedgerBucket;
  job: string | null;
  readonly slots: Map<Shape, { slots: number; isScattered: boolean }>;
}

/** Why the nodes of each create set are of their size. */
export function sizeChoices(
  ledger: Ledger,
  allocations: readonly Allocation[],
  made: readonly NewNodes[],
  sets: readonly CreateSet[],
): readonly SizeChoice[] {
  const helds = made.map(([{ bucket }]): Held => ({ bucket, job: null, slots: new Map() }));
  // By bucket and position: a map of all new nodes would take longer than the rest.
  const heldAt = new Map<LedgerBucket, Held[]>();
  for (const [index, nodes] of made.entries()) {
    const held = helds[index] as Held;
    const inBucket = heldAt.get(held.bucket) ?? [];
    heldAt.set(held.bucket, inBucket);
    for (const { position } of nodes) inBucket[position - held.bucket.firstNodes] = held;
  }
  if (made.length > 0) noteJobs(heldAt, allocations);
  return helds.map((held, index) => choiceOf(ledger, sets[index] as CreateSet, held));
}

/** What a job has on nodes of one set is noted at once: mostly all of it. */
function noteJobs(
  heldAt: ReadonlyMap<LedgerBucket, readonly Held[]>,
  allocations: readonly Allocation[],
): void {
  let bucket: LedgerBucket | undefined;
  let heldHere: readonly Held[] | undefined;
  for (const allocation of allocations) {
    let last: Held | undefined;
    let total = 0;
    for (const { node, slots } of allocation.placements) {
      if (node.origin !== "new") continue;
      if (node.bucket !== bucket) {
        bucket = node.bucket;
        heldHere = heldAt.get(bucket);
      }
      const held = heldHere?.[node.position - bucket.firstNodes];
      if (held !== last && last !== undefined) note(last, allocation, total);
      total = held === last ? total + slots : slots;
      last = held;
    }
    if (last !== undefined) note(last, allocation, total);
  }
}

function note(held: Held, { shape, job }: Allocation, slots: number): void {
  held.job ??= job.name;
  const isScattered = job.packingStrategy === "scatter" || shape.exclusive === "iteration";
  const entry = held.slots.get(shape);
  if (entry !== undefined) {
    entry.slots += slots;
  } else if (held.slots.size < mostShapes) held.slots.set(shape, { slots, isScattered });
}

function choiceOf(ledger: Ledger, set: CreateSet, held: Held): SizeChoice {
  const { bucket, job, slots } = held;
  const pricePerHourUsd = priceOf(bucket);
  const { nodeArray, vmSize, placementGroup, names, count } = set;
  const base = { nodeArray, vmSize, placementGroup, names, pricePerHourUsd, job };
  if (job === null) return { ...base, why: "target", next: null, keptOut: [] };
  const total = pricePerHourUsd === null ? Number.POSITIVE_INFINITY : pricePerHourUsd * count;
  const others = othersOf(ledger, bucket).flatMap((other) => alternativeOf(other, slots));
  others.sort((a, b) => a.seen.usdPerHour - b.seen.usdPerHour);
  let next: SizeAlternative | null = null;
  const keptOut: KeptOut[] = [];
  for (const { other, seen } of others) {
    const kept = keptOutBy(ledger, held, other, seen);
    const isCheaper = seen.usdPerHour < total - 1e-9;
    if ((kept.by === "together" || kept.by === "preference") && next === null) next = seen;
    if (isCheaper && keptOut.length < mostNamed) keptOut.push({ ...seen, ...kept });
    if (next !== null && (!isCheaper || keptOut.length >= mostNamed)) break;
  }
  const why = bucket.placement === "cost" && pricePerHourUsd !== null ? "least-cost" : "first-choice";
  return { ...base, why, next, keptOut };
}

/** One bucket for each other size of each array: in a placement group when this one is. */
function othersOf(ledger: Ledger, bucket: LedgerBucket): readonly LedgerBucket[] {
  const seen = new Set([`${bucket.name.nodeArray} ${bucket.name.vmSize}`]);
  return ledger.buckets.filter((other) => {
    const key = `${other.name.nodeArray} ${other.name.vmSize}`;
    const isOther = other.size !== null && other.closed !== "dynamic" && !seen.has(key);
    if (!isOther || (other.placementGroup === null) !== (bucket.placementGroup === null)) return false;
    seen.add(key);
    return true;
  });
}

function alternativeOf(
  other: LedgerBucket,
  slots: Held["slots"],
): readonly { readonly other: LedgerBucket; readonly seen: SizeAlternative }[] {
  const pricePerHourUsd = priceOf(other);
  if (pricePerHourUsd === null) return [];
  const nodes = nodesFor(other, slots);
  return [{ other, seen: { ...other.name, pricePerHourUsd, nodes, usdPerHour: nodes * pricePerHourUsd } }];
}

/** Nodes that hold as much, if slots could be cut; where a slot does not fit at all, as many as there are slots. */
function nodesFor(bucket: LedgerBucket, held: Held["slots"]): number {
  const shares: number[] = [];
  let alone = 0;
  for (const [shape, { slots, isScattered }] of held) {
    if (isScattered) alone = Math.max(alone, slots);
    const { columns, amounts } = demandIn(shape, bucket.columns);
    for (const [index, column] of columns.entries()) {
      if (column === open || column === vacantColumn) continue;
      const whole = bucket.exampleRow[column] ?? 0;
      if (whole > 0) shares[column] = (shares[column] ?? 0) + ((amounts[index] ?? 0) * slots) / whole;
    }
  }
  const most = shares.reduce((sum, share) => Math.max(sum, share ?? 0), 0);
  return Math.max(1, alone, Math.ceil(most - 1e-9));
}

function keptOutBy(
  ledger: Ledger,
  { bucket, slots }: Held,
  other: LedgerBucket,
  { nodes }: SizeAlternative,
): Pick<KeptOut, "by" | "reason"> {
  for (const shape of slots.keys()) {
    const refusing = firstRefusing(shape.constraints, other.example);
    const reason = refusing === null ? shortOf(shape, other) : reasonFor(refusing, other.example, other);
    if (reason !== null) return { by: "constraint", reason };
  }
  const left = ledger.capacityOf(other);
  if (left < nodes) return { by: "limit", reason: limitReason(ledger, other, nodes) };
  for (const { profile } of slots.keys())
    if (tierOf(profile, other) !== tierOf(profile, bucket)) return { by: "priority", reason: null };
  const isByCost = bucket.placement === "cost" && other.placement === "cost";
  return { by: isByCost ? "together" : "preference", reason: null };
}

function limitReason(ledger: Ledger, other: LedgerBucket, asked: number): Reason {
  const { code, limit, left } = refusalOf(ledger, other);
  return { code, bucket: other.name, constraint: null, limit, asked, left };
}
