import { hash, scryptSync } from "node:crypto";
import type { z } from "zod";
import type { VmCatalogue } from "../facts/index.ts";
import type {
  ClusterReading,
  CycleCloud,
  CycleCloudConnection,
  ManagementVerb,
  NodesRequest,
  UsageInterval,
  UsageWanted,
  Used,
} from "../ports/index.ts";
import {
  creationResultSchema,
  managementResultSchema,
  readAnswer,
  refusalMessage,
  unreadable,
  usageSchema,
} from "./answer-schemas.ts";
import { createHttp, type HttpOptions } from "./http-calls.ts";
import { requestedNodesSchema } from "./node-schema.ts";
import { toCreationRequest, toManagementRequest } from "./requests.ts";
import { clusterStatusSchema } from "./status-schema.ts";
import { toCluster } from "./to-engine.ts";
import { toRequestedNode } from "./to-node.ts";

export interface CycleCloudOptions extends HttpOptions {
  readonly cluster: string;
  /** Facts about VM sizes, with the cluster's own overrides. */
  readonly catalogue: VmCatalogue;
}

type Send = ReturnType<typeof createHttp>;

/** Where a cluster's calls go. */
interface Target {
  readonly send: Send;
  readonly cluster: string;
  readonly path: string;
}

/**
 * One cluster behind CycleCloud's REST API; the contract is the port's. Throws ConfigurationError at once when the
 * password is empty or the URL is plain http to another machine.
 */
export function createCycleCloud(options: CycleCloudOptions): CycleCloud {
  const { cluster, catalogue, connection, password } = options;
  const target = { send: createHttp(options), cluster, path: `/clusters/${encodeURIComponent(cluster)}` };
  return {
    credentialsFingerprint: () => fingerprintOf(connection, password),
    readCluster: () => readCluster(target, catalogue),
    createNodes: (request) => createNodes(target, request),
    startNodes: (request) => manageNodes(target, { verb: "start", request }),
    shutdownNodes: (request) => manageNodes(target, { verb: "shutdown", request }),
    manageNodes: (verb, request) => manageNodes(target, { verb, request }),
    retryFailedNodes: () => retryFailedNodes(target),
    readUsage: (wanted) => readUsage(target, wanted),
    nodesOfRequest: (requestId) => nodesOfRequest(target, requestId),
  };
}

async function readCluster(target: Target, catalogue: VmCatalogue): Promise<ClusterReading> {
  const doing = `read the status of cluster "${target.cluster}"`;
  const { text } = await target.send({ doing, method: "GET", path: `${target.path}/status?nodes=true` });
  const status = readAnswer(clusterStatusSchema, text, doing);
  // A missing list is an error: read as empty, it would remove every node.
  if (status.nodes == null) throw unreadable(doing, "no list of nodes");
  return toCluster({ name: target.cluster, status, nodes: status.nodes, catalogue });
}

async function createNodes(target: Target, request: Parameters<CycleCloud["createNodes"]>[0]) {
  const doing = `create nodes in cluster "${target.cluster}" (request ${request.requestId})`;
  const { status, text } = await target.send({
    doing,
    method: "POST",
    path: `${target.path}/nodes/create`,
    body: toCreationRequest(request),
    understood: [409],
  });
  if (status === 409) return { outcome: "refused", message: refusalMessage(text) } as const;
  const { operationId, sets } = readAnswer(creationResultSchema, text, doing);
  if (sets.length !== request.sets.length)
    throw unreadable(doing, `${sets.length} sets, expected ${request.sets.length}`);
  return {
    outcome: "accepted",
    operationId,
    sets: sets.map(({ added, message }) => (message === null ? { added } : { added, message })),
  } as const;
}

async function manageNodes(
  target: Target,
  { verb, request }: { verb: "start" | "shutdown" | ManagementVerb; request: NodesRequest },
) {
  const doing = `${verb === "shutdown" ? "shut down" : verb} nodes of cluster "${target.cluster}" (request ${request.requestId})`;
  const { status, text } = await target.send({
    doing,
    method: "POST",
    path: `${target.path}/nodes/${verb}`,
    body: toManagementRequest(request),
    understood: [409],
  });
  if (status === 409) return { outcome: "refused", message: refusalMessage(text) } as const;
  const { operationId, nodes } = readAnswer(managementResultSchema, text, doing);
  return { outcome: "accepted", operationId, nodes: nodes.map(toActedNode) } as const;
}

function toActedNode(node: z.output<typeof managementResultSchema>["nodes"][number]) {
  const { id: nodeId, name } = node;
  return node.status === "OK"
    ? { nodeId, name }
    : { nodeId, name, error: node.error ?? `status "${node.status}" without a reason` };
}

/** An endpoint of the server, not of the cluster, without a request id. Its answer is undocumented, so it is not read. */
async function retryFailedNodes({ send, cluster }: Target): Promise<void> {
  const doing = `retry the failed nodes of cluster "${cluster}"`;
  await send({ doing, method: "POST", path: `/cloud/actions/retry/${encodeURIComponent(cluster)}` });
}

async function readUsage(target: Target, wanted: UsageWanted): Promise<readonly UsageInterval[]> {
  const doing = `read the usage of cluster "${target.cluster}"`;
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined);
  const path = `${target.path}/usage?${new URLSearchParams(given)}`;
  const { text } = await target.send({ doing, method: "GET", path });
  return readAnswer(usageSchema, text, doing).usage.map(({ start, end, breakdown, total }) => ({
    startSeconds: start,
    endSeconds: end,
    total: toUsed(total),
    parts: breakdown.map((part) => ({ category: part.category, name: part.node, ...toUsed(part) })),
  }));
}

function toUsed({ hours, cost = null }: { hours: number; cost?: number | null | undefined }): Used {
  return { coreHours: hours, cost };
}

async function nodesOfRequest(target: Target, requestId: string) {
  const doing = `list the nodes of request ${requestId} in cluster "${target.cluster}"`;
  const { status, text } = await target.send({
    doing,
    method: "GET",
    path: `${target.path}/nodes?request_id=${encodeURIComponent(requestId)}`,
    understood: [404],
  });
  if (status === 404) return undefined;
  const { nodes } = readAnswer(requestedNodesSchema, text, doing);
  return nodes.map(toRequestedNode);
}

/** By the hash of each login of this process, so that no password stays in memory for them: clusters of one server share it, and each would hold up all others for its 50 ms. */
const fingerprints = new Map<string, string>();

/**
 * Tells credentials apart without giving them away. It is stored where more people read than know the password, so
 * trying passwords against it has to be slow: scrypt, about 50 ms a try.
 */
function fingerprintOf({ url, username }: CycleCloudConnection, password: string): string {
  const login = hash("sha256", JSON.stringify([url, username, password]));
  const fingerprint =
    fingerprints.get(login) ??
    scryptSync(password, JSON.stringify([url, username]), 16).toString("base64url");
  fingerprints.set(login, fingerprint);
  return fingerprint;
}
