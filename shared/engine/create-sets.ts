import type { Ledger } from "./ledger.ts";
import type { LedgerNode } from "./ledger-node.ts";
import type { CreateSet } from "./plan-result.ts";
import { type EngineSettings, forNodeArray } from "./settings.ts";

/**
 * New nodes as sets of a create request, array by array in node index order. CycleCloud numbers the nodes of a set
 * from its offset on, so a set ends where the bucket changes or an index is missing.
 */
export function createSets(ledger: Ledger, settings: EngineSettings): readonly CreateSet[] {
  const made = ledger.buckets.flatMap((bucket) => bucket.nodes.filter((node) => node.origin === "new"));
  const numbered = made.map((node) => ({ node, index: node.nameIndex }));
  const order = new Map<string, number>();
  for (const { nodeArray } of ledger.buckets.map((bucket) => bucket.name))
    if (!order.has(nodeArray)) order.set(nodeArray, order.size);
  const rank = (node: LedgerNode): number => order.get(node.bucket.name.nodeArray) ?? 0;
  numbered.sort((a, b) => rank(a.node) - rank(b.node) || a.index - b.index);
  return runsOf(numbered).map((run) => setOf(run, settings));
}

interface Numbered {
  readonly node: LedgerNode;
  readonly index: number;
}

/** Cuts a list into runs of one bucket with consecutive indexes; no run is empty. */
function runsOf(numbered: readonly Numbered[]): readonly (readonly [Numbered, ...Numbered[]])[] {
  const runs: [Numbered, ...Numbered[]][] = [];
  for (const entry of numbered) {
    const last = runs.at(-1)?.at(-1);
    const continues = last?.node.bucket === entry.node.bucket && last.index + 1 === entry.index;
    if (continues) runs.at(-1)?.push(entry);
    else runs.push([entry]);
  }
  return runs;
}

function setOf(run: readonly [Numbered, ...Numbered[]], settings: EngineSettings): CreateSet {
  const [{ node, index }] = run;
  const { name, bucketId } = node.bucket;
  return {
    ...name,
    bucketId,
    count: run.length,
    names: run.map((entry) => entry.node.name),
    nameFormat: forNodeArray(settings.nameFormat, name.nodeArray),
    nameOffset: index,
    nodeAttributes: forNodeArray(settings.nodeAttributes, name.nodeArray),
    keepAlive: forNodeArray(settings.keepAlive, name.nodeArray),
  };
}
