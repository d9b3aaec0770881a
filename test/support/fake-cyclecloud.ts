import {
  type Bucket,
  type Cluster,
  type ClusterNode,
  dynamicArrayOf,
  type Json,
  type NodeArray,
} from "../../shared/engine/index.ts";
import { LoginRefusedError, UpstreamError } from "../../shared/errors/errors.ts";
import type { ActionCreateSet } from "../../shared/messages/scale-action.ts";
import type { CycleCloud, ManagementVerb, RequestedNode } from "../../shared/ports/index.ts";

type Call = "read" | "create" | "start" | "shutdown" | "retry" | "nodes-of-request" | ManagementVerb;

interface Remembered {
  readonly operationId: string;
  readonly nodeIds: readonly string[];
}

/**
 * One CycleCloud cluster in memory, in the engine's terms: nodes boot and go when a test says so, a repeated request id
 * is refused, and limits bind. For the use cases; the client is tested against the simulator's HTTP.
 */
export class FakeCycleCloud implements CycleCloud {
  #arrays: readonly NodeArray[];
  #nodes: ClusterNode[] = [];
  readonly #requests = new Map<string, Remembered>();
  readonly #base: Omit<Cluster, "nodeArrays" | "nodes">;
  readonly #given = new Map<string, number>();
  #serial = 0;
  /** Thrown by the next call (of this kind), after it had its effect when `afterEffect` is set: a lost answer. */
  fault: { readonly afterEffect: boolean; readonly on?: Call } | undefined;
  /** Set: thrown by every call, without any effect. */
  outage: UpstreamError | undefined;
  /** Set: these are not the right credentials, every call is answered with a 401. */
  isLoginRefused = false;
  /** Another one stands for another address, user or password. */
  credentials = "credentials-1";
  /** Why fewer nodes are added than asked. */
  shortBecause = "quota reached";
  /** Every call that came, also those that were refused or had no effect. */
  asked = 0;
  /** The words with which the next request that would change something is refused (409), without any effect. */
  refusal: string | undefined;
  /** Why single nodes, by name, are neither started nor shut down while the rest of their request is. */
  readonly stubborn = new Map<string, string>();
  /** Set: requests are known, but their nodes are not listed yet. */
  isListLate = false;
  /** Set: requests are not known yet, though their ids are refused and their nodes are there. */
  isRequestLate = false;
  /** How many of the nodes of a request its list shows, and how many nodes the status shows; for lists that lag in part. */
  listed = Number.POSITIVE_INFINITY;
  shown = Number.POSITIVE_INFINITY;
  /** Every verb that changed something. */
  readonly calls: string[] = [];

  constructor(cluster: Cluster) {
    const { nodeArrays, nodes, ...base } = cluster;
    this.#base = base;
    this.#arrays = nodeArrays;
    this.#nodes = [...nodes];
  }

  get nodes(): readonly ClusterNode[] {
    return this.#nodes;
  }

  /** Replaces what is known of a node; a test's hand of fate. */
  change(name: string, fields: Partial<ClusterNode>): void {
    this.#nodes = this.#nodes.map((node) => (node.name === name ? { ...node, ...fields } : node));
  }

