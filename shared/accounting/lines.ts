import type { NodeUse } from "./sight.ts";

/** Purpose of time on nodes: a job, the unused rest of a shared node, or overhead of the node array. */
export type Purpose = "job" | "unused" | Exclude<NodeUse, "jobs">;

/** Dimensions of a line. User, account and queue are null for overhead, and where they are unknown. */
export interface Dimensions {
  readonly purpose: Purpose;
  readonly nodeArray: string;
  readonly vmSize: string;
  readonly spot: boolean;
  readonly user: string | null;
  readonly account: string | null;
  readonly queue: string | null;
}

/** Whole numbers, so that sums are exact: a thousandth of a node-second, a thousand-millionth of a US dollar. */
export interface Amount {
  readonly nodeMs: number;
  readonly nanoUsd: number;
  /** The part of `nodeMs` on nodes without a known price: `nanoUsd` leaves it out. */
  readonly unpricedNodeMs: number;
  /** Number of runs that ended. */
  readonly runs: number;
}

export interface Line extends Dimensions, Amount {}

export const nothing: Amount = { nodeMs: 0, nanoUsd: 0, unpricedNodeMs: 0, runs: 0 };

export const msPerHour = 3_600_000;

/** The cost of that time on one node; nothing where its price is not known. */
export function nanoUsdOf(usdPerHour: number | null, nodeMs: number): number {
  return Math.round((usdPerHour ?? 0) * 1e9 * (nodeMs / msPerHour));
}

/** Orders amounts for `sort`. */
export function dearestFirst(
  a: Pick<Amount, "nanoUsd" | "nodeMs">,
  b: Pick<Amount, "nanoUsd" | "nodeMs">,
): number {
  return b.nanoUsd - a.nanoUsd || b.nodeMs - a.nodeMs;
}

export function plus(a: Amount, b: Amount): Amount {
  return {
    nodeMs: a.nodeMs + b.nodeMs,
    nanoUsd: a.nanoUsd + b.nanoUsd,
    unpricedNodeMs: a.unpricedNodeMs + b.unpricedNodeMs,
    runs: a.runs + b.runs,
  };
}

export type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Sums by dimensions. */
export class Lines {
  readonly #byKey = new Map<string, { readonly of: Dimensions } & Writable<Amount>>();

  constructor(lines: readonly Line[] = []) {
    for (const line of lines) this.add(line, line);
  }

  add(of: Dimensions, amount: Amount): void {
    const { purpose, nodeArray, vmSize, spot, user, account, queue } = of;
    const key = JSON.stringify([purpose, nodeArray, vmSize, spot, user, account, queue]);
    let sum = this.#byKey.get(key);
    if (sum === undefined) {
      sum = { of: { purpose, nodeArray, vmSize, spot, user, account, queue }, ...nothing };
      this.#byKey.set(key, sum);
    }
    sum.nodeMs += amount.nodeMs;
    sum.nanoUsd += amount.nanoUsd;
    sum.unpricedNodeMs += amount.unpricedNodeMs;
    sum.runs += amount.runs;
  }

  /** In the order in which they came first. */
  toArray(): readonly Line[] {
    return [...this.#byKey.values()].map(({ of, ...amount }) => ({ ...of, ...amount }));
  }
}

export function totalOf(amounts: readonly Amount[]): Amount {
  return amounts.reduce(plus, nothing);
}
