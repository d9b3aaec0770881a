import { firstRefusing } from "../constraints/any-constraint.ts";
import { type Columns, firstResource, open } from "../ledger/columns.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerBucket, LedgerNode } from "../ledger/ledger-bucket.ts";
import { covers } from "../values/amounts.ts";
import type { Allocation } from "./allocation.ts";
import { capacityOf, priceOf, unknownPrice } from "./bucket-kinds.ts";
import { candidatesFor } from "./candidates.ts";
import type { Movable } from "./movable-jobs.ts";
import type { Item, Kind, KindSet, PackingProblem } from "./packing/packing-problem.ts";
import { tierOf } from "./preference.ts";
import type { Profile } from "./profile.ts";
import { demandOf } from "./repack-problem.ts";
import { demandIn, type Shape } from "./shape.ts";

/** What nodes have left on which jobs run, before any other job is placed. */
export type LeftAtStart = ReadonlyMap<LedgerNode, readonly number[]>;

/** The packing of a whole queue on nodes that are there. */
export interface QueueThere extends PackingProblem {
  readonly kinds: readonly KindThere[];
  readonly items: readonly JobsAlike[];
}

interface KindThere extends Kind {
  readonly bucket: LedgerBucket;
  readonly nodes: readonly LedgerNode[];
}

interface JobsAlike extends Item {
  /** In the order of the queue. */
  readonly jobs: readonly Allocation[];
}

/** Which nodes count as there: besides those that run or are on order, perhaps those that the plan makes and starts. */
export type NodesThere = "without-bought" | "with-bought";

/**
 * Draws up the packing of all movable jobs on nodes that are there. It depends on nothing but the jobs and the nodes, not
 * on where first fit put jobs: so it is the same for a later plan once the nodes of this one are there. Null: they surely do
 * not fit.
 */
export function queueThere(
  ledger: Ledger,
  { jobs, stocks }: Movable,
  leftAtStart: LeftAtStart,
  there: NodesThere,
): QueueThere | null {
  const classes = new Map<Columns, number>();
  const classOf = ({ columns }: LedgerBucket): number => {
    const known = classes.get(columns) ?? classes.size;
    classes.set(columns, known);
    return known;
  };
  const kinds = ledger.buckets.flatMap((bucket) => [
    ...newKind(bucket, classOf(bucket)),
    ...kindsIn(bucket, rooms(ledger, bucket, leftAtStart, there), classOf(bucket)),
  ]);
  const columns = [...classes.keys()];
  const [only, ...others] = columns;
  if (only !== undefined && others.length === 0 && wantMoreThanThere(jobs, kinds, only)) return null;
  const sets = new Sets(kinds, stocks > 0);
  const items = [...Map.groupBy(jobs, ({ shape }) => shape)].map(([shape, alike]): JobsAlike => {
    const [first] = alike as [Allocation, ...Allocation[]];
    return {
      count: alike.reduce((sum, { asked }) => sum + asked, 0),
      demands: demandsOf(shape, columns),
      kinds: sets.of(candidatesFor(ledger, first), shape.profile),
      jobs: alike,
    };
  });
  const waiting = items.filter((item) => item.jobs.some(({ granted, asked }) => granted < asked));
  const mayFit = waiting.slice(0, mostWaitingAsked).every((item) => fitsSome(item, kinds));
  return mayFit ? { items, kinds, limits: [], buys: false } : null;
}

/** More would take longer to ask than it saves. */
const mostWaitingAsked = 100;

function fitsSome({ demands, kinds: set }: JobsAlike, kinds: readonly KindThere[]): boolean {
  return kinds.some(({ class: ofClass, capacity, there }, index) => {
    const demand = demands[ofClass];
    return (
      there !== null &&
      set.has(index) &&
      demand?.every((amount, column) => covers(capacity[column] ?? 0, amount))
    );
  });
}

/** Sums of fractions need not be exact. */
const slack = 1 + 1e-6;

/** Whether all jobs together want more of a resource than all nodes have: asked first, because it takes only a sum. */
function wantMoreThanThere(
  jobs: readonly Allocation[],
  kinds: readonly KindThere[],
  columns: Columns,
): boolean {
  const left = new Array<number>(columns.count).fill(0);
  for (const { capacity, there } of kinds)
    for (let column = firstResource; column < columns.count; column++)
      left[column] = (left[column] as number) + Math.max(0, capacity[column] as number) * (there ?? 0);
  const wanted = new Array<number>(columns.count).fill(0);
  for (const { shape, asked } of jobs) {
    const demand = demandIn(shape, columns);
    for (let i = 0; i < demand.columns.length; i++) {
      const column = demand.columns[i] as number;
      wanted[column] = (wanted[column] as number) + (demand.amounts[i] as number) * asked;
    }
  }
  return wanted.some(
    (amount, column) => column >= firstResource && amount > (left[column] as number) * slack,
  );
}

