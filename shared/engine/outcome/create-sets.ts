import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerNode } from "../ledger/ledger-bucket.ts";
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
  const attributes = new Attributes(settings, targets);
  return runsOf(numbered).map((run) => setOf(run, settings, attributes));
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
  attributes: Attributes,
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
    nodeAttributes: attributes.of(name),
    keepAlive: forNodeArray(settings.keepAlive, name.nodeArray),
  };
}

/**
 * Attributes of new nodes of a bucket: from the settings of their array, from targets on the array, and for a dynamic array
 * from its own targets, with the marker that identifies its nodes.
 */
class Attributes {
  readonly #settings: EngineSettings;
  readonly #byAccount: ReadonlyMap<string, readonly Target[]>;
  /** By array: there may be thousands of targets on it, and of dynamic arrays that extend it. */
  readonly #ofArrays = new Map<string, CreateSet["nodeAttributes"]>();

  constructor(settings: EngineSettings, targets: readonly Target[]) {
    this.#settings = settings;
    this.#byAccount = Map.groupBy(targets, ({ nodeArray, dynamicArray }) => keyOf(nodeArray, dynamicArray));
  }

  of({ nodeArray, dynamicArray, placementGroup }: BucketName): CreateSet["nodeAttributes"] {
    const attributes = this.#ofArray(nodeArray);
    if (dynamicArray === undefined) return attributes;
    const own = this.#targetsOn(nodeArray, dynamicArray);
    const isGrouped = own.some(({ wish }) => wish.kind === "groups");
    const said = own.map((target) => target.nodeAttributes).reduce(mergeAttributes, attributes);
    return mergeAttributes(said, {
      Configuration: markerOf(dynamicArray, isGrouped ? placementGroup : null),
    });
  }

  #ofArray(nodeArray: string): CreateSet["nodeAttributes"] {
    const known = this.#ofArrays.get(nodeArray);
    if (known !== undefined) return known;
    const attributes = this.#targetsOn(nodeArray, null)
      .map((target) => target.nodeAttributes)
      .reduce(mergeAttributes, forNodeArray(this.#settings.nodeAttributes, nodeArray));
    this.#ofArrays.set(nodeArray, attributes);
    return attributes;
  }

  #targetsOn(nodeArray: string, dynamicArray: string | null): readonly Target[] {
    return this.#byAccount.get(keyOf(nodeArray, dynamicArray)) ?? [];
  }
}

function keyOf(nodeArray: string, dynamicArray: string | null): string {
  return JSON.stringify([nodeArray, dynamicArray]);
}
