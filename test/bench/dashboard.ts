/**
 * How fast the dashboard is in Chromium with a large cluster, on the local environment: by default 10,000 nodes and 100,000
 * jobs. Prints medians: time to the first content of a view, with an app that was just started and one that runs; main thread
 * that an update takes; what goes over the network; memory before and after an hour of polls; frames while the node table is
 * scrolled and the map is magnified; and a scrape of the metrics. With `--check` it fails when an aim is missed. Run it, after `npm run build`, with
 * `npm run bench -- dashboard [--nodes 10000] [--jobs 100000] [--repeats 5] [--polls 1200] [--check]`, a part of it with
 * `--only first,update,scroll,map,memory,metrics`, of some views with `--views map,nodes`.
 */

import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { type Environment, startEnvironment } from "../../infra/local/environment/environment.ts";
import { type Browser, noBrowser, openBrowser, openPage } from "../support/browser.ts";
import {
  fastTimers,
  firstMatches,
  longTasks,
  pointedAt,
  scrolled,
  signedIn,
  zoomed,
} from "./dashboard/in-page.ts";
import { type Counters, Probe, type Traffic } from "./dashboard/probe.ts";
import { type Changes, fillLargeCluster } from "./large-cluster.ts";

const { values } = parseArgs({
  options: {
    nodes: { type: "string", default: "10000" },
    jobs: { type: "string", default: "100000" },
    repeats: { type: "string", default: "5" },
    polls: { type: "string", default: "1200" },
    only: { type: "string", default: "" },
    views: { type: "string", default: "" },
    check: { type: "boolean", default: false },
  },
});
const nodeCount = Number(values.nodes);
const jobCount = Number(values.jobs);
const repeats = Number(values.repeats);
const polls = Number(values.polls);
const cluster = "small-cpu";
const quietMs = 30_000;

/** What a view shows once it is answered: all but what it has before that. */
const answered = "main > :not(h1, form, fieldset, .quiet, .map-bar)";

/** The views that are measured: what of each is its first content, its whole content, and what changes it. */
const allViews: readonly {
  readonly view: string;
  readonly hash: string;
  readonly first: string;
  readonly whole: string;
  readonly change: keyof Changes;
}[] = [
  { view: "clusters", hash: "#/", first: ".card dd", whole: ".card dd", change: "message" },
  {
    view: "overview",
    hash: `#/clusters/${cluster}/overview`,
    first: ".figures dd",
    whole: ".plot svg",
    change: "message",
  },
  {
    view: "nodes",
    hash: `#/clusters/${cluster}/nodes`,
    first: '[role="row"][aria-rowindex="2"]',
    whole: `[aria-rowcount="${nodeCount + 1}"]`,
    change: "snapshot",
  },
  {
    view: "map",
    hash: `#/clusters/${cluster}/nodes?show=map`,
    first: ".map canvas",
    whole: `[aria-label^="Map of ${nodeCount.toLocaleString("en")} nodes"]`,
    change: "snapshot",
  },
  {
    view: "jobs",
    hash: `#/clusters/${cluster}/jobs`,
    first: "tbody tr",
    whole: "tbody tr",
    change: "message",
  },
  {
    view: "job that waits",
    hash: `#/clusters/${cluster}/jobs/job-${jobCount - 2}`,
    first: ".headline",
    whole: ".headline",
    change: "message",
  },
  {
    view: "quote",
    hash: `#/clusters/${cluster}/quote`,
    first: "main form",
    whole: "main form",
    change: "message",
  },
  ...[
    "week",
    "targets",
    "limits",
    "money",
    "plans",
    "events",
    "config",
    "nodes?show=time",
    "nodes/htc-1",
  ].map((view) => ({
    view,
    hash: `#/clusters/${cluster}/${view}`,
    first: answered,
    whole: answered,
    change: "snapshot" as const,
  })),
];
const views = allViews.filter(({ view }) => values.views === "" || values.views.split(",").includes(view));

/** What is promised, with room for a machine that does other things too. */
const aims = {
  firstMs: 1_000,
  /** The first answer of an app that was just started plans the cluster. */
  coldFirstMs: 3_000,
  updateMs: 100,
  heapGrowthMb: 3,
  /** A frame of 60 a second has 16.7 ms, and the browser needs some of them. */
  frameMs: 12,
  droppedFrames: 0.1,
} as const;

