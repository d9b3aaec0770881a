import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { snapshotCluster } from "../../../../shared/cycle/snapshot/snapshot-cluster.ts";
import { spendingAt, spendingStatus, spentUntil } from "../../../../shared/cycle/snapshot/spending.ts";
import type { CapSettings, Snapshot } from "../../../../shared/ports/index.ts";
import { clusterStatus } from "../../../../shared/views/index.ts";
import { bucketOf, clusterOf, nodeArrayOf, nodeOf } from "../../../support/cluster.ts";
import { crashingAt } from "../../../support/crash.ts";
import { FakeCycleCloud } from "../../../support/fake-cyclecloud.ts";
import { snapshotOf } from "../../../support/snapshot.ts";
import { cluster, createWorld, jobFor, type World } from "../../../support/world.ts";

const hour = 3600;
const seconds = (date: string) => Date.parse(date) / 1000;

/** A cluster of nodes at two dollars an hour. */
function clusterWith(nodes: number, pricePerHourUsd: number | null = 2) {
  return clusterOf({
    nodeArrays: [nodeArrayOf({ buckets: [bucketOf({ pricePerHourUsd })] })],
    nodes: Array.from({ length: nodes }, (_, index) => nodeOf({ name: `htc-${index + 1}` })),
  });
}

/** Snapshots of so many nodes at these moments, each brought forward from the one before. */
function account(
  readings: readonly { readonly at: number; readonly nodes: number }[],
  budgetUsd: number | null = null,
): Snapshot {
  const last = readings.reduce<Snapshot | undefined>((before, { at, nodes }) => {
    const reading = { cluster: clusterWith(nodes), takenAtSeconds: at };
    return { ...reading, setAside: [], untold: [], spending: spendingAt({ ...reading, before, budgetUsd }) };
  }, undefined);
  if (last === undefined) throw new Error("no readings");
  return last;
}

const noon = seconds("2026-11-10T12:00:00Z");

describe("the account of a month", () => {
  test("begins at 0 with the first snapshot", () => {
    expect(account([{ at: noon, nodes: 5 }]).spending).toMatchObject({
      month: "2026-11",
      spentUsd: 0,
      usdPerHour: 10,
    });
  });

  test("grows by what ran at both ends of an interval, on average", () => {
    const { spending } = account([
      { at: noon, nodes: 2 },
      { at: noon + hour, nodes: 4 },
      { at: noon + 2 * hour, nodes: 0 },
    ]);
    expect(spending.spentUsd).toBeCloseTo(6 + 4);
  });

  test("starts again with the month, from the first second of it", () => {
    const readings = [
      { at: seconds("2026-11-30T22:00:00Z"), nodes: 1 },
      { at: seconds("2026-11-30T23:00:00Z"), nodes: 1 },
      { at: seconds("2026-12-01T00:30:00Z"), nodes: 1 },
    ];
    expect(account(readings.slice(0, 2)).spending).toMatchObject({ month: "2026-11", spentUsd: 2 });
    expect(account(readings).spending).toMatchObject({ month: "2026-12", spentUsd: 1 });
  });

  test("counts nodes without a known price, and their hours, instead of taking them for free", () => {
    const before = snapshotOf(clusterWith(3, null), noon);
    const first = { ...before, spending: spendingAt({ ...before, before: undefined, budgetUsd: null }) };
    const spending = spendingAt({
      ...before,
      takenAtSeconds: noon + hour,
      before: first,
      budgetUsd: null,
    });
    expect(spending).toMatchObject({ spentUsd: 0, unpricedNodes: 3, unpricedNodeHours: 3 });
  });

  test("between two snapshots, what runs goes on to cost", () => {
    const snapshot = account([{ at: noon, nodes: 5 }]);
    expect(spentUntil(snapshot, noon + hour / 2)).toBeCloseTo(5);
    expect(spentUntil(snapshot, seconds("2026-12-01T01:00:00Z"))).toBeCloseTo(10);
  });

  test("comes to the same, however many of the snapshots in between were lost", () => {
    fc.assert(
      fc.property(fc.subarray([1, 2, 3, 4, 5, 6, 7, 8, 9]), (kept) => {
        const readings = [0, ...kept, 10].map((minute) => ({ at: noon + minute * 60, nodes: 6 }));
        expect(account(readings).spending.spentUsd).toBeCloseTo(2);
      }),
    );
  });

  test("the status says how long the budget lasts and what can be kept up until the month ends", () => {
    const at = seconds("2026-11-30T14:00:00Z");
    const snapshot = account(
      [
        { at, nodes: 5 },
        { at: at + hour, nodes: 5 },
      ],
      60,
    );
    expect(spendingStatus(snapshot, at + 2 * hour)).toMatchObject({
      month: "2026-11",
      spentUsd: 20,
      usdPerHour: 10,
      budget: {
        monthlyUsd: 60,
        level: "within",
        leftUsd: 40,
        sustainableUsdPerHour: 5,
        spentAtSeconds: at + 6 * hour,
      },
    });
  });
});

/** Two dollars an hour for each node. */
const facts = { overrides: { Standard_F4s_v2: { pricePerHourUsd: 2 } } };

const noCaps: CapSettings = { maxNodesPerPlan: null, maxCores: null, monthlyBudgetUsd: null };

function worldWith(nodes: number, caps: Partial<CapSettings>): World {
  const world = createWorld(new FakeCycleCloud(clusterWith(nodes)));
  world.configure({ facts, cycle: { caps: { ...noCaps, ...caps } } });
  return world;
}

const eventsOf = ({ log }: World) => log.filter((line) => line.includes(" budget-"));

