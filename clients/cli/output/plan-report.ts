import {
  formatSize,
  isSize,
  type JobOutcome,
  type Plan,
  type PlanInput,
  type PlannedNode,
  type Scalar,
  size,
  type VmFacts,
} from "../../../shared/engine/index.ts";
import { jobSentences } from "../../../shared/views/index.ts";
import { table } from "../../columns/table.ts";

/** A plan for people: the nodes, what would be done, and what became of every job. */
export function planReport(input: PlanInput, plan: Plan): string {
  const nodes = plan.nodes.length === 0 ? "No nodes.\n" : demandTable(input, plan.nodes);
  return [nodes, planSummary(plan)].join("\n");
}

/** The same without the table of nodes. */
export function planSummary(plan: Plan): string {
  return [section("Actions", actionLines(plan)), section("Jobs", plan.jobs.flatMap(jobLines))].join("\n");
}

function section(title: string, lines: readonly string[]): string {
  return [title, ...(lines.length === 0 ? ["none"] : lines).map((line) => `  ${line}`), ""].join("\n");
}

function actionLines({ create, start, retire, retry }: Plan): readonly string[] {
  return [
    ...create.map(({ names, count, nodeArray, vmSize, placementGroup }) => {
      const group = placementGroup === null ? "" : ` in ${placementGroup}`;
      return `create ${count} ${vmSize} of ${nodeArray}${group}: ${names.join(", ")}`;
    }),
    ...start.map(({ name }) => `start ${name}`),
    ...retire.map(({ name, cause }) => `delete ${name} (${cause})`),
    ...retry.map(({ name }) => `retry ${name}`),
  ];
}

/** What became of a job: one line, and one sentence for every different reason why it did not get all. */
export function jobLines(outcome: JobOutcome): readonly string[] {
  const [, ...reasons] = jobSentences(outcome);
  return [`${outcome.name}: ${fate(outcome)}`, ...reasons.map((sentence) => `  ${sentence}`)];
}

function fate({ asked, granted, placements }: JobOutcome): string {
  if (granted === 0) return "waits";
  const nodes = [...new Set(placements.map(({ node }) => node))].join(", ");
  return granted < asked ? `got ${granted} of ${asked}, on ${nodes}` : `placed, on ${nodes}`;
}

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
function demandTable(input: PlanInput, nodes: readonly PlannedNode[]): string {
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
