import type { VmFacts } from "../model/bucket.ts";
import type { NodeProperty } from "../model/constraint.ts";
import type { Scalar } from "../model/resources.ts";

/** Properties that nodes of one bucket share; entries that use only these give all of them the same resources. */
const sharedProperties = [
  "nodearray",
  "bucket_id",
  "vm_size",
  "vm_family",
  "location",
  "spot",
  "vcpu_count",
  "pcpu_count",
  "gpu_count",
  "cores_per_socket",
  "memory",
  "infiniband",
  "colocated",
  "placement_group",
  "version",
] as const satisfies readonly NodeProperty[];

export type SharedProperty = (typeof sharedProperties)[number];

/** Which form the properties of a node have: another one when a property is renamed or means something else. */
export const nodeVersion = "1";

const shared: ReadonlySet<NodeProperty> = new Set(sharedProperties);

export function isSharedProperty(property: NodeProperty): property is SharedProperty {
  return shared.has(property);
}

/** Properties that all nodes of one bucket share. */
export interface BucketFacts {
  /** The node array, or the dynamic array that its nodes are accounted to. */
  readonly account: string;
  readonly bucketId: string;
  readonly vmSize: string;
  readonly vm: VmFacts;
  readonly location: string;
  readonly spot: boolean;
  readonly placementGroup: string | null;
}

/** A property that all nodes of a bucket share. */
export function sharedPropertyOf(facts: BucketFacts, name: SharedProperty): Scalar {
  const { vm } = facts;
  switch (name) {
    case "nodearray":
      return facts.account;
    case "bucket_id":
      return facts.bucketId;
    case "vm_size":
      return facts.vmSize;
    case "vm_family":
      return vm.family;
    case "location":
      return facts.location;
    case "spot":
      return facts.spot;
    case "vcpu_count":
      return vm.vcpuCount;
    case "pcpu_count":
      return vm.pcpuCount;
    case "gpu_count":
      return vm.gpuCount;
    case "cores_per_socket":
      return vm.coresPerSocket;
    case "memory":
      return { bytes: vm.memoryBytes, magnitude: "g" };
    case "infiniband":
      return vm.infiniband;
    case "colocated":
      return facts.placementGroup !== null;
    case "placement_group":
      return facts.placementGroup;
    case "version":
      return nodeVersion;
  }
}
