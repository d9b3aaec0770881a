import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerBucket } from "../ledger/ledger-bucket.ts";
import type { Allocation } from "./allocation.ts";
import { candidatesFor } from "./candidates.ts";
import type { Gangs } from "./gangs.ts";
import { mayMove } from "./loose-slots.ts";
import { entriesPerAnswer } from "./offer.ts";
import { mayBind } from "./owner-cores.ts";
import type { Profile } from "./profile.ts";

/** Jobs of a queue that may lie on any node of their buckets. */
export interface Movable {
  /** In the order of the queue. */
  readonly jobs: readonly Allocation[];
  /** Profiles that ask for more than amounts. */
  readonly asking: readonly Profile[];
  /** Distinct resources of nodes that have others than new nodes of their bucket: they are asked one by one. */
  readonly stocks: number;
}

/**
 * The jobs that want a place, if all of them may be moved; null: some may not. Then the queue as a whole can be packed, and
 * where first fit puts which job is of no account. Jobs that no new node could hold get nothing in any plan, and are left out with
 * their gangs.
 */
export function movableJobs(ledger: Ledger, queue: readonly Allocation[], gangs: Gangs): Movable | null {
  if (ledger.buckets.some(({ closed }) => closed === "on-premise")) return null;
  const all: Allocation[] = [];
  for (const allocation of queue) {
    // Packed as a whole, they might get more than their owner may have.
    if (mayBind(allocation)) return null;
    if (isSettled(allocation)) continue;
    const { profile } = allocation.shape;
    if (!mayMove(allocation) || profile.draws.length > 0) return null;
    const candidates = candidatesFor(ledger, allocation);
    if (allocation.heldBy !== null) return null;
    if (candidates.length === 0) continue;
    all.push(allocation);
  }
  const jobs = gangs.size === 0 ? all : withWholeGangs(all, gangs);
  const asking = new Set<Profile>();
  for (const { shape } of jobs) if (shape.profile.shared.length > 0) asking.add(shape.profile);
  const stocks = stocksBesideExamples(ledger.buckets);
  return { jobs, asking: [...asking], stocks };
}

function withWholeGangs(all: readonly Allocation[], gangs: Gangs): readonly Allocation[] {
  const jobs = new Set(all);
  const mayStart = (part: Allocation): boolean => jobs.has(part) || part.granted >= part.asked;
  for (const parts of new Set(gangs.values()))
    if (!parts.every(mayStart)) for (const part of parts) jobs.delete(part);
  return [...jobs];
}

/** Wants no place: it runs already, or was held back before anything was placed. */
function isSettled({ job, asked, heldBy, share }: Allocation): boolean {
  return job.executingHostnames.length >= asked || (heldBy !== null && heldBy !== share.hit);
}

function stocksBesideExamples(buckets: readonly LedgerBucket[]): number {
  const stocks = buckets.flatMap(({ kinds, example }) =>
    kinds.flatMap(({ stock }) => (stock === example.stock ? [] : [stock])),
  );
  return new Set(stocks).size;
}

/**
 * Whether every source has checks left to ask all nodes that differ. Which of them first fit asks depends on where jobs lie:
 * a later plan may ask others.
 */
export function mayAskAll({ memory }: Ledger, { jobs, asking, stocks }: Movable): boolean {
  if (stocks === 0 || asking.length === 0) return true;
  const checks = asking.reduce((sum, { checksPerBucket }) => sum + checksPerBucket * stocks, 0);
  return (
    memory.has(asking.length * stocks * entriesPerAnswer) && jobs.every(({ share }) => share.left >= checks)
  );
}
