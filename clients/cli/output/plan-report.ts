import type { JobOutcome, Plan, SizeChoice } from "../../../shared/engine/index.ts";
import { jobSentences, sizeSentences } from "../../../shared/views/index.ts";
import { demandTable } from "../../library/engine/demand-table.ts";
import { goingVerb } from "./decided.ts";

/** A plan for people: the nodes, what would be done, and what became of every job. */
export function planReport(plan: Plan): string {
  const nodes = plan.nodes.length === 0 ? "No nodes.\n" : demandTable(undefined, plan, { long: true });
  const sizes = plan.sizes.flatMap(sizeLines);
  return [nodes, ...(sizes.length === 0 ? [] : [section("Why these sizes", sizes)]), planSummary(plan)].join(
    "\n",
  );
}

/** The same without the table of nodes and why they are of their sizes. */
export function planSummary(plan: Plan): string {
  return [section("Actions", actionLines(plan)), section("Jobs", plan.jobs.flatMap(jobLines))].join("\n");
}

/** Why the nodes of one set are of their size: a sentence, and below it the next best and what kept cheaper ones out. */
function sizeLines(choice: SizeChoice): readonly string[] {
  const [first = "", ...others] = sizeSentences(choice);
  return [first, ...others.map((sentence) => `  ${sentence}`)];
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
    ...retire.map(({ name, cause, verb }) => `${goingVerb(verb)} ${name} (${cause})`),
    ...retry.map(({ name }) => `retry ${name}`),
  ];
}

/** What became of a job: one line, and one sentence for every different reason why it did not get all. */
function jobLines(outcome: JobOutcome): readonly string[] {
  const [, ...reasons] = jobSentences(outcome);
  return [`${outcome.name}: ${fate(outcome)}`, ...reasons.map((sentence) => `  ${sentence}`)];
}

function fate({ asked, granted, placements }: JobOutcome): string {
  if (granted === 0) return "waits";
  const nodes = [...new Set(placements.map(({ node }) => node))].join(", ");
  return granted < asked ? `got ${granted} of ${asked}, on ${nodes}` : `placed, on ${nodes}`;
}
