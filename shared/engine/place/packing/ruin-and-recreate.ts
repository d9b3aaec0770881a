import { covers, timesInRoom } from "../../values/amounts.ts";
import { draws } from "./draws.ts";
import type { Item, Kind, Load, Packing, PackingProblem, Steps } from "./packing-problem.ts";

/** A node that is there, with what a packing puts on it. */
interface FleetNode {
  readonly kind: number;
  room: readonly number[];
  slots: ReadonlyMap<number, number>;
}

/** More nodes than that are left as they are: too few of them would be looked at. */
const mostNodes = 5_000;

/** Nodes that are taken apart at once. */
const fewestRuined = 2;
const mostRuined = 3;

/** On few nodes, each pair and each three is taken apart so often, on average: more tries find nothing new. */
const triesPerChoice = 100;

/** The part of what still fits that is taken at once. */
const slotsAtOnce = 8;

/**
 * Finds room for what a packing leaves out, on the nodes that are there: takes a few nodes apart, fills them anew with
 * their slots and those left out, and keeps that unless more is left out than before; again and again, until all is placed, the
 * steps are spent, or there is nothing new to try. Draws from a fixed seed: the same packing gives the same answer.
 */
export function ruinAndRecreate(problem: PackingProblem, packing: Packing, steps: Steps): Packing {
  const count = problem.kinds.reduce((sum, { there }) => sum + (there ?? 0), 0);
  if (count > mostNodes) return packing;
  const fleet = new Fleet(problem, packing, steps);
  const most = triesPerChoice * choicesOf(count);
  for (let tries = 0; tries < most && !fleet.isWhole && steps.left > 0 && fleet.tryOnce(); tries++);
  return fleet.packing();
}

/** How many pairs and threes there are, or the one node. */
function choicesOf(nodes: number): number {
  return Math.max(1, (nodes * (nodes - 1) * (nodes + 1)) / 6);
}

class Fleet {
  readonly #problem: PackingProblem;
  readonly #steps: Steps;
  readonly #nodes: readonly FleetNode[];
  readonly #below = draws();
  /** Share that a slot takes of all that there is: how much it matters that it is left out. */
  readonly #weights: readonly number[];
  readonly #demands = new Map<number, Float64Array>();
  #left: ReadonlyMap<number, number>;
  #leftWeight: number;

  constructor(problem: PackingProblem, { loads }: Packing, steps: Steps) {
    this.#problem = problem;
    this.#steps = steps;
    this.#weights = weightsOf(problem);
    const left = new Map(problem.items.map(({ count }, item) => [item, count]));
    const untouched = problem.kinds.map(({ there }) => there ?? 0);
    const nodes: FleetNode[] = [];
    for (const { kind, nodes: alike, slots } of loads) {
      untouched[kind] = (untouched[kind] ?? 0) - alike;
      for (const [item, count] of slots) left.set(item, (left.get(item) ?? 0) - count * alike);
      const room = this.#roomBeside(kind, slots);
      for (let k = 0; k < alike; k++) nodes.push({ kind, room, slots: new Map(slots) });
    }
    for (const [kind, count] of untouched.entries())
      for (let k = 0; k < count; k++)
        nodes.push({ kind, room: (problem.kinds[kind] as Kind).capacity, slots: new Map() });
    this.#nodes = nodes;
    this.#left = new Map([...left].filter(([, count]) => count > 0));
    this.#leftWeight = this.#weightOf(this.#left);
    steps.left -= nodes.length * 8;
  }

  get isWhole(): boolean {
    return this.#left.size === 0;
  }

