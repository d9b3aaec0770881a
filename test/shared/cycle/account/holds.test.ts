import { describe, expect, test } from "vitest";
import type { WhatIfAsked } from "../../../../shared/api/index.ts";
import { loadWorld, snapshotCluster } from "../../../../shared/cycle/index.ts";
import type { BudgetSettings, ClusterConfig } from "../../../../shared/ports/index.ts";
import { clusterStatus, explainJob, listJobs, lookAhead, whatIf } from "../../../../shared/views/index.ts";
import { bucketOf, clusterOf, nodeArrayOf, nodeOf } from "../../../support/cluster.ts";
import { FakeCycleCloud } from "../../../support/fake-cyclecloud.ts";
import { cluster, configOf, createWorld, jobFor, type World } from "../../../support/world.ts";

const hour = 3_600;
/** Two dollars an hour for each node. */
const facts = { overrides: { Standard_F4s_v2: { pricePerHourUsd: 2 } } };

const geo: BudgetSettings = {
  name: "geo",
  of: { dimension: "account", name: "geo" },
  period: "day",
  usd: 8,
  hold: true,
};
const ofArray: BudgetSettings = { ...geo, name: "htc", of: { dimension: "nodeArray", name: "htc" } };

function configure(
  world: World,
  budgets: readonly BudgetSettings[],
  fields: Partial<ClusterConfig> = {},
): void {
  const config = configOf({ facts, cycle: { budgets } });
  world.ports.configs.put({ ...config, ...fields });
}

/** Two nodes that run a job of account geo each, at noon: four dollars an hour, half of it geo's second job. */
function worldWith(budgets: readonly BudgetSettings[], fields: Partial<ClusterConfig> = {}): World {
  const nodes = ["htc-1", "htc-2"].map((name) => nodeOf({ name }));
  const world = createWorld(
    new FakeCycleCloud(clusterOf({ nodeArrays: [nodeArrayOf({ buckets: [bucketOf()] })], nodes })),
  );
  const noon = Math.ceil(world.now() / 86_400) * 86_400 + 12 * hour;
  world.advance(noon - world.now());
  configure(world, budgets, fields);
  return world;
}

const runs = [1, 2].map((index) => ({
  ...jobFor(1, { name: `runs-${index}`, account: "geo" }),
  executingHostnames: [`host-htc-${index}`],
}));
const waits = [
  jobFor(1, { name: "of-geo", account: "geo" }),
  jobFor(1, { name: "of-bio", account: "bio" }),
  jobFor(1, { name: "of-nobody" }),
];

async function round(world: World, jobs: readonly Record<string, unknown>[] = [...runs, ...waits]) {
  await world.post(jobs, { ttlSeconds: 86_400 });
  await world.snapshot();
  world.advance(1);
  await world.plan();
}

/** How much each job that is not running got, by the newest plan, and the first reason. */
async function waiting(world: World) {
  const outlook = await lookAhead(world.ports, cluster);
  if (outlook === undefined) throw new Error("no outlook");
  const listed = listJobs(outlook, { limit: 50 });
  if (!listed.ok) throw new Error(JSON.stringify(listed));
  const { jobs } = listed.answer;
  return Object.fromEntries(jobs.map(({ job, granted, reasonCode }) => [job, reasonCode ?? granted]));
}

/** Until the two jobs have cost so many dollars. */
async function spend(world: World, usd: number): Promise<void> {
  await round(world, runs);
  world.advance((usd / 4) * hour);
  await round(world, runs);
}