function demandsOf(shape: Shape, classes: readonly Columns[]): JobsAlike["demands"] {
  return classes.map((columns) => demandOf(shape, columns));
}

/** What the usable nodes of a bucket have without the movable jobs. */
function rooms(
  ledger: Ledger,
  bucket: LedgerBucket,
  leftAtStart: LeftAtStart,
  there: NodesThere,
): readonly (readonly [LedgerNode, readonly number[]])[] {
  const untouched = capacityOf(bucket.exampleRow, true);
  return bucket.nodes.flatMap((node) => {
    const isBought = node.origin === "new" || node.origin === "starting";
    if (node.origin === "deallocated" || (isBought && there === "without-bought")) return [];
    if (!ledger.isUsable(node)) return [];
    const left = leftAtStart.get(node);
    if (left !== undefined) return left[open] === 0 ? [] : [[node, capacityOf(left, false)] as const];
    const isLikeNew = node.stock === bucket.example.stock;
    return [[node, isLikeNew ? untouched : capacityOf(bucket.rowOf(node), true)] as const];
  });
}

/** What a slot is worth is measured by what new nodes cost. None are made. */
function newKind(bucket: LedgerBucket, ofClass: number): readonly KindThere[] {
  if (bucket.closed !== null) return [];
  const capacity = capacityOf(bucket.exampleRow, true);
  return [{ ...kindOf(bucket, ofClass, capacity), there: null, nodes: [] }];
}

function kindOf(bucket: LedgerBucket, ofClass: number, capacity: readonly number[]) {
  const price = priceOf(bucket) ?? unknownPrice;
  return { class: ofClass, rank: bucket.index, capacity, price, charges: [], bucket };
}

/** Nodes that are alike, in an order that has nothing to do with their names. */
function kindsIn(
  bucket: LedgerBucket,
  inBucket: ReturnType<typeof rooms>,
  ofClass: number,
): readonly KindThere[] {
  const looks = new Map<readonly number[], string>();
  const lookOf = ([{ stock }, room]: (typeof inBucket)[number]): string => {
    const text = looks.get(room) ?? room.join();
    looks.set(room, text);
    return stock === bucket.example.stock ? text : `${text} ${JSON.stringify(stock.resources)}`;
  };
  const byLook = [...Map.groupBy(inBucket, lookOf)].sort(([a], [b]) => (a < b ? -1 : 1));
  return byLook.map(([, alike]) => {
    const [[, capacity]] = alike as [(typeof inBucket)[number], ...unknown[]];
    const nodes = alike.map(([node]) => node);
    return { ...kindOf(bucket, ofClass, capacity), there: nodes.length, nodes };
  });
}

/** Which kinds jobs may lie on; one object for those that may lie on the same. */
class Sets {
  readonly #kinds: readonly KindThere[];
  readonly #isAskedByNode: boolean;
  readonly #byList = new Map<readonly LedgerBucket[], Map<Profile | null, KindSet>>();
  readonly #byText = new Map<string, KindSet>();

  constructor(kinds: readonly KindThere[], isAskedByNode: boolean) {
    this.#kinds = kinds;
    this.#isAskedByNode = isAskedByNode;
  }

  of(candidates: readonly LedgerBucket[], profile: Profile): KindSet {
    const key = profile.isEmpty ? null : profile;
    const ofList = this.#byList.get(candidates) ?? new Map<Profile | null, KindSet>();
    this.#byList.set(candidates, ofList);
    const set = ofList.get(key) ?? this.#make(candidates, profile);
    ofList.set(key, set);
    return set;
  }

  #make(candidates: readonly LedgerBucket[], profile: Profile): KindSet {
    const usable = new Set(candidates);
    const bought = new Set(firstChoices(candidates, profile));
    const allowed = this.#kinds.map(({ bucket, there, nodes: [node] }) => {
      if (there === null) return bought.has(bucket);
      if (!usable.has(bucket)) return false;
      if (!this.#isAskedByNode || node === undefined || node.stock === bucket.example.stock) return true;
      return firstRefusing(profile.shared, node) === null;
    });
    const text = allowed.map(Number).join("");
    const has = (kind: number): boolean => allowed[kind] ?? false;
    const set = this.#byText.get(text) ?? { has, hasOnceThere: has };
    this.#byText.set(text, set);
    return set;
  }
}

/** Where a job would get a new node, did no limit hold: in its first bucket, or in any that price may prefer to it. */
function firstChoices(candidates: readonly LedgerBucket[], profile: Profile): readonly LedgerBucket[] {
  const open = candidates.filter(({ closed }) => closed === null);
  const [first] = open;
  if (first === undefined || first.placement !== "cost") return open.slice(0, 1);
  const tier = tierOf(profile, first);
  const priced = open.filter(
    (bucket) => bucket.placement === "cost" && priceOf(bucket) !== null && tierOf(profile, bucket) === tier,
  );
  return priced.length === 0 ? [first] : priced;
}
