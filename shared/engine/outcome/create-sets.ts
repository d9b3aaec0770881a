import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerNode } from "../ledger/ledger-node.ts";
import { markerOf, mergeAttributes, plainName } from "../model/dynamic-array.ts";
import { defaultNameFormat } from "../model/names.ts";
import type { CreateSet } from "../model/plan-result.ts";
import { accountName, type BucketName } from "../model/reasons.ts";
import { type EngineSettings, forNodeArray } from "../model/settings.ts";
import type { Target } from "../model/target.ts";

/**
 * New nodes as sets of a create request, array by array in node index order. CycleCloud numbers the nodes of a set
 * from its offset on, so a set ends where the bucket changes or an index is missing.
 */
export function createSets(
  ledger: Ledger,
  settings: EngineSettings,
  targets: readonly Target[],
): readonly CreateSet[] {
  const made = ledger.buckets.flatMap((bucket) => bucket.nodes.filter((node) => node.origin === "new"));
  const numbered = made.map((node) => ({ node, index: node.nameIndex }));
  const order = new Map<string, number>();
  for (const account of ledger.buckets.map((bucket) => accountName(bucket.name)))
    if (!order.has(account)) order.set(account, order.size);
  const rank = (node: LedgerNode): number => order.get(accountName(node.bucket.name)) ?? 0;
  numbered.sort((a, b) => rank(a.node) - rank(b.node) || a.index - b.index);
  return runsOf(numbered).map((run) => setOf(run, settings, targets));
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

function setOf(
  run: readonly [Numbered, ...Numbered[]],
  settings: EngineSettings,
  targets: readonly Target[],
): CreateSet {
  const [{ node, index }] = run;
  const { name, bucketId } = node.bucket;
  const format = defaultNameFormat(plainName(accountName(name)));
  return {
    ...name,
    bucketId,
    count: run.length,
    names: run.map((entry) => entry.node.name),
    nameFormat:
      name.dynamicArray === undefined
        ? forNodeArray<string | null>(settings.nameFormat, name.nodeArray)
        : format,
    nameOffset: index,
    nodeAttributes: attributesOf(name, settings, targets),
    keepAlive: forNodeArray(settings.keepAlive, name.nodeArray),
  };
}

/**
 * What new nodes of a bucket get: the settings of their array, what targets on the array say, and for a dynamic array
 * what its own targets say, with the marker by which its nodes are known again.
 */
function attributesOf(
  { nodeArray, dynamicArray, placementGroup }: BucketName,
  settings: EngineSettings,
  targets: readonly Target[],
): CreateSet["nodeAttributes"] {
  const onArray = targets.filter((target) => target.nodeArray === nodeArray);
  const accounts = dynamicArray === undefined ? [null] : [null, dynamicArray];
  const said = accounts.flatMap((account) =>
    onArray.filter((target) => target.dynamicArray === account).map((target) => target.nodeAttributes),
  );
  const attributes = said.reduce(mergeAttributes, forNodeArray(settings.nodeAttributes, nodeArray));
  if (dynamicArray === undefined) return attributes;
  const isGrouped = onArray.some(
    (target) => target.dynamicArray === dynamicArray && target.wish.kind === "groups",
  );
  return mergeAttributes(attributes, {
    Configuration: markerOf(dynamicArray, isGrouped ? placementGroup : null),
  });
}
