import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { openArchive } from "../../../clients/cli/archive/open.ts";
import { served } from "../../fuzz/served-world.ts";
import { noBrowser } from "../../support/browser.ts";
import { clusterOf, nodeArrayOf, nodeOf } from "../../support/cluster.ts";
import { FakeCycleCloud } from "../../support/fake-cyclecloud.ts";
import { cluster, createWorld, jobFor } from "../../support/world.ts";
import { expectSound, page, problems } from "./pages.ts";
import { server, useDashboard } from "./served-dashboard.ts";

const formula = '=cmd|" /C calc"';

/** Two nodes, one with a job; three jobs that wait. */
async function prepare(): Promise<void> {
  const nodes = ["htc-1", "htc-2"].map((name) => nodeOf({ name }));
  const world = createWorld(new FakeCycleCloud(clusterOf({ nodeArrays: [nodeArrayOf()], nodes })));
  world.configure({ facts: { overrides: { Standard_F4s_v2: { pricePerHourUsd: 2 } } } });
  await world.post(
    [
      jobFor(1, { name: "runs", user: "ann", executingHostnames: ["host-htc-1"] }),
      jobFor(300, { name: "20", user: "zoe" }),
      jobFor(300, { name: "3", user: "@sum" }),
      jobFor(300, { name: formula }),
    ],
    { ttlSeconds: 86_400 },
  );
  await world.snapshot();
  world.advance(1);
  await world.plan();
  world.advance(600);
  await world.snapshot();
  served.world = world;
}

/** Presses the button, by keyboard, and reads the file that comes. */
async function saved(kind: "CSV" | "JSON"): Promise<{ readonly name: string; readonly text: string }> {
  const coming = page.waitForEvent("download");
  await page.getByRole("button", { name: new RegExp(`^${kind} of`) }).focus();
  await page.keyboard.press("Enter");
  const file = await coming;
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), "utf8") };
}

async function openList(view: string): Promise<void> {
  await page.goto(`${server.url}#/clusters/${cluster}/${view}`);
  await page.getByText("Columns and export").focus();
  await page.keyboard.press("Enter");
}

describe.skipIf(noBrowser !== undefined)("lists as files", () => {
  useDashboard(prepare);

  test("jobs as they are shown: in the chosen order, without a column that was left out, formulas harmless", {
    timeout: 600_000,
  }, async () => {
    page.setDefaultTimeout(60_000);
    await openList("jobs");
    await expectSound("export");
    await page.getByRole("checkbox", { name: "Why" }).focus();
    await page.keyboard.press("Space");
    const heading = page.getByRole("columnheader", { name: "Job" });
    await heading.getByRole("button").focus();
    await page.keyboard.press("Enter");
    expect(await heading.getAttribute("aria-sort")).toBe("ascending");
    const { name, text } = await saved("CSV");
    expect(name).toBe("hpc-jobs.csv");
    const lines = text.trim().split("\n");
    expect(lines[0]).toBe("Job,State,User,Has,Nodes");
    expect(lines.slice(1).map((line) => line.split(",")[0])).toEqual([
      `"'=cmd|"" /C calc"""`,
      "3",
      "20",
      "runs",
    ]);
    // Nobody is nothing, not a dash; a name that a spreadsheet would compute is text.
    expect(lines.map((line) => line.split(",")[2])).toEqual(["User", "", "'@sum", "zoe", "ann"]);
    await page.keyboard.press("Shift+Tab");
    await heading.getByRole("button").press("Enter");
    expect(await heading.getAttribute("aria-sort")).toBe("descending");
    const records = JSON.parse((await saved("JSON")).text) as readonly Record<string, unknown>[];
    expect(records.map(({ Job }) => Job)).toEqual(["runs", "20", "3", formula]);
    expect(Object.keys(records[0] ?? {})).toEqual(["Job", "State", "User", "Has", "Nodes"]);
    expect(problems).toEqual([]);
  });

  test("nodes, plans, events, operations, money and limits too: moments as ISO 8601, amounts as numbers", {
    timeout: 600_000,
  }, async () => {
    page.setDefaultTimeout(60_000);
    await openList("nodes");
    const nodes = JSON.parse((await saved("JSON")).text) as readonly Record<string, unknown>[];
    expect(nodes.slice(0, 2).map((node) => [node.Name, node.Jobs, node["USD/h"]])).toEqual([
      ["htc-1", "runs", 2],
      ["htc-2", expect.anything(), 2],
    ]);
    expect(Object.keys(nodes[0] ?? {})).not.toContain("Choose");
    for (const [view, moment] of [
      ["plans", "Made"],
      ["events", "Time"],
      ["operations", "Changed"],
      ["money", undefined],
      ["limits", undefined],
    ] as const) {
      await openList(view);
      const { name, text } = await saved("JSON");
      expect(name).toBe(`hpc-${view}.json`);
      const [first] = JSON.parse(text) as readonly Record<string, unknown>[];
      expect(first).toBeDefined();
      if (moment !== undefined) expect(first?.[moment]).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    }
    expect(problems).toEqual([]);
  });

  test("a support archive, as ccscale reads it", { timeout: 600_000 }, async () => {
    await page.goto(`${server.url}#/clusters/${cluster}/config`);
    const coming = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download it" }).press("Enter");
    const file = await coming;
    expect(file.suggestedFilename()).toMatch(/^ccscale-hpc-\d{8}T\d{6}Z\.zip$/);
    const opened = await openArchive([await file.path()], undefined);
    expect(opened.cluster).toBe(cluster);
    const snapshot = await opened.stores.snapshots.load(cluster);
    expect(snapshot?.value.cluster.nodes.map(({ name }) => name)).toEqual(["htc-1", "htc-2"]);
    expect(await opened.stores.plans.loadHead(cluster)).toBeDefined();
    await page.getByRole("button", { name: "Download it", disabled: false }).waitFor();
    expect(problems).toEqual([]);
  });
});