const missed: string[] = [];
const folder = await mkdtemp(join(tmpdir(), "autoscale-bench-"));
if (noBrowser !== undefined) throw new Error(noBrowser);
const environment = await startEnvironment({
  clusterFile: join(import.meta.dirname, "../../infra/local/cyclecloud/clusters/small-cpu.json"),
  cluster,
  config: { idle_timeout: 300, max_snapshot_age: 86_400 },
  speed: 1,
  seed: 1,
  folder,
  // Never: the snapshot is ours.
  snapshotSchedule: "0 0 0 1 1 *",
});
const browser = await openBrowser();
try {
  const changes = await fillLargeCluster(environment.storageConnectionString, {
    cluster,
    nodeCount,
    jobCount,
  });
  // Rows that have just been written are read by each look for a while; those of a cluster at work are older.
  await setTimeout(15_000);
  console.log(`${nodeCount} nodes, ${jobCount} jobs; medians of ${repeats}`);
  const start = performance.now();
  const parts: Readonly<Record<string, () => Promise<void>>> = {
    first: () => firstViews(environment, browser),
    update: () => updates(browser, changes),
    scroll: () => scrolling(browser),
    map: () => map(browser),
    memory: () => memory(browser, changes),
    metrics: () => scrape(environment, changes),
  };
  const wanted = values.only === "" ? Object.keys(parts) : values.only.split(",");
  for (const name of wanted) {
    const begun = performance.now();
    await parts[name]?.();
    console.log(`${name}: ${Math.round((performance.now() - begun) / 1_000)} s`);
  }
  console.log(`in all ${Math.round((performance.now() - start) / 1_000)} s`);
} finally {
  await browser.close();
  await environment.stop();
  await rm(folder, { recursive: true, force: true });
}
if (missed.length > 0) {
  console.log(`\nmissed:\n${missed.join("\n")}`);
  if (values.check) process.exitCode = 1;
}

function addressOf(hash: string): string {
  return `${environment.functionsUrl}/api/dashboard${hash}`;
}

async function firstViews(app: Environment, { context }: Browser): Promise<void> {
  printRow("\nview opened, ms", ["first", "whole", "busy", "new app first", "whole", "busy"]);
  for (const { view, hash, first, whole } of views) {
    const opened = async (prepare: () => Promise<void>) => {
      await prepare();
      const { page } = await openPage(
        { context, close: async () => {} },
        { width: 1440, colorScheme: "light" },
      );
      const probe = await Probe.of(page);
      await page.addInitScript(signedIn);
      await page.addInitScript(firstMatches({ first, whole }));
      await page.goto(addressOf(hash));
      await page.waitForSelector(whole, { state: "attached" });
      const found = (await page.evaluate("firstMatches")) as { first: number; whole: number };
      const { busyMs } = await probe.counters();
      await probe.close();
      return { ...found, busyMs };
    };
    await opened(async () => {});
    const warm = await several(() => opened(async () => {}));
    const cold = await several(() =>
      opened(async () => {
        await app.stopHost("stop");
        await app.startHost();
      }),
    );
    const figures = [warm, cold].flatMap((all) => [
      median(all.map((each) => each.first)),
      median(all.map((each) => each.whole)),
      median(all.map((each) => each.busyMs)),
    ]);
    printRow(view, figures);
    aim(`${view}: first view`, figures[0], aims.firstMs, "ms");
    aim(`${view}: first view of a new app`, figures[3], aims.coldFirstMs, "ms");
  }
}

async function updates(opened: Browser, changes: Changes): Promise<void> {
  const quiet = await whileNothingChanges(opened);
  printRow("\nupdate", ["busy ms", "script ms", "layout ms", "longest ms", "kB", "304 %", "calls/min"]);
  for (const { view, hash, whole, change } of views) {
    const { page, probe } = await watched(opened, { hash, whole, script: longTasks });
    await probe.settled(0);
    const measured = await several(async () => {
      await page.evaluate("longTasks.length = 0");
      const known = probe.changed;
      const before = await probe.counters();
      probe.traffic();
      await changes[change]();
      await probe.settled(known);
      const after = await probe.counters();
      const longest = (await page.evaluate("Math.max(0, ...longTasks)")) as number;
      return { before, after, longest, kilobytes: probe.traffic().kilobytes };
    });
    const delta = (read: (counters: Counters) => number) =>
      median(measured.map(({ before, after }) => read(after) - read(before)));
    const busy = delta(({ busyMs }) => busyMs);
    const { requests, answers, unchanged } = quiet.get(view) ?? { requests: 0, answers: 0, unchanged: 0 };
    printRow(view, [
      busy,
      delta(({ scriptMs }) => scriptMs),
      delta(({ layoutMs }) => layoutMs),
      median(measured.map(({ longest }) => longest)),
      median(measured.map((each) => each.kilobytes)),
      (100 * unchanged) / answers,
      requests * (60_000 / quietMs),
    ]);
    aim(`${view}: main thread of an update`, busy, aims.updateMs, "ms");
    await probe.close();
  }
}