describe("a budget of an account that is spent", () => {
  test("holds its jobs that wait, and nobody else's; what runs keeps its nodes", async () => {
    const world = worldWith([geo]);
    await spend(world, 7);
    await round(world);
    expect(await waiting(world)).toMatchObject({ "of-geo": 1, "of-bio": 1, "of-nobody": 1 });
    world.advance(hour);
    await round(world);
    expect(await waiting(world)).toMatchObject({
      "of-geo": "BudgetSpent",
      "of-bio": 1,
      "of-nobody": 1,
      "runs-1": 1,
      "runs-2": 1,
    });
    const [plan] = await world.ports.plans.list(cluster, 1);
    expect(plan).toMatchObject({ create: 2, retire: 0 });
  });

  test("is said by the status, the log, and in the job's reason", async () => {
    const world = worldWith([geo]);
    await spend(world, 8.4);
    await round(world);
    await round(world);
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.spending?.budgets).toMatchObject([
      { name: "geo", of: { dimension: "account", name: "geo" }, level: "reached", hold: true, leftUsd: 0 },
    ]);
    expect(status?.problems).toContainEqual(
      expect.objectContaining({
        kind: "budget-reached",
        gravity: "degraded",
        text: expect.stringMatching(
          /^Budget "geo" \(account "geo"\): 8\.4 of 8 USD of 2027-01-\d\d are spent/,
        ),
      }),
    );
    expect(status?.waiting.map(({ job }) => job)).toEqual(["of-geo"]);
    expect(world.log.filter((line) => line.includes(" budget-"))).toEqual([
      expect.stringMatching(
        /^error budget-reached .*"budget":"geo","account":"geo","period":"day","spentUsd":8.4/,
      ),
    ]);
    const outlook = await lookAhead(world.ports, cluster);
    const explained = outlook && explainJob(outlook, "of-geo");
    expect(JSON.stringify(explained)).toContain(
      'Budget \\"geo\\" holds the job: 8.4 of 8 USD are spent. What runs runs on.',
    );
    expect(JSON.stringify(explained)).toContain('raise \\"daily_usd\\" of the budget');
  });

  test("stops holding with the new day, by itself", async () => {
    const world = worldWith([geo]);
    await spend(world, 8.4);
    await round(world);
    expect(await waiting(world)).toMatchObject({ "of-geo": "BudgetSpent" });
    world.advance(86_400 - (world.now() % 86_400) + 1);
    expect(await waiting(world)).toMatchObject({ "of-geo": 1 });
    await round(world);
    expect(await waiting(world)).toMatchObject({ "of-geo": 1 });
  });

  test("stops holding when it is larger", async () => {
    const world = worldWith([geo]);
    await spend(world, 8.4);
    await round(world);
    configure(world, [{ ...geo, usd: 80 }]);
    expect(await waiting(world)).toMatchObject({ "of-geo": 1 });
  });

  test("holds nothing without `hold`", async () => {
    const world = worldWith([{ ...geo, hold: false }]);
    await spend(world, 8.4);
    await round(world);
    expect(await waiting(world)).toMatchObject({ "of-geo": 1 });
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.problems).toContainEqual(
      expect.objectContaining({ kind: "budget-reached", gravity: "notice" }),
    );
  });

  test("a new one holds until the next snapshot has counted it: not known is not nothing", async () => {
    const world = worldWith([]);
    await spend(world, 4);
    await round(world);
    configure(world, [geo]);
    expect(await waiting(world)).toMatchObject({ "of-geo": "BudgetSpent", "of-bio": 1 });
    await round(world);
    expect(await waiting(world)).toMatchObject({ "of-geo": 1 });
  });

  test("counts who is stored as a hash", async () => {
    const world = worldWith([geo], { pseudonyms: { keySetting: "PSEUDONYM_KEY", fields: ["account"] } });
    await spend(world, 8.4);
    await round(world);
    const demand = await world.ports.demand.list(cluster);
    expect(JSON.stringify(demand)).not.toContain('"geo"');
    expect(await waiting(world)).toMatchObject({ "of-geo": "BudgetSpent", "of-bio": 1 });
  });

  test("`unknown` is for jobs that name none", async () => {
    const nobody = { ...geo, name: "nobody", of: { dimension: "account", name: "unknown" } as const };
    const world = worldWith([nobody]);
    const nameless = runs.map(({ ...job }) => ({ ...job, account: undefined }));
    await round(world, nameless);
    world.advance(2.1 * hour);
    await round(world, [...nameless, ...waits]);
    expect(await waiting(world)).toMatchObject({ "of-geo": 1, "of-nobody": "BudgetSpent" });
  });

  test("holds by what is reckoned while the accounts cannot be read", async () => {
    const world = worldWith([geo]);
    await spend(world, 7.5);
    const { UpstreamError } = await import("../../../../shared/errors/errors.ts");
    const unreadable = new UpstreamError("load accounts: 503", { retryable: true });
    const accounts = new Proxy(world.ports.accounts, { get: () => () => Promise.reject(unreadable) });
    world.advance(hour);
    await world.post([...runs, ...waits], { ttlSeconds: 86_400 });
    await snapshotCluster({ ...world.ports, accounts }, cluster);
    expect(await waiting(world)).toMatchObject({ "of-geo": "BudgetSpent" });
  });
});

