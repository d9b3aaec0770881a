import { open, vacantColumn } from "../../ledger/columns.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { LedgerBucket, LedgerNode } from "../../ledger/ledger-bucket.ts";
import type { Allocation } from "../allocation.ts";
import { chooseIn } from "../alternatives.ts";
import { capacityOf, LimitTable, openShare, priceOf, usableNodes } from "../bucket-kinds.ts";
import { candidatesFor } from "../candidates.ts";
import { mayMove } from "../loose-slots.ts";
import { mayBind } from "../owner-cores.ts";
import { tierOf } from "../preference.ts";
import { hoursOf, runHoursOf } from "../run-hours.ts";
import { demandIn, type ExclusiveScope } from "../shape.ts";

/** A job that is put somewhere as a whole: what it wants of the bucket that it gets. */
export interface Whole {
  readonly allocation: Allocation;
  /** Slots, or nodes of a job that wants different ones. */
  readonly count: number;
  readonly isScattered: boolean;
  readonly isColocated: boolean;
  readonly exclusive: ExclusiveScope;
  /** For how long it keeps a node. */
  readonly hours: number;
  /** How many of its buckets stand above price. */
  readonly above: number;
  /** Buckets between which price decides, in order of preference. */
  readonly options: readonly WholeOption[];
}

interface Priced {
  readonly above: number;
  readonly options: readonly WholeOption[];
}

interface WholeOption {
  readonly bucket: number;
  /** What one slot takes, by column. */
  readonly demand: readonly number[];
}

/** Nodes of a bucket that have the same left, in the order in which they fill. */
export interface NodesAlike {
  readonly room: readonly number[];
  readonly nodes: number;
  /** For how long they are paid for; 0: they are there already. */
  readonly hours: number;
}

/** A bucket in numbers. */
export interface WholeBucket {
  readonly bucket: LedgerBucket;
  /** Buckets with the same are alike but for their placement groups. */
  readonly size: string;
  readonly price: number;
  readonly capacity: readonly number[];
  /** What every job takes at least that may go there. */
  readonly least: readonly number[];
  readonly maxGroup: number;
  readonly charges: readonly { readonly limit: number; readonly amount: number }[];
  readonly there: readonly NodesAlike[];
}

/** Jobs that price may put into one bucket or another, and loose slots that fill what is left beside them. */
export interface WholeProblem {
  readonly wholes: readonly Whole[];
  readonly loose: readonly Allocation[];
  readonly buckets: readonly WholeBucket[];
  readonly limits: readonly number[];
  /** As for a packing: see `runHoursOf`. */
  readonly hours: readonly number[] | undefined;
}

/** What of the cluster a problem knows: the nodes that are there, or how it would be without those that nothing runs on. */
export type Beginning = "there" | "nothing";

/** Jobs of which price does not choose more than a first place. */
const mostWholes = 20_000;

/** Draws up the jobs that cannot be moved slot by slot; null: there are none, or too many. */
export function wholeProblem(
  ledger: Ledger,
  queue: readonly Allocation[],
  beginning: Beginning,
): WholeProblem | null {
  const waiting = queue.filter(({ granted, asked, heldBy }) => granted < asked && heldBy === null);
  const loose = waiting.filter(mayMove);
  const known = runHoursOf(waiting.map((allocation) => ({ allocation, slots: allocation.asked })));
  const choices = new Choices(ledger);
  const wholes = waiting.flatMap((allocation): readonly Whole[] => {
    const { above, options } = isWhole(allocation) ? choices.of(allocation) : noChoice;
    const { job, asked, granted, shape } = allocation;
    if (options.length === 0) return [];
    return [
      {
        allocation,
        count: asked - granted,
        isScattered: job.packingStrategy === "scatter",
        isColocated: job.colocated,
        exclusive: shape.exclusive,
        hours: hoursOf(job, known),
        above,
        options,
      },
    ];
  });
  if (wholes.length === 0 || wholes.length > mostWholes) return null;
  const limits = new LimitTable();
  const buckets = choices.buckets.map((bucket, index) => {
    return { ...bucketOf(ledger, bucket, limits, beginning), least: choices.least[index] ?? [] };
  });
  if (beginning === "nothing")
    for (const { bucket, charges } of buckets) {
      const freed = usableNodes(ledger, bucket).filter(({ jobs }) => jobs.length === 0).length;
      for (const { limit, amount } of charges)
        limits.left[limit] = (limits.left[limit] as number) + freed * amount;
    }
  return { wholes, loose, buckets, limits: limits.left, hours: known };
}

function isWhole(allocation: Allocation): boolean {
  const { job, shape } = allocation;
  return (
    !mayMove(allocation) &&
    !mayBind(allocation) &&
    job.executingHostnames.length === 0 &&
    shape.profile.own.length === 0
  );
}

