import type { Plan, PlanInput } from "../../../shared/engine/index.ts";
import { demandTable } from "./demand-table.ts";
import { jobLines } from "./job-lines.ts";

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