/** What each view asks for while nothing changes: all of them at the same time, because none disturbs another. */
async function whileNothingChanges(opened: Browser): Promise<ReadonlyMap<string, Traffic>> {
  const pages = await Promise.all(
    views.map(async ({ view, ...how }) => ({ view, ...(await watched(opened, how)) })),
  );
  // What is remembered for some seconds after a change is over.
  await setTimeout(15_000);
  for (const { probe } of pages) probe.traffic();
  await setTimeout(quietMs);
  const traffic = new Map(pages.map(({ view, probe }) => [view, probe.traffic()]));
  await Promise.all(pages.map(({ probe }) => probe.close()));
  return traffic;
}

/** A view in a page of its own, watched from its first call on. */
async function watched(
  opened: Browser,
  { hash, whole, script }: { readonly hash: string; readonly whole: string; readonly script?: string },
): Promise<{ readonly page: Page; readonly probe: Probe }> {
  const { page } = await openPage(opened, { width: 1440, colorScheme: "light" });
  const probe = await Probe.of(page);
  if (script !== undefined) await page.addInitScript(script);
  await page.goto(addressOf(hash));
  await page.waitForSelector(whole, { state: "attached" });
  return { page, probe };
}

async function scrolling(opened: Browser): Promise<void> {
  const { page } = await openPage(opened, { width: 1440, colorScheme: "light" });
  await page.goto(addressOf(`#/clusters/${cluster}/nodes`));
  await page.waitForSelector(`[aria-rowcount="${nodeCount + 1}"]`);
  const probe = await Probe.of(page);
  printRow("\nscrolling nodes", ["frames/s", "busy ms/frame", "longest ms", "dropped %", "blank"]);
  for (const pixels of [34, 340, 3_400]) {
    await page.evaluate('document.querySelector(".virtual").scrollTop = 0');
    const before = await probe.counters();
    const { gaps, blank } = (await page.evaluate(scrolled(300, pixels))) as { gaps: number[]; blank: number };
    // A frame of 60 a second takes 16.7 ms; a longer gap than one and a half has left one out.
    const dropped =
      gaps.reduce((sum, gap) => sum + Math.max(0, Math.round(gap / 16.67) - 1), 0) / gaps.length;
    const busy = ((await probe.counters()).busyMs - before.busyMs) / gaps.length;
    const seconds = gaps.reduce((sum, gap) => sum + gap, 0) / 1_000;
    printRow(`${pixels} pixels a frame`, [
      gaps.length / seconds,
      busy,
      Math.max(...gaps),
      100 * dropped,
      blank,
    ]);
    aim(`scrolling ${pixels} pixels a frame: main thread of a frame`, busy, aims.frameMs, "ms");
    aim(`scrolling ${pixels} pixels a frame: dropped`, dropped, aims.droppedFrames, "of frames");
  }
  await page.close();
}

/** The map while it is magnified and pointed at. Milliseconds of the main thread, painting included, are less than a frame has. */
async function map(opened: Browser): Promise<void> {
  const { page } = await openPage(opened, { width: 1440, colorScheme: "light" });
  const shown = allViews.find(({ view }) => view === "map");
  await page.goto(addressOf(shown?.hash ?? ""));
  await page.waitForSelector(shown?.whole ?? "");
  const probe = await Probe.of(page);
  printRow("\nmap", ["frames/s", "median ms", "p95 ms", "busy ms/frame", "script"]);
  for (const [name, script] of [
    ["magnified", zoomed(300)],
    ["pointed at", pointedAt(300)],
  ] as const) {
    const before = await probe.counters();
    const gaps = (await page.evaluate(script)) as number[];
    const after = await probe.counters();
    const busy = (after.busyMs - before.busyMs) / gaps.length;
    const sorted = gaps.toSorted((a, b) => a - b);
    printRow(name, [
      (1_000 * gaps.length) / gaps.reduce((sum, gap) => sum + gap, 0),
      median(gaps),
      sorted[Math.floor(0.95 * sorted.length)] ?? Number.NaN,
      busy,
      (after.scriptMs - before.scriptMs) / gaps.length,
    ]);
    aim(`map ${name}: main thread of a frame`, busy, aims.frameMs, "ms");
  }
  await page.close();
}

/**
 * An hour of polls of each view, all views at the same time: they share what a change of the cluster costs the service. A
 * snapshot and a message a minute are a change for 20 polls.
 */
