import { type Dimensions, type Line, Lines, type Purpose } from "./lines.ts";
import type { SeenJob, SeenNode } from "./sight.ts";

const msPerHour = 3_600_000;
const hourSeconds = 3_600;
const nanoPerUsd = 1e9;

type Where = Pick<Dimensions, "nodeArray" | "vmSize" | "spot">;
type Who = Pick<Dimensions, "user" | "account" | "queue">;
export type Sum = { nodeMs: number; nanoUsd: number; unpricedNodeMs: number };

const nobody: Who = { user: null, account: null, queue: null };

/** Adds up who had which nodes for how long: by hour, and by job. Time is cut at full hours (UTC), or at other equal steps. */
export class Tally {
  readonly #jobs: () => ReadonlyMap<string, SeenJob>;
  readonly #stepSeconds: number;
  /** By the start of the hour, then by what a node is, then by purpose and person. */
  readonly #hours = new Map<
    number,
    Map<string, { readonly where: Where; readonly sums: Map<string, Part> }>
  >();
  readonly byJob = new Map<string, Sum>();

  constructor(jobs: () => ReadonlyMap<string, SeenJob>, stepSeconds = hourSeconds) {
    this.#jobs = jobs;
    this.#stepSeconds = stepSeconds;
  }

  /** A node had this use from one moment to another, in milliseconds. */
  add(node: SeenNode, fromMs: number, toMs: number): void {
    const stepMs = this.#stepSeconds * 1_000;
    for (let at = fromMs; at < toMs; ) {
      const step = Math.floor(at / stepMs);
      const next = Math.min(toMs, (step + 1) * stepMs);
      this.#addWithin(step * this.#stepSeconds, node, next - at);
      at = next;
    }
  }

  /** Lines by the start of their hour, in seconds. */
  lines(): ReadonlyMap<number, readonly Line[]> {
    const lines = [...this.#hours].map(([hour, nodes]) => {
      const inHour = [...nodes.values()].flatMap(({ where, sums }) =>
        [...sums.values()].map(
          ({ purpose, who, sum }): Line => ({ purpose, ...where, ...who, ...sum, runs: 0 }),
        ),
      );
      return [hour, inHour] as const;
    });
    return new Map(lines);
  }

  #addWithin(hour: number, node: SeenNode, nodeMs: number): void {
    const { usdPerHour, use } = node;
    const nanoUsd = Math.round((usdPerHour ?? 0) * nanoPerUsd * (nodeMs / msPerHour));
    const sums = this.#sumsOf(hour, node);
    const isPriced = usdPerHour !== null;
    if (use !== "jobs") {
      addTo(partOf(sums, use, nobody).sum, { nodeMs, nanoUsd, isPriced });
      return;
    }
    const shares = node.jobs.filter(({ share }) => share > 0);
    const taken = shares.reduce((sum, { share }) => sum + share, 0);
    const weights = [...shares.map(({ share }) => share), Math.max(0, 1 - taken)];
    const [ms, nano] = [splitExactly(nodeMs, weights), splitExactly(nanoUsd, weights)];
    for (const [index, part] of ms.entries()) {
      const got = { nodeMs: part, nanoUsd: nano[index] ?? 0, isPriced };
      const key = shares[index]?.key;
      if (key === undefined) {
        if (got.nodeMs + got.nanoUsd > 0) addTo(partOf(sums, "unused", nobody).sum, got);
        continue;
      }
      addTo(partOf(sums, "job", this.#jobs().get(key) ?? nobody).sum, got);
      const ofJob = this.byJob.get(key) ?? { nodeMs: 0, nanoUsd: 0, unpricedNodeMs: 0 };
      this.byJob.set(key, ofJob);
      addTo(ofJob, got);
    }
  }

  #sumsOf(hour: number, { nodeArray, vmSize, spot }: SeenNode): Map<string, Part> {
    const nodes = this.#hours.get(hour) ?? new Map();
    this.#hours.set(hour, nodes);
    const key = `${spot ? "s" : "r"}${vmSize}\n${nodeArray}`;
    const known = nodes.get(key) ?? { where: { nodeArray, vmSize, spot }, sums: new Map() };
    nodes.set(key, known);
    return known.sums;
  }
}

interface Part {
  readonly purpose: Purpose;
  readonly who: Who;
  readonly sum: Sum;
}

function partOf(sums: Map<string, Part>, purpose: Purpose, { user, account, queue }: Who): Part {
  const key = purpose === "job" ? JSON.stringify([user, account, queue]) : purpose;
  const known = sums.get(key);
  if (known !== undefined) return known;
  const part = { purpose, who: { user, account, queue }, sum: { nodeMs: 0, nanoUsd: 0, unpricedNodeMs: 0 } };
  sums.set(key, part);
  return part;
}

function addTo(
  sum: Sum,
  {
    nodeMs,
    nanoUsd,
    isPriced,
  }: { readonly nodeMs: number; readonly nanoUsd: number; readonly isPriced: boolean },
): void {
  sum.nodeMs += nodeMs;
  sum.nanoUsd += nanoUsd;
  if (!isPriced) sum.unpricedNodeMs += nodeMs;
}

/** Lines of several hours together. */
export function mergeLines(...lists: readonly (readonly Line[])[]): readonly Line[] {
  return lists.length === 1 ? (lists[0] ?? []) : new Lines(lists.flat()).toArray();
}

/**
 * Splits a whole number into whole parts in proportion to the weights, so that the parts add up to it exactly: what is given
 * away up to each part is rounded, never the part itself, so errors do not add up. Weights are not negative; when all are
 * zero, the last part takes everything. No weights: an empty list.
 */
export function splitExactly(total: number, weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  let [weight, given] = [0, 0];
  return weights.map((own, index) => {
    weight += own;
    const until =
      index === weights.length - 1
        ? total
        : Math.min(total, Math.round(total * (sum === 0 ? 0 : weight / sum)));
    const part = until - given;
    given = until;
    return part;
  });
}
