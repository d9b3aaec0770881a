import { afterAll, beforeAll, expect, test } from "vitest";
import { wordsOf } from "../../../clients/cli/reference/command-example.ts";
import { examples } from "../../../clients/cli/reference/examples.ts";
import { served } from "../../fuzz/served-world.ts";
import { clusterOf, nodeArrayOf, nodeOf } from "../../support/cluster.ts";
import { FakeCycleCloud } from "../../support/fake-cyclecloud.ts";
import { handlerOf } from "../../support/http-handlers.ts";
import { cluster, createWorld } from "../../support/world.ts";
import { type ApiServer, serveApi } from "./api-server.ts";
import { ccscale } from "./in-process.ts";
import { expectPrinted } from "./printed-page.ts";

let server: ApiServer;

const day = Date.parse("2027-01-15") / 1_000;

/** CycleCloud counts the scheduler as well, and what was before the first snapshot. */
function usedOn(startSeconds: number) {
  return interval({ startSeconds, lengthSeconds: 86_400, htc: 8.5, scheduler: 6 });
}

function usedIn(hour: number) {
  return interval({
    startSeconds: day + hour * 3_600,
    lengthSeconds: 3_600,
    htc: hour === 7 ? 0.4 : 4.05,
    scheduler: 2,
  });
}

function interval({
  startSeconds,
  lengthSeconds,
  htc,
  scheduler,
}: {
  readonly startSeconds: number;
  readonly lengthSeconds: number;
  readonly htc: number;
  readonly scheduler: number;
}) {
  return {
    startSeconds,
    endSeconds: startSeconds + lengthSeconds,
    total: { coreHours: htc + scheduler, cost: (htc + scheduler) / 2 },
    parts: [
      { category: "nodearray", name: "htc", coreHours: htc, cost: htc / 2 },
      { category: "node", name: "scheduler", coreHours: scheduler, cost: scheduler / 2 },
    ],
  };
}

/** Two hours of one node: ada's jobs have half of it, a job of nobody a quarter. */
beforeAll(async () => {
  const nodes = [nodeOf({ name: "htc-1", hostname: "host-1" })];
  const cycleCloud = new FakeCycleCloud(clusterOf({ nodeArrays: [nodeArrayOf()], nodes }));
  cycleCloud.readUsage = async ({ granularity }) =>
    granularity === "hourly" ? [7, 8, 9].map(usedIn) : [usedOn(day)];
  const world = createWorld(cycleCloud);
  served.world = world;
  world.configure({ facts: { overrides: { Standard_F4s_v2: { pricePerHourUsd: 2 } } } });
  const jobs = [
    { name: "1200", constraints: { ncpus: 2 }, user: "ada", account: "geo", queue: "long" },
    { name: '=cmd|" /C calc"', constraints: { ncpus: 1 } },
  ];
  await world.post(
    jobs.map((job) => ({ ...job, executingHostnames: ["host-1"] })),
    { ttlSeconds: 86_400 },
  );
  await world.snapshot();
  world.advance(7_200);
  await world.snapshot();
  server = await serveApi({
    cost: handlerOf("cost"),
    status: handlerOf("status"),
    "job-cost": handlerOf("job-cost"),
    usage: handlerOf("usage"),
    week: handlerOf("week"),
    history: handlerOf("history"),
    buckets: handlerOf("buckets"),
    nodes: handlerOf("nodes"),
  });
});

afterAll(() => server?.stop());

const cost = (...argv: string[]) =>
  ccscale(["cost", "--from", "2026-11-01", ...argv, "--url", server.url, "--cluster", cluster]);

test("the examples of the command page", async () => {
  const lines = (examples.cost ?? []).map(({ line }) => line);
  await expectPrinted("cost", lines, { at: ["--url", server.url, "--cluster", cluster] });
});

test("the week of a node array: nodes with jobs by the hour, and what idle ones cost", async () => {
  const at = ["--url", server.url, "--cluster", cluster];
  await expectPrinted("history-week", ["history --week -a htc"], { at });
  const { stdout: json } = await ccscale(["history", "--week", "-a", "h*", "--format", "json", ...at]);
  expect(JSON.parse(json).nodeArrays).toMatchObject([{ name: "htc", hours: [{ nodes: 1 }, {}] }]);
  expect((await ccscale(["history", "--week", "-a", "none", ...at])).stdout).toBe("No such node array.\n");
  const refused = await ccscale(["history", "--week", "htc-1", ...at]);
  expect(refused.stderr).toContain("expected --week alone, or with --nodearray");
});

