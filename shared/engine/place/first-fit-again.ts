import { Availability } from "../ledger/availability.ts";
import { open, vacantColumn } from "../ledger/columns.ts";
import { onlyNodeId } from "../ledger/default-resources.ts";
import { takeAmounts } from "../ledger/ledger.ts";
import type { LedgerBucket, LedgerNode } from "../ledger/ledger-bucket.ts";
import { SearchMemory } from "../ledger/search-memory.ts";
import { sortByNodeName } from "../model/names.ts";
import { isWhole } from "./allocate.ts";
import type { Allocation } from "./allocation.ts";
import { candidatesFor } from "./candidates.ts";
import { capacityOn } from "./offer.ts";
import { mayBind } from "./owner-cores.ts";
import { isBought, type Run } from "./run.ts";
import { firstPosition, nextPosition, notSearched } from "./search.ts";
import { demandIn, type Shape } from "./shape.ts";

/**
 * Whether first fit surely places all jobs of a run again once what it bought is there: then the next plan buys nothing. It is
 * played through on nothing but what nodes have left. False: something else may decide, or somebody finds no place.
 */
export function fitsAgain({ opened: { ledger, byNode }, queue, gangs, leftAtStart, targets }: Run): boolean {
  // Parts of a gang come with its first one, not where they stand in the queue.
  if (gangs.size > 0) return false;
  if (targets.length > 0 || byNode.all.size > onlyNodeId.all.size) return false;
  if (queue.some(({ granted, asked }) => granted < asked)) return false;
  const waiting = queue.filter(({ job, asked }) => job.executingHostnames.length < asked);
  if (!waiting.every(asksAmounts)) return false;
  const asksStock = waiting.some(({ shape }) => shape.profile.shared.length > 0);
  const rows = new Map<LedgerBucket, Rows>();
  for (const bucket of ledger.buckets) {
    if (bucket.closed === "on-premise" || bucket.placement === "order") return false;
    if (asksStock && bucket.kinds.some(({ stock }) => stock !== bucket.example.stock)) return false;
    const nodes = nodesThen(bucket);
    if (nodes === null) return false;
    if (nodes.length > 0) rows.set(bucket, new Rows(bucket, nodes, leftAtStart));
  }
  const again = new FirstFit(rows);
  return waiting.every((allocation) => again.place(allocation, candidatesFor(ledger, allocation)));
}

/** Amounts of nodes, besides what all of a bucket share. */
function asksAmounts(allocation: Allocation): boolean {
  const { own, alternatives, draws } = allocation.shape.profile;
  const asksMore = own.length + alternatives.length + draws.length > 0;
  return !asksMore && allocation.job.executingHostnames.length === 0 && !mayBind(allocation);
}

/** Those that run or are on order then. Null: a bucket may stand where its first node puts it, and that would be another one. */
function nodesThen({ nodes, firstNodes }: LedgerBucket): readonly LedgerNode[] | null {
  const there = nodes.filter(({ origin }) => origin !== "deallocated");
  const sorted = sortByNodeName(there, ({ name }) => name);
  const isPutElsewhere = firstNodes > 0 && (sorted[0] !== nodes[0] || nodes[0]?.origin === "starting");
  return isPutElsewhere && sorted.some(isBought) ? null : sorted;
}

/** A bucket as the next plan lays it out, before any job that waits is placed. */
class Rows {
  readonly nodes: readonly LedgerNode[];
  readonly table: Availability;
  readonly memory = new SearchMemory();

  constructor(bucket: LedgerBucket, nodes: readonly LedgerNode[], leftAtStart: Run["leftAtStart"]) {
    this.nodes = nodes;
    const rows = nodes.map((node) => leftAtStart.get(node) ?? bucket.rowOf(node));
    this.table = new Availability(bucket.columns.count, rows);
  }
}

/** What searches for a shape taught, as it remembers it itself. */
interface Learnt {
  readonly cursors: Map<Rows, number>;
  readonly wholeFailures: Map<Rows, number>;
}

class FirstFit {
  readonly #rows: ReadonlyMap<LedgerBucket, Rows>;
  readonly #learnt = { pack: new Map<Shape, Learnt>(), scatter: new Map<Shape, Learnt>() };
  /** Nodes asked for jobs that are placed whole: the next plan pays for no more. */
  #checks = 0;

  constructor(rows: ReadonlyMap<LedgerBucket, Rows>) {
    this.#rows = rows;
  }

  /** Places all of a job; false: it does not go. */
  place(allocation: Allocation, candidates: readonly LedgerBucket[]): boolean {
    const { shape, job, asked, share } = allocation;
    const known = this.#learnt[job.packingStrategy];
    const learnt = known.get(shape) ?? { cursors: new Map(), wholeFailures: new Map() };
    if (shape.jobs > 1) known.set(shape, learnt);
    let missing = asked;
    for (let k = 0; k < candidates.length && missing > 0; k++) {
      const bucket = candidates[k] as LedgerBucket;
      const rows = this.#rows.get(bucket);
      if (rows === undefined || (job.colocated && bucket.placementGroup === null)) continue;
      missing = this.#placeOn(rows, bucket, allocation, missing, learnt);
    }
    return missing === 0 && this.#checks <= share.left;
  }

  /** What a job lacks then: a job that is placed whole lacks nothing, or as much as before. */
  #placeOn(
    rows: Rows,
    bucket: LedgerBucket,
    { job, shape }: Allocation,
    missing: number,
    { cursors, wholeFailures }: Learnt,
  ): number {
    const whole = isWhole(job);
    if (whole && missing >= (wholeFailures.get(rows) ?? Number.POSITIVE_INFINITY)) return missing;
    const perNode = job.packingStrategy === "scatter" ? 1 : Number.POSITIVE_INFINITY;
    const most = job.colocated ? bucket.maxPlacementGroupSize : Number.POSITIVE_INFINITY;
    const demand = demandIn(shape, bucket.columns);
    const search = { bucket: rows, demand, named: null, at: cursors.get(rows) ?? notSearched };
    const found: { readonly position: number; readonly slots: number }[] = [];
    let left = missing;
    let position = firstPosition(search);
    while (position >= 0 && left > 0 && found.length <= most) {
      if (whole) this.#checks++;
      const room = capacityOn({ bucket: rows, position }, demand, shape.exclusive);
      const slots = rows.nodes[position]?.takesNoJobs === true ? 0 : Math.min(left, perNode, room);
      if (slots >= 1) found.push({ position, slots });
      if (slots >= 1) left -= slots;
      position = left > 0 ? nextPosition(search, position + 1) : -1;
    }
    const isGroupFull = found.length > most;
    if (whole && left > 0 && !isGroupFull) wholeFailures.set(rows, missing);
    if (whole && (left > 0 || isGroupFull)) return missing;
    for (const { position: at, slots } of found) {
      takeAmounts(rows.table, at, demand, slots);
      rows.table.set(at, vacantColumn, 0);
      if (shape.exclusive !== "none") rows.table.set(at, open, 0);
      // First fit asks a packed node again: by rounding it may still hold one more.
      const mayHoldMore =
        perNode > 1 && (left > 0 || at !== found.at(-1)?.position) && rows.table.fits(at, demand);
      if (mayHoldMore) this.#checks = Number.POSITIVE_INFINITY;
    }
    const next = perNode === 1 ? found[0] : left > 0 ? undefined : found.at(-1);
    cursors.set(rows, next?.position ?? rows.nodes.length);
    return left;
  }
}
