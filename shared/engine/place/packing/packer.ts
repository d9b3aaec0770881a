import { covers, timesInRoom } from "../../values/amounts.ts";
import { ItemTree } from "./item-tree.ts";
import {
  hoursFor,
  type Item,
  type Kind,
  type KindSet,
  type Load,
  type Packing,
  type PackingProblem,
  type Steps,
} from "./packing-problem.ts";

/** What one node of a kind would hold, and what that is worth. */
export interface Filling {
  readonly kind: number;
  readonly slots: readonly (readonly [item: number, count: number])[];
  readonly worth: number;
}

/** Items that the same kinds take, in one order. */
interface Shelf {
  readonly kinds: KindSet;
  /** By class; made when it is first needed. */
  readonly trees: (ItemTree | undefined)[];
  readonly items: readonly number[];
}

/** A problem being packed: what is left to place, and what is left of the limits and of the nodes that are there. */
export class Packer {
  readonly problem: PackingProblem;
  /** What a slot is worth, by item. */
  readonly worths: readonly number[];
  readonly left: number[];
  readonly #steps: Steps;
  readonly #limits: number[];
  readonly #there: number[];
  readonly #shelves: readonly Shelf[];
  /** Shelves whose items a kind takes. */
  readonly #shelvesOf: readonly (readonly Shelf[])[];
  readonly #order: readonly number[];
  /** Place in the order before which nothing is left. */
  #next = 0;
  /** Place of each item in the order, and on its shelf. */
  readonly #rank: readonly number[];
  readonly #placeOnShelf: readonly number[];
  readonly #loads: Load[] = [];
  #price = 0;

