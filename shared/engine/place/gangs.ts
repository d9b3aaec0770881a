import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerBucket, LedgerNode, Refusal } from "../ledger/ledger-bucket.ts";
import { allocate, isDivided, isWhole, pack } from "./allocate.ts";
import type { Allocation } from "./allocation.ts";
import { groupsFor } from "./gang-groups.ts";
import { forgetSearches } from "./shape.ts";

/** By part, all jobs of its gang in the order of the queue. */
export type Gangs = ReadonlyMap<Allocation, readonly Allocation[]>;

export function gangsOf(queue: readonly Allocation[]): Gangs {
  const parts = queue.filter(({ job }) => job.gang !== undefined);
  const gangs = Map.groupBy(parts, ({ job: { source, gang } }) => `${source}\n${gang}`);
  return new Map([...gangs.values()].flatMap((gang) => gang.map((part) => [part, gang] as const)));
}

/** Places what is left to place of jobs, one after the other; the parts of a gang together with the first that is there. */
export function allocateAll(ledger: Ledger, queue: readonly Allocation[], gangs: Gangs): void {
  const tried = new Set<readonly Allocation[]>();
  for (const allocation of queue) {
    const { job } = allocation;
    const parts = gangs.get(allocation);
    if (parts === undefined && (job.gangSize === undefined || isWhole(job))) allocate(ledger, allocation);
    else if (parts === undefined) allocateLots(ledger, allocation, job.gangSize ?? 1);
    else if (!tried.has(parts)) {
      tried.add(parts);
      allocateParts(ledger, parts);
    }
  }
}

/** All parts get all that they ask for, or none gets anything; the first that does not says what it lacks. */
function allocateParts(ledger: Ledger, parts: readonly Allocation[]): void {
  const placed = placeParts(ledger, parts, (part) => allocate(ledger, part));
  if (placed === parts.length) return;
  const waits: readonly Refusal[] = [{ code: "GangIncomplete", bucket: null, limit: null, left: placed }];
  for (const [index, part] of parts.entries()) if (index !== placed) part.refusals = waits;
}

/**
 * Places jobs one after the other, all of each, or nothing of any. Colocated ones that say whether they may be divided are all in one
 * placement group; `homes` are the buckets that price chose for the jobs. Returns how many found room: all of them, or those before the
 * first that did not.
 */
export function placeParts(
  ledger: Ledger,
  parts: readonly Allocation[],
  place: (part: Allocation) => void,
  homes: readonly (LedgerBucket | undefined)[] = [],
): number {
  const united = parts.filter(({ job }) => job.colocated && job.mayDivide !== undefined);
  if (united.length < 2) return placeApart(ledger, parts, place);
  let placed = -1;
  let lacks: readonly Refusal[] = [];
  for (const group of groupsFor(ledger, united, homes)) {
    for (const part of united) part.group = group;
    const inGroup = placeApart(ledger, parts, place);
    if (inGroup > placed) {
      placed = inGroup;
      lacks = parts[inGroup]?.refusals ?? [];
    }
    if (placed === parts.length) break;
  }
  for (const part of united) part.group = null;
  const [lacking] = parts.slice(placed);
  if (lacking === undefined) return placed;
  // The group that could hold the most of them says what they lack.
  lacking.refusals = lacks;
  if (!isDivided(ledger, united)) return placed;
  return placeApart(ledger, parts, (part) =>
    united.includes(part) && part.granted < part.asked ? pack(ledger, part) : place(part),
  );
}

/** Those that lie apart on different nodes. */
function placeApart(ledger: Ledger, parts: readonly Allocation[], place: (part: Allocation) => void): number {
  let placed = 0;
  attempt(ledger, parts, () => {
    const apart = new Set(parts.flatMap(nodesApart));
    for (const part of parts) {
      part.avoids = part.job.gangApart === true ? apart : null;
      place(part);
      if (part.granted < part.asked) return false;
      for (const node of nodesApart(part)) apart.add(node);
      placed++;
    }
    return true;
  });
  return placed;
}

function nodesApart({ job, placements }: Allocation): readonly LedgerNode[] {
  return job.gangApart === true ? placements.map(({ node }) => node) : [];
}

/** A job gets as many lots of `size` slots as there is room for. */
function allocateLots(ledger: Ledger, allocation: Allocation, size: number): void {
  const { shape, asked, granted } = allocation;
  const { gangFailure } = shape;
  if (gangFailure !== null && gangFailure.created === ledger.created && size >= gangFailure.size) {
    allocation.refusals = gangFailure.refusals;
    return;
  }
  let lots = 0;
  const isComplete = attempt(ledger, [allocation], () => {
    allocate(ledger, allocation);
    lots = Math.floor((allocation.granted - granted) / size);
    return allocation.granted >= asked;
  });
  if (isComplete) return;
  const { refusals, heldBy } = allocation;
  if (lots > 0) {
    // The first slots go where they went before.
    allocation.heldBy = null;
    allocation.asked = granted + lots * size;
    attempt(ledger, [allocation], () => {
      allocate(ledger, allocation);
      return allocation.granted >= allocation.asked;
    });
    allocation.asked = asked;
    allocation.heldBy = heldBy;
    allocation.refusals = refusals;
  } else if (shape.monotone && shape.jobs > 1 && heldBy === null)
    shape.gangFailure = { size, refusals, created: ledger.created };
}

/** Places jobs; when `steps` returns false, they have what they had before. */
function attempt(ledger: Ledger, parts: readonly Allocation[], steps: () => boolean): boolean {
  const before = parts.map(stateOf);
  const kept = ledger.attempt(steps);
  if (kept) return true;
  const hadSome = parts.some(({ granted }, index) => granted > (before[index]?.granted ?? 0));
  for (const [index, part] of parts.entries()) putBack(part, before[index] as State);
  if (!hadSome) return false;
  // Nodes have more left than the searches of the parts knew.
  ledger.forgetSearches();
  for (const { shape } of parts) forgetSearches(shape);
  return false;
}

type State = ReturnType<typeof stateOf>;

function stateOf({ granted, placements, owners }: Allocation) {
  return { granted, placements: [...placements], coresLeft: owners.map(({ left }) => left) };
}

function putBack(part: Allocation, { granted, placements, coresLeft }: State): void {
  part.granted = granted;
  part.placements = placements;
  for (const [index, owner] of part.owners.entries()) owner.left = coresLeft[index] as number;
}