describe("prices in the status", () => {
  test("reserved nodes apart, and the oldest date of a list price", async () => {
    const nodeArrays = [
      nodeArrayOf(),
      nodeArrayOf({ name: "far", location: "eastus", buckets: [bucketOf()] }),
      nodeArrayOf({ name: "odd", buckets: [bucketOf({ vmSize: "Standard_Odd" })] }),
    ];
    const nodes = [1, 2, 3].map((n) => nodeOf({ name: `htc-${n}` }));
    const world = createWorld(new FakeCycleCloud(clusterOf({ nodeArrays, nodes })));
    world.configure({ priceRules: [{ name: "paid", select: [], reservedNodes: 2 }] });
    const sheet = (location: string, asOfSeconds: number) => ({
      location,
      readAtSeconds: asOfSeconds,
      prices: { standard_f4s_v2: { regularUsd: 0.25, spotUsd: null, asOfSeconds } },
    });
    await world.ports.priceSheets.save(sheet("westeurope", world.now() - hour));
    await world.ports.priceSheets.save(sheet("eastus", world.now() - 2 * hour));
    await world.snapshot();
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.spending).toMatchObject({
      usdPerHour: 0.25,
      unpricedNodes: 0,
      reservedNodes: 2,
      pricesAsOfSeconds: world.now() - 2 * hour,
    });
  });
});

describe("budget events", () => {
  test("come once at 80 % and once at 100 %, and again when the budget was raised and spent", async () => {
    const world = worldWith(5, { monthlyBudgetUsd: 100 });
    for (let hours = 0; hours <= 12; hours++) {
      await world.snapshot();
      world.advance(hour);
    }
    expect(eventsOf(world)).toEqual([
      expect.stringMatching(/^warn budget-near .*"spentUsd":80,"budgetUsd":100/),
      expect.stringMatching(/^error budget-reached .*"spentUsd":100,"budgetUsd":100/),
    ]);
    world.configure({ facts, cycle: { caps: { ...noCaps, monthlyBudgetUsd: 150 } } });
    await world.snapshot();
    world.advance(3 * hour);
    await world.snapshot();
    expect(eventsOf(world).slice(2)).toEqual([
      expect.stringMatching(/^error budget-reached .*"budgetUsd":150/),
    ]);
  });

  test("are not repeated, and nothing is counted twice, when a run dies on either side of storing the snapshot", async () => {
    for (const when of ["before", "after"] as const) {
      const world = worldWith(5, { monthlyBudgetUsd: 100 });
      await world.snapshot();
      world.advance(8 * hour);
      const dying = crashingAt(world.ports, { port: "snapshots", method: "save", when });
      await expect(snapshotCluster(dying, cluster)).rejects.toThrow();
      await world.snapshot();
      expect((await world.ports.snapshots.load(cluster))?.value.spending.spentUsd).toBeCloseTo(80);
      // Told before it is stored: once more rather than never.
      expect(eventsOf(world)).toHaveLength(when === "before" ? 2 : 1);
    }
  });
});

describe("a plan under caps", () => {
  test("says in its archive, its summary, the status and the log what was clipped, and by which cap", async () => {
    const world = worldWith(0, { maxNodesPerPlan: 2 });
    await world.post([jobFor(5)]);
    await world.round();
    const clipped = {
      asked: 5,
      granted: 2,
      by: [{ cap: "max-nodes-per-plan", max: 2, used: 0, jobs: 1, targets: 0 }],
    };
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.plans).toMatchObject([{ create: 2, clipped }]);
    expect(status?.waiting).toMatchObject([
      { asked: 5, granted: 2, why: [expect.anything(), expect.stringContaining("max_nodes_per_plan")] },
    ]);
    expect(await world.ports.plans.load(cluster, "plan-0001")).toMatchObject({ plan: { clipped } });
    expect(world.log).toContainEqual(
      expect.stringMatching(/^warn plan-clipped .*"asked":5,"granted":2,"cap":"max-nodes-per-plan"/),
    );
  });

  test("the rest is bought by later plans, and no more than the rest", async () => {
    const world = worldWith(0, { maxNodesPerPlan: 2 });
    await world.post([jobFor(5)]);
    const created: number[] = [];
    for (let rounds = 0; rounds < 6; rounds++) {
      await world.round();
      created.push((await world.ports.plans.list(cluster, 1))[0]?.create ?? 0);
      world.advance(60);
    }
    expect(created.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(5 + created.length);
    expect(world.cycleCloud.nodes).toHaveLength(5);
  });

  test("a spent budget buys nothing; nodes that run run on, and are deleted as ever", async () => {
    const world = worldWith(4, { monthlyBudgetUsd: 50 });
    await world.snapshot();
    world.advance(8 * hour);
    await world.post([jobFor(6)]);
    await world.round();
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.spending).toMatchObject({ budget: { monthlyUsd: 50, level: "reached", leftUsd: 0 } });
    expect(status?.plans[0]).toMatchObject({ create: 0, retire: 0, clipped: { asked: 2, granted: 0 } });
    expect(status?.waiting[0]?.why.join(" ")).toMatch(/monthly_budget_usd/);
    expect(status?.problems).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: "budget-reached", gravity: "degraded" }),
        expect.objectContaining({
          kind: "clipped",
          text: expect.stringMatching(/left the newest plan 0 of 2 nodes: monthly-budget \(/),
        }),
      ]),
    );
    await world.post([]);
    await world.round();
    world.advance(301);
    await world.round();
    expect((await world.ports.plans.list(cluster, 1))[0]).toMatchObject({ retire: 4 });
  });
});