  /** Fills nodes with items in the order of what a slot is worth, the most first. */
  constructor(problem: PackingProblem, worths: readonly number[], steps: Steps) {
    this.problem = problem;
    this.worths = worths;
    this.#steps = steps;
    this.left = problem.items.map(({ count }) => count);
    this.#limits = [...problem.limits];
    this.#there = problem.kinds.map(({ there }) => there ?? 0);
    const order = problem.items.map((_, item) => item);
    order.sort((a, b) => (worths[b] as number) - (worths[a] as number) || a - b);
    const rank: number[] = [];
    for (const [place, item] of order.entries()) rank[item] = place;
    this.#rank = rank;
    this.#order = order;
    const byKinds = Map.groupBy(order, (item) => (problem.items[item] as Item).kinds);
    const placeOnShelf: number[] = [];
    this.#shelves = [...byKinds].map(([kinds, items]) => {
      for (const [place, item] of items.entries()) placeOnShelf[item] = place;
      return { kinds, items, trees: [] };
    });
    this.#placeOnShelf = placeOnShelf;
    this.#shelvesOf = problem.kinds.map((_, kind) => this.#shelves.filter(({ kinds }) => kinds.has(kind)));
    steps.left -= problem.items.length * 4;
  }

  get isSpent(): boolean {
    return this.#steps.left < 0;
  }

  /** Nodes of a kind that there still are, or that the limits let be made. */
  roomOf(kind: number): number {
    const { there, charges } = this.problem.kinds[kind] as Kind;
    if (there !== null) return this.#there[kind] as number;
    let room = Number.POSITIVE_INFINITY;
    for (const { limit, amount } of charges)
      if (amount > 0) room = Math.min(room, Math.floor((this.#limits[limit] as number) / amount));
    return room;
  }

  /** The most worthy item of which something is left; -1: none. */
  first(): number {
    while (this.#next < this.#order.length && this.left[this.#order[this.#next] as number] === 0)
      this.#next++;
    return this.#order[this.#next] ?? -1;
  }

  /** Whether an untouched node of a kind holds a slot. */
  fits(item: number, kind: number): boolean {
    const { class: ofClass, capacity } = this.problem.kinds[kind] as Kind;
    const { kinds, demands } = this.problem.items[item] as Item;
    const demand = demands[ofClass];
    if (demand === null || demand === undefined || !kinds.has(kind)) return false;
    return demand.every((amount, column) => covers(capacity[column] as number, amount));
  }

  /** What an untouched node of a kind would hold: the most worthy items first, each as often as it fits. */
  fill(kind: number): Filling {
    const { class: ofClass, capacity } = this.problem.kinds[kind] as Kind;
    const room = [...capacity];
    const slots: [number, number][] = [];
    let worth = 0;
    const shelves = this.#shelvesOf[kind] as readonly Shelf[];
    const heads = shelves.map(() => 0);
    for (;;) {
      let next = -1;
      let from = -1;
      for (let k = 0; k < shelves.length; k++) {
        const shelf = shelves[k] as Shelf;
        const at = heads[k] as number;
        if (at < 0) continue;
        const found = this.#treeOf(shelf, ofClass).nextFit(at, room);
        this.#steps.left -= 8;
        heads[k] = found;
        if (found < 0) continue;
        const item = shelf.items[found] as number;
        if (next >= 0 && (this.#rank[item] as number) > (this.#rank[next] as number)) continue;
        next = item;
        from = k;
      }
      if (next < 0) break;
      heads[from] = (heads[from] as number) + 1;
      const demand = this.demandOf(next, ofClass);
      const count = Math.min(this.left[next] as number, timesInRoom(demand, room));
      if (count < 1) continue;
      for (let column = 0; column < demand.length; column++)
        room[column] = (room[column] as number) - (demand[column] as number) * count;
      slots.push([next, count]);
      worth += count * (this.worths[next] as number);
    }
    return { kind, slots, worth };
  }

  /**
   * The same, each slot chosen by how well it goes with what is left: what it takes most of should be what there is most of
   * (the dot product of both, in shares of the node).
   */
  fillEvenly(kind: number): Filling {
    const { class: ofClass, capacity } = this.problem.kinds[kind] as Kind;
    const room = [...capacity];
    const taken = new Map<number, number>();
    const shelves = this.#shelvesOf[kind] as readonly Shelf[];
    let worth = 0;
    for (;;) {
      let best = -1;
      let highest = -1;
      for (const shelf of shelves) {
        const tree = this.#treeOf(shelf, ofClass);
        for (let at = tree.nextFit(0, room); at >= 0; at = tree.nextFit(at + 1, room)) {
          this.#steps.left -= 8;
          const item = shelf.items[at] as number;
          if ((this.left[item] as number) <= (taken.get(item) ?? 0)) continue;
          const score = evenness(this.demandOf(item, ofClass), room, capacity);
          if (
            score < highest ||
            (score === highest && (this.#rank[item] as number) > (this.#rank[best] as number))
          )
            continue;
          highest = score;
          best = item;
        }
      }
      if (best < 0 || this.isSpent) break;
      const demand = this.demandOf(best, ofClass);
      const most = Math.min((this.left[best] as number) - (taken.get(best) ?? 0), timesInRoom(demand, room));
      // Several at once of what is small: one by one would come to much the same.
      const count = Math.max(1, Math.floor(most / slotsAtOnce));
      taken.set(best, (taken.get(best) ?? 0) + count);
      for (let column = 0; column < demand.length; column++)
        room[column] = (room[column] as number) - (demand[column] as number) * count;
      worth += count * (this.worths[best] as number);
    }
    return { kind, slots: [...taken], worth };
  }

  demandOf(item: number, ofClass: number): readonly number[] {
    return this.problem.items[item]?.demands[ofClass] ?? [];
  }

  /** How many nodes can be filled alike: as long as there is enough of each item, and room. */
  timesOf({ kind, slots }: Filling): number {
    let times = this.roomOf(kind);
    for (const [item, count] of slots)
      times = Math.min(times, Math.floor((this.left[item] as number) / count));
    return Math.max(1, times);
  }

  /** Fills so many nodes. */
  take({ kind, slots }: Filling, nodes: number): void {
    const { there, charges, price } = this.problem.kinds[kind] as Kind;
    if (there !== null) this.#there[kind] = (this.#there[kind] as number) - nodes;
    else {
      for (const { limit, amount } of charges)
        this.#limits[limit] = (this.#limits[limit] as number) - amount * nodes;
      this.#price += price * hoursFor(this.problem, slots) * nodes;
    }
    for (const [item, count] of slots) {
      const left = (this.left[item] as number) - count * nodes;
      this.left[item] = left;
      if (left === 0) this.#drop(item);
    }
    this.#loads.push({ kind, nodes, slots });
    this.#steps.left -= 8 * slots.length;
  }

  result(): Packing {
    const unplaced = this.left.reduce((sum, count) => sum + count, 0);
    return { loads: this.#loads, price: this.#price, unplaced };
  }

  #drop(item: number): void {
    const { kinds } = this.problem.items[item] as Item;
    for (const shelf of this.#shelves)
      if (shelf.kinds === kinds)
        for (const tree of shelf.trees) tree?.drop(this.#placeOnShelf[item] as number);
  }

  #treeOf(shelf: Shelf, ofClass: number): ItemTree {
    const known = shelf.trees[ofClass];
    if (known !== undefined) return known;
    const { items, kinds } = this.problem;
    const columns = kinds.find((kind) => kind.class === ofClass)?.capacity.length ?? 0;
    const tree = new ItemTree(
      shelf.items,
      (item) => ((this.left[item] as number) > 0 ? (items[item]?.demands[ofClass] ?? null) : null),
      columns,
    );
    shelf.trees[ofClass] = tree;
    this.#steps.left -= shelf.items.length * 2;
    return tree;
  }
}

function evenness(demand: readonly number[], room: readonly number[], capacity: readonly number[]): number {
  let sum = 0;
  for (let column = 0; column < demand.length; column++) {
    const whole = capacity[column] as number;
    if (whole > 0) sum += (((demand[column] as number) / whole) * (room[column] as number)) / whole;
  }
  return sum;
}

/** The part of what still fits that is taken at once. */
const slotsAtOnce = 8;
