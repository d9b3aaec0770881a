import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  accountFor,
  type Book,
  openBook,
  type SeenNode,
  type Sight,
} from "../../../../shared/accounting/index.ts";
import { costQuery } from "../../../../shared/api/index.ts";
import { type CountedBudget, spentOf } from "../../../../shared/cycle/account/budgets.ts";
import { spendingOf } from "../../../../shared/cycle/account/spending.ts";
import { snapshotCluster } from "../../../../shared/cycle/snapshot/snapshot-cluster.ts";
import { UpstreamError } from "../../../../shared/errors/errors.ts";
import type { BudgetSettings, CapSettings, Spending } from "../../../../shared/ports/index.ts";
import { MemoryAccountStore, MemorySnapshotStore } from "../../../../shared/stores/in-memory/index.ts";
import { clusterStatus, drawUpCost } from "../../../../shared/views/index.ts";
import { bucketOf, clusterOf, nodeArrayOf, nodeOf } from "../../../support/cluster.ts";
import { crashingAt } from "../../../support/crash.ts";
import { FakeCycleCloud } from "../../../support/fake-cyclecloud.ts";
import { snapshotOf } from "../../../support/snapshot.ts";
import { cluster, createWorld, jobFor, type World } from "../../../support/world.ts";

const hour = 3600;
const day = 24 * hour;
const seconds = (date: string) => Date.parse(date) / 1000;

/** A cluster of nodes at two dollars an hour. */
function clusterWith(nodes: number, pricePerHourUsd: number | null = 2) {
  return clusterOf({
    nodeArrays: [nodeArrayOf({ buckets: [bucketOf({ pricePerHourUsd })] })],
    nodes: Array.from({ length: nodes }, (_, index) => nodeOf({ name: `htc-${index + 1}` })),
  });
}

function sightOf(takenAtSeconds: number, nodes: number, usdPerHour: number | null = 2): Sight {
  const node = { nodeArray: "htc", vmSize: "F4s", spot: false, usdPerHour, use: "idle", jobs: [] } as const;
  const all = Array.from({ length: nodes }, (_, index): SeenNode => ({ ...node, nodeId: `id-${index}` }));
  return { takenAtSeconds, nodes: all, jobs: [] };
}

interface Reading {
  readonly at: number;
  readonly nodes: number;
  readonly usdPerHour?: number | null;
}

function bookOf([first, ...rest]: readonly Reading[]): Book {
  if (first === undefined) throw new Error("no readings");
  const sight = ({ at, nodes, usdPerHour }: Reading) => sightOf(at, nodes, usdPerHour);
  return rest.reduce((book, reading) => accountFor(book, sight(reading)), openBook(sight(first)));
}

function counted(budget: BudgetSettings): CountedBudget {
  const { of } = budget;
  return { budget, subject: of === null ? null : { dimension: of.dimension, names: [of.name] } };
}

/** What is spent after sights of so many nodes at these moments. */
function spendingAfter(readings: readonly Reading[], budgets: readonly BudgetSettings[] = []): Spending {
  return spendingOf(
    { ok: true, book: bookOf(readings), stored: undefined, hasNodes: true },
    undefined,
    budgets.map(counted),
  );
}

const unreadable = new UpstreamError("load accounts: 503", { retryable: true });

/** The next snapshot, taken while the accounts cannot be read. */
function unread(before: Spending, now: Reading, budgets: readonly BudgetSettings[] = []): Spending {
  const book = openBook(sightOf(now.at, now.nodes, now.usdPerHour));
  const snapshot = { ...snapshotOf(clusterWith(0), before.asOfSeconds), spending: before };
  return spendingOf({ ok: false, book, error: unreadable }, snapshot, budgets.map(counted));
}

const monthly: BudgetSettings = { name: "all", of: null, period: "month", usd: 60, hold: true };
const noon = seconds("2026-11-10T12:00:00Z");

