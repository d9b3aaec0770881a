import { isSize, type PlannedNode, type Resources } from "../../../shared/engine/index.ts";
import type { Value } from "../../columns/column.ts";
import type { Fields } from "../../columns/evaluate.ts";

/** A node of a plan as columns show it, with the names of scalelib's tables. */
export function plannedNodeFields(node: PlannedNode): Fields {
  const { jobs, origin, keepAlive, placementGroup, hostname, resources, available } = node;
  return {
    name: node.name,
    hostname,
    hostname_or_uuid: hostname ?? node.nodeId ?? node.name,
    node_id: node.nodeId,
    nodearray: node.nodeArray,
    vm_size: node.vmSize,
    placement_group: placementGroup,
    colocated: placementGroup !== null,
    origin,
    state: stateOf(node),
    status: node.status,
    jobs: jobs.map(({ job, slots }) => `${job}*${slots}`),
    job_ids: [...new Set(jobs.map(({ job }) => job))],
    exists: origin === "existing" || origin === "starting",
    required: jobs.length > 0 || keepAlive,
    managed: origin !== "on-premise",
    keep_alive: keepAlive,
    memory: node.vm === undefined ? null : { bytes: node.vm.memoryBytes, magnitude: "g" },
    vcpu_count: node.vm?.vcpuCount ?? null,
    resources: valuesOf(resources),
    available: valuesOf(available),
  };
}

function stateOf({ origin, status }: PlannedNode): string {
  switch (origin) {
    case "existing":
      return status ?? "Unknown";
    case "starting":
      return "to start";
    case "pending":
      return "on order";
    case "new":
      return "to create";
    case "on-premise":
      return "on premise";
  }
}

function scalarOf(resources: Resources, name: string): Value {
  const value = resources[name];
  return value !== undefined && isSize(value) ? { ...value } : value;
}

function valuesOf(resources: Resources): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.keys(resources).map((name) => [name, scalarOf(resources, name)]));
}
