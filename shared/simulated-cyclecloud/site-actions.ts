import { Refusal } from "./api-refusal.ts";
import type { Cluster } from "./cluster.ts";
import { createNodes, planSet } from "./create-nodes.ts";
import { manageNode, retryNode, type Verb } from "./manage-nodes.ts";
import { type NodeRecord, toNodeRecord } from "./node-record.ts";
import type { CreationRequest, ManagementRequest } from "./request-log.ts";
import { statusOf } from "./simulated-node.ts";
import type { Site } from "./site.ts";

/** The NodeCreationResult of the API. */
export interface CreationResult {
  readonly operationId: string;
  readonly sets: readonly { readonly added: number; readonly message?: string }[];
}

/** The NodeManagementResult of the API. */
export interface ManagementResult {
  readonly operationId: string;
  readonly nodes: readonly ManagedNode[];
}

interface ManagedNode {
  readonly id: string;
  readonly name: string;
  readonly status: "OK" | "Error";
  readonly error?: string;
}

/** All sets are checked before any node is made. Throws a Refusal (409) for input that does not fit the cluster. */
export function create(
  site: Site,
  clusterName: string,
  { requestId, sets }: CreationRequest,
): CreationResult {
  const { cluster, at } = site.clusterNow(clusterName);
  refuseRepeated(site, requestId);
  const plans = sets.map((set) => planSet(cluster, set));
  const operationId = site.random.uuid();
  const created = plans.map((plan) => createNodes(cluster, plan, { at, operationId, requestId }));
  const nodeIds = created.flatMap((each) => each.nodeIds);
  const action = { operationId, cluster: clusterName, action: "create", startedAt: at };
  site.operations.add({ ...action, requestId, nodeIds });
  return {
    operationId,
    sets: created.map(({ nodeIds: ids, message }) => ({
      added: ids.length,
      ...(message === undefined ? {} : { message }),
    })),
  };
}

export function manage(
  site: Site,
  clusterName: string,
  verb: Verb,
  request: ManagementRequest,
): ManagementResult {
  const { cluster, at } = site.clusterNow(clusterName);
  refuseRepeated(site, request.requestId);
  const chosen = selectNodes(recordsOf(cluster, at), request);
  const operationId = site.random.uuid();
  const nodes = chosen.map((record) => manageOne(cluster, record, { verb, at }));
  site.operations.add({
    operationId,
    cluster: clusterName,
    action: verb,
    requestId: request.requestId,
    startedAt: at,
    nodeIds: nodes.filter(({ status }) => status === "OK").map(({ id }) => id),
  });
  return { operationId, nodes };
}

/** Boots every failed node again; returns how many there were. */
export function retryFailed(site: Site, clusterName: string): number {
  const { cluster, at } = site.clusterNow(clusterName);
  const failed = [...cluster.population.living()].filter((node) => statusOf(node, at) === "Failed");
  for (const node of failed) cluster.population.put(retryNode(cluster, node, at));
  return failed.length;
}

export function recordsOf({ population, definition }: Cluster, at: number): readonly NodeRecord[] {
  return [...population.living()].map((node) => toNodeRecord(node, at, definition));
}

function manageOne(
  cluster: Cluster,
  { NodeId, Name }: NodeRecord,
  action: { readonly verb: Verb; readonly at: number },
): ManagedNode {
  const node = cluster.population.byId(NodeId);
  if (node === undefined) return { id: NodeId, name: Name, status: "Error", error: "The node is gone" };
  const managed = manageNode(cluster, node, action);
  switch (managed.kind) {
    case "redirected":
      cluster.population.put(managed.node);
      return { id: NodeId, name: Name, status: "OK" };
    case "as-wished":
      return { id: NodeId, name: Name, status: "OK" };
    case "refused":
      return { id: NodeId, name: Name, status: "Error", error: managed.error };
  }
}

function refuseRepeated({ operations }: Site, requestId: string | undefined): void {
  if (requestId === undefined || operations.byRequest(requestId) === undefined) return;
  throw new Refusal(409, `Cannot accept request "${requestId}": this request id was used before`);
}

/** The nodes that a management request means: the union of everything it names. Names and hostnames compare exactly. */
function selectNodes(records: readonly NodeRecord[], request: ManagementRequest): readonly NodeRecord[] {
  const names = new Set(request.names);
  const ids = new Set(request.ids);
  const hostnames = new Set<unknown>(request.hostnames);
  const addresses = new Set<unknown>(request.ip_addresses);
  return records.filter(
    (record) =>
      names.has(record.Name) ||
      ids.has(record.NodeId) ||
      hostnames.has(record.Hostname) ||
      addresses.has(record.PrivateIp),
  );
}
