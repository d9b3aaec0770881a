import type { BucketLimits, Cluster, ClusterNode, NodeArray } from "../../engine/index.ts";
import type { ClusterReading } from "../../ports/index.ts";
import {
  bucketFiguresNow,
  hostnameOf,
  type NodeRecord,
  type SimulatedNode,
  type Site,
  stepAt,
  toClusterStatus,
  toNodeRecord,
} from "../../simulated-cyclecloud/index.ts";

/** How CycleCloud's answers are read in the service: the wire's schemas, and the engine's terms. */
export type ToReading = (answers: {
  readonly name: string;
  readonly status: unknown;
  readonly nodes: readonly unknown[];
}) => ClusterReading;

/**
 * Reads the simulated cluster in the engine's terms. What never changes (the node arrays, and what all nodes of one kind have
 * in common) is read once, in the way of the service; what changes is filled in. A test holds the two equal.
 */
export class ClusterReader {
  readonly #site: Site;
  readonly #name: string;
  readonly #toReading: ToReading;
  readonly #frame: ClusterReading;
  readonly #kinds = new Map<string, ClusterNode>();
  readonly #shownNodes = new Map<string, ShownNode>();

  constructor(site: Site, name: string, toReading: ToReading) {
    this.#site = site;
    this.#name = name;
    this.#toReading = toReading;
    const { cluster, at } = site.clusterNow(name);
    this.#frame = toReading({ name, status: toClusterStatus(cluster, { at, nodes: false }), nodes: [] });
  }

  read(): ClusterReading {
    const { cluster, at } = this.#site.clusterNow(this.#name);
    const figures = bucketFiguresNow(cluster, at);
    const nodes = [...cluster.population.living()].map((node) => this.#toNode(node, at));
    this.#forgetGone(nodes.length);
    const nodeArrays = this.#frame.cluster.nodeArrays.map((array, index) =>
      withFigures(array, figures[index]),
    );
    return { setAside: this.#frame.setAside, cluster: { ...this.#frame.cluster, nodeArrays, nodes } };
  }

  /** The node as a reading shows it. */
  nodeOf(node: SimulatedNode, at: number): ClusterNode {
    return this.#toNode(node, at);
  }

  #toNode(node: SimulatedNode, at: number): ClusterNode {
    const step = stepAt(node.life, at);
    const before = this.#shownNodes.get(node.nodeId);
    if (before?.step === step && before.node === node) return before.shown;
    const hasAddress = step.address !== "none";
    const { statusMessage: _, ...kind } = this.#kindOf(node, at);
    const shown: ClusterNode = {
      ...kind,
      nodeId: node.nodeId,
      name: node.name,
      placementGroup: node.placementGroupId ?? null,
      hostname: step.address === "hostname" ? hostnameOf(node.privateIp) : null,
      privateIp: hasAddress ? node.privateIp : null,
      instanceId: hasAddress ? node.nodeId.replaceAll("-", "").slice(0, 16) : null,
      status: step.status,
      targetState: node.hidesTargetState ? null : step.target,
      keepAlive: node.keepAlive,
      ...(step.message === undefined ? {} : { statusMessage: step.message }),
    };
    this.#shownNodes.set(node.nodeId, { node, step, shown });
    return shown;
  }

  /** Nodes of one kind differ in what `#toNode` fills in. */
  #kindOf(node: SimulatedNode, at: number): ClusterNode {
    const { bucket, attributes } = node;
    const key = JSON.stringify([bucket.nodearray, bucket.machineType, attributes]);
    const knownKind = this.#kinds.get(key);
    if (knownKind !== undefined) return knownKind;
    const { cluster } = this.#site.clusterNow(this.#name);
    const record: NodeRecord = toNodeRecord(node, at, cluster.definition);
    const status = toClusterStatus(cluster, { at, nodes: false });
    const [shown] = this.#toReading({ name: this.#name, status, nodes: [record] }).cluster.nodes;
    if (shown === undefined) throw new TypeError(`Cannot read node "${node.name}" of "${this.#name}"`);
    this.#kinds.set(key, shown);
    return shown;
  }

  #forgetGone(living: number): void {
    if (this.#shownNodes.size <= 2 * living + 100) return;
    const { population } = this.#site.clusterNow(this.#name).cluster;
    for (const nodeId of this.#shownNodes.keys())
      if (population.byId(nodeId) === undefined) this.#shownNodes.delete(nodeId);
  }
}

interface ShownNode {
  readonly node: SimulatedNode;
  readonly step: ReturnType<typeof stepAt>;
  readonly shown: ClusterNode;
}

type Figures = ReturnType<typeof bucketFiguresNow>[number];

function withFigures(array: NodeArray, figures: Figures | undefined): NodeArray {
  if (figures === undefined) return array;
  const byNumber = new Map(figures.buckets.map((each) => [each.definition.machineType, each]));
  const buckets = array.buckets.map((bucket) => {
    const now = byNumber.get(bucket.vmSize);
    if (now === undefined) return bucket;
    const { lastCapacityFailure: failure } = now;
    return {
      ...bucket,
      limits: limitsOf(now, bucket.limits),
      placementGroups: now.placementGroups.map(({ name, activeCount }) => ({ name, activeCount })),
      secondsSinceCapacityFailure: failure < 0 ? null : failure,
      spotPlacementScore: now.spotPlacementScore === "" ? null : now.spotPlacementScore,
    };
  });
  return { ...array, buckets };
}

function limitsOf(now: Figures["buckets"][number], frame: BucketLimits): BucketLimits {
  return {
    maxCount: now.maxCount,
    activeCount: now.activeCount,
    availableCount: now.availableCount,
    region: { maxCores: now.regionalQuotaCoreCount, usedCores: now.regionalConsumedCoreCount },
    family: { maxCores: now.familyQuotaCoreCount, usedCores: now.familyConsumedCoreCount },
    maxPlacementGroupSize: frame.maxPlacementGroupSize,
  };
}

/** A cluster without nodes, as it was read first. */
export function emptyCluster(reader: ClusterReader): Cluster {
  return { ...reader.read().cluster, nodes: [] };
}
