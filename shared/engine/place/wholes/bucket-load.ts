import { vacantColumn } from "../../ledger/columns.ts";
import { covers, timesInRoom } from "../../values/amounts.ts";
import { usedNode } from "../bucket-kinds.ts";
import type { Steps } from "../packing/packing-problem.ts";
import type { NodesAlike, Whole, WholeBucket } from "./whole-problem.ts";

/** What one more job would take of a bucket. */
export interface Laid {
  /** Nodes that would have to be made. */
  readonly made: number;
  /** What these cost, and what it costs to keep others for longer. */
  readonly usd: number;
  readonly alike: readonly NodesAlike[];
  /** Those on which nothing more goes. */
  readonly full: readonly NodesAlike[];
}

/** A bucket being filled as the ledger fills it: first fit in the order of its nodes, new ones behind them. */
export class BucketLoad {
  readonly #bucket: WholeBucket;
  readonly #steps: Steps;
  #alike: readonly NodesAlike[];
  readonly #full: NodesAlike[] = [];

  constructor(bucket: WholeBucket, there: readonly NodesAlike[], steps: Steps) {
    this.#bucket = bucket;
    this.#steps = steps;
    this.#alike = there;
  }

  /** What all nodes have left. */
  get alike(): readonly NodesAlike[] {
    return [...this.#alike, ...this.#full];
  }

  get isUntouched(): boolean {
    return this.#alike.length === 0 && this.#full.length === 0;
  }

  take({ alike, full }: Laid): void {
    this.#alike = alike;
    this.#full.push(...full);
  }

  /** Lays a job on the nodes, all of it; null: it does not go. Nothing changes. */
  lay(whole: Whole, demand: readonly number[]): Laid | null {
    const { price, capacity, maxGroup, least } = this.#bucket;
    const { hours, isScattered } = whole;
    const alike: NodesAlike[] = [];
    const full: NodesAlike[] = [];
    let missing = whole.count;
    let touched = 0;
    let usd = 0;
    const put = (room: readonly number[], nodes: number, paidHours: number, slots: number): void => {
      touched += nodes;
      missing -= nodes * slots;
      if (whole.exclusive !== "none") return;
      const left = roomWithout(room, demand, slots);
      const isFull = left.some((amount, column) => !covers(amount, least[column] as number));
      (isFull ? full : alike).push({ room: left, nodes, hours: paidHours });
    };
    const fill = (room: readonly number[], most: number, known: number): number => {
      const slots = missing > 0 ? slotsIn(room, demand, whole) : 0;
      if (slots < 1) return 0;
      const perNode = isScattered ? 1 : slots;
      const paid = known === 0 ? 0 : Math.max(known, hours);
      const nodes = Math.min(most, Math.floor(missing / perNode));
      if (nodes > 0) put(room, nodes, paid, perNode);
      if (missing === 0 || nodes === most || missing >= perNode) return nodes;
      put(room, 1, paid, missing);
      return nodes + 1;
    };
    for (const each of this.#alike) {
      const used = fill(each.room, each.nodes, each.hours);
      if (used === 0) {
        alike.push(each);
        continue;
      }
      if (each.hours > 0) usd += used * price * Math.max(0, hours - each.hours);
      if (used < each.nodes) alike.push({ ...each, nodes: each.nodes - used });
    }
    const made = missing > 0 ? fill(capacity, Number.POSITIVE_INFINITY, hours) : 0;
    this.#steps.left -= this.#alike.length + 1;
    if (missing > 0 || (whole.isColocated && touched > maxGroup)) return null;
    return { made, usd: usd + made * price * hours, alike, full };
  }
}

function slotsIn(room: readonly number[], demand: readonly number[], { exclusive }: Whole): number {
  // Every slot takes a little of this column, so that only a node without any holds what wants one to itself.
  if (exclusive !== "none" && (room[vacantColumn] as number) < 1) return 0;
  const slots = timesInRoom(demand, room);
  return exclusive === "iteration" ? Math.min(1, slots) : slots;
}

function roomWithout(room: readonly number[], demand: readonly number[], slots: number): readonly number[] {
  return room.map((amount, column) =>
    column === vacantColumn ? Math.min(amount, usedNode) : amount - (demand[column] ?? 0) * slots,
  );
}