test("the history of a node has the jobs that ran there", async () => {
  await served.world.plan();
  const { stdout } = await ccscale(["history", "htc-1", "--url", server.url, "--cluster", cluster]);
  expect(stdout).toMatch(/\nJobs there\nSTARTED +JOB +SOURCE +RAN\n\S+ ago +1200 +celery +until now, \S+\n/);
});

test("as CSV without a total, and as JSON as the service has it", async () => {
  const { stdout: csv } = await cost("--by", "user,queue", "--format", "csv");
  expect(csv.split("\n").filter((line) => line.includes("TOTAL"))).toEqual([]);
  expect(csv.trim().split("\n")).toHaveLength(4);
  const { stdout: json } = await cost("--format", "json");
  expect(JSON.parse(json)).toMatchObject({ by: ["array"], total: { usd: 4, nodeHours: 2 } });
});

test("--limit shows the first groups, one row for all others, and what is no job's", async () => {
  const { stdout } = await cost("--by", "user", "--limit", "1");
  const all = await cost("--by", "user");
  const rowsOf = (text: string) => text.split("\n").map((line) => line.split(/ {2,}/).slice(0, 3));
  const [users, overhead, total] = ["ada", "(no job)", "TOTAL"].map((name) =>
    rowsOf(all.stdout).find(([first]) => first === name),
  );
  const shown = rowsOf(stdout);
  expect(shown).toContainEqual(users);
  expect(shown).toContainEqual(total);
  expect(shown.map(([first]) => first)).toContain("(1 more)");
  expect(shown.map(([first]) => first)).not.toContain("-");
  if (overhead !== undefined) expect(shown).toContainEqual(overhead);
  const csv = await cost("--by", "user", "--limit", "1", "--format", "csv");
  expect(csv.stderr).toBe("1 of 2 shown; the total counts all\n");
});

test("in the columns of FOCUS, formulas escaped", async () => {
  const { stdout } = await cost("--format", "focus");
  const [head = "", ...lines] = stdout.trim().split("\n");
  const columns = head.split(",");
  for (const name of ["BilledCost", "ChargePeriodStart", "ServiceCategory", "Tags"])
    expect(columns).toContain(name);
  expect(lines.some((line) => line.includes('""CycleCloudNodeArray"":""htc""'))).toBe(true);
  const billed = lines.map((line) => Number(line.split(",")[columns.indexOf("BilledCost")]));
  expect(billed.reduce((sum, each) => sum + each, 0)).toBeCloseTo(4);
});

test.each([
  [["--by", "colour"], '"colour" is no dimension'],
  [["--job", "1200", "--limit", "2"], "--job goes without --limit"],
  [["--format", "focus", "--limit", "2"], "--format focus goes without --limit"],
  [["--from", "yesterday"], '"yesterday", expected a date or time such as 2026-11-01'],
  [["--from", "2026-11-31"], "expected a date or time"],
  [["--job", "1200", "--by", "user"], "--job goes without --by and --from and --to"],
  [["--job", "1200", "--user", "ada"], "--job goes without --user"],
  [["--user", "adda"], 'Nothing was counted of user "adda" in this time\nDid you mean "ada"?'],
  [["--by", "job,hour"], 'expected "job" beside user, account and queue alone'],
  [["--job", "1200", "--reconcile"], "--job goes without --reconcile"],
  [["--reconcile", "--format", "focus"], "--reconcile goes without --format focus"],
])("%o is refused", async (argv, why) => {
  const { code, stderr } = await cost(...argv);
  expect(code).not.toBe(0);
  expect(stderr).toContain(why);
});

test("what a job has cost until now, with the nodes on which it runs", async () => {
  const { stdout } = await ccscale(["cost", "--job", "1200", "--url", server.url, "--cluster", cluster]);
  expect(stdout).toContain('Job "1200": 2.00 USD until 2027-01-15T10:00Z, 1 run, 1 running');
  expect(stdout).toContain("htc-1");
});

test("a job of which nothing was counted is none that costs nothing", async () => {
  const { code, stdout } = await ccscale(wordsOf(`cost --job none --url ${server.url} --cluster ${cluster}`));
  expect(code).toBe(0);
  expect(stdout).toContain('No run of job "none" was counted');
});

test("a bill by job of one user, since some days ago", async () => {
  const { code, stdout } = await ccscale([
    ...["cost", "--user", "ada", "--by", "user,job", "--from", "9000d"],
    ...["--url", server.url, "--cluster", cluster],
  ]);
  expect(code).toBe(0);
  expect(stdout).toContain('2.00 USD of user "ada" from');
  expect(
    stdout
      .split("\n")
      .slice(1, 3)
      .map((line) => line.split(/ {2,}/).slice(0, 5)),
  ).toEqual([
    ["USER", "JOB", "ACCOUNT", "QUEUE", "COST"],
    ["ada", "1200", "geo", "long", "2.00"],
  ]);
});

