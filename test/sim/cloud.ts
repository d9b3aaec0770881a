import { type Control, createControl, createInstruments } from "../../infra/local/cyclecloud/control-api.ts";
import type { Host } from "../../shared/backtest/index.ts";
import { type DefinitionInput, parseDefinition } from "../../shared/simulated-cyclecloud/definition.ts";
import { stepAt } from "../../shared/simulated-cyclecloud/node-life.ts";
import type { ManualClock } from "../../shared/simulated-cyclecloud/simulated-clock.ts";
import { hostnameOf, type SimulatedNode } from "../../shared/simulated-cyclecloud/simulated-node.ts";
import { createSite, type Site } from "../../shared/simulated-cyclecloud/site.ts";

/** A node as it really is, whatever anybody has been told. */
export interface TrueNode {
  readonly nodeId: string;
  readonly name: string;
  readonly nodeArray: string;
  readonly status: string;
  readonly isWanted: boolean;
  readonly keepAlive: boolean;
  readonly hostname: string | undefined;
  readonly requestId: string | undefined;
  readonly createdAtSeconds: number;
  readonly ageSeconds: number;
}

/** Who logs in at CycleCloud. While it is shut, every call is answered with 401. */
export interface Door {
  isShut: boolean;
  /** When somebody was sent away. */
  readonly refusedAtSeconds: number[];
}

/** The CycleCloud simulator without its HTTP server: the truth that a simulation compares with. */
export interface Cloud {
  readonly site: Site;
  readonly control: Control;
  readonly door: Door;
  /** Nodes that have a record, without those that were there from the start. */
  nodes(cluster: string): readonly TrueNode[];
  /** Ids of nodes that Azure took back, or will. */
  evicted(cluster: string): ReadonlySet<string>;
  /** Nodes that are up: what the daemons of a scheduler see. */
  hosts(cluster: string): readonly Host[];
}

export function createCloud(options: {
  readonly definitions: readonly DefinitionInput[];
  readonly seed: number;
  readonly clock: ManualClock;
}): Cloud {
  const site = createSite({ ...options, definitions: options.definitions.map(parseDefinition) });
  const control = createControl(createInstruments(site));
  const living = (name: string) => {
    const { cluster, at } = site.clusterNow(name);
    return { at, nodes: [...cluster.population.living()].filter((node) => !node.fixed) };
  };
  return {
    site,
    control,
    door: { isShut: false, refusedAtSeconds: [] },
    nodes: (cluster) => {
      const { at, nodes } = living(cluster);
      return nodes.map((node) => toTrueNode(node, at));
    },
    evicted: (cluster) => {
      const { population } = site.clusterNow(cluster).cluster;
      const isEvicted = ({ life }: SimulatedNode) => life.some(({ reason }) => reason === "SpotEvicted");
      return new Set([...population.all()].filter(isEvicted).map(({ nodeId }) => nodeId));
    },
    hosts: (cluster) => {
      const { at, nodes } = living(cluster);
      return nodes.flatMap((node) => toHost(node, at));
    },
  };
}

function toTrueNode(node: SimulatedNode, at: number): TrueNode {
  const step = stepAt(node.life, at);
  const { nodeId, name, keepAlive, requestId, createdAt, bucket, privateIp } = node;
  return {
    nodeId,
    name,
    nodeArray: bucket.nodearray,
    status: step.status,
    isWanted: step.target === "Started",
    keepAlive,
    hostname: step.address === "hostname" ? hostnameOf(privateIp) : undefined,
    requestId,
    createdAtSeconds: createdAt,
    ageSeconds: at - createdAt,
  };
}

function toHost({ life, bucket, privateIp, placementGroupId }: SimulatedNode, at: number): Host[] {
  const step = stepAt(life, at);
  if (step.status !== "Ready" || step.target !== "Started") return [];
  return [
    {
      hostname: hostnameOf(privateIp),
      nodeArray: bucket.nodearray,
      placementGroup: placementGroupId ?? null,
      capacity: {
        ncpus: bucket.size.vcpusAvailable,
        memoryGiB: bucket.size.memoryGiB,
        gpus: bucket.size.gpus,
      },
    },
  ];
}
