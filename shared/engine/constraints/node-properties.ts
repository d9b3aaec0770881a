import { nearest } from "../values/nearest.ts";

/** Every `node.<name>` that constraints and default resources can use. */
export const nodeProperties = [
  "name",
  "nodearray",
  "bucket_id",
  "vm_size",
  "vm_family",
  "hostname",
  "fqdn",
  "hostname_or_uuid",
  "private_ip",
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
  "state",
  "exists",
  "instance_id",
  "keep_alive",
  "version",
  "create_time",
  "create_time_unix",
  "create_time_remaining",
  "last_match_time",
  "last_match_time_unix",
  "delete_time",
  "delete_time_unix",
] as const;

export type NodeProperty = (typeof nodeProperties)[number];

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

const propertySet: ReadonlySet<string> = new Set(nodeProperties);

/** A node property by its name without `node.`; null when there is none such. */
export function parseProperty(name: string): NodeProperty | null {
  return propertySet.has(name) ? (name as NodeProperty) : null;
}

/** The sentence for a `node.` name that is no property. */
export function unknownProperty(key: string): string {
  const guess = nearest(key.slice("node.".length), nodeProperties);
  const hint = guess === null ? "" : ` (did you mean "node.${guess}"?)`;
  return `Cannot use node property "${key}": unknown${hint}, expected one of ${nodeProperties.join(", ")}`;
}

/** Whether a property is a name of a host, which is the same in any case. */
export function isHostName(property: string): boolean {
  return property === "hostname" || property === "fqdn";
}
