import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planSummary } from "../../clients/cli/output/plan-report.ts";
import { readScenario } from "../../clients/cli/scenario/scenario.ts";
import { constraintKinds } from "../../shared/engine/constraints/constraint-kinds.ts";
import { nodeProperties, plan } from "../../shared/engine/index.ts";
import { type Example, examplesOf, withAnswers } from "./example-blocks.ts";

const root = join(import.meta.dirname, "../..");
const file = join(root, "docs/constraints.md");
const lab = JSON.parse(readFileSync(join(root, "examples/scenarios/lab.json"), "utf8"));

/** What `ccscale plan --scenario` prints of the plan: what would be done, and what became of every job. */
async function answerOf({ name, config, jobs }: Example): Promise<string> {
  const named = jobs.map((job, index) => ({ name: `job-${index + 1}`, ...(job as object) }));
  const scenario = { ...lab, name, config: { ...lab.config, ...config }, jobs: named };
  const path = join(root, "examples/scenarios/lab.json");
  const { input } = await readScenario(scenario, { path, compatibility: "none" });
  return planSummary(plan(input)).trimEnd();
}

// `UPDATE_DOCS=1 npx vitest run test/docs` writes the answers of today into the page; read the difference before you commit it.
if (process.env.UPDATE_DOCS === "1") {
  const before = readFileSync(file, "utf8");
  const asked = examplesOf(before);
  writeFileSync(file, withAnswers(before, asked, await Promise.all(asked.map(answerOf))));
}

const page = readFileSync(file, "utf8");
const examples = examplesOf(page);
/** Another spelling of a key needs no example. */
const keysOfKinds = Object.values(constraintKinds).flatMap(({ keys }) =>
  typeof keys === "string" ? [] : keys.map((key) => key.replaceAll("_", "-")),
);

describe("docs/constraints.md", () => {
  test.each(examples)("$name is answered as the page says", async (example) => {
    expect(await answerOf(example)).toBe(example.answer);
  });

  test("every kind of constraint and every modifier has an example", () => {
    const asked = JSON.stringify(examples.map(({ jobs, config }) => [jobs, config]));
    const keys = [
      ...keysOfKinds.map((key) => `${key}"`),
      ...["ncpus", "memgb", "memory::", "size::", "node.vm_size"],
      ...["add", "subtract", "multiply", "divide", "divide_floor"],
    ];
    expect(keys.filter((key) => !asked.includes(`"${key}`))).toEqual([]);
  });

  test("every node property is in the table", () => {
    expect(nodeProperties.filter((name) => !page.includes(`| \`node.${name}\``))).toEqual([]);
  });
});
