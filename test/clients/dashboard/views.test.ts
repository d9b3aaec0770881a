import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { openArchive } from "../../../clients/cli/archive/open.ts";
import type { NodeHistory } from "../../../shared/engine/index.ts";
import { served } from "../../fuzz/served-world.ts";
import { accessibilityProblems, noBrowser } from "../../support/browser.ts";
import { bucketOf, nodeArrayOf, nodeOf } from "../../support/cluster.ts";
import { twoClusters } from "../../support/two-clusters.ts";
import { cluster, jobFor, type World, worldWith } from "../../support/world.ts";
import { expectSound, page, problems } from "./pages.ts";
import { picture } from "./pictures.ts";
import { server, useDashboard } from "./served-dashboard.ts";

describe.skipIf(noBrowser !== undefined)("several clusters", () => {
  useDashboard(async () => {
    served.world = await twoClusters();
  });

  test("a quota that they share: who holds, has ordered and waits, as bars and as figures", {
    timeout: 600_000,
  }, async () => {
    await page.goto(`${server.url}#/clusters/hpc/limits`);
    const shared = page.getByRole("region", {
      name: "Who has what of family westeurope/standardFSv2Family",
    });
    await shared.waitFor();
    const rows = await shared.getByRole("row").allInnerTexts();
    const cells = rows.map((row) => row.split("\t"));
    expect(
      cells.map(([name = "", share = "", holds, ordered]) => [name, share.trim(), holds, ordered]),
    ).toEqual([
      ["Cluster", "Share", "Holds", "Ordered"],
      ["hpc", "40 %", "80", "0"],
      ["viz", "10 %", "12", "8"],
      ["others", "54 %", "108", "–"],
    ]);
    expect(await shared.getByRole("meter").count()).toBe(3);
    await page.getByText(/Cannot tell who shares the quotas of bare/).waitFor();
    await expectSound("shared-quotas");
    expect(problems).toEqual([]);
  });

  test("one search over all: nodes, jobs and users, each a way to its list", {
    timeout: 600_000,
  }, async () => {
    await served.world.post([
      { name: "htc-20", constraints: { ncpus: 4 } },
      { name: "2", constraints: { ncpus: 4 }, user: "htc-20" },
    ]);
    await served.world.plan();
    await page.goto(server.url);
    const search = page.getByLabel("Cluster, node, job or user");
    const found = page.getByRole("table", { name: "What was found" });
    for (const [text, rows] of [
      ["htc-20", ["hpc\t1 job", "hpc\t1 job of user htc-20", "hpc\t1 node"]],
      ["array:htc", ["hpc\t20 nodes", "viz\t3 nodes"]],
    ] as const) {
      await search.fill(text);
      await search.press("Enter");
      await page.getByText("2 clusters asked.").waitFor();
      await expect.poll(async () => (await found.getByRole("row").allInnerTexts()).slice(1)).toEqual(rows);
    }
    await search.fill("nobody");
    await search.press("Enter");
    await page.getByText("No node, job or user is like that.").waitFor();
    await search.fill("cost>dear");
    await search.press("Enter");
    await page.getByText("where: cost>dear: expected a number").waitFor();
    await search.fill("htc-20");
    await search.press("Enter");
    await found.getByRole("link", { name: "1 node" }).waitFor();
    await expectSound("search");
    await found.getByRole("link", { name: "1 node" }).click();
    await page.getByRole("heading", { name: "Nodes", exact: true }).waitFor();
    expect(await page.getByLabel("Filter", { exact: true }).inputValue()).toBe("htc-20");
    // A list refuses keys of the other.
    expect(problems.filter((each) => !each.includes("status of 400"))).toEqual([]);
  });
});