async function memory(opened: Browser, changes: Changes): Promise<void> {
  const pages = await Promise.all(
    views.map(async ({ view, hash, whole }) => {
      const { page, probe } = await watched(opened, { hash, whole, script: fastTimers });
      return {
        view,
        page,
        probe,
        passOn: await answerUnchanged(page),
        early: undefined as Counters | undefined,
      };
    }),
  );
  const look = async (probe: Probe) => {
    await probe.collectGarbage();
    return probe.counters();
  };
  const slowest = () => Math.min(...pages.map(({ probe }) => probe.polls));
  let done = 0;
  while (slowest() < polls) {
    if (slowest() >= (done + 1) * 20) {
      done += 1;
      await Promise.all([changes.snapshot(), changes.message()]);
      for (const { passOn } of pages) passOn();
    }
    // From here on: what is compiled and cached once is.
    for (const each of pages) if (each.probe.polls > polls / 10) each.early ??= await look(each.probe);
    await setTimeout(20);
  }
  const head = ["MB early", "MB late", "DOM early", "DOM late", "listeners", "late", "polls", "changes"];
  printRow(`\n${polls} polls`, head);
  for (const { view, page, probe, early } of pages) {
    const late = await look(probe);
    const first = early ?? late;
    printRow(view, [
      ...[first.heapMb, late.heapMb, first.domNodes, late.domNodes, first.listeners, late.listeners],
      ...[probe.polls, done],
    ]);
    aim(`${view}: heap that ${polls} polls add`, late.heapMb - first.heapMb, aims.heapGrowthMb, "MB");
    // What is under way when the page goes has nobody to answer.
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await probe.close();
  }
}

/**
 * Between two changes, says in the service's place that nothing is new at an address that was asked for since: the page gets
 * the same 304 with the same ETag, and an hour of them does not take the service minutes. What is given passes all on again.
 */
async function answerUnchanged(page: Page): Promise<() => void> {
  const known = new Map<string, { readonly etag: string; readonly turn: number }>();
  let turn = 0;
  await page.route("**/api/clusters**", async (route, request) => {
    const askedIn = turn;
    const sent = await request.headerValue("if-none-match");
    const last = known.get(request.url());
    if (sent !== null && last?.etag === sent && last.turn === turn)
      return route.fulfill({ status: 304, headers: { etag: sent } });
    // The service may close an idle connection at the moment it is used again.
    const response = await route.fetch({ maxRetries: 3 });
    const { etag } = response.headers();
    if (etag !== undefined) known.set(request.url(), { etag, turn: askedIn });
    return route.fulfill({ response });
  });
  return () => {
    turn += 1;
  };
}

async function scrape(app: Environment, changes: Changes): Promise<void> {
  printRow("\nmetrics", ["ms", "after message", "kB", "series"]);
  const scraped = async () => {
    const start = performance.now();
    const response = await fetch(`${app.functionsUrl}/api/metrics`);
    const body = await response.text();
    if (!response.ok) throw new Error(`metrics: ${response.status} ${body.slice(0, 300)}`);
    return { ms: performance.now() - start, body };
  };
  const { body } = await scraped();
  const known = await several(scraped);
  const changed = await several(async () => {
    await changes.message();
    return scraped();
  });
  printRow("scrape", [
    median(known.map(({ ms }) => ms)),
    median(changed.map(({ ms }) => ms)),
    body.length / 1_000,
    body.split("\n").filter((line) => line !== "" && !line.startsWith("#")).length,
  ]);
  const checked = spawnSync("promtool", ["check", "metrics"], { input: body, encoding: "utf8" });
  console.log(
    checked.error === undefined
      ? `promtool check metrics: ${checked.status === 0 ? "passes" : checked.stderr}`
      : "promtool is not installed: not checked",
  );
  if (checked.error === undefined && checked.status !== 0) missed.push(`promtool: ${checked.stderr}`);
}

async function several<T>(measure: () => Promise<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for (let index = 0; index < repeats; index += 1) all.push(await measure());
  return all;
}

function median(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
}

function aim(what: string, found: number | undefined, most: number, unit: string): void {
  if (found === undefined || !(found <= most))
    missed.push(`${what}: ${found?.toFixed(2)} ${unit}, expected at most ${most}`);
}

function printRow(head: string, cells: readonly (string | number)[]): void {
  const shown = cells.map((cell) => (typeof cell === "number" ? cell.toFixed(1) : cell).padStart(14));
  console.log(`${head.padEnd(22)}${shown.join("")}`);
}
