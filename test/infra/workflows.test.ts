import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from "@actions/workflow-parser";
import { ErrorPolicy } from "@actions/workflow-parser/model/convert";
import type { FileProvider } from "@actions/workflow-parser/workflows/file-provider";
import { expect, test } from "vitest";

const folder = ".github/workflows";
const deploying = ["deploy.yml", "deploy-to.yml"];
const textOf = (name: string) => readFileSync(`${folder}/${name}`, "utf8");

test.each(["ci.yml", "release.yml", "deploy.yml"])(
  "workflows: GitHub's own parser takes %s, and the workflows that it calls",
  async (name) => {
    const { context, value } = parseWorkflow({ name, content: textOf(name) }, new NoOperationTraceWriter());
    if (value === undefined) throw new Error("not a workflow");
    const files: FileProvider = {
      getFileContent: async (file) => {
        if (!("path" in file)) throw new Error("a workflow of another repository");
        return { name: file.path, content: textOf(basename(file.path)) };
      },
    };
    const { errors, jobs } = await convertWorkflowTemplate(context, value, files, {
      errorPolicy: ErrorPolicy.TryConversion,
      fetchReusableWorkflowDepth: 1,
    });
    expect(context.errors.getErrors().map(({ message }) => message)).toEqual([]);
    expect(errors ?? []).toEqual([]);
    expect(jobs.length).toBeGreaterThan(0);
  },
);

test("workflows: a deployment uses no secret, and the guide names each variable that it reads", () => {
  const text = deploying.map(textOf).join("\n");
  expect(text).not.toMatch(/secrets\./);
  const guide = readFileSync("docs/pipeline.md", "utf8");
  const variables = new Set([...text.matchAll(/vars\.([A-Z_]+)/g)].map(([, name]) => name));
  expect(variables.size).toBeGreaterThan(4);
  for (const name of variables) expect(guide).toContain(`\`${name}\``);
});

test("workflows: az signs in after the infrastructure, which may outlast the word of GitHub that it asks for tokens with", () => {
  const text = textOf("deploy-to.yml");
  expect(text.indexOf("azd provision")).toBeGreaterThan(0);
  expect(text.indexOf("azure/login")).toBeGreaterThan(text.indexOf("azd provision"));
});

test("workflows: no command hides its failure inside echo, where bash takes the exit code of echo alone", () => {
  for (const name of deploying) expect(textOf(name)).not.toMatch(/echo .*\$\((?:az|gh|npm) /);
});

test("workflows: a check of a cluster that failed does not fail a deployment, one of the service does", () => {
  const text = textOf("deploy-to.yml");
  expect(text).toContain("ccscale -- doctor || [ $? -eq 1 ]\n");
  expect(text).toContain(
    `doctor --format json | jq --exit-status 'all(.checks[]; .state != "failed" or .cluster != null)'`,
  );
});
