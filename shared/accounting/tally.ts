import { daySeconds, hourSeconds, startOf } from "./calendar.ts";
import { type Dimensions, type Line, Lines, nanoUsdOf, type Purpose } from "./lines.ts";
import type { NodeTally } from "./node-totals.ts";
import type { SeenJob, SeenNode } from "./sight.ts";

type Where = Pick<Dimensions, "nodeArray" | "vmSize" | "spot">;
type Who = Pick<Dimensions, "user" | "account" | "queue">;
export type Sum = { nodeMs: number; nanoUsd: number; unpricedNodeMs: number };

const nobody: Who = { user: null, account: null, queue: null };

/** Adds up who had which nodes for how long: by hour, and by job. Time is cut at full hours (UTC), or at other equal steps. */
export class Tally {
  readonly #jobs: () => ReadonlyMap<string, SeenJob>;
  readonly #stepSeconds: number;
  readonly #nodes: NodeTally | undefined;
  /** By the start of the hour, then by what a node is, then by purpose and person. */
  readonly #hours = new Map<
    number,
    Map<string, { readonly where: Where; readonly sums: Map<string, Part> }>
  >();
  readonly byJob = new Map<string, Sum>();
  readonly #keys = new WeakMap<Who, string>();

  constructor(
    jobs: () => ReadonlyMap<string, SeenJob>,
    { stepSeconds = hourSeconds, nodes }: { readonly stepSeconds?: number; readonly nodes?: NodeTally } = {},
  ) {
    this.#jobs = jobs;
    this.#stepSeconds = stepSeconds;
    this.#nodes = nodes;
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
    const nanoUsd = nanoUsdOf(usdPerHour, nodeMs);
    const sums = this.#sumsOf(hour, node);
    const isPriced = usdPerHour !== null;
    if (use !== "jobs") {
      addTo(partOf(sums, use, nobody).sum, { nodeMs, nanoUsd, isPriced });
      this.#addNode(hour, node, use, { nodeMs, nanoUsd, isPriced });
      return;
    }
    const jobs = this.#jobs();
    // Back-tests call this at each start and end of a job, so it allocates no temporary objects.
    const weights: number[] = [];
    let taken = 0;
    for (const { share } of node.jobs) {
      if (share <= 0) continue;
      weights.push(share);
      taken += share;
    }
    weights.push(Math.max(0, 1 - taken));
    const [ms, nano] = [splitExactly(nodeMs, weights), splitExactly(nanoUsd, weights)];
    let index = 0;
    for (const { key, share } of node.jobs) {
      if (share <= 0) continue;
      const got = { nodeMs: ms[index] ?? 0, nanoUsd: nano[index] ?? 0, isPriced };
      index += 1;
      addTo(this.#partOfJob(sums, jobs.get(key)).sum, got);
      let ofJob = this.byJob.get(key);
      if (ofJob === undefined) {
        ofJob = { nodeMs: 0, nanoUsd: 0, unpricedNodeMs: 0 };
        this.byJob.set(key, ofJob);
      }
      addTo(ofJob, got);
    }
    const got = { nodeMs: ms[index] ?? 0, nanoUsd: nano[index] ?? 0, isPriced };
    if (got.nodeMs + got.nanoUsd > 0) addTo(partOf(sums, "unused", nobody).sum, got);
    if (this.#nodes === undefined) return;
    this.#addNode(hour, node, "unused", got);
    const ofJobs = { nodeMs: nodeMs - got.nodeMs, nanoUsd: nanoUsd - got.nanoUsd, isPriced };
    this.#addNode(hour, node, "job", ofJobs);
  }

  #addNode(
    hour: number,
    node: SeenNode,
    purpose: Purpose,
    { nodeMs, nanoUsd, isPriced }: { nodeMs: number; nanoUsd: number; isPriced: boolean },
  ): void {
    if (nodeMs + nanoUsd === 0) return;
    const sums = [nodeMs, nanoUsd, isPriced ? 0 : nodeMs] as const;
    this.#nodes?.add(startOf(hour, daySeconds), node, purpose, sums);
  }

  /** Keys of owners, each built once. */
  #partOfJob(sums: Map<string, Part>, job: Who = nobody): Part {
    let key = this.#keys.get(job);
    if (key === undefined) {
      key = whoKey(job);
      this.#keys.set(job, key);
    }
    return sums.get(key) ?? partOf(sums, "job", job);
  }

  #sumsOf(hour: number, { nodeArray, vmSize, spot }: SeenNode): Map<string, Part> {
    const nodes = this.#hours.get(hour) ?? new Map();
    this.#hours.set(hour, nodes);
    const key = `${spot ? "s" : "r"}${vmSize}\n${nodeArray}`;
    const nodeSums = nodes.get(key) ?? { where: { nodeArray, vmSize, spot }, sums: new Map() };
    nodes.set(key, nodeSums);
    return nodeSums.sums;
  }
}

interface Part {
  readonly purpose: Purpose;
  readonly who: Who;
  readonly sum: Sum;
}

function partOf(sums: Map<string, Part>, purpose: Purpose, { user, account, queue }: Who): Part {
  const key = purpose === "job" ? whoKey({ user, account, queue }) : purpose;
  const knownPart = sums.get(key);
  if (knownPart !== undefined) return knownPart;
  const part = { purpose, who: { user, account, queue }, sum: { nodeMs: 0, nanoUsd: 0, unpricedNodeMs: 0 } };
  sums.set(key, part);
  return part;
}

function whoKey({ user, account, queue }: Who): string {
  return JSON.stringify([user, account, queue]);
}

function addTo(
  sum: Sum,
  given: { readonly nodeMs: number; readonly nanoUsd: number; readonly isPriced: boolean },
): void {
  const { nodeMs, nanoUsd, isPriced } = given;
  sum.nodeMs += nodeMs;
  sum.nanoUsd += nanoUsd;
  if (!isPriced) sum.unpricedNodeMs += nodeMs;
}

/** Lines of several hours together. */
export function mergeLines(...lists: readonly (readonly Line[])[]): readonly Line[] {
  return lists.length === 1 ? (lists[0] ?? []) : new Lines(lists.flat()).toArray();
}

/**
 * Splits a whole number into whole parts in proportion to the weights, so that the parts add up to it exactly: the running
 * sum is rounded, never a single part, so errors do not add up. Weights are not negative, and
 * not all zero.
 */
function splitExactly(total: number, weights: readonly number[]): readonly number[] {
  let sum = 0;
  for (const own of weights) sum += own;
  const parts: number[] = [];
  const last = weights.length - 1;
  let [weight, given] = [0, 0];
  for (const own of weights) {
    weight += own;
    const until = parts.length === last ? total : Math.min(total, Math.round(total * (weight / sum)));
    parts.push(until - given);
    given = until;
  }
  return parts;
}