describe("what is spent", () => {
  test("begins at 0 with the first snapshot", () => {
    expect(spendingAfter([{ at: noon, nodes: 5 }]).total).toMatchObject({ monthUsd: 0, usdPerHour: 10 });
  });

  test("grows by what ran at both ends of an interval, on average; by hour, day, month and node array", () => {
    const { total, nodeArrays } = spendingAfter([
      { at: noon, nodes: 2 },
      { at: noon + hour, nodes: 4 },
      { at: noon + 2 * hour, nodes: 1 },
      { at: noon + 2 * hour + 600, nodes: 1 },
    ]);
    expect(total.monthUsd).toBeCloseTo(6 + 5 + 1 / 3);
    expect(total.dayUsd).toBe(total.monthUsd);
    expect(total.hourUsd).toBeCloseTo(1 / 3);
    expect(nodeArrays).toEqual([{ name: "htc", ...total }]);
  });

  test("starts again with the day and the month, from the first second of it", () => {
    const readings = [
      { at: seconds("2026-11-29T23:00:00Z"), nodes: 1 },
      { at: seconds("2026-11-30T23:00:00Z"), nodes: 1 },
      { at: seconds("2026-12-01T00:30:00Z"), nodes: 1 },
    ];
    expect(spendingAfter(readings.slice(0, 2)).total).toMatchObject({ dayUsd: 46, monthUsd: 48 });
    expect(spendingAfter(readings).total).toMatchObject({ hourUsd: 1, dayUsd: 1, monthUsd: 1 });
  });

  test("leaves out nodes without a known price, and says how many hours of them", () => {
    const { total } = spendingAfter([
      { at: noon, nodes: 3, usdPerHour: null },
      { at: noon + hour, nodes: 3, usdPerHour: null },
    ]);
    expect(total).toMatchObject({ monthUsd: 0, unpricedNodes: 3, unpricedNodeHours: 3 });
  });

  test("between two snapshots, what runs goes on to cost; in the next month, from its start", () => {
    const spending = spendingAfter([
      { at: noon, nodes: 5 },
      { at: noon + hour, nodes: 5 },
    ]);
    expect(spentOf(spending, monthly, noon + 1.5 * hour)).toBeCloseTo(15);
    expect(spentOf(spending, { ...monthly, period: "day" }, noon + 13 * hour)).toBeCloseTo(10);
    expect(spentOf(spending, monthly, seconds("2026-12-01T01:00:00Z"))).toBeCloseTo(10);
  });

  test("comes to the same, however many of the snapshots in between were lost", () => {
    fc.assert(
      fc.property(fc.subarray([1, 2, 3, 4, 5, 6, 7, 8, 9]), (kept) => {
        const readings = [0, ...kept, 10].map((minute) => ({ at: noon + minute * 60, nodes: 6 }));
        expect(spendingAfter(readings).total.monthUsd).toBeCloseTo(2);
      }),
    );
  });
});

test("the forecast of the month takes each day to come for the last of its name: a week of five busy days", () => {
  const monday = seconds("2026-11-02T00:00:00Z");
  const ends = [10, 10, 10, 10, 10, 0, 0].flatMap((nodes, index) => [
    { at: monday + index * day, nodes },
    { at: monday + (index + 1) * day - 1e-3, nodes },
  ]);
  const { total, nodeArrays } = spendingAfter([...ends, { at: seconds("2026-11-09T12:00:00Z"), nodes: 0 }]);
  // Half of today, and 15 of the 21 days after it are busy.
  expect(total.forecastUsd - total.monthUsd).toBeCloseTo((0.5 + 15) * 480, 0);
  expect(nodeArrays[0]?.forecastUsd).toBe(total.forecastUsd);
});

