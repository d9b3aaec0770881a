import type { Cluster } from "../engine/index.ts";
import type { VmCatalogue } from "../facts/index.ts";
import type { ClusterReading } from "../ports/index.ts";
import type { ClusterStatus } from "./status-schema.ts";
import { toNode } from "./to-node.ts";
import { toNodeArray, unlimited } from "./to-node-array.ts";
import { SetAside } from "./wire-value.ts";

/** CycleCloud's answers, before their records are checked. */
export interface ClusterAnswers {
  readonly name: string;
  readonly status: ClusterStatus;
  /** From the status (`nodes=true`) or the list of nodes: both hold the same records. */
  readonly nodes: readonly unknown[];
  readonly catalogue: VmCatalogue;
}

/**
 * A cluster in the engine's terms. A record that cannot be understood is left out with a sentence and the rest goes
 * on: one broken node must not stop a thousand good ones. It is then invisible, so no action touches it.
 * Head nodes stay in the list: their `nodeArray` names no node array, but their names are taken.
 */
export function toCluster(answers: ClusterAnswers): ClusterReading {
  const { status, catalogue } = answers;
  const setAside = new SetAside();
  const nodeArrays = unique({
    records: status.nodearrays.map((value, index) => toNodeArray(value, { index, catalogue, setAside })),
    key: (array) => array.name,
    refuse: (array) => setAside.add(`node array "${array.name}"`, "a second one of that name, expected one"),
  });
  const arrays = new Map(nodeArrays.map((array) => [array.name, array]));
  const nodes = unique({
    records: answers.nodes.map((value, index) => toNode(value, { index, arrays, setAside })),
    key: (node) => node.nodeId,
    refuse: (node) =>
      setAside.add(`node "${node.name}"`, `a second node with id "${node.nodeId}", expected one`),
  });
  const cluster: Cluster = {
    name: answers.name,
    maxCount: status.maxCount ?? unlimited,
    maxCoreCount: status.maxCoreCount ?? unlimited,
    nodeArrays,
    nodes,
  };
  const isWhole = nodeArrays.length === status.nodearrays.length;
  return { cluster, setAside: setAside.sentences, ...(!isWhole && { hasUnreadArrays: true }) };
}

/** The records that could be read, the first of each key. */
function unique<T>(options: {
  readonly records: readonly (T | undefined)[];
  readonly key: (record: T) => string;
  readonly refuse: (record: T) => void;
}): T[] {
  const seen = new Set<string>();
  return options.records.filter((record): record is T => {
    if (record === undefined) return false;
    const key = options.key(record);
    if (seen.has(key)) options.refuse(record);
    return !seen.has(key) && seen.add(key) !== undefined;
  });
}
