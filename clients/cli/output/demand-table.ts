import {
  formatSize,
  isSize,
  type PlanInput,
  type PlannedNode,
  type Scalar,
  size,
  type VmFacts,
} from "../../../shared/engine/index.ts";
import { table } from "./table.ts";

interface Row {
  readonly node: PlannedNode;
  readonly vm: VmFacts | undefined;
}

/** The columns of scalelib's demand table; `*SLOTS` is what the plan leaves of `SLOTS`. */
const columns: Readonly<Record<string, (row: Row) => string | number>> = {
  NAME: ({ node }) => node.name,
  HOSTNAME: ({ node }) => node.hostname ?? "tbd",
  JOB_IDS: ({ node }) => [...new Set(node.jobs.map(({ job }) => job))].join(","),
  EXISTS: ({ node }) => String(node.origin !== "new"),
  REQUIRED: ({ node }) => String(isRequired(node)),
  MANAGED: ({ node }) => String(node.origin !== "on-premise"),
  SLOTS: ({ node }) => shown(node.resources.slots),
  "*SLOTS": ({ node }) => shown(node.available.slots),
  VM_SIZE: ({ node }) => node.vmSize,
  MEMORY: ({ vm }) => (vm === undefined ? "" : formatSize(size(vm.memoryBytes / 1024 ** 3, "g"))),
  VCPU_COUNT: ({ node, vm }) => vm?.vcpuCount ?? shown(node.resources.ncpus),
  STATE: ({ node }) => stateOf(node),
  PLACEMENT_GROUP: ({ node }) => node.placementGroup ?? "",
};

/** Every node that the plan counts with, in the order of the plan. Columns of resources that no node has are left out. */
export function demandTable(input: PlanInput, nodes: readonly PlannedNode[]): string {
  const hasSlots = nodes.some((node) => node.resources.slots !== undefined);
  const heads = Object.keys(columns).filter((head) => hasSlots || !head.endsWith("SLOTS"));
  const facts = vmFacts(input);
  const rows = nodes.map((node) => {
    const row = { node, vm: facts.get(`${node.nodeArray} ${node.vmSize}`) };
    return heads.map((head) => columns[head]?.(row) ?? "");
  });
  return table(heads, rows);
}

function vmFacts({ cluster }: PlanInput): ReadonlyMap<string, VmFacts> {
  return new Map(
    cluster.nodeArrays.flatMap((array) =>
      array.buckets.map(({ vmSize, vm }) => [`${array.name} ${vmSize}`, vm] as const),
    ),
  );
}

function isRequired({ jobs, keepAlive }: PlannedNode): boolean {
  return jobs.length > 0 || keepAlive;
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

function shown(value: Scalar | undefined): string | number {
  if (value === undefined || value === null) return "";
  if (isSize(value)) return formatSize(value);
  return typeof value === "number" ? value : String(value);
}
