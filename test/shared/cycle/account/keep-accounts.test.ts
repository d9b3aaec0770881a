import { describe, expect, test } from "vitest";
import { type Line, settled, totalOf } from "../../../../shared/accounting/index.ts";
import { snapshotCluster } from "../../../../shared/cycle/snapshot/snapshot-cluster.ts";
import type { ClusterNode } from "../../../../shared/engine/index.ts";
import { bucketOf, clusterOf, nodeArrayOf, nodeOf } from "../../../support/cluster.ts";
import { type CrashPoint, crashingAt } from "../../../support/crash.ts";
import { FakeCycleCloud } from "../../../support/fake-cyclecloud.ts";
import { cluster, createWorld, type World } from "../../../support/world.ts";

/** One node array of nodes at 3.60 USD an hour: a thousandth of a dollar a second. */
function worldWith(...nodes: readonly Partial<ClusterNode>[]): World {
  const world = createWorld(
    new FakeCycleCloud(
      clusterOf({
        nodeArrays: [nodeArrayOf({ buckets: [bucketOf()] })],
        nodes: nodes.map((node, index) => nodeOf({ name: `htc-${index + 1}`, ...node })),
      }),
    ),
  );
  world.configure({ facts: { overrides: { Standard_F4s_v2: { pricePerHourUsd: 3.6 } } } });
  return world;
}

async function linesOf(world: World): Promise<readonly Line[]> {
  const stored = await world.ports.accounts.load(cluster);
  if (stored === undefined) return [];
  const book = settled(stored.value);
  const always = { fromSeconds: 0, untilSeconds: Number.MAX_SAFE_INTEGER };
  const pages = new Map(
    (await world.ports.accounts.days(cluster, always)).map((page) => [page.fromSeconds, page]),
  );
  for (const page of [...book.closed.days, book.day]) pages.set(page.fromSeconds, page);
  return [...pages.values()].flatMap(({ lines }) => lines);
}

/** Purpose, who, node-seconds, US dollars. */
async function told(world: World) {
  return (await linesOf(world)).map(({ purpose, user, nodeMs, nanoUsd }) => [
    user === null ? purpose : `${purpose} ${user}`,
    nodeMs / 1_000,
    nanoUsd / 1e9,
  ]);
}

async function minutes(world: World, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute++) {
    world.advance(60);
    await world.snapshot();
  }
}

const running = (name: string, ncpus: number, host: string, fields: Record<string, unknown> = {}) => ({
  name,
  constraints: [{ ncpus }],
  executingHostnames: [host],
  ...fields,
});

describe("a cluster without nodes and running jobs", () => {
  test("has its accounts written once in an hour", async () => {
    const world = worldWith();
    await world.snapshot();
    const etags = new Set<string | undefined>();
    for (let minute = 0; minute < 121; minute += 1) {
      await minutes(world, 1);
      etags.add((await world.ports.accounts.load(cluster))?.etag);
    }
    // The first record, and at each of two full hours: what it closed, and the next without it.
    expect(etags.size).toBe(5);
    const always = { fromSeconds: 0, untilSeconds: Number.MAX_SAFE_INTEGER };
    expect(await world.ports.accounts.hours(cluster, always)).toHaveLength(2);
  });

  test("pays for a node that comes from half of the time since the snapshot before, not since the record", async () => {
    const world = worldWith({});
    world.cycleCloud.shown = 0;
    await world.snapshot();
    await minutes(world, 5);
    world.cycleCloud.shown = 1;
    await minutes(world, 2);
    expect(await told(world)).toEqual([["idle", 90, 0.09]]);
  });

  test("the same of a node that was there before, without a VM", async () => {
    const world = worldWith({ status: "Deallocated", targetState: "Deallocated" });
    await world.snapshot();
    await minutes(world, 5);
    world.cycleCloud.change("htc-1", { status: "Ready", targetState: "Started" });
    await minutes(world, 2);
    expect(await told(world)).toEqual([["idle", 90, 0.09]]);
  });
});

