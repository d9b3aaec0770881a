import type { SeenNode } from "../../accounting/index.ts";
import type { ClusterNode } from "../../engine/index.ts";
import {
  medianBootSeconds,
  type Cluster as SimulatedCluster,
  type SimulatedNode,
  type Site,
  type Step,
  stepAt,
} from "../../simulated-cyclecloud/index.ts";
import type { Host } from "../queue/hosts.ts";
import type { ExpectedHost } from "../queue/reservation.ts";
import type { HostCapacity } from "./host-capacity.ts";
import type { ClusterReader } from "./read-cluster.ts";
import { rank, type Timeline } from "./timeline.ts";

/** A node at this moment. */
interface FleetNode {
  node: SimulatedNode;
  step: Step;
  host: Host | undefined;
}

/** Callbacks for changes of nodes. */
interface FleetEvents {
  readonly up: (host: Host, bootSeconds: number | null) => void;
  readonly down: (hostname: string) => void;
  readonly bought: (node: SimulatedNode) => void;
  readonly failed: () => void;
  readonly evicted: () => void;
  /** Asked to go while it boots, so many seconds before it would have been up. */
  readonly cutShort: (node: SimulatedNode, bootLeftSeconds: number) => void;
  readonly gone: (node: SimulatedNode) => void;
  /** Its use has to be seen anew. */
  readonly changed: (nodeId: string) => void;
  /** Something that plans depend on changed: the next snapshot is due. */
  readonly matters: () => void;
}

interface Parts {
  readonly site: Site;
  readonly cluster: string;
  readonly timeline: Timeline;
  readonly reader: ClusterReader;
  readonly capacity: HostCapacity;
  readonly events: FleetEvents;
}