  /** Leaves room for so many nodes in every bucket, whatever a snapshot said. */
  shrink(availableCount: number): void {
    this.#arrays = this.#arrays.map((array) => ({
      ...array,
      buckets: array.buckets.map((bucket) => ({ ...bucket, limits: { ...bucket.limits, availableCount } })),
    }));
  }

  /** The template has these node arrays from now on; nodes stay. */
  list(nodeArrays: readonly NodeArray[]): void {
    this.#arrays = nodeArrays;
  }

  /** The next creates get at most so many nodes of this VM size, whatever the status promises. */
  give(count: number, vmSize: string): void {
    this.#given.set(vmSize, count);
  }

  /** All nodes vanish, whoever made them. */
  clear(): void {
    this.#nodes = [];
  }

  /** All nodes that boot become Ready, all that terminate are gone. */
  settle(): void {
    this.#nodes = this.#nodes
      .filter((node) => node.targetState !== "Terminated")
      .map((node) =>
        node.targetState === "Started" && node.status !== "Ready"
          ? { ...node, status: "Ready", hostname: `host-${node.nodeId}` }
          : node,
      );
  }

  credentialsFingerprint: CycleCloud["credentialsFingerprint"] = () => this.credentials;

  readCluster: CycleCloud["readCluster"] = async () => {
    this.#failBefore("read");
    const nodeArrays = this.#arrays.map((array) => this.#withCounts(array));
    return { cluster: { ...this.#base, nodeArrays, nodes: this.#nodes.slice(0, this.shown) }, setAside: [] };
  };

  createNodes: CycleCloud["createNodes"] = async ({ requestId, sets }) => {
    this.#failBefore("create");
    const refusal = this.#refusalOf(requestId);
    if (refusal !== undefined) return { outcome: "refused", message: refusal };
    this.calls.push("create");
    const created: ClusterNode[] = [];
    const answers = sets.map((set) => {
      const bucket = this.#bucket(set.nodeArray, set.vmSize);
      const room =
        bucket === undefined ? 0 : bucket.limits.availableCount - this.#count(set.nodeArray, set.vmSize);
      const given = this.#given.get(set.vmSize) ?? Number.POSITIVE_INFINITY;
      const added = Math.max(0, Math.min(set.count, room, given));
      this.#given.set(set.vmSize, given - added);
      for (let index = 0; index < added; index += 1) created.push(this.#create(set));
      return added < set.count ? { added, message: this.shortBecause } : { added };
    });
    const operationId = this.#remember(requestId, created);
    this.#failAfter("create");
    return { outcome: "accepted", operationId, sets: answers };
  };

  startNodes: CycleCloud["startNodes"] = (request) =>
    this.#manage("start", request, { status: "Acquiring", targetState: "Started" });

  shutdownNodes: CycleCloud["shutdownNodes"] = (request) =>
    this.#manage("shutdown", request, { status: "Terminating", targetState: "Terminated" });

  manageNodes: CycleCloud["manageNodes"] = (verb, request) => {
    const fields = {
      remove: { status: "Terminating", targetState: "Terminated" },
      terminate: { status: "Terminating", targetState: "Terminated" },
      deallocate: { status: "Deallocating", targetState: "Deallocated" },
      restart: { status: "Preparing", targetState: "Started" },
      reimage: { status: "Preparing", targetState: "Started" },
    };
    return this.#manage(verb, request, fields[verb]);
  };

  retryFailedNodes: CycleCloud["retryFailedNodes"] = async () => {
    this.#failBefore("retry");
    this.calls.push("retry");
    for (const { name, status, targetState } of this.#nodes)
      if (status === "Failed" && targetState === "Started") this.change(name, { status: "Acquiring" });
    this.#failAfter("retry");
  };

  readUsage: CycleCloud["readUsage"] = async ({ timeframe }) => {
    this.calls.push(`usage ${timeframe}`);
    const used = { coreHours: 12.5, cost: null };
    const parts = [{ category: "nodearray", name: "htc", ...used }];
    return [{ startSeconds: 0, endSeconds: 3_600, total: used, parts }];
  };

  nodesOfRequest: CycleCloud["nodesOfRequest"] = async (requestId) => {
    this.#failBefore("nodes-of-request");
    const request = this.#requests.get(requestId);
    if (request === undefined || this.isRequestLate) return undefined;
    if (this.isListLate) return [];
    const nodes = this.#nodes.filter((node) => request.nodeIds.includes(node.nodeId));
    return nodes.slice(0, this.listed).map(toRequested);
  };

  async #manage(
    verb: "start" | "shutdown" | ManagementVerb,
    request: { readonly requestId: string; readonly nodeIds: readonly string[] },
    fields: Partial<ClusterNode>,
  ): ReturnType<CycleCloud["shutdownNodes"]> {
    this.#failBefore(verb);
    const refusal = this.#refusalOf(request.requestId);
    if (refusal !== undefined) return { outcome: "refused", message: refusal };
    this.calls.push(verb);
    const nodes = this.#nodes.filter((node) => request.nodeIds.includes(node.nodeId));
    const willing = nodes.filter((node) => !this.stubborn.has(node.name));
    for (const node of willing) this.change(node.name, fields);
    const operationId = this.#remember(request.requestId, willing);
    this.#failAfter(verb);
    const acted = nodes.map(({ nodeId, name }) => {
      const error = this.stubborn.get(name);
      return error === undefined ? { nodeId, name } : { nodeId, name, error };
    });
    return { outcome: "accepted", operationId, nodes: acted };
  }

  #create(set: ActionCreateSet): ClusterNode {
    this.#serial += 1;
    const taken = new Set(this.#nodes.map((node) => node.name));
    const { nameFormat = `${set.nodeArray}-%d`, nameOffset = 1, nodeAttributes = {} } = set;
    const nameAt = (index: number) => nameFormat.replace("%d", String(index));
    let index = nameOffset;
    while (taken.has(nameAt(index))) index += 1;
    const configuration = (nodeAttributes.Configuration ?? {}) as { readonly [key: string]: Json };
    const dynamicArray = dynamicArrayOf(configuration);
    const node: ClusterNode = {
      nodeId: `node-${this.#serial}`,
      name: nameAt(index),
      nodeArray: set.nodeArray,
      vmSize: set.vmSize,
      placementGroup: set.placementGroup,
      hostname: null,
      fqdn: null,
      privateIp: null,
      instanceId: null,
      status: "Acquiring",
      targetState: "Started",
      location: "westeurope",
      spot: false,
      keepAlive: false,
      ...(dynamicArray === null ? {} : { dynamicArray }),
      resources: {},
      softwareConfiguration: configuration,
    };
    this.#nodes.push(node);
    return node;
  }

  #remember(requestId: string, nodes: readonly ClusterNode[]): string {
    const operationId = `operation-${this.#requests.size + 1}`;
    this.#requests.set(requestId, { operationId, nodeIds: nodes.map((node) => node.nodeId) });
    return operationId;
  }

  #bucket(nodeArray: string, vmSize: string): Bucket | undefined {
    return this.#arrays
      .find((array) => array.name === nodeArray)
      ?.buckets.find((bucket) => bucket.vmSize === vmSize);
  }

  #count(nodeArray: string, vmSize: string): number {
    return this.#nodes.filter((node) => node.nodeArray === nodeArray && node.vmSize === vmSize).length;
  }

  #withCounts(array: NodeArray): NodeArray {
    const buckets = array.buckets.map((bucket) => {
      const activeCount = this.#count(array.name, bucket.vmSize);
      const availableCount = Math.max(0, bucket.limits.availableCount - activeCount);
      return { ...bucket, limits: { ...bucket.limits, activeCount, availableCount } };
    });
    return { ...array, buckets };
  }

  #refusalOf(requestId: string): string | undefined {
    if (this.#requests.has(requestId)) return "requestId was used before";
    const refusal = this.refusal;
    this.refusal = undefined;
    return refusal;
  }

  #failBefore(call: Call): void {
    this.asked += 1;
    if (this.isLoginRefused) throw new LoginRefusedError("Cannot log in: HTTP 401");
    if (this.outage !== undefined) throw this.outage;
    if (this.fault?.afterEffect === false && (this.fault.on ?? call) === call) this.#fail();
  }

  #failAfter(call: Call): void {
    if (this.fault?.afterEffect === true && (this.fault.on ?? call) === call) this.#fail();
  }

  #fail(): never {
    this.fault = undefined;
    throw new UpstreamError("Cannot reach CycleCloud: time-out", { retryable: true });
  }
}

function toRequested(node: ClusterNode): RequestedNode {
  const { nodeId, name, nodeArray, vmSize, placementGroup, dynamicArray } = node;
  const plain = { nodeId, name, nodeArray, vmSize, placementGroup };
  return dynamicArray === undefined ? plain : { ...plain, dynamicArray };
}
