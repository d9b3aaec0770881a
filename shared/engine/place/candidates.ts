import type { Demand } from "../ledger/availability.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerBucket, Refusal } from "../ledger/ledger-bucket.ts";
import { isKnownOfNewNodes } from "../ledger/node-index.ts";
import { bindingCharge, nodesLeft } from "../limits/charges.ts";
import { covers } from "../values/amounts.ts";
import { type Allocation, spend } from "./allocation.ts";
import { candidatesOf, inOrder } from "./preference.ts";
import type { Profile } from "./profile.ts";
import { namedFirst } from "./search.ts";
import { demandIn, type Shape } from "./shape.ts";

/** A profile asks every bucket once, sorts them, and makes a list: as much as so many checks each. */
const checksPerBucket = 2;

/** The candidates whose example has the amounts, in order of preference. On-premise hosts are asked one by one. */
export function candidatesFor(ledger: Ledger, allocation: Allocation): readonly LedgerBucket[] {
  const { shape } = allocation;
  if (shape.candidates !== null) return shape.candidates;
  const { profile } = shape;
  if (profile.candidates === null) {
    if (!profile.isEmpty) {
      const checks = ledger.buckets.length * (profile.checksPerBucket + checksPerBucket);
      if (!spend(allocation, checks)) return noBuckets;
    }
    // Most profiles may use the same buckets: then they share one list.
    profile.candidates = ledger.lists.of(candidatesOf(profile, bucketsFor(ledger, profile)));
  }
  const suits = (bucket: LedgerBucket): boolean => hasAmounts(shape, bucket);
  // Most shapes suit every bucket: then they share one list.
  const all = profile.candidates;
  const candidates = all.every(suits) ? all : ledger.lists.of(all.filter(suits));
  if (shape.jobs > 1 && shape.monotone && ledger.memory.take(candidates.length)) shape.cursors = [];
  // A list that others have too costs nothing to remember.
  if (shape.jobs > 1 || candidates === all) shape.candidates = candidates;
  return candidates;
}

const noBuckets: readonly LedgerBucket[] = [];

/** Host names and addresses are those of nodes that are there: other buckets need not be asked. */
function bucketsFor(ledger: Ledger, profile: Profile): readonly LedgerBucket[] {
  if (profile.names === null || isKnownOfNewNodes(profile.names.naming)) return ledger.inOrder(inOrder);
  return inOrder([...namedFirst(ledger, profile).keys()]);
}

function hasAmounts(shape: Shape, bucket: LedgerBucket): boolean {
  return bucket.closed === "on-premise" || exampleCovers(bucket, demandIn(shape, bucket.columns));
}

/** Whether the bucket is a candidate of a shape whose candidates were asked for. */
export function couldHold(shape: Shape, bucket: LedgerBucket): boolean {
  return shape.profile.candidates?.includes(bucket) === true && hasAmounts(shape, bucket);
}

function exampleCovers(bucket: LedgerBucket, { columns, amounts }: Demand): boolean {
  const born = bucket.exampleRow;
  for (let i = 0; i < columns.length; i++)
    if (!covers(born[columns[i] as number] as number, amounts[i] as number)) return false;
  return true;
}

/** Why a bucket had no more room. The same object as long as nothing changed there. */
export function refusalOf(ledger: Ledger, bucket: LedgerBucket): Refusal {
  const last = bucket.lastRefusal;
  if (last !== null && last.atChange === ledger.changeCount) return last.refusal;
  const refusal = makeRefusal(ledger, bucket);
  const isSame = last !== null && last.refusal.left === refusal.left && last.refusal.limit === refusal.limit;
  bucket.lastRefusal = { refusal: isSame ? last.refusal : refusal, atChange: ledger.changeCount };
  return bucket.lastRefusal.refusal;
}

function makeRefusal(ledger: Ledger, bucket: LedgerBucket): Refusal {
  const binding = bucket.closed === null ? bindingCharge(bucket.charges) : null;
  const left = ledger.capacityOf(bucket);
  const code =
    bucket.closed === "invalid" ? "InvalidBucket" : bucket.closed === null ? "NoCapacity" : "OutOfCapacity";
  const limit = binding === null || nodesLeft(binding) === Number.POSITIVE_INFINITY ? null : binding.limit;
  return { code, bucket, limit, left };
}
