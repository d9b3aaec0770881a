import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerNode } from "../ledger/ledger-bucket.ts";
import { markerOf, mergeAttributes, plainName } from "../model/dynamic-array.ts";
import { defaultNameFormat } from "../model/names.ts";
import type { CreateSet } from "../model/plan-result.ts";
import { accountName, type BucketName } from "../model/reasons.ts";
import { type EngineSettings, forNodeArray } from "../model/settings.ts";
import type { Target } from "../model/target.ts";

/** New nodes of one bucket with consecutive indexes; there is at least one. */
export type NewNodes = readonly [LedgerNode, ...LedgerNode[]];

/**
 * New nodes array by array in node index order, in parts that one set of a create request can ask for. CycleCloud numbers the
 * nodes of a set from its offset on, so a part ends where the bucket changes or an index is missing.
 */
export function newNodes({ buckets }: Ledger): readonly NewNodes[] {
  const byAccount = Map.groupBy(buckets, ({ account }) => account);
  const made = [...byAccount.values()].flatMap((alike) =>
    alike
      .flatMap(({ nodes, firstNodes }) => nodes.slice(firstNodes))
      .sort((a, b) => a.nameIndex - b.nameIndex),
  );
  const parts: [LedgerNode, ...LedgerNode[]][] = [];
  let last: LedgerNode | undefined;
  for (const node of made) {
    if (last?.bucket === node.bucket && last.nameIndex + 1 === node.nameIndex) parts.at(-1)?.push(node);
    else parts.push([node]);
    last = node;
  }
  return parts;
}

/** The sets of a create request. */
export function createSets(
  made: readonly NewNodes[],
  settings: EngineSettings,
  targets: readonly Target[],
): readonly CreateSet[] {
  const attributes = new Attributes(settings, targets);
  return made.map((nodes) => setOf(nodes, settings, attributes));
}

function setOf(nodes: NewNodes, settings: EngineSettings, attributes: Attributes): CreateSet {
  const [{ bucket, nameIndex }] = nodes;
  const { name, bucketId } = bucket;
  const format = defaultNameFormat(plainName(accountName(name)));
  return {
    ...name,
    bucketId,
    count: nodes.length,
    names: nodes.map((node) => node.name),
    nameFormat:
      name.dynamicArray === undefined
        ? forNodeArray<string | null>(settings.nameFormat, name.nodeArray)
        : format,
    nameOffset: nameIndex,
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