describe("what nodes are used for", () => {
  test.each<readonly [string, Partial<ClusterNode>]>([
    ["idle", {}],
    ["boot", { status: "Preparing" }],
    ["failed", { status: "Failed" }],
    ["ending", { status: "Terminating", targetState: "Terminated" }],
    ["kept", { keepAlive: true }],
  ])("%s", async (purpose, node) => {
    const world = worldWith(node);
    await world.snapshot();
    await minutes(world, 1);
    expect(await told(world)).toEqual([[purpose, 60, 0.06]]);
  });

  test("a node without a VM costs nothing", async () => {
    const world = worldWith({ status: "Deallocated", targetState: "Deallocated" });
    await world.snapshot();
    await minutes(world, 1);
    expect(await told(world)).toEqual([]);
  });

  test("jobs have the largest of their shares, their users' names, and leave the rest unused", async () => {
    const world = worldWith({ hostname: "host-1" });
    await world.post([
      running("1", 1, "host-1", { user: "ada" }),
      { name: "2", constraints: [{ ncpus: 1, memgb: 4 }], executingHostnames: ["host-1"], user: "ben" },
    ]);
    await world.snapshot();
    await minutes(world, 1);
    expect(await told(world)).toEqual([
      ["job ada", 15, 0.015],
      ["job ben", 30, 0.03],
      ["unused", 15, 0.015],
    ]);
  });

  test("a drained node is drained while nothing runs there", async () => {
    const world = worldWith({ hostname: "host-1" });
    await world.post([], { nodes: [{ hostname: "host-1", resources: {}, state: "drained" }] });
    await world.snapshot();
    await minutes(world, 1);
    expect(await told(world)).toEqual([["drained", 60, 0.06]]);
  });

  test("a job that moves, grows and changes its user is one run, and nothing is counted twice", async () => {
    const world = worldWith({ hostname: "host-1" }, { hostname: "host-2" });
    await world.post([running("1", 4, "host-1", { user: "ada" })]);
    await world.snapshot();
    await world.post([{ ...running("1", 4, "host-2", { user: "ben" }) }]);
    await minutes(world, 1);
    await world.post([]);
    await minutes(world, 1);
    expect(totalOf(await linesOf(world)).nodeMs).toBe(2 * 120_000);
    await minutes(world, 1);
    const [run, ...others] = await world.ports.accounts.runs(cluster, { source: "celery", name: "1" }, 5);
    expect(others).toEqual([]);
    expect(run).toMatchObject({ user: "ben", nodeMs: 30_000 + 30_000 + 30_000 });
  });

  test("a job on a host that nobody knows has a run without cost", async () => {
    const world = worldWith({});
    await world.post([running("1", 1, "elsewhere")]);
    await world.snapshot();
    await minutes(world, 1);
    const book = await world.ports.accounts.load(cluster);
    expect(book?.value.running).toMatchObject([{ name: "1", nodeMs: 0, nodeArray: "" }]);
  });
});

