import type { Json, Resources } from "../values/resources.ts";
import type { BucketLimits } from "./limits.ts";
import type { BucketPrices, Reservation } from "./price.ts";

/** Facts of a VM size: CycleCloud's own figures, or the catalogue's where CycleCloud has none. */
export interface VmFacts {
  /** Usable vcpus; 2 for a constrained E8-2s_v3. */
  readonly vcpuCount: number;
  /** The cores that count against quotas; 8 for an E8-2s_v3. */
  readonly vcpuQuotaCount: number;
  readonly pcpuCount: number;
  readonly gpuCount: number;
  /** Nobody says how many GPUs it has, so that `gpuCount` is 0. Absent: somebody does. */
  readonly gpuCountIsUnknown?: true;
  readonly coresPerSocket: number;
  readonly memoryBytes: number;
  readonly family: string;
  readonly infiniband: boolean;
}

/** One VM size of a node array, as CycleCloud reports it. The engine splits it by placement group. */
export interface Bucket {
  readonly bucketId: string;
  readonly vmSize: string;
  readonly vm: VmFacts;
  readonly valid: boolean;
  /** Why it is not valid, in CycleCloud's word ("NotActivated", "DisabledMachineType"); null when it is. */
  readonly invalidReason: string | null;
  readonly limits: BucketLimits;
  /** Placement groups that CycleCloud reports, with the nodes it counts in them. */
  readonly placementGroups: readonly ReportedPlacementGroup[];
  /** Seconds since CycleCloud last failed to get such a VM; null when it never did. */
  readonly secondsSinceCapacityFailure: number | null;
  readonly spotPlacementScore: string | null;
  /** US dollars for an hour of one such node where the node array is; null or absent: not known, which is not free. */
  readonly pricePerHourUsd?: number | null;
  /** Where that comes from, and what the other kind (regular or spot) costs. The planner does not use it. */
  readonly prices?: BucketPrices;
  /** Its first nodes cost nothing more than what is paid anyway. */
  readonly reservation?: Reservation;
}

export interface ReportedPlacementGroup {
  readonly name: string;
  readonly activeCount: number;
  /** A spare one, which exists in no answer of CycleCloud yet. */
  readonly isGenerated?: true;
}

/** A CycleCloud template of nodes with the VM sizes that it may use, in CycleCloud's order. */
export interface NodeArray {
  readonly name: string;
  readonly location: string;
  /** The cloud provider account that CycleCloud uses for it, which has one subscription. Absent: CycleCloud does not say. */
  readonly account?: string;
  readonly spot: boolean;
  /** False when `Configuration.autoscale.enabled` is false: then the array is left alone. */
  readonly enabled: boolean;
  /** `Configuration.autoscale.is_hpc`, true when absent: whether placement groups may be generated. */
  readonly allowsColocation: boolean;
  /** CycleCloud's `Priority`, larger first; null when not set. */
  readonly priority: number | null;
  /** The array's own `PlacementGroupId`. */
  readonly placementGroup: string | null;
  /** The OS disk of its nodes is lost with their VM, so they cannot be deallocated. Absent: CycleCloud does not say so. */
  readonly ephemeralOsDisk?: true;
  readonly maxCount: number;
  readonly maxCoreCount: number;
  /** `Configuration.autoscale.resources`: resources of every node of the array. */
  readonly resources: Resources;
  /** The whole `Configuration`, for `node.software_configuration.<name>`. */
  readonly softwareConfiguration: { readonly [key: string]: Json };
  readonly buckets: readonly Bucket[];
  /** Since then CycleCloud no longer lists it, and nodes of it are still there. Absent: it is listed. */
  readonly goneAtSeconds?: number;
}

/** A CycleCloud cluster at one moment, in the engine's terms. */
export interface Cluster {
  readonly name: string;
  readonly maxCount: number;
  readonly maxCoreCount: number;
  /** In CycleCloud's order, which decides among equals. */
  readonly nodeArrays: readonly NodeArray[];
  readonly nodes: readonly ClusterNode[];
}

/** A node array and one of its VM sizes: nodes of one kind are alike. */
export interface NodeKind {
  readonly nodeArray: string;
  readonly vmSize: string;
}

/** `htc/Standard_F4s_v2`, as people read it, and as a key: no VM size has a slash. */
export function kindName({ nodeArray, vmSize }: NodeKind): string {
  return `${nodeArray}/${vmSize}`;
}

/** Every VM size of every node array, by `kindName`. */
export function sizesByKind({ nodeArrays }: Pick<Cluster, "nodeArrays">): ReadonlyMap<string, Bucket> {
  return new Map(
    nodeArrays.flatMap(({ name, buckets }) =>
      buckets.map((bucket) => [kindName({ nodeArray: name, vmSize: bucket.vmSize }), bucket] as const),
    ),
  );
}

/** The nodes that are the autoscaler's: one of no array, such as the scheduler's own, is not. */
export function nodesOfArrays({
  nodes,
  nodeArrays,
}: Pick<Cluster, "nodes" | "nodeArrays">): readonly ClusterNode[] {
  const arrays = new Set(nodeArrays.map(({ name }) => name));
  return nodes.filter(({ nodeArray }) => arrays.has(nodeArray));
}

/** One node that CycleCloud reports, in any state. */
export interface ClusterNode {
  readonly nodeId: string;
  readonly name: string;
  readonly nodeArray: string;
  readonly vmSize: string;
  readonly placementGroup: string | null;
  /** Without domain; null until the node has one. */
  readonly hostname: string | null;
  readonly fqdn: string | null;
  readonly privateIp: string | null;
  readonly instanceId: string | null;
  /** CycleCloud's word: Ready, Preparing, Acquiring, Failed, Terminating, Deallocated, ... */
  readonly status: string;
  /** Of a failed node: what CycleCloud says of that, one line, cut, without secrets. For people; the planner does not use it. */
  readonly statusMessage?: string;
  /** Started, Terminated, Deallocated, ...; null: CycleCloud reports none, so the node is left alone. */
  readonly targetState: string | null;
  readonly location: string;
  readonly spot: boolean;
  readonly keepAlive: boolean;
  /** The dynamic array that it is accounted to; absent: its node array. */
  readonly dynamicArray?: string;
  /** `Configuration.autoscale.resources` of the node itself, over those of its array. */
  readonly resources: Resources;
  readonly softwareConfiguration: { readonly [key: string]: Json };
}