describe("accounts that cannot be read", () => {
  const spent = spendingAfter(
    [
      { at: noon, nodes: 5 },
      { at: noon + hour, nodes: 5 },
    ],
    [monthly],
  );

  test("are reckoned on from the snapshot before: a budget is never unspent for that", () => {
    const once = unread(spent, { at: noon + 2 * hour, nodes: 3 }, [monthly]);
    expect(once).toMatchObject({ reckonedSinceSeconds: noon + hour, asOfSeconds: noon + 2 * hour });
    expect(once.total).toMatchObject({ usdPerHour: 6 });
    expect(once.total.monthUsd).toBeCloseTo(10 + 8);
    const twice = unread(once, { at: noon + 3 * hour, nodes: 3 }, [monthly]);
    expect(twice.reckonedSinceSeconds).toBe(noon + hour);
    expect(twice.total.monthUsd).toBeCloseTo(24);
    expect(twice.budgets).toMatchObject([{ spentUsd: twice.total.monthUsd, level: "within" }]);
    expect(twice.nodeArrays[0]?.monthUsd).toBeCloseTo(24);
  });

  test("count from the start of a new month", () => {
    const later = unread(spent, { at: seconds("2026-12-01T02:00:00Z"), nodes: 5 });
    expect(later.total.monthUsd).toBeCloseTo(20);
    expect(later.total.hourUsd).toBeCloseTo(0);
  });

  test("have nothing to say of a budget that is new: not even 0", () => {
    const geo: BudgetSettings = { ...monthly, name: "geo", of: { dimension: "account", name: "geo" } };
    const now = unread(spent, { at: noon + 2 * hour, nodes: 3 }, [monthly, geo]);
    expect(now.budgets.map(({ budget }) => budget.name)).toEqual(["all"]);
    expect(spentOf(now, geo, noon + 2 * hour)).toBeNull();
    expect(spentOf(now, monthly, noon + 2 * hour)).toBeCloseTo(18);
  });

  test("give no snapshot at all when there was none before", () => {
    const book = openBook(sightOf(noon, 1));
    expect(() => spendingOf({ ok: false, book, error: unreadable }, undefined, [])).toThrow(unreadable);
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

describe("the accounts are the only count", () => {
  /** What the status and the costs of this month say. */
  async function both(world: World) {
    const status = await clusterStatus(world.ports, cluster);
    const cost = await drawUpCost(world.ports, cluster, { by: ["array"] });
    if (cost?.ok !== true) throw new Error("no costs");
    const { usd, unpricedNodeHours } = cost.answer.total;
    return { status: status?.spending?.monthUsd, cost: usd, unpricedNodeHours };
  }

  test("the month of the status is the total of the costs, whatever nodes come and go and runs die on the way", async () => {
    const world = worldWith(3, {});
    await world.snapshot();
    for (let round = 0; round < 60; round += 1) {
      world.advance(2_411);
      const state = round % 3 === 0 ? "Deallocated" : "Started";
      world.cycleCloud.change(`htc-${1 + (round % 2)}`, {
        status: state === "Started" ? "Ready" : state,
        targetState: state,
      });
      if (round % 7 === 5) {
        const dying = crashingAt(world.ports, { port: "accounts", method: "save", when: "before" });
        await expect(snapshotCluster(dying, cluster)).rejects.toThrow();
        world.advance(1);
      }
      await world.snapshot();
      const told = await both(world);
      expect(told.status).toBeGreaterThan(0);
      expect(told.status).toBe(told.cost);
    }
  });

  test("a deleted snapshot does not start the month again", async () => {
    const world = worldWith(5, { monthlyBudgetUsd: 100 });
    await world.snapshot();
    world.advance(11 * hour);
    await world.snapshot();
    const forgetful = { ...world.ports, snapshots: new MemorySnapshotStore() };
    world.advance(1);
    await snapshotCluster(forgetful, cluster);
    expect((await clusterStatus(forgetful, cluster))?.spending?.budgets).toMatchObject([
      { level: "reached", spentUsd: expect.closeTo(110, 1) },
    ]);
  });

  test("a lost record does not start the month again either: closed hours and days still count", async () => {
    const world = worldWith(5, { monthlyBudgetUsd: 100 });
    await world.snapshot();
    for (let hours = 0; hours < 30; hours += 1) {
      world.advance(hour);
      await world.snapshot();
    }
    const before = await both(world);
    const accounts = new MemoryAccountStore();
    const period = { fromSeconds: 0, untilSeconds: world.now() };
    const [kept, days] = [world.ports.accounts, await world.ports.accounts.days(cluster, period)];
    await accounts.keep(cluster, { hours: await kept.hours(cluster, period), days, jobs: [] });
    const forgetful = { ...world.ports, accounts };
    world.advance(1);
    await snapshotCluster(forgetful, cluster);
    const after = await both({ ...world, ports: forgetful });
    expect(after.status).toBe(after.cost);
    // Of the record that is lost, what it had not closed yet: less than an hour, and the last one that it closed.
    expect(after.cost).toBeGreaterThanOrEqual(before.cost - 2 * 10);
  });

  test("while they do not answer, budgets hold by what is reckoned, and the status says so", async () => {
    const world = worldWith(5, { monthlyBudgetUsd: 100 });
    await world.snapshot();
    world.advance(9 * hour);
    await world.snapshot();
    const since = world.now();
    const failing = new Proxy(world.ports.accounts, { get: () => () => Promise.reject(unreadable) });
    world.advance(hour);
    await snapshotCluster({ ...world.ports, accounts: failing }, cluster);
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.spending).toMatchObject({ reckonedSinceSeconds: since, monthUsd: 100 });
    expect(status?.problems.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["budget-reached", "accounts-unreadable"]),
    );
    world.advance(60);
    await world.snapshot();
    expect((await clusterStatus(world.ports, cluster))?.spending?.reckonedSinceSeconds).toBeNull();
  });
});

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

describe("money that is in no sum", () => {
  const nodes = [
    nodeOf({ name: "htc-1" }),
    ...["htc-2", "htc-3"].map((name) =>
      nodeOf({ name, status: "Deallocated", targetState: "Deallocated" as const }),
    ),
  ];

  async function worldWith(diskUsdPerHour: number | null) {
    const world = createWorld(new FakeCycleCloud(clusterOf({ nodes })));
    world.configure({
      priceRules: [{ name: "paid", select: [], reservedNodes: 4 }],
      engine: { deallocate: { default: { most: 2, maxAgeSeconds: 60, diskUsdPerHour }, byNodeArray: {} } },
      facts: { overrides: { Standard_F4s_v2: { pricePerHourUsd: 0.5 } } },
    });
    await world.snapshot();
    return world;
  }

  async function spendingWith(diskUsdPerHour: number | null) {
    const { ports } = await worldWith(diskUsdPerHour);
    return (await clusterStatus(ports, cluster))?.spending;
  }

  test("reserved nodes that nobody runs, and disks of deallocated nodes, each with what an hour costs", async () => {
    expect(await spendingWith(0.02)).toMatchObject({
      usdPerHour: 0,
      reservedNodes: 1,
      unusedReservations: { nodes: 3, usdPerHour: 1.5 },
      deallocatedNodes: { nodes: 2, usdPerHour: 0.04 },
    });
  });

  test("disks whose price is not given are not free", async () => {
    expect((await spendingWith(null))?.deallocatedNodes).toEqual({ nodes: 2, usdPerHour: null });
  });

  test("the accounts have what it came to, by hours and days, until nodes start again", async () => {
    const world = await worldWith(0.02);
    const start = world.now();
    for (let hours = 1; hours <= 24; hours++) {
      world.advance(hour);
      await world.snapshot();
    }
    world.cycleCloud.change("htc-3", { status: "Ready", targetState: "Started" });
    world.advance(2 * hour);
    await world.snapshot();
    const of = async (query: object = {}) => {
      const asked = costQuery.parse({ from: String(Math.floor(start / day) * day), ...query });
      const outcome = await drawUpCost(world.ports, cluster, asked);
      return outcome?.ok === true ? outcome.answer : undefined;
    };
    const paid = { unpricedNodeHours: 0, keys: {} };
    const all = [
      { kind: "reserved", name: "paid", usd: (24 * 3 + 3 + 2) * 0.5, nodeHours: 24 * 3 + 3 + 2, ...paid },
      { kind: "deallocated", name: "htc", usd: 51 * 0.02, nodeHours: 24 * 2 + 2 + 1, ...paid },
    ];
    for (const by of ["array", "job", "node"])
      expect({ by, are: (await of({ by }))?.notInTotal }).toEqual({ by, are: all });
    for (const by of ["hour", "array,day"]) {
      const times = (await of({ by }))?.notInTotal ?? [];
      expect(new Set(times.map(({ kind, keys }) => `${kind} ${JSON.stringify(keys)}`)).size).toBe(
        times.length,
      );
      for (const { kind, usd } of all) {
        const own = times.filter((each) => each.kind === kind);
        expect(own.length).toBeGreaterThan(1);
        expect(own.reduce((sum, each) => sum + each.usd, 0)).toBeCloseTo(usd, 4);
      }
    }
    expect((await of())?.total.nodeHours).toBe(24 + 1 + 2);
    expect((await of({ user: "ada" }))?.notInTotal).toEqual([]);
  });

  test("time of disks whose price is not given is named", async () => {
    const world = await worldWith(null);
    world.advance(hour);
    await world.snapshot();
    const outcome = await drawUpCost(world.ports, cluster, costQuery.parse({}));
    expect(outcome?.ok === true && outcome.answer.notInTotal.at(-1)).toEqual({
      kind: "deallocated",
      name: "htc",
      usd: 0,
      nodeHours: 2,
      unpricedNodeHours: 2,
      keys: {},
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
      expect.stringMatching(/^warn budget-near .*"period":"month","spentUsd":80,"budgetUsd":100/),
      expect.stringMatching(/^error budget-reached .*"spentUsd":100,"budgetUsd":100/),
    ]);
    world.configure({ facts, cycle: { caps: { ...noCaps, monthlyBudgetUsd: 150 } } });
    await world.snapshot();
    world.advance(3 * hour);
    await world.snapshot();
    expect(eventsOf(world).slice(2)).toEqual([
      expect.stringMatching(/^error budget-reached .*"budget":"monthly_budget_usd".*"budgetUsd":150/),
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
      expect((await world.ports.snapshots.load(cluster))?.value.spending.total.monthUsd).toBeCloseTo(80);
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
    expect(status?.spending?.budgets).toMatchObject([{ limitUsd: 50, level: "reached", leftUsd: 0 }]);
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
