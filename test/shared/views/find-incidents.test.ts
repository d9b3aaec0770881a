import { describe, expect, test } from "vitest";
import type { BudgetLevel, PlanHead } from "../../../shared/ports/index.ts";
import { findIncidents } from "../../../shared/views/find-incidents.ts";
import { cluster, configOf, createWorld, jobFor, type World } from "../../support/world.ts";

async function found(world: World) {
  const config = (await world.ports.configs.load(cluster)) ?? configOf({});
  return findIncidents(world.ports, cluster, config);
}

async function opening(world: World) {
  return (await found(world)).filter(({ opens }) => opens);
}

async function changeHead(world: World, fields: Partial<PlanHead>): Promise<void> {
  const head = await world.ports.plans.loadHead(cluster);
  if (head === undefined) throw new Error("no plan");
  await world.ports.plans.saveHead({ ...head.value, ...fields }, head.etag);
}

async function plannedWorld(): Promise<World> {
  const world = createWorld();
  await world.post([jobFor(2)]);
  await world.round();
  return world;
}

describe("what is worth a notification", () => {
  test("a cluster that is well has nothing", async () => {
    expect(await found(await plannedWorld())).toEqual([]);
  });

  test("a cluster that was only just configured has nothing until it had its time", async () => {
    expect(await opening(createWorld())).toMatchObject([
      { key: "snapshot", problem: "no-snapshot", waitSeconds: 300 },
    ]);
  });

  test("a silent source is named, with its own key", async () => {
    const world = await plannedWorld();
    world.advance(299);
    await world.snapshot();
    world.advance(10);
    expect((await opening(world)).filter(({ kind }) => kind !== "stuck")).toMatchObject([
      { key: "source-expired:celery", kind: "source-silent", subject: "celery", waitSeconds: 0 },
    ]);
  });

  test("node arrays whose nodes fail to boot are an incident each", async () => {
    const world = await plannedWorld();
    const untilSeconds = world.now() + 600;
    const failing = (nodeArray: string) => ({
      nodeArray,
      vmSize: "F4",
      failures: 3,
      boots: 4,
      untilSeconds,
    });
    await changeHead(world, { bootsFailing: [failing("htc"), failing("my gpu")] });
    expect(await opening(world)).toMatchObject([
      { key: "boots-failing:htc/F4", command: "ccscale events --cluster hpc --kind node-failed" },
      { key: "boots-failing:my gpu/F4", command: "ccscale events --cluster hpc --kind node-failed" },
    ]);
  });

  test("a job of a user that waits too long, an incident for each user, and none without the key", async () => {
    const world = createWorld();
    const ago = (seconds: number) => new Date((world.now() - seconds) * 1_000).toISOString();
    const job = { constraints: { ncpus: 1_000 } };
    await world.post([
      { ...job, name: "1", user: "ann", submittedAt: ago(4_000) },
      { ...job, name: "2", user: "ann", submittedAt: ago(5_000) },
      { ...job, name: "3", user: "bob", submittedAt: ago(3_000) },
      { ...job, name: "4", submittedAt: ago(9_000) },
      { name: "5", user: "eve", submittedAt: ago(9_000), constraints: { ncpus: 1 } },
    ]);
    await world.round();
    expect(await opening(world)).toEqual([]);
    const found = await findIncidents(world.ports, cluster, { ...configOf({}), longWaitSeconds: 3_600 });
    expect(found).toMatchObject([
      { key: "long-wait", subject: null, text: expect.stringContaining('source "celery"') },
      {
        key: "long-wait:ann",
        kind: "long-wait",
        subject: "ann",
        text: 'A job of ann waits for more than 1h: "2", for 1h23m.',
        next: "`ccscale explain 2` shows why, and what ends it.",
      },
    ]);
  });

  test("a refused login is one incident, although no snapshot comes any more", async () => {
    const world = await plannedWorld();
    world.cycleCloud.isLoginRefused = true;
    await world.snapshot();
    world.advance(400);
    const incidents = await found(world);
    const stopped = incidents.filter(({ kind }) => kind !== "source-silent");
    expect(stopped).toMatchObject([
      { key: "login-refused", opens: true },
      { key: "snapshot", opens: false },
      { key: "plan", opens: false },
    ]);
  });

  test("demand that no plan has seen counts when it stays so, whatever a source sends meanwhile", async () => {
    const world = await plannedWorld();
    await world.post([jobFor(3)]);
    const [first] = await opening(world);
    expect(first).toMatchObject({ key: "plan", problem: "no-plan", waitSeconds: 300 });
    await world.post([jobFor(4)]);
    expect((await opening(world))[0]?.state).toBe(first?.state);
    world.advance(1);
    await world.plan();
    expect(await opening(world)).toEqual([]);
  });

  test("a plan that no one has ever made is missed", async () => {
    const world = createWorld();
    await world.snapshot();
    expect(await opening(world)).toMatchObject([{ key: "plan", state: "none" }]);
  });

  test("what comes from outside is cut, made visible and without secrets", async () => {
    const world = createWorld();
    await world.snapshot();
    const head = `\u202e<script>*@channel* ${"x".repeat(400)}`;
    const untilSeconds = world.now() + 600;
    await world.advance(1);
    await world.plan();
    await changeHead(world, {
      bootsFailing: [{ nodeArray: `${head} ?sig=geheim`, vmSize: "F4", failures: 3, boots: 3, untilSeconds }],
    });
    const [incident] = await opening(world);
    expect(incident?.subject).toMatch(/^\\u202e<script>.*… \(\d+ characters\)$/);
    expect(incident?.text).toContain("sig=***");
    expect(JSON.stringify(incident)).not.toContain("\u202e");
    expect(JSON.stringify(incident)).not.toContain("geheim");
  });
});

describe("budgets", () => {
  async function spentWorld(spentUsd: number, level: BudgetLevel): Promise<World> {
    const world = await plannedWorld();
    const snapshot = await world.ports.snapshots.load(cluster);
    if (snapshot === undefined) throw new Error("no snapshot");
    const { spending } = snapshot.value;
    const budgets = [
      { name: "monthly_budget_usd", of: null, period: "month", usd: 1_000, hold: true } as const,
      {
        name: "geo",
        of: { dimension: "account", name: "geo" },
        period: "day",
        usd: 1_000,
        hold: false,
      } as const,
    ].map((budget) => ({
      budget,
      names: [],
      spentUsd,
      usdPerHour: 1,
      unpricedNodeHours: 0,
      level,
    }));
    await world.ports.snapshots.save(cluster, { ...snapshot.value, spending: { ...spending, budgets } });
    return world;
  }

  test.each<{ spentUsd: number; level: BudgetLevel; expected: readonly object[] }>([
    { spentUsd: 10, level: "within", expected: [] },
    {
      spentUsd: 960,
      level: "near",
      expected: [
        { key: "budget-near", opens: true, subject: null },
        { key: "budget-near:geo", opens: true, subject: "geo" },
      ],
    },
    {
      spentUsd: 1_001,
      level: "reached",
      expected: [
        { key: "budget-reached", opens: true },
        { key: "budget-near", opens: false },
        { key: "budget-reached:geo", opens: true, text: expect.stringContaining('(account "geo")') },
        { key: "budget-near:geo", opens: false },
      ],
    },
  ])("$spentUsd of 1000 USD", async ({ spentUsd, level, expected }) => {
    const incidents = (await found(await spentWorld(spentUsd, level))).filter(
      ({ kind }) => kind === "budget",
    );
    expect(incidents).toMatchObject(expected);
  });
});