test("by array: core-hours, and the share of the time in which jobs ran", async () => {
  const { stdout } = await cost();
  expect(stdout).toMatch(/CORE_HOURS +BUSY/);
  expect(stdout).toMatch(/htc +4\.00 +100\.0% +2\.0 +8\.0 +100\.0%/);
});

test("a source that nobody knows is no source without runs", async () => {
  const { code, stderr } = await ccscale([
    ...["cost", "--job", "1200", "--source", "typo", "--url", server.url, "--cluster", cluster],
  ]);
  expect(code).toBe(1);
  expect(stderr).toContain('No source is called "typo"');
});

test("by two dimensions, sums of the groups and of all add up", async () => {
  const { stdout } = await cost("--by", "spot,user", "-o", "spot,user,usd");
  const rows = stdout
    .trim()
    .split("\n")
    .slice(2)
    .map((line) => line.trim().split(/ {2,}/));
  expect(rows).toEqual([
    ["regular", "ada", "2"],
    ["regular", "unknown", "1"],
    ["regular", "(no job)", "1"],
    ["regular", "(all)", "4"],
    ["TOTAL", "", "4"].filter((cell) => cell !== ""),
  ]);
});

test("disks of deallocated nodes and unused reservations are lines of CSV and FOCUS, to the cent of the accounts", async () => {
  const nodes = [1, 2, 3, 4, 5, 6].map((n) => nodeOf({ name: `htc-${n}` }));
  const cycleCloud = new FakeCycleCloud(clusterOf({ nodeArrays: [nodeArrayOf()], nodes }));
  const world = createWorld(cycleCloud);
  served.world = world;
  world.configure({
    priceRules: [{ name: "paid", select: [], reservedNodes: 4 }],
    engine: {
      deallocate: { default: { most: 2, maxAgeSeconds: 60, diskUsdPerHour: 0.0173 }, byNodeArray: {} },
    },
    facts: { overrides: { Standard_F4s_v2: { pricePerHourUsd: 0.517 } } },
  });
  for (let step = 0; step < 60; step += 1) {
    if (step === 20)
      for (const name of ["htc-3", "htc-4", "htc-5"])
        cycleCloud.change(name, { status: "Deallocated", targetState: "Deallocated" });
    await world.snapshot();
    world.advance(4_000 + 37 * step);
  }
  const linesOf = async (...argv: string[]) => {
    const [head = "", ...rows] = (await cost(...argv)).stdout.trim().split("\n");
    const at = (name: string) => head.split(",").indexOf(name);
    // Tags hold commas, and are the last column.
    return rows.map((row) => ({ row, of: (name: string) => row.split(",")[at(name)] ?? "" }));
  };
  const sum = (values: readonly (string | number)[]) =>
    values.reduce<number>((all, each) => all + Number(each), 0);
  const { notInTotal, total } = JSON.parse((await cost("--format", "json")).stdout);
  expect(notInTotal.map(({ kind, usd }: { kind: string; usd: number }) => [kind, usd > 1])).toEqual([
    ["reserved", true],
    ["deallocated", true],
  ]);
  const focus = await linesOf("--format", "focus");
  for (const by of ["array", "day", "array,day", "user"]) {
    const csv = await linesOf("--by", by, "--format", "csv");
    const usdOf = (what: string) =>
      sum(csv.filter(({ of }) => of("not_in_total") === what).map(({ of }) => of("cost")));
    expect({ by, usd: usdOf("") }).toEqual({ by, usd: expect.closeTo(total.usd, 1) });
    for (const { kind, name, usd } of notInTotal)
      expect({ by, kind, usd: usdOf(`${kind} ${name}`) }).toEqual({ by, kind, usd: expect.closeTo(usd, 1) });
  }
  for (const { kind, usd, nodeHours } of notInTotal) {
    const own = focus.filter(({ row }) => row.includes(`""purpose"":""${kind}""`));
    expect(new Set(own.map(({ of }) => of("ChargePeriodStart"))).size).toBe(own.length);
    expect(sum(own.map(({ of }) => of("BilledCost")))).toBeCloseTo(usd, 3);
    expect(sum(own.map(({ of }) => of("ConsumedQuantity")))).toBeCloseTo(nodeHours, 2);
  }
  const all = total.usd + sum(notInTotal.map(({ usd }: { usd: number }) => usd));
  expect(sum(focus.map(({ of }) => of("BilledCost")))).toBeCloseTo(all, 3);
  expect(await linesOf("--by", "user", "--user", "ada", "--format", "csv")).toEqual([]);
});
