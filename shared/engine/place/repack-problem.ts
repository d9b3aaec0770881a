import { firstRefusing } from "../constraints/any-constraint.ts";
import type { Demand } from "../ledger/availability.ts";
import { type Columns, open, vacantColumn } from "../ledger/columns.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerBucket, LedgerNode } from "../ledger/ledger-bucket.ts";
import {
  type BucketKind,
  capacityOf,
  exclusiveShare,
  kindsThere,
  LimitTable,
  newKinds,
  openShare,
  priceOf,
  usableNodes,
} from "./bucket-kinds.ts";
import { candidatesFor } from "./candidates.ts";
import { type LooseSlots, turnOf } from "./loose-slots.ts";
import type { Item, KindSet, PackingProblem } from "./packing/packing-problem.ts";
import { tierOf } from "./preference.ts";
import { demandIn, type Shape } from "./shape.ts";

/** The packing problem of some slots, with what its numbers stand for. */
export interface RepackProblem extends PackingProblem {
  readonly kinds: readonly BucketKind[];
  readonly items: readonly SlotItem[];
}

export interface SlotItem extends Item {
  /** In the order in which they were placed. */
  readonly slots: readonly LooseSlots[];
}

interface Terms {
  readonly ledger: Ledger;
  readonly reservedLeft: ReadonlyMap<string, number>;
  /** Whether nodes that are there can be used: without the slots themselves on them. */
  readonly usesThere: boolean;
  readonly hours: readonly number[] | undefined;
  /** Nodes that go away with the slots on them. */
  readonly vanishing: ReadonlySet<LedgerNode>;
}

/** Draws up which nodes the slots could lie on. */
export function repackProblem(loose: readonly LooseSlots[], terms: Terms): RepackProblem {
  const classes = new Map<Columns, number>();
  const classOf = ({ columns }: LedgerBucket): number => {
    const known = classes.get(columns) ?? classes.size;
    classes.set(columns, known);
    return known;
  };
  const limits = new LimitTable();
  const { ledger, reservedLeft } = terms;
  const fresh = ledger.buckets
    .filter(({ closed }) => closed === null)
    .flatMap((bucket) => newKinds(bucket, classOf(bucket), limits, reservedLeft));
  const there = terms.usesThere ? kindsThere(roomsOf(loose, terms), classOf) : [];
  const kinds = [...fresh, ...there];
  const groups = Map.groupBy(loose, (slots) => slots.allocation.shape);
  const sets = new KindSets(kinds);
  const items = [...groups].flatMap(([shape, slots]) =>
    [...Map.groupBy(slots, (each) => sets.of(ledger, each))].map(
      ([set, same]): SlotItem => ({
        count: same.reduce((sum, each) => sum + each.slots, 0),
        demands: [...classes.keys()].map((columns) => demandOf(shape, columns)),
        kinds: set,
        slots: same,
      }),
    ),
  );
  const { hours } = terms;
  return { items, kinds, limits: limits.left, buys: true, ...(hours === undefined ? {} : { hours }) };
}

/** What the nodes that are there have, were the slots not on them. */
function roomsOf(
  loose: readonly LooseSlots[],
  { ledger, vanishing }: Terms,
): ReadonlyMap<LedgerNode, readonly number[]> {
  const byNode = Map.groupBy(loose, ({ node }) => node);
  const buckets = new Set(loose.flatMap(({ allocation }) => candidatesFor(ledger, allocation)));
  const rooms = new Map<LedgerNode, readonly number[]>();
  for (const bucket of buckets) {
    if (bucket.closed === "on-premise") continue;
    for (const node of usableNodes(ledger, bucket)) {
      if (vanishing.has(node)) continue;
      const room = roomOn(node, byNode.get(node) ?? []);
      if (room !== null) rooms.set(node, room);
    }
  }
  return rooms;
}

function roomOn(node: LedgerNode, loose: readonly LooseSlots[]): readonly number[] | null {
  const { bucket, position } = node;
  const held = node.jobs.reduce((sum, { slots }) => sum + slots, 0);
  if (held === loose.reduce((sum, { slots }) => sum + slots, 0)) return capacityOf(bucket.rowOf(node), true);
  if (bucket.table.get(position, open) === 0) return null;
  const row = [...bucket.table.row(position)];
  for (const { allocation, slots } of loose) {
    const { columns, amounts } = demandIn(allocation.shape, bucket.columns);
    for (const [index, column] of columns.entries())
      row[column] = (row[column] ?? 0) + (amounts[index] ?? 0) * slots;
  }
  return capacityOf(row, false);
}

