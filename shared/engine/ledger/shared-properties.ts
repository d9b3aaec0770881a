import type { NodeProperty } from "../model/constraint.ts";

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

const shared: ReadonlySet<NodeProperty> = new Set(sharedProperties);

export function isSharedProperty(property: NodeProperty): property is SharedProperty {
  return shared.has(property);
}
