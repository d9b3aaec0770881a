import {
  doubtsOf,
  listingsOf,
  mayGetJobs,
  type Now,
  readNow,
  runsJob,
  underWay,
  useOf,
} from "../cycle/index.ts";
import type { ClusterNode } from "../engine/index.ts";
import type { RequestedBy } from "../messages/index.ts";
import type { AutostopSettings, ClusterConfig, Ports } from "../ports/index.ts";
import { duration, exactDuration } from "../text/durations.ts";
import { type Decision, requestAction } from "./request-action.ts";

type StopPorts = Parameters<typeof requestAction>[0] &
  Pick<Ports, "demand" | "history" | "samples" | "snapshots" | "targets">;

export interface StopRequest {
  readonly cluster: string;
  /** The node's own name for itself: CycleCloud's instance id, or its node id. */
  readonly instance: string;
  readonly requestedBy: RequestedBy;
  /** Whether the node has to have been idle for as long as the configuration says. */
  readonly afterIdleTime: boolean;
}

/** Why a node stays. `retryAfterSeconds`: the earliest time at which waiting alone may change that. */
interface StopRefusal {
  readonly node: string;
  readonly reason:
    | "keep-alive"
    | "busy"
    | "demand-unknown"
    | "not-drained"
    | "not-idle-long-enough"
    | "needed"
    | "left-alone";
  readonly why: string;
  readonly retryAfterSeconds?: number;
}

export type StopOutcome =
  /** Its deletion is recorded, and is executed if nothing has changed by then. */
  | { readonly outcome: "granted"; readonly node: string; readonly actionId: string }
  /** It was granted before, or is stopping for another reason. */
  | { readonly outcome: "leaving"; readonly node: string }
  | ({ readonly outcome: "refused" } & StopRefusal)
  | { readonly outcome: "held"; readonly why: string }
  | { readonly outcome: "busy" }
  /** No node of the cluster has this id: it is gone, or never existed. */
  | { readonly outcome: "unknown-instance" }
  | { readonly outcome: "unknown-cluster" };

type NoStop = Extract<StopOutcome, { outcome: "leaving" | "refused" | "unknown-instance" }>;

/**
 * Grants a node's request to stop when the present demand is met equally well without it. Requests are decided one
 * after the other, wherever they run, and a node whose stop was granted counts as gone for the next: when many idle
 * nodes ask at once, as many stay as the demand needs.
 *
 * Throws StaleSnapshotError without a fresh snapshot, and what a store throws: no stop is granted on a guess.
 */
export async function requestStop(ports: StopPorts, request: StopRequest): Promise<StopOutcome> {
  const { cluster, requestedBy } = request;
  const config = await ports.configs.load(cluster);
  if (config === undefined) return { outcome: "unknown-cluster" };
  const asked = await requestAction<NoStop>(ports, {
    cluster,
    requestedBy,
    decide: async () => decide(await readNow(ports, config), config, request),
  });
  switch (asked.outcome) {
    case "requested":
    case "known": {
      const { actionId, action } = asked.operation;
      const [node] = action.kind === "create-nodes" ? [] : action.nodes;
      return { outcome: "granted", node: node?.name ?? "", actionId };
    }
    case "refused":
      return asked.why;
    case "held":
    case "busy":
    case "unknown-cluster":
      return asked;
  }
}

function decide(
  now: Now,
  { autostop }: ClusterConfig,
  { instance, afterIdleTime }: StopRequest,
): Decision<NoStop> {
  const { cluster } = now.loaded.snapshot;
  const node = cluster.nodes.find(({ instanceId, nodeId }) => instanceId === instance || nodeId === instance);
  if (node === undefined) return { refused: { outcome: "unknown-instance" } };
  const { nodeId, name, hostname } = node;
  const { leavingNodeIds } = underWay(now.loaded.operations, cluster);
  const isLeaving = leavingNodeIds.includes(nodeId) || node.targetState === "Terminated";
  if (isLeaving) return { refused: { outcome: "leaving", node: name } };
  const refusal =
    whyProtected(now, node) ??
    (afterIdleTime ? whyTooSoon(now, node, autostop) : undefined) ??
    whyUsed(now, node);
  if (refusal !== undefined) return { refused: { outcome: "refused", node: name, ...refusal } };
  const nodes = [{ nodeId, name, ...(hostname === null ? {} : { hostname }) }];
  return { ask: { kind: "shutdown-nodes", cause: "autostop", nodes } };
}

type Why = Omit<StopRefusal, "node">;

function whyProtected(now: Now, node: ClusterNode): Why | undefined {
  if (node.keepAlive) return { reason: "keep-alive", why: "is keep-alive" };
  if (runsJob(now, node)) return { reason: "busy", why: "runs a job" };
  const [doubt] = doubtsOf(now.loaded.demand, now.nowSeconds);
  if (doubt !== undefined) return { reason: "demand-unknown", why: `may run a job: ${doubt.why}` };
  const listings = listingsOf(now.loaded.demand, now.nowSeconds);
  return mayGetJobs(listings, node)
    ? { reason: "not-drained", why: "is not drained, and its scheduler can drain it" }
    : undefined;
}

function whyTooSoon(now: Now, node: ClusterNode, settings: AutostopSettings): Why | undefined {
  const row = now.loaded.history.find(({ nodeId }) => nodeId === node.nodeId);
  const hasRun = row?.ranJob === true;
  const neededSeconds = hasRun ? settings.idleSecondsAfterJobs : settings.idleSecondsBeforeJobs;
  // Without a row, or matched by the last plan: its idle time begins now at the earliest.
  const idleSeconds = now.nowSeconds - (row?.lastMatchSeconds ?? now.nowSeconds);
  if (idleSeconds >= neededSeconds) return undefined;
  const since = hasRun ? "since its last job" : "and has run no job yet";
  const held = row?.lastMatchSeconds === null ? heldBy(now, node) : "";
  return {
    reason: "not-idle-long-enough",
    why: `has been idle for ${exactDuration(Math.floor(idleSeconds))} ${since}, expected ${exactDuration(neededSeconds)}${held}`,
    retryAfterSeconds: neededSeconds - idleSeconds,
  };
}

/** A node that a target counts is not idle, even without jobs: the requester of the target would wait in vain. */
function heldBy({ loaded, nowSeconds }: Now, { nodeArray, dynamicArray }: ClusterNode): string {
  const set = loaded.targets.find(
    ({ expiresAtSeconds, arrays }) =>
      expiresAtSeconds > nowSeconds &&
      arrays.some((target) => [nodeArray, dynamicArray].includes(target.Name)),
  );
  if (set === undefined) return "";
  const left = duration(set.expiresAtSeconds - nowSeconds);
  return `; request set "${set.requestSet}" wants nodes of ${dynamicArray ?? nodeArray} for ${left} more, and nodes that a target counts are not idle`;
}

function whyUsed(now: Now, { nodeId }: ClusterNode): Why | undefined {
  const judged = useOf(now, nodeId);
  switch (judged.use) {
    case "spare":
      return undefined;
    case "needed":
      return { reason: "needed", why: judged.why };
    case "left-alone":
      return { reason: "left-alone", why: "is no node that is scaled here" };
  }
}