describe.skipIf(noBrowser !== undefined)("lists as files", () => {
  const formula = '=cmd|" /C calc"';

  /** Two nodes, one with a job; three jobs that wait. */
  async function prepare(): Promise<void> {
    const nodes = ["htc-1", "htc-2"].map((name) => nodeOf({ name }));
    const world = worldWith({ nodeArrays: [nodeArrayOf()], nodes });
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

describe.skipIf(noBrowser !== undefined)("what can be done about a problem", () => {
  const look = { width: 1024, colorScheme: "light" } as const;
  const open = (view: string) => page.goto(`${server.url}#/clusters/hpc/${view}`);
  const problem = (words: string) =>
    page.getByRole("list", { name: "Problems" }).getByRole("listitem").filter({ hasText: words });

  /** Gives a reason, and looks at the dry run. */
  async function dryRun(title: string): Promise<string> {
    const dialog = page.getByRole("dialog", { name: title });
    await dialog.getByLabel("Reason, for the record").fill("new image");
    await dialog.getByRole("button", { name: "Show what would be done" }).click();
    await dialog.locator(".answer").waitFor();
    return dialog.innerText();
  }

  useDashboard(async () => {
    const nodes = ["htc-1", "htc-2"].map((name, index) =>
      nodeOf({ name, nodeId: `id-${index}`, hostname: `host-${index}` }),
    );
    served.world = worldWith({ nodeArrays: [nodeArrayOf()], nodes });
    served.world.cycleCloud.change("htc-2", { status: "Failed" });
    await served.world.snapshot();
  });

  test("failed nodes are retried beside the problem that shows them, and followed", async () => {
    await open("overview");
    const line = problem("ccscale nodes --state Failed");
    await line.getByRole("button", { name: "Retry failed nodes" }).press("Enter");
    const said = await dryRun("Retry failed nodes");
    expect(said).toContain("Would ask for retry-failed: 1 node");
    expect(said).toContain("ccscale retry-failed --cluster hpc --reason 'new image'");
    expect(served.world.cycleCloud.calls).not.toContain("retry");
    await picture(page, "retry", look);
    expect(await accessibilityProblems(page)).toEqual([]);
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Retry failed nodes" }).click();
    await dialog.getByText("sent to the executor").waitFor();
    await served.world.settle();
    expect(served.world.cycleCloud.calls).toContain("retry");
    // The problem is gone. The dialog stays.
    await line.waitFor({ state: "detached" });
    await dialog.getByText("a snapshot shows its effect").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    expect(problems).toEqual([]);
  });

  test("failed nodes are one link away, and can be retried there", async () => {
    await open("overview");
    await problem("failed").getByRole("link", { name: "Failed nodes" }).click();
    await page.getByText("htc-2").first().waitFor();
    expect(page.url()).toContain("nodes?where=state%3AFailed");
    await page.getByRole("button", { name: "Retry failed nodes" }).click();
    expect(await dryRun("Retry failed nodes")).toContain("htc-2");
  });

  test("without a failed node there is nothing to retry, and it says so", async () => {
    served.world.cycleCloud.change("htc-2", { status: "Ready" });
    served.world.advance(1);
    await served.world.snapshot();
    await open("nodes");
    await page.getByRole("button", { name: "Retry failed nodes" }).click();
    expect(await dryRun("Retry failed nodes")).toContain("Nothing to do");
    const button = page.getByRole("dialog").getByRole("button", { name: "Retry failed nodes" });
    expect(await button.isDisabled()).toBe(true);
    // Another reason may be given.
    await page.getByRole("button", { name: "Back" }).click();
    expect(await page.getByLabel("Reason, for the record").isEditable()).toBe(true);
  });

  test("a cluster that is paused is resumed beside the problem that says so", async () => {
    await page.clock.setSystemTime(served.world.now() * 1_000);
    await open("overview");
    await page.getByRole("button", { name: "Pause scaling" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("For how long").fill("2 weeks");
    expect(await dialog.locator("input:invalid").count()).toBe(2);
    await dialog.getByLabel("For how long").fill("2h");
    await dryRun("Pause scaling");
    expect(await dialog.locator("code").innerText()).toContain("pause --cluster hpc --for 2h --reason");
    await dialog.getByRole("button", { name: "Pause scaling" }).click();
    await dialog.getByRole("button", { name: "Close" }).click();
    const { paused } = (await served.world.ports.controls.load("hpc"))?.value ?? {};
    expect(paused?.untilSeconds).toBeGreaterThan(served.world.now() + 7_000);
    await problem("Paused by dashboard").getByRole("button", { name: "Resume scaling" }).click();
    await dryRun("Resume scaling");
    await dialog.getByRole("button", { name: "Resume scaling" }).click();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Pause scaling" }).waitFor();
  });

  test("neither a double click nor a second Enter does what was only to be looked at", async () => {
    const paused = async () => (await served.world.ports.controls.load("hpc"))?.value.paused ?? null;
    await open("overview");
    await page.getByRole("button", { name: "Pause scaling" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Reason, for the record").fill("a slip");
    await dialog.getByRole("button", { name: "Show what would be done" }).dblclick();
    await dialog.locator(".answer").waitFor();
    await dialog.getByRole("button", { name: "Pause scaling" }).dispatchEvent("click", { detail: 2 });
    await dialog.getByRole("button", { name: "Back" }).click();
    await dialog.getByLabel("Reason, for the record").press("Enter");
    await dialog.locator(".answer").waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.className")).toBe("answer");
    await page.keyboard.press("Enter");
    expect(await paused()).toBeNull();
    // By keyboard alone, on purpose.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(paused).toMatchObject({ by: "dashboard", reason: "a slip" });
  });

  test("other problems lead to the view that shows more", async () => {
    await served.world.receive("{ no message", "r-1");
    await open("overview");
    await problem("refused or given up").getByRole("link", { name: "Rejects" }).click();
    await page.getByRole("heading", { name: "Rejects" }).waitFor();
  });
});

describe.skipIf(noBrowser !== undefined)("a week at a glance", () => {
  const hour = 3_600;
  const size = { maxCount: 20, maxCoreCount: 80 };
  const nodeArrays = [
    nodeArrayOf({ ...size, buckets: [bucketOf()] }),
    nodeArrayOf({ ...size, name: "gpu", buckets: [bucketOf()] }),
  ];
  let world: World;

  /** Six nodes at 2 USD an hour by day and two by night, of which four and one have jobs, for the four days since Monday. */
  async function officeWeek(): Promise<World> {
    const nodes = [1, 2, 3, 4, 5, 6].map((index) => nodeOf({ name: `htc-${index}` }));
    const week = worldWith({ ...size, nodeArrays, nodes });
    week.advance(Date.UTC(2027, 0, 18) / 1_000 - week.now());
    week.configure({
      facts: { overrides: { Standard_F4s_v2: { pricePerHourUsd: 2 } } },
      schedules: [
        {
          name: "office",
          start: "0 8 * * mon-fri",
          end: { afterSeconds: 10 * hour },
          timeZone: "UTC",
          except: [],
          leadSeconds: null,
          targets: [{ Name: "htc", TargetCount: 5 }],
        },
        {
          name: "floor",
          start: "0 0 * * *",
          end: { at: "0 0 * * *" },
          timeZone: "UTC",
          except: [],
          leadSeconds: null,
          pausedUntilSeconds: Date.UTC(2027, 1, 1) / 1_000,
          targets: [{ Name: "htc", TargetCount: 1 }],
        },
      ],
    });
    for (let at = 0; at < 4 * 24; at += 1) {
      const isDay = at % 24 >= 8 && at % 24 < 18;
      week.cycleCloud.shown = isDay ? 6 : 2;
      const run = { name: "run", constraints: { ncpus: 1 }, iterations: isDay ? 4 : 1 };
      const hosts = nodes.slice(0, run.iterations).map(({ name }) => `host-${name}`);
      await week.post(
        [
          { ...run, executingHostnames: hosts },
          { name: "next", constraints: { ncpus: 64 } },
        ],
        {
          ttlSeconds: 86_400,
        },
      );
      await week.snapshot();
      week.advance(hour);
    }
    const row = { nodeArray: "htc", vmSize: "Standard_F4s_v2", hostname: null, instanceId: null };
    const ended = {
      ...row,
      lastMatchSeconds: null,
      createdSeconds: week.now() - 7_200,
      deletedSeconds: week.now(),
    };
    await week.ports.history.save(cluster, [
      ...[120, 150, 400].map(
        (seconds): NodeHistory => ({
          ...ended,
          nodeId: `n${seconds}`,
          name: `n${seconds}`,
          readySeconds: ended.createdSeconds + seconds,
        }),
      ),
      {
        ...ended,
        nodeId: "bad",
        name: "bad",
        readySeconds: null,
        failure: { atSeconds: week.now(), message: null },
      },
    ]);
    await week.ports.losses.add({
      cluster,
      eventId: "e1",
      atSeconds: week.now() - 100,
      reason: "SpotEvicted",
      nodeId: "n1",
      nodeName: "htc-9",
      nodeArray: "htc",
      vmSize: "Standard_F4s_v2",
    });
    return week;
  }

  useDashboard(async () => {
    world = await officeWeek();
    served.world = world;
  });

  test("curves with what schedules kept over them, the same as tables, boots and failures, in every look", {
    timeout: 600_000,
  }, async () => {
    await page.clock.setSystemTime(world.now() * 1_000);
    await page.goto(`${server.url}#/clusters/${cluster}/week`);
    await page.getByRole("heading", { name: "htc", exact: true }).waitFor();
    // Four windows until now, and that of the Friday before the first snapshot.
    expect(await page.locator(".bands .life i").count()).toBe(5);
    const kept = page.getByRole("region", { name: "Kept by schedules" });
    const rows = await kept.getByRole("row").allInnerTexts();
    expect(rows.map((text) => text.split("\t")).map((cells) => [cells[1], cells.at(-1)])).toEqual([
      ["Keeps", "Nodes with jobs"],
      ["5 nodes", "–"],
      ...Array.from({ length: 4 }, () => ["5 nodes", "3.9"]),
    ]);
    const sizes = page.getByRole("region", { name: "Boots, failures and evictions by VM size" });
    expect((await sizes.getByRole("row").nth(1).innerText()).split("\t")).toEqual([
      "Standard_F4s_v2",
      "4",
      "2m30s",
      "6m40s",
      "1",
      "1",
    ]);
    await page.getByText(/Schedule floor \(1 node\) is paused until/).waitFor();
    await page.getByText("Without any node in the week: gpu.").waitFor();
    await page.getByText(/Counted since/).waitFor();
    await expectSound("week-office");
    // By keyboard alone: the hours as a table.
    await page.getByText("Nodes of htc as a table").focus();
    await page.keyboard.press("Enter");
    const hours = page.getByRole("region", { name: "Nodes of htc", exact: true });
    expect(await hours.getByRole("row").count()).toBe(169);
    expect(await hours.getByRole("row").filter({ hasText: "–" }).count()).toBe(168 - 95);
    expect(problems).toEqual([]);
  });
});