describe("whatever becomes of a job between two snapshots, nothing is lost and nothing counted twice", () => {
  const before = [running("1", 4, "host-1", { user: "ada" })];
  const both = { ...running("1", 2, "host-1"), executingHostnames: ["host-1", "host-2"] };
  const cases: readonly (readonly [string, readonly object[], readonly (readonly [string, number])[]])[] = [
    ["it goes on", before, [["job ada", 180]]],
    ["it moves", [running("1", 4, "host-2", { user: "ada" })], [["job ada", 180]]],
    [
      "it shrinks",
      [running("1", 1, "host-1", { user: "ada" })],
      [
        ["job ada", 112.5],
        ["unused", 67.5],
      ],
    ],
    ["it grows to more than the node", [running("1", 9, "host-1", { user: "ada" })], [["job ada", 180]]],
    [
      "it spreads over two nodes",
      [{ ...both, user: "ada" }],
      [
        ["job ada", 180],
        ["unused", 90],
      ],
    ],
    [
      "it changes its user",
      [running("1", 4, "host-1", { user: "ben" })],
      [
        ["job ada", 90],
        ["job ben", 90],
      ],
    ],
    [
      "its user is not told any more",
      [running("1", 4, "host-1")],
      [
        ["job ada", 90],
        ["job", 90],
      ],
    ],
    [
      "it has nothing any more",
      [running("1", 0, "host-1", { user: "ada" })],
      [
        ["job ada", 90],
        ["unused", 90],
      ],
    ],
    ["it ends", [], [["job ada", 90]]],
    ["it waits again", [{ name: "1", constraints: [{ ncpus: 4 }], user: "ada" }], [["job ada", 90]]],
    [
      "another takes its place",
      [running("2", 4, "host-1", { user: "ben" })],
      [
        ["job ada", 90],
        ["job ben", 90],
      ],
    ],
    ["it runs where nobody knows", [running("1", 4, "elsewhere", { user: "ada" })], [["job ada", 90]]],
    [
      "it is listed twice on its host",
      [{ ...running("1", 2, "host-1", { user: "ada" }), executingHostnames: ["host-1", "host-1"] }],
      [["job ada", 180]],
    ],
    [
      "it cannot be read",
      [{ ...running("1", 4, "host-1", { user: "ada" }), nodeCount: -1 }],
      [
        ["job ada", 90],
        ["job", 90],
      ],
    ],
  ];

  test.each(cases)("%s", async (_, after, expected) => {
    const world = worldWith({ hostname: "host-1" }, { hostname: "host-2" });
    await world.post(before);
    await world.snapshot();
    await minutes(world, 1);
    await world.post(after as Record<string, unknown>[]);
    await minutes(world, 1);
    await minutes(world, 1);
    // A minute and a half as it was before, and as long as it became.
    const lines = await linesOf(world);
    expect(totalOf(lines).nodeMs).toBe(2 * 3 * 60_000);
    const seconds = Map.groupBy(
      lines.filter(({ purpose }) => purpose === "job" || purpose === "unused"),
      ({ purpose, user }) => (user === null ? purpose : `${purpose} ${user}`),
    );
    const found = [...seconds].map(([what, some]) => [what, totalOf(some).nodeMs / 1_000]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
  });

  test("a job that began and ended between two snapshots leaves the node idle", async () => {
    const world = worldWith({ hostname: "host-1" });
    await world.snapshot();
    await world.post(before);
    await world.post([]);
    await minutes(world, 1);
    expect(await told(world)).toEqual([["idle", 60, 0.06]]);
  });
});

const points: readonly CrashPoint[] = (["before", "after"] as const).flatMap((when) => [
  { port: "accounts", method: "save", when },
  { port: "accounts", method: "keep", when },
  { port: "accounts", method: "load", when },
  { port: "snapshots", method: "save", when },
]);

describe("a run that dies", () => {
  test.each(points)("$when $port.$method: all is counted once", async (point) => {
    const world = worldWith({ hostname: "host-1" });
    await world.post([running("1", 2, "host-1")], { ttlSeconds: 86_400 });
    await world.snapshot();
    // Over several hours and midnight, so that hours and days are closed on the way.
    for (let round = 0; round < 14; round++) {
      world.advance(1_800);
      if (round % 3 === 1)
        await snapshotCluster(crashingAt(world.ports, point), cluster).catch((error) => {
          expect(error).toMatchObject({ name: "Crash" });
        });
      else await world.snapshot();
    }
    world.advance(1_800);
    await world.snapshot();
    const total = totalOf(await linesOf(world));
    expect(total.nodeMs).toBe(15 * 1_800_000);
    expect(total.nanoUsd).toBe(15 * 1_800 * 1e6);
    const halves = Object.groupBy(await linesOf(world), ({ purpose }) => purpose);
    expect(totalOf(halves.job ?? []).nodeMs).toBe(totalOf(halves.unused ?? []).nodeMs);
  });
});

test("a store that does not answer stops no scaling, and its time is counted later", async () => {
  const world = worldWith({});
  await world.snapshot();
  world.advance(60);
  const { UpstreamError } = await import("../../../../shared/errors/errors.ts");
  const failing = new Proxy(world.ports.accounts, {
    get: () => () => Promise.reject(new UpstreamError("save blob: 503", { retryable: true })),
  });
  await snapshotCluster({ ...world.ports, accounts: failing }, cluster);
  expect(world.log.some((line) => line.includes("accounts-not-kept"))).toBe(true);
  await minutes(world, 1);
  expect(await told(world)).toEqual([["idle", 120, 0.12]]);
});