/** The nodes of the simulated cluster: their timetables become moments of the timeline. */
export class Fleet {
  readonly #parts: Parts;
  readonly #nodes = new Map<string, FleetNode>();
  readonly #byHost = new Map<string, string>();
  #tickAt = Number.POSITIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The simulated cluster at this moment. */
  get #now() {
    return this.#parts.site.clusterNow(this.#parts.cluster);
  }

  /** Nodes that cost money. */
  get size(): number {
    return this.#nodes.size;
  }

  nodeIdOf(hostname: string): string | undefined {
    return this.#byHost.get(hostname);
  }

  /** Undefined: it takes no jobs now. */
  hostnameOf(nodeId: string): string | undefined {
    return this.#nodes.get(nodeId)?.host?.hostname;
  }

  /** Reads new nodes and changed timetables. */
  look(): void {
    const { cluster, at } = this.#now;
    for (const node of cluster.population.living()) {
      if (node.operationId === undefined) continue;
      const fleetNode = this.#nodes.get(node.nodeId);
      if (fleetNode?.node === node) continue;
      if (fleetNode === undefined) {
        this.#nodes.set(node.nodeId, { node, step: stepAt(node.life, at), host: undefined });
        this.#parts.events.bought(node);
        this.#parts.events.changed(node.nodeId);
        this.#parts.events.matters();
      } else {
        this.#change(fleetNode, { node, step: stepAt(node.life, at), at });
      }
      for (const step of node.life)
        if (step.at > at) this.#parts.timeline.at(step.at, rank.node, () => this.#arrive(node, step));
    }
    for (const fleetNode of this.#nodes.values())
      if (cluster.population.byId(fleetNode.node.nodeId) === undefined) this.#leave(fleetNode, at);
    this.#watchTraces(cluster, at);
  }

  /** A node without a VM is gone the moment that its deletion is asked for: nobody sees its changed timetable. */
  #leave(fleetNode: FleetNode, at: number): void {
    if (stepAt(fleetNode.node.life, at).status === "Gone") return;
    const step = { at, status: "Gone", target: "Terminated", holdsCores: false, address: "none" } as const;
    this.#change(fleetNode, { node: { ...fleetNode.node, life: [step] }, step, at });
  }

  /** Its timetable was changed. */
  #change(
    fleetNode: FleetNode,
    { node, step, at }: { readonly node: SimulatedNode; readonly step: Step; readonly at: number },
  ): void {
    const { node: before, host } = fleetNode;
    const up = before.life.find((each) => each.at > at && each.status === "Ready");
    const isAsked = step.target !== "Started" && !isOwnEnd(node, step);
    if (isAsked && host === undefined && up !== undefined) this.#parts.events.cutShort(before, up.at - at);
    fleetNode.node = node;
    this.#move(fleetNode, step);
  }

  /** Nodes that boot, and when they usually take jobs. */
  expected(): readonly ExpectedHost[] {
    const { definition } = this.#now.cluster;
    return [...this.#nodes.values()].flatMap(({ node, step, host }) => {
      if (host !== undefined || step.target !== "Started" || step.status === "Failed") return [];
      const array = definition.nodearrays.find(({ name }) => name === node.bucket.nodearray);
      const bootSeconds =
        array === undefined
          ? definition.times.boot.medianSeconds
          : medianBootSeconds(array, node.bucket.machineType);
      return [{ host: this.#toHost(node, node.nodeId), atSeconds: node.createdAt + bootSeconds }];
    });
  }

  /** A node as the accounts see it, without what runs there; undefined: it costs nothing. */
  seen(nodeId: string, prices: Prices): SeenNode | undefined {
    const fleetNode = this.#nodes.get(nodeId);
    if (fleetNode === undefined) return undefined;
    const { node, step } = fleetNode;
    const { nodearray: nodeArray, machineType: vmSize, spot } = node.bucket;
    if (step.status === "Gone" || step.status === step.target) return undefined;
    return {
      nodeId,
      nodeArray,
      vmSize,
      spot,
      usdPerHour: prices(nodeId, node.bucket),
      use: useOf(step),
      jobs: [],
    };
  }

  nodeIds(): Iterable<string> {
    return this.#nodes.keys();
  }

  #arrive(node: SimulatedNode, step: Step): void {
    const fleetNode = this.#nodes.get(node.nodeId);
    // Its timetable was changed since.
    if (fleetNode?.node === node) this.#move(fleetNode, step);
  }

  #move(fleetNode: FleetNode, step: Step): void {
    const before = fleetNode.step;
    if (step === before) return;
    fleetNode.step = step;
    const { node } = fleetNode;
    const isUp = step.status === "Ready" && step.target === "Started";
    if (!isUp && fleetNode.host !== undefined) this.#down(fleetNode, fleetNode.host);
    if (isUp && fleetNode.host === undefined) this.#up(fleetNode, step.at - node.createdAt);
    if (step.status === "Failed") this.#parts.events.failed();
    const isUnasked = before.target === "Started" && step.target !== "Started" && isOwnEnd(node, step);
    if (isUnasked) this.#parts.events.evicted();
    if (isUp || step.status === "Failed" || isUnasked) this.#parts.events.matters();
    if (step.status === "Gone") {
      this.#parts.events.gone(node);
      this.#nodes.delete(node.nodeId);
    } else this.#parts.events.changed(node.nodeId);
  }

  #up(fleetNode: FleetNode, bootSeconds: number): void {
    const { cluster, at } = this.#now;
    const shown = this.#parts.reader.nodeOf(
      cluster.population.byId(fleetNode.node.nodeId) ?? fleetNode.node,
      at,
    );
    const host = this.#toHost(fleetNode.node, hostnameIn(shown, fleetNode.node));
    fleetNode.host = host;
    this.#byHost.set(host.hostname, fleetNode.node.nodeId);
    this.#parts.events.up(host, bootSeconds);
  }

  #down(fleetNode: FleetNode, host: Host): void {
    fleetNode.host = undefined;
    this.#parts.events.down(host.hostname);
    this.#byHost.delete(host.hostname);
  }

  #toHost({ bucket, placementGroupId }: SimulatedNode, hostname: string): Host {
    const { nodearray: nodeArray, machineType } = bucket;
    const capacity = this.#parts.capacity.of(nodeArray, machineType);
    return { hostname, nodeArray, placementGroup: placementGroupId ?? null, capacity };
  }

  /** Traces of spot nodes take effect when the cluster is looked at: at each tick while there are such nodes. */
  #watchTraces({ definition, startedAt, population }: SimulatedCluster, at: number): void {
    if (this.#tickAt > at && this.#tickAt < Number.POSITIVE_INFINITY) return;
    const traced = definition.nodearrays.filter(({ availability }) => availability !== undefined);
    if (traced.length === 0) return;
    const names = new Set(traced.map(({ name }) => name));
    const isThere = [...population.living()].some(({ bucket }) => names.has(bucket.nodearray));
    this.#tickAt = Number.POSITIVE_INFINITY;
    if (!isThere) return;
    for (const { availability } of traced) {
      const gap = availability?.metadata.gap_seconds ?? 0;
      const next = startedAt + (Math.floor((at - startedAt) / gap) + 1) * gap;
      this.#tickAt = Math.min(this.#tickAt, next);
    }
    this.#parts.timeline.at(this.#tickAt, rank.node, () => this.look());
  }
}

/** What an hour of a node costs; null: not known. */
export type Prices = (nodeId: string, bucket: SimulatedNode["bucket"]) => number | null;

function useOf({ status, target }: Step): Exclude<SeenNode["use"], "jobs"> {
  if (status === "Failed") return "failed";
  if (target !== "Started") return "ending";
  return status === "Ready" ? "idle" : "boot";
}

/** Whether Azure ends it: nobody had asked for that. */
function isOwnEnd({ life }: SimulatedNode, step: Step): boolean {
  const end = life.find(({ at, reason }) => at >= step.at && reason !== undefined);
  return end !== undefined;
}

function hostnameIn({ hostname }: ClusterNode, { name }: SimulatedNode): string {
  if (hostname === null) throw new TypeError(`Cannot use node "${name}": it is ready and has no host name`);
  return hostname;
}
