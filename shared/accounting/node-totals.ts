import { type Dimensions, dearestFirst, type Line, Lines, nothing, type Purpose } from "./lines.ts";
import type { SeenNode } from "./sight.ts";

type Where = Pick<Dimensions, "nodeArray" | "vmSize" | "spot">;

/** Node-milliseconds, thousand-millionths of a US dollar, and node-milliseconds without a price. */
type Sums = readonly [nodeMs: number, nanoUsd: number, unpricedNodeMs: number];

/** What one node cost on one day. A name that several nodes had one after the other is one node, if they were alike. */
export interface NodeTotal extends Where {
  readonly node: string;
  readonly byPurpose: { readonly [Name in Purpose]?: Sums };
}

/** A line of one node; null: of the nodes that are not kept by name. */
export interface NodeLine extends Line {
  readonly node: string | null;
}

/** A day names so many of its dearest nodes. */
const mostNodes = 1_000;

/** And so many others, those that cost most without a job. */
const mostIdleNodes = 200;

/** Adds up what each node cost, by the start of its day. */
export class NodeTally {
  readonly #days = new Map<number, Map<string, NodeTotal>>();

  add(
    day: number,
    { nodeId, name: node = nodeId, nodeArray, vmSize, spot }: SeenNode,
    purpose: Purpose,
    sums: Sums,
  ): void {
    const nodes = this.#days.get(day) ?? new Map<string, NodeTotal>();
    this.#days.set(day, nodes);
    addTo(nodes, { node, nodeArray, vmSize, spot, byPurpose: { [purpose]: sums } });
  }

  of(day: number): readonly NodeTotal[] {
    return [...(this.#days.get(day)?.values() ?? [])];
  }
}

/**
 * The nodes of a day that is not over, with what they cost since. All that are there stay, since each may become one of the
 * dearest; of those that are gone, what the day will name. A name that comes back after it was cut begins anew.
 */
export function withMore(
  before: readonly NodeTotal[],
  more: readonly NodeTotal[],
  isThere: (node: string) => boolean,
): readonly NodeTotal[] {
  if (more.length === 0) return before;
  const nodes = new Map<string, NodeTotal>();
  for (const list of [before, more]) for (const total of list) addTo(nodes, total);
  const all = [...nodes.values()];
  return dearest([
    ...all.filter(({ node }) => isThere(node)),
    ...named(all.filter(({ node }) => !isThere(node))),
  ]);
}

/** The nodes that a day names: the dearest, and beyond these those that cost most without a job. The dearest first. */
export function named(totals: readonly NodeTotal[]): readonly NodeTotal[] {
  const ranked = dearest(totals);
  const others = ranked.slice(mostNodes).map((total) => ({
    total,
    wasted: sumOf(total, ({ purpose }) => purpose !== "job"),
  }));
  const idle = others.toSorted((a, b) => dearestFirst(a.wasted, b.wasted)).slice(0, mostIdleNodes);
  return [...ranked.slice(0, mostNodes), ...idle.map(({ total }) => total)];
}

function dearest(totals: readonly NodeTotal[]): readonly NodeTotal[] {
  return totals
    .map((total) => ({ total, all: sumOf(total, () => true) }))
    .toSorted((a, b) => dearestFirst(a.all, b.all) || (a.total.node < b.total.node ? -1 : 1))
    .map(({ total }) => total);
}

/** The lines of a page by node. What the kept nodes lack to the page is a rest, so both have the same sum. */
export function linesByNode(page: {
  readonly lines: readonly Line[];
  readonly nodes: readonly NodeTotal[];
}): readonly NodeLine[] {
  const ofNodes = page.nodes.flatMap(linesOf);
  const rest = new Lines();
  for (const line of page.lines) rest.add(nobody(line), line);
  for (const { nodeMs, nanoUsd, unpricedNodeMs, ...line } of ofNodes)
    rest.add(nobody(line), {
      nodeMs: -nodeMs,
      nanoUsd: -nanoUsd,
      unpricedNodeMs: -unpricedNodeMs,
      runs: 0,
    });
  const unnamed = rest.toArray().filter(({ nodeMs, nanoUsd }) => nodeMs !== 0 || nanoUsd !== 0);
  // Runs of jobs are of no node.
  return [...ofNodes, ...unnamed.map((line) => ({ ...line, runs: 0, node: null }))];
}

function linesOf({ node, nodeArray, vmSize, spot, byPurpose }: NodeTotal): readonly NodeLine[] {
  return (Object.entries(byPurpose) as [Purpose, Sums][]).map(
    ([purpose, [nodeMs, nanoUsd, unpricedNodeMs]]) => ({
      ...nobody({ purpose, nodeArray, vmSize, spot }),
      ...nothing,
      nodeMs,
      nanoUsd,
      unpricedNodeMs,
      node,
    }),
  );
}

function nobody({ purpose, nodeArray, vmSize, spot }: Where & Pick<Dimensions, "purpose">): Dimensions {
  return { purpose, nodeArray, vmSize, spot, user: null, account: null, queue: null };
}

function addTo(nodes: Map<string, NodeTotal>, total: NodeTotal): void {
  const { node, nodeArray, vmSize, spot } = total;
  const key = `${spot ? "s" : "r"}${vmSize}\n${nodeArray}\n${node}`;
  const before = nodes.get(key);
  if (before === undefined) {
    nodes.set(key, total);
    return;
  }
  const byPurpose: { [Name in Purpose]?: Sums } = { ...before.byPurpose };
  for (const [purpose, sums] of Object.entries(total.byPurpose) as [Purpose, Sums][]) {
    const [nodeMs, nanoUsd, unpricedNodeMs] = byPurpose[purpose] ?? [0, 0, 0];
    byPurpose[purpose] = [nodeMs + sums[0], nanoUsd + sums[1], unpricedNodeMs + sums[2]];
  }
  nodes.set(key, { node, nodeArray, vmSize, spot, byPurpose });
}

interface Cost {
  readonly nodeMs: number;
  readonly nanoUsd: number;
}

function sumOf({ byPurpose }: NodeTotal, counts: (of: { readonly purpose: Purpose }) => boolean): Cost {
  let [nodeMs, nanoUsd] = [0, 0];
  for (const [purpose, sums] of Object.entries(byPurpose) as [Purpose, Sums][]) {
    if (!counts({ purpose })) continue;
    nodeMs += sums[0];
    nanoUsd += sums[1];
  }
  return { nodeMs, nanoUsd };
}