  /** False: a slot is left out that no node could hold, or there is nothing to take apart. */
  tryOnce(): boolean {
    const ruined = this.#chooseNodes();
    if (ruined.length === 0) return false;
    const pool = new Map(this.#left);
    for (const { slots } of ruined)
      for (const [item, count] of slots) pool.set(item, (pool.get(item) ?? 0) + count);
    const open = this.#poolOf(pool);
    const filled = ruined.map((node) => this.#fill(node.kind, open));
    let weight = 0;
    for (let k = 0; k < open.items.length; k++)
      weight += (this.#weights[open.items[k] as number] as number) * (open.counts[k] as number);
    if (weight > this.#leftWeight * (1 + 1e-9)) return true;
    for (const [index, node] of ruined.entries()) Object.assign(node, filled[index]);
    this.#left = new Map(
      open.items.map((item, k) => [item, open.counts[k] as number] as const).filter(([, count]) => count > 0),
    );
    this.#leftWeight = weight;
    return true;
  }

  #poolOf(pool: ReadonlyMap<number, number>): Pool {
    const noise = this.#below(5) / 10_000;
    const items = [...pool.keys()];
    return {
      items,
      counts: [...pool.values()],
      tastes: items.map(() => 1 + noise * this.#below(1000)),
      square: this.#below(2),
    };
  }

  packing(): Packing {
    const loads = this.#nodes.flatMap(({ kind, slots }): readonly Load[] =>
      slots.size === 0 ? [] : [{ kind, nodes: 1, slots: [...slots] }],
    );
    const unplaced = [...this.#left.values()].reduce((sum, count) => sum + count, 0);
    return { loads, price: 0, unplaced };
  }

  /** The first could hold a slot that is left out, the others are any. */
  #chooseNodes(): readonly FleetNode[] {
    const left = [...this.#left.keys()];
    const item = left[this.#below(left.length)] ?? -1;
    const from = this.#below(this.#nodes.length);
    const chosen = new Set<FleetNode>();
    for (let k = 0; k < this.#nodes.length && chosen.size === 0; k++) {
      const node = this.#nodes[(from + k) % this.#nodes.length] as FleetNode;
      this.#steps.left -= 1;
      if (this.#holds(node.kind, item)) chosen.add(node);
    }
    if (chosen.size === 0) return [];
    const wanted = fewestRuined + this.#below(mostRuined - fewestRuined + 1);
    for (let k = 1; k < wanted; k++) chosen.add(this.#nodes[this.#below(this.#nodes.length)] as FleetNode);
    return [...chosen];
  }

  #holds(kind: number, item: number): boolean {
    const { class: ofClass, capacity } = this.#problem.kinds[kind] as Kind;
    const { kinds, demands } = this.#problem.items[item] as Item;
    const demand = demands[ofClass];
    if (demand === null || demand === undefined || !kinds.has(kind)) return false;
    return demand.every((amount, column) => covers(capacity[column] as number, amount));
  }

  /** Fills a node with slots of the pool, which it takes out, each chosen by how well it goes with what is left. */
  #fill(kind: number, pool: Pool): Pick<FleetNode, "room" | "slots"> {
    const { class: ofClass, capacity } = this.#problem.kinds[kind] as Kind;
    const { items, counts, tastes, square } = pool;
    const columns = capacity.length;
    const demands = this.#demandsOf(ofClass);
    const room = [...capacity];
    const pull = this.#pullOf(pool, kind);
    const slots = new Map<number, number>();
    const open: number[] = [];
    for (let k = 0; k < items.length; k++)
      if ((counts[k] as number) > 0 && (this.#problem.items[items[k] as number] as Item).kinds.has(kind))
        open.push(k);
    for (;;) {
      let best = -1;
      let highest = Number.NEGATIVE_INFINITY;
      let kept = 0;
      for (const k of open) {
        const offset = (items[k] as number) * columns;
        let score = 0;
        let isIn = (counts[k] as number) > 0;
        for (let column = 0; column < columns && isIn; column++) {
          const demand = demands[offset + column] as number;
          const left = room[column] as number;
          if (left < demand * (1 - tolerance)) isIn = false;
          score += (pull[column] as number) * demand * (2 * left - square * demand);
        }
        if (!isIn) continue;
        // What does not fit now fits no more.
        open[kept++] = k;
        score *= tastes[k] as number;
        if (score <= highest) continue;
        highest = score;
        best = k;
      }
      this.#steps.left -= open.length;
      open.length = kept;
      if (best < 0) break;
      const item = items[best] as number;
      const demand = this.#problem.items[item]?.demands[ofClass] ?? [];
      const most = Math.min(counts[best] as number, timesInRoom(demand, room));
      const count = Math.max(1, Math.floor(most / slotsAtOnce));
      for (let column = 0; column < demand.length; column++)
        room[column] = (room[column] as number) - (demand[column] as number) * count;
      slots.set(item, (slots.get(item) ?? 0) + count);
      counts[best] = (counts[best] as number) - count;
    }
    return { room, slots };
  }

  /** By item, then column; what no node of the class has fits nowhere. */
  #demandsOf(ofClass: number): Float64Array {
    const known = this.#demands.get(ofClass);
    if (known !== undefined) return known;
    const { items, kinds } = this.#problem;
    const columns = kinds.find((kind) => kind.class === ofClass)?.capacity.length ?? 0;
    const made = new Float64Array(items.length * columns).fill(Number.POSITIVE_INFINITY);
    for (const [item, { demands }] of items.entries()) made.set(demands[ofClass] ?? [], item * columns);
    this.#demands.set(ofClass, made);
    return made;
  }

  /** What is scarce counts for more: how much of each column the pool wants, in nodes; beside its square, to get shares. */
  #pullOf({ items, counts }: Pool, kind: number): readonly number[] {
    const { class: ofClass, capacity } = this.#problem.kinds[kind] as Kind;
    const demands = this.#demandsOf(ofClass);
    const wanted = capacity.map(() => 0);
    for (let k = 0; k < items.length; k++)
      for (let column = 0; column < capacity.length; column++) {
        const amount = demands[(items[k] as number) * capacity.length + column] as number;
        if (Number.isFinite(amount))
          wanted[column] = (wanted[column] as number) + amount * (counts[k] as number);
      }
    return wanted.map((amount, column) => {
      const whole = capacity[column] ?? 0;
      return whole > 0 ? amount / whole ** 3 : 0;
    });
  }

  #roomBeside(kind: number, slots: Load["slots"]): readonly number[] {
    const { class: ofClass, capacity } = this.#problem.kinds[kind] as Kind;
    const room = [...capacity];
    for (const [item, count] of slots)
      for (const [column, amount] of (this.#problem.items[item]?.demands[ofClass] ?? []).entries())
        room[column] = (room[column] ?? 0) - amount * count;
    return room;
  }

  #weightOf(slots: ReadonlyMap<number, number>): number {
    let sum = 0;
    for (const [item, count] of slots) sum += (this.#weights[item] ?? 0) * count;
    return sum;
  }
}

/** Slots that a try deals out, and how it chooses. */
interface Pool {
  readonly items: readonly number[];
  readonly counts: number[];
  /** By place in the list: a little chance, so that each try differs. */
  readonly tastes: readonly number[];
  /** 0: the dot product with what is left. 1: less the square of what is taken. */
  readonly square: number;
}

/** By item: what a slot takes of all nodes that are there together, summed up over the columns. */
function weightsOf({ items, kinds }: PackingProblem): readonly number[] {
  const totals = new Map<number, number[]>();
  for (const { class: ofClass, capacity, there } of kinds) {
    const sums = totals.get(ofClass) ?? capacity.map(() => 0);
    for (const [column, amount] of capacity.entries())
      sums[column] = (sums[column] ?? 0) + amount * (there ?? 0);
    totals.set(ofClass, sums);
  }
  return items.map(({ demands }) => {
    let least = Number.POSITIVE_INFINITY;
    for (const [ofClass, sums] of totals) {
      const demand = demands[ofClass];
      if (demand === null || demand === undefined) continue;
      const share = demand.reduce(
        (sum, amount, column) => sum + ((sums[column] ?? 0) > 0 ? amount / (sums[column] ?? 1) : 0),
        0,
      );
      least = Math.min(least, share);
    }
    return Number.isFinite(least) ? least : 1;
  });
}

/** Stricter than the tables, which have to take what is packed here. */
const tolerance = 1e-10;
