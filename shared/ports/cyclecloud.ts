import type { Cluster, NodeKind } from "../engine/index.ts";
import type { ActionCreateSet } from "../messages/index.ts";
import type { ClusterConfig } from "./cluster-config.ts";

export interface ClusterReading {
  readonly cluster: Cluster;
  readonly setAside: readonly string[];
  /** A node array that CycleCloud lists was set aside: one that is missing may be it. */
  readonly hasUnreadArrays?: true;
}

/** `refused` is the server's word that this will not be done (409), which includes "request id seen before". */
type Answer<T> =
  | ({ readonly outcome: "accepted"; readonly operationId: string } & T)
  | { readonly outcome: "refused"; readonly message: string };

/** One set's fate, in the order of the request; `message` says why fewer were added than asked. */
export interface CreatedSet {
  readonly added: number;
  readonly message?: string;
}

/** One node's fate; `error` is the server's reason when it would not act on that node. */
interface ActedNode {
  readonly nodeId: string;
  readonly name: string;
  readonly error?: string;
}

/** A node that a request made or touched, and the bucket that it belongs to. */
export interface RequestedNode extends NodeKind {
  readonly nodeId: string;
  readonly name: string;
  readonly placementGroup: string | null;
  /** The dynamic array that it is accounted to; absent: its node array. */
  readonly dynamicArray?: string;
}

/**
 * One CycleCloud cluster. A call that timed out may still have had its effect: `nodesOfRequest` shows it.
 * Every call throws UpstreamError when the server does not answer as documented.
 *
 * - Called by: snapshots and the executor, in the cluster's session; `readUsage` for a view.
 * - Twice: yes. CycleCloud answers a `requestId` that it has seen with `refused`, whatever became of the first call.
 * - Gone: `error` of an ActedNode for a node that is gone; `nodesOfRequest` is undefined for a request the server does
 *   not know, which may only be late.
 * - Retries: the HTTP client, a few times within the call, also POSTs; then the executor, by a delayed copy of the
 *   action, if the error is `retryable`. A LoginRefusedError is never retried.
 */
export interface CycleCloud {
  /** A digest of address, user and password: another one means other credentials. Tells none of them; sends nothing. */
  credentialsFingerprint(): string;
  readCluster(): Promise<ClusterReading>;
  createNodes(request: {
    readonly requestId: string;
    readonly sets: readonly ActionCreateSet[];
  }): Promise<Answer<{ readonly sets: readonly CreatedSet[] }>>;
  startNodes(request: NodesRequest): Promise<Answer<{ readonly nodes: readonly ActedNode[] }>>;
  /** Follows each node's ShutdownPolicy: terminate, or deallocate. */
  shutdownNodes(request: NodesRequest): Promise<Answer<{ readonly nodes: readonly ActedNode[] }>>;
  /**
   * `remove` terminates and forgets the node, except one that is `Fixed`; `terminate` ends its VM whatever its
   * ShutdownPolicy; `deallocate` stops its VM and keeps the node.
   * `restart` boots the VM anew, `reimage` from its image.
   */
  manageNodes(
    verb: ManagementVerb,
    request: NodesRequest,
  ): Promise<Answer<{ readonly nodes: readonly ActedNode[] }>>;
  /** Boots every failed node of the cluster again: the server takes no list. Asked twice it finds none the second time. */
  retryFailedNodes(): Promise<void>;
  /** What the cluster has used and cost, as CycleCloud counts it, by interval. */
  readUsage(wanted: UsageWanted): Promise<readonly UsageInterval[]>;
  /** The nodes that a request made or touched; undefined when the server knows no such request. */
  nodesOfRequest(requestId: string): Promise<readonly RequestedNode[] | undefined>;
}

/** In CycleCloud's words; `from` and `to` (ISO 8601) belong to `custom`. */
export interface UsageWanted {
  readonly timeframe: "monthToDate" | "lastMonth" | "weekToDate" | "custom";
  readonly granularity: "total" | "daily" | "hourly";
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface Used {
  readonly coreHours: number;
  /** In CycleCloud's currency; null: it does not know all prices. */
  readonly cost: number | null;
}

export interface UsageInterval {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly total: Used;
  readonly parts: readonly (Used & { readonly category: string; readonly name: string })[];
}

export type ManagementVerb = "remove" | "terminate" | "deallocate" | "restart" | "reimage";

export interface NodesRequest {
  readonly requestId: string;
  readonly nodeIds: readonly string[];
}

/** Gives the client of a configured cluster. */
export type CycleCloudFor = (config: ClusterConfig) => CycleCloud;