describe("a budget of a node array that is spent", () => {
  test("lets no new nodes be made there; jobs use what is there, whoever they are of", async () => {
    const world = worldWith([ofArray]);
    await spend(world, 8.4);
    await round(world);
    expect(await waiting(world)).toMatchObject({
      "runs-1": 1,
      "of-geo": "NoCapacity",
      "of-bio": "NoCapacity",
    });
    const [first] = runs;
    await round(world, first === undefined ? waits : [first, ...waits]);
    expect(await waiting(world)).toMatchObject({ "runs-1": 1, "of-geo": 1, "of-bio": "NoCapacity" });
    const outlook = await lookAhead(world.ports, cluster);
    const explained = JSON.stringify(outlook && explainJob(outlook, "of-bio"));
    expect(explained).toContain('"kind":"budget"');
    expect(explained).toContain(
      'No new nodes are asked of htc/Standard_F4s_v2: budget \\"htc\\" is spent: 8.4 of 8 USD',
    );
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.backedOff).toMatchObject([{ nodeArray: "htc", budget: "htc" }]);
    expect(status?.problems.map(({ kind }) => kind)).not.toContain("capacity-back-off");
  });

  test.each([ofArray, geo])(
    "$name: a size without a price is not bought, since nobody could count it",
    async (budget) => {
      const odd = nodeArrayOf({ buckets: [bucketOf({ vmSize: "Standard_Odd" })] });
      const world = createWorld(new FakeCycleCloud(clusterOf({ nodeArrays: [odd] })));
      configure(world, [budget]);
      await round(world);
      expect(await waiting(world)).toMatchObject({ "of-bio": "NoCapacity" });
      const status = await clusterStatus(world.ports, cluster);
      expect(status?.problems).toContainEqual(
        expect.objectContaining({ text: expect.stringContaining("its price is not known") }),
      );
    },
  );
});

test("what-if: a job of a spent budget would wait for that reason, another's would not", async () => {
  const world = worldWith([geo]);
  await spend(world, 8.4);
  await round(world, runs);
  const loaded = await loadWorld(world.ports, cluster);
  if (loaded === undefined) throw new Error("no world");
  const [ofGeo, ofBio] = ["geo", "bio"].map((account) => ({ constraints: [{ ncpus: 4 }], account }));
  const asked = whatIf(loaded, { jobs: [ofGeo, ofBio] } as WhatIfAsked, world.now());
  if (!asked.ok) throw new Error(JSON.stringify(asked));
  const { extra, more } = asked.answer;
  expect(more).toMatchObject({ create: 1, waitingCount: 1 });
  expect(extra.map(({ causes }) => causes.map(({ kind }) => kind).includes("budget"))).toEqual([true, false]);
});

test("a node that only a held job could use is deleted when it is idle", async () => {
  const world = worldWith([geo]);
  await spend(world, 8.4);
  const [first] = runs;
  if (first === undefined) throw new Error("no job runs");
  for (let minute = 0; minute < 8; minute += 1) {
    await round(world, [first, ...waits.slice(0, 1)]);
    await world.execute();
    world.advance(60);
  }
  expect(world.cycleCloud.nodes.filter(({ targetState }) => targetState === "Started")).toMatchObject([
    { name: "htc-1" },
  ]);
});