/** What a slot takes of nodes whose table has these columns; null: they do not have it. */
export function demandOf(shape: Shape, columns: Columns): readonly number[] | null {
  const demand: Demand = demandIn(shape, columns);
  if (demand.amounts.some((amount) => !Number.isFinite(amount))) return null;
  const dense = new Array<number>(columns.count).fill(0);
  for (const [index, column] of demand.columns.entries())
    if (column !== vacantColumn && column !== open)
      dense[column] = (dense[column] ?? 0) + (demand.amounts[index] ?? 0);
  dense[vacantColumn] = shape.exclusive === "none" ? openShare : exclusiveShare;
  return dense;
}

/** Which kinds a slot may go to; one object for slots that may go to the same. */
class KindSets {
  readonly #kinds: readonly BucketKind[];
  readonly #byKey = new Map<string, KindSet>();
  readonly #tiers = new Map<Shape["profile"], Map<LedgerBucket, string>>();
  readonly #lists = new Map<readonly LedgerBucket[], number>();

  constructor(kinds: readonly BucketKind[]) {
    this.#kinds = kinds;
  }

  of(ledger: Ledger, { allocation, node }: LooseSlots): KindSet {
    const { profile } = allocation.shape;
    const candidates = candidatesFor(ledger, allocation);
    const list = this.#lists.get(candidates) ?? this.#lists.size;
    this.#lists.set(candidates, list);
    const { from, to } = turnOf(candidates, node.bucket);
    // What lies on a node that was there already would otherwise be bought in its first choice.
    const isBought = node.origin === "new" || node.origin === "starting";
    const home = isBought ? node.bucket : (candidates[from] as LedgerBucket);
    const key = `${list} ${profile.id} ${from} ${home.index}`;
    const known = this.#byKey.get(key) ?? this.#make(profile, candidates.slice(from, to), home);
    this.#byKey.set(key, known);
    return known;
  }

  #make(profile: Shape["profile"], turn: readonly LedgerBucket[], home: LedgerBucket): KindSet {
    const inTurn = new Set(turn);
    const bought = new Set(this.#buysFrom(profile, turn, home));
    const allowed = this.#kinds.map(({ bucket, there, nodes }) => {
      if (there === null) return bought.has(bucket);
      const [node] = nodes;
      if (!inTurn.has(bucket) || node === undefined) return false;
      return node.stock === bucket.example.stock || firstRefusing(profile.shared, node) === null;
    });
    const text = `${this.#turnKey(turn)} ${allowed.map(Number).join("")}`;
    const same = this.#byKey.get(text);
    if (same !== undefined) return same;
    const made: KindSet = {
      has: (kind) => allowed[kind] ?? false,
      hasOnceThere: (kind) => {
        const bucket = this.#kinds[kind]?.bucket;
        return bucket !== undefined && inTurn.has(bucket);
      },
    };
    this.#byKey.set(text, made);
    return made;
  }

  #turnKey(turn: readonly LedgerBucket[]): string {
    return turn.map(({ index }) => index).join();
  }

  /** Price decides among the buckets of the tier in which the slot was placed; where none has a price, it stays. */
  #buysFrom(
    profile: Shape["profile"],
    turn: readonly LedgerBucket[],
    home: LedgerBucket,
  ): readonly LedgerBucket[] {
    if (home.placement !== "cost") return [home];
    const tier = this.#tierOf(profile, home);
    const priced = turn.filter(
      (bucket) =>
        bucket.placement === "cost" && priceOf(bucket) !== null && this.#tierOf(profile, bucket) === tier,
    );
    return priced.length === 0 ? [home] : priced;
  }

  #tierOf(profile: Shape["profile"], bucket: LedgerBucket): string {
    const tiers = this.#tiers.get(profile) ?? new Map<LedgerBucket, string>();
    this.#tiers.set(profile, tiers);
    const tier = tiers.get(bucket) ?? tierOf(profile, bucket);
    tiers.set(bucket, tier);
    return tier;
  }
}
