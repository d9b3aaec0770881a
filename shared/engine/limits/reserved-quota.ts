import type { Reservation } from "../model/price.ts";
import type { Quota, QuotaFigures } from "./quota.ts";

/** What is left of a reservation while planning; shared by all buckets that draw on it. */
export class ReservedPool {
  readonly nodes: number;
  left: number;
  /** Before that, what nodes on order are charged counts elsewhere. */
  isOpen = false;

  constructor({ nodes }: Reservation) {
    this.nodes = nodes;
    this.left = nodes;
  }

  open(used: number): void {
    this.left = Math.max(0, this.nodes - used);
    this.isOpen = true;
  }
}

/**
 * A limit that only nodes beyond a reservation draw on. Nodes are taken from the reservation first, and given back to it last:
 * what was charged to the limit is always what the nodes beyond it take.
 */
export class ReservedQuota implements QuotaFigures {
  readonly #quota: Quota;
  readonly #pool: ReservedPool;
  readonly #perNode: number;
  #charged = 0;
  #free = 0;

  constructor(quota: Quota, pool: ReservedPool, perNode: number) {
    this.#quota = quota;
    this.#pool = pool;
    this.#perNode = perNode;
  }

  get left(): number {
    return this.#quota.left + this.#pool.left * this.#perNode;
  }

  set left(left: number) {
    if (!this.#pool.isOpen) return;
    const nodes = Math.round((this.left - left) / this.#perNode);
    if (nodes > 0) this.#take(nodes);
    else this.#giveBack(-nodes);
  }

  get max(): number {
    return this.#quota.max + this.#pool.nodes * this.#perNode;
  }

  get used(): number {
    return this.#quota.used;
  }

  get cut(): number {
    return this.#quota.cut;
  }

  #take(nodes: number): void {
    const free = Math.min(nodes, this.#pool.left);
    this.#pool.left -= free;
    this.#free += free;
    this.#charged += nodes - free;
    this.#quota.left -= (nodes - free) * this.#perNode;
  }

  #giveBack(nodes: number): void {
    const charged = Math.min(nodes, this.#charged);
    const free = Math.min(nodes - charged, this.#free);
    this.#charged -= charged;
    this.#quota.left += charged * this.#perNode;
    this.#free -= free;
    this.#pool.left += free;
  }
}
