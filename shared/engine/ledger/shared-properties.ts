import type { SharedProperty } from "../constraints/node-properties.ts";
import type { VmFacts } from "../model/bucket.ts";
import type { Scalar } from "../values/resources.ts";

/** Which form the properties of a node have: another one when a property is renamed or means something else. */
export const nodeVersion = "1";

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