function bucketOf(
  ledger: Ledger,
  bucket: LedgerBucket,
  limits: LimitTable,
  beginning: Beginning,
): Omit<WholeBucket, "least"> {
  const charges = bucket.charges.flatMap(({ quota, perNode }) =>
    perNode > 0 ? [{ limit: limits.of(quota, quota.left), amount: perNode }] : [],
  );
  return {
    bucket,
    size: `${bucket.name.nodeArray} ${bucket.name.vmSize}`,
    price: priceOf(bucket) ?? 0,
    capacity: capacityOf(bucket.exampleRow, true),
    maxGroup: bucket.maxPlacementGroupSize,
    charges,
    there: beginning === "nothing" ? [] : roomsIn(ledger, bucket),
  };
}

/** What the nodes that are there have, in their order; neighbours that have the same are one. */
function roomsIn(ledger: Ledger, bucket: LedgerBucket): readonly NodesAlike[] {
  const rooms: NodesAlike[] = [];
  for (const node of usableNodes(ledger, bucket)) {
    const row = bucket.table.row(node.position);
    if (row[open] === 0) continue;
    const room = capacityOf(row, row[vacantColumn] === 1);
    const last = rooms.at(-1);
    if (last?.room.every((amount, column) => amount === room[column]) === true)
      rooms[rooms.length - 1] = { room: last.room, nodes: last.nodes + 1, hours: 0 };
    else rooms.push({ room, nodes: 1, hours: 0 });
  }
  return rooms;
}

/** Between which buckets price decides for a job, and what it takes there. */
class Choices {
  readonly #ledger: Ledger;
  readonly buckets: LedgerBucket[] = [];
  /** By bucket and column, the smallest demand. */
  readonly least: (readonly number[])[] = [];
  readonly #index = new Map<LedgerBucket, number>();
  readonly #known = new Map<Allocation["shape"], Map<boolean, Priced>>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  of(allocation: Allocation): Priced {
    const { shape, job } = allocation;
    const byShape = this.#known.get(shape) ?? new Map<boolean, Priced>();
    this.#known.set(shape, byShape);
    const known = byShape.get(job.colocated) ?? this.#make(allocation);
    byShape.set(job.colocated, known);
    return known;
  }

  #make(allocation: Allocation): Priced {
    const { above, buckets } = pricedBuckets(this.#ledger, allocation);
    const options = buckets.flatMap((bucket): readonly WholeOption[] => {
      if (allocation.job.colocated && bucket.placementGroup === null) return [];
      const demand = demandAt(allocation, bucket);
      if (demand === null) return [];
      const index = this.#indexOf(bucket);
      const before = this.least[index];
      this.least[index] = demand.map((amount, column) => Math.min(amount, before?.[column] ?? amount));
      return [{ bucket: index, demand }];
    });
    return { above, options };
  }

  #indexOf(bucket: LedgerBucket): number {
    const known = this.#index.get(bucket);
    if (known !== undefined) return known;
    this.#index.set(bucket, this.buckets.length);
    this.buckets.push(bucket);
    return this.buckets.length - 1;
  }
}

/** The buckets of the first tier that has nodes or may get some, if price decides there, and how many come before them. */
function pricedBuckets(
  ledger: Ledger,
  allocation: Allocation,
): { readonly above: number; readonly buckets: readonly LedgerBucket[] } {
  const candidates = candidatesFor(ledger, allocation);
  const home = candidates[firstWithRoom(ledger, candidates)];
  if (home === undefined || home.placement !== "cost") return { above: 0, buckets: [] };
  const { profile } = allocation.shape;
  const tier = tierOf(profile, home);
  const isInTier = (bucket: LedgerBucket): boolean =>
    bucket.closed !== "on-premise" && tierOf(profile, bucket) === tier;
  const above = candidates.findIndex(isInTier);
  if (candidates.slice(0, above).some(({ placement }) => placement === "order"))
    return { above, buckets: [] };
  const buckets = candidates.filter(
    (bucket) =>
      bucket.closed === null && bucket.placement === "cost" && priceOf(bucket) !== null && isInTier(bucket),
  );
  return { above, buckets };
}

function firstWithRoom(ledger: Ledger, candidates: readonly LedgerBucket[]): number {
  const isUsable = (node: LedgerNode): boolean => ledger.isUsable(node);
  return candidates.findIndex(
    (bucket) => bucket.closed === null && (ledger.capacityOf(bucket) >= 1 || bucket.nodes.some(isUsable)),
  );
}

const noChoice: Priced = { above: 0, options: [] };

/** What a slot takes of an untouched node; null: it does not go there. */
function demandAt({ shape }: Allocation, bucket: LedgerBucket): readonly number[] | null {
  const plain = demandIn(shape, bucket.columns);
  const choice = chooseIn(shape.profile.alternatives, bucket, plain);
  if (choice === null || "short" in choice) return null;
  const { columns, amounts } = choice.demand;
  if (amounts.some((amount) => !Number.isFinite(amount))) return null;
  const dense = new Array<number>(bucket.columns.count).fill(0);
  for (const [index, column] of columns.entries()) dense[column] = amounts[index] ?? 0;
  dense[open] = 0;
  dense[vacantColumn] = shape.exclusive === "none" && choice.exclusive !== "iteration" ? openShare : 0;
  return dense;
}
