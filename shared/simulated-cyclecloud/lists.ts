import { Refusal } from "./api-refusal.ts";
import type { Cluster } from "./cluster.ts";
import type { NodeRecord } from "./node-record.ts";
import { toNodeRecord } from "./node-record.ts";
import { type Operation, toOperationStatus } from "./operation-list.ts";
import type { Site } from "./site.ts";

/** Nodes as a list shows them now: those that it does not show yet are left out. */
export function shownNodes(
  { population, definition, lists }: Cluster,
  list: "status" | "nodes",
  at: number,
): readonly NodeRecord[] {
  return [...population.living()]
    .filter((node) => lists.isShown(list, node, at))
    .map((node) => toNodeRecord(node, at, definition));
}

/** The operation, once its cluster tells of it. */
export function knownOperation(site: Site, operation: Operation | undefined): Operation | undefined {
  if (operation === undefined) return undefined;
  const { cluster, at } = site.clusterNow(operation.cluster);
  return cluster.lists.isKnown(operation, at) ? operation : undefined;
}

/**
 * The node list of a cluster. `operation` and `request_id` narrow it to the nodes of one operation that still have a record.
 * Throws a Refusal for an operation that is not known, or not yet.
 */
export function listNodes(site: Site, clusterName: string, query: Readonly<Record<string, string>>) {
  const { cluster, at } = site.clusterNow(clusterName);
  const records = shownNodes(cluster, "nodes", at);
  const { operation: id, request_id: requestId } = query;
  if (id === undefined && requestId === undefined) return { nodes: records };
  if (id !== undefined && requestId !== undefined) {
    throw new Refusal(400, "Cannot list nodes: operation and request_id are given, expected one of them");
  }
  const asked = id === undefined ? site.operations.byRequest(requestId ?? "") : site.operations.byId(id);
  const operation = knownOperation(site, asked);
  if (operation === undefined || operation.cluster !== clusterName) throw noOperation(id, requestId);
  const ids = new Set(operation.nodeIds);
  const nodes = records.filter((record) => ids.has(record.NodeId));
  return { nodes, operation: toOperationStatus(operation) };
}

function noOperation(id: string | undefined, requestId: string | undefined): Refusal {
  const subject = id === undefined ? `request id "${requestId}"` : `id "${id}"`;
  return new Refusal(404, `No operation found for ${subject}`);
}
