import { describe, expect, test } from "vitest";
import type { ClusterNode, EngineSettings, NodeHistory } from "../../../shared/engine/index.ts";
import { act } from "../../../shared/operate/index.ts";
import { keeperWords } from "../../../shared/text/keeper-words.ts";
import { clusterStatus, listNodes, lookAhead } from "../../../shared/views/index.ts";
import { nodeOf } from "../../support/cluster.ts";
import { cluster, createWorld, jobFor, type World, worldWith } from "../../support/world.ts";

async function viewsOf(world: World) {
  const outlook = await lookAhead(world.ports, cluster);
  if (outlook === undefined) throw new Error("The cluster is configured");
  const listed = listNodes(outlook, { limit: 100 });
  if (!listed.ok) throw new Error("Nothing was selected");
  return listed.answer.nodes;
}

test("idle nodes are said to be held while a message lies unread that may name them as busy", async () => {
  const world = worldOf([nodeOf({ name: "htc-1", hostname: "h1" })]);
  await world.post([]);
  await world.round();
  const held = async () => {
    const outlook = await lookAhead(world.ports, cluster);
    const listed = outlook && listNodes(outlook, { limit: 100 });
    return listed?.ok ? [listed.answer.held, listed.answer.idleHeld] : undefined;
  };
  expect(await held()).toEqual([null, null]);
  await world.ports.unreadDemand.post("one");
  world.advance(301);
  await world.post([]);
  await world.round();
  expect(await held()).toEqual([null, "1 message on the demand queue waits to be read"]);
});

const worldOf = (nodes: readonly ClusterNode[], engine: Partial<EngineSettings> = {}) => {
  const world = worldWith({ nodes });
  world.configure({ engine });
  return world;
};

describe("a node that no job needs says who keeps it and until when", () => {
  const always = {
    start: "0 0 * * *",
    end: { at: "0 0 * * *" },
    timeZone: "UTC",
    except: [],
    leadSeconds: 0,
  };
  const until = (seconds: number) => `at ${seconds}`;
  const wordsOf = async (world: World) =>
    Object.fromEntries(
      (await viewsOf(world)).map(({ name, kept }) => [name, kept.map((each) => keeperWords(each, until))]),
    );

  test("a schedule until its window ends, spare nodes for good, a person until then", async () => {
    const world = worldOf(["htc-1", "htc-2", "htc-3"].map((name) => nodeOf({ name, hostname: name })));
    const now = world.now();
    const start = new Date(now * 1000).toISOString().slice(0, 16);
    const office = { ...always, name: "office", start, end: { afterSeconds: 3_600 } };
    world.configure({
      schedules: [
        { ...office, targets: [{ Name: "htc", TargetCount: 2 }] },
        { ...always, name: "spare", targets: [{ Name: "htc", SpareCount: 1 }] },
      ],
    });
    await world.post([jobFor(1, { executingHostnames: ["htc-2"] })]);
    await world.snapshot();
    const end = Math.floor(now / 60) * 60 + 3_600;
    expect(await wordsOf(world)).toEqual({
      "htc-1": ["kept by spare nodes of htc", `kept by schedule office until at ${end}`],
      "htc-2": [],
      "htc-3": [],
    });
    const untilSeconds = now + 7_200;
    const body = { kind: "keep-alive", on: true, by: "ann", reason: "debugging", dryRun: false } as const;
    await act(world.ports, { cluster, body: { ...body, nodes: { names: ["htc-3"] }, untilSeconds } });
    expect((await wordsOf(world))["htc-3"]).toContain(`kept alive by ann until at ${untilSeconds}`);
  });

  test("a failed one that is kept for a look, and a deallocated one until it is too old", async () => {
    const htc = { most: 2, maxAgeSeconds: 1_000, diskUsdPerHour: null };
    const asleep = { status: "Deallocated", targetState: "Deallocated", hostname: null } as const;
    const world = worldOf(
      [
        nodeOf({ name: "htc-1", status: "Failed", hostname: null }),
        ...["htc-2", "htc-3"].map((name) => nodeOf({ ...asleep, name })),
      ],
      {
        failedNodes: "keep",
        keptFailedNodes: { most: 1, seconds: 600 },
        deallocate: { default: null, byNodeArray: { htc } },
      },
    );
    const row = {
      nodeId: "id-htc-2",
      name: "htc-2",
      hostname: null,
      instanceId: null,
      nodeArray: "htc",
      vmSize: "Standard_F4s_v2",
      createdSeconds: world.now() - 100,
      readySeconds: world.now() - 90,
      lastMatchSeconds: null,
      deletedSeconds: world.now() - 10,
    };
    await world.ports.history.save(cluster, [row]);
    await world.snapshot();
    expect(await wordsOf(world)).toEqual({
      "htc-1": [`failed, kept for a look until at ${world.now() + 600}`],
      "htc-2": [`deallocated, replaced after at ${world.now() + 900}`],
      "htc-3": ["deallocated"],
    });
  });
});

test("whose jobs are on a node is there for who asks for it: each name once, and null for what is not known", async () => {
  const world = worldOf([
    nodeOf({ name: "htc-1", hostname: "h1" }),
    nodeOf({ name: "htc-2", hostname: "h2" }),
  ]);
  const run = { iterations: 1, executingHostnames: ["h1"], constraints: { ncpus: 1 } };
  const jobs = [
    { ...run, name: "1", user: "ann", account: "geo" },
    { ...run, name: "2", user: "ann" },
    { ...run, name: "3", user: "bob", account: "geo" },
  ];
  await world.post(jobs, { nodes: [{ hostname: "h1" }, { hostname: "h2" }] });
  await world.round();
  const outlook = await lookAhead(world.ports, cluster);
  const listed = outlook && listNodes(outlook, { limit: 10, fields: ["name", "users", "accounts"] });
  expect(listed?.ok && listed.answer.nodes).toEqual([
    { name: "htc-1", users: ["ann", "bob"], accounts: ["geo", null] },
    { name: "htc-2", users: [], accounts: [] },
  ]);
});

describe("a failed node", () => {
  const keeping = { failedNodes: "keep", keptFailedNodes: { most: 1, seconds: 600 } } as const;
  const failed = ["htc-1", "htc-2"].map((name) => nodeOf({ name, status: "Failed", hostname: null }));

  test.each<[string, Partial<EngineSettings>, readonly (number | null)[], RegExp]>([
    [
      "by default goes with the next plan",
      {},
      [0, 0],
      /^The next plan deletes them\. Their jobs are planned anew\./,
    ],
    [
      "that is kept for a look goes after its time, others at once",
      keeping,
      [600, 0],
      /^1 at most is kept for a look, each for 10m; the others are deleted/,
    ],
    [
      "that is retried has no such time",
      { failedNodes: "retry" },
      [null, null],
      /^Each is retried up to 3 times, then deleted\./,
    ],
  ])("%s, and the status says the same", async (_, engine, inSeconds, next) => {
    const world = worldOf(failed, engine);
    await world.snapshot();
    const nodes = await viewsOf(world);
    const left = nodes.map(({ deleteAtSeconds }) => deleteAtSeconds && deleteAtSeconds - world.now());
    expect(left).toEqual(inSeconds);
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.problems.find(({ kind }) => kind === "nodes-failed")?.next).toMatch(next);
  });

  test("has no jobs, and is no reason for a job to count as booting", async () => {
    const world = worldOf(failed, keeping);
    await world.post([jobFor(1)]);
    await world.snapshot();
    const nodes = await viewsOf(world);
    expect(nodes.map(({ jobs }) => jobs)).toEqual([[], []]);
  });
});

describe("a node that boots", () => {
  const booted = (index: number, seconds: number, nowSeconds: number): NodeHistory => ({
    nodeId: `old-${index}`,
    name: `htc-${index}`,
    hostname: null,
    instanceId: null,
    nodeArray: "htc",
    vmSize: "Standard_F4s_v2",
    createdSeconds: nowSeconds - 5_000,
    readySeconds: nowSeconds - 5_000 + seconds,
    lastMatchSeconds: null,
    deletedSeconds: nowSeconds - 1_000,
  });

  async function bootingFor(seconds: number, earlier: readonly number[]) {
    const world = worldOf([nodeOf({ name: "htc-9", status: "Preparing", hostname: null })]);
    const rows = earlier.map((took, index) => booted(index, took, world.now()));
    await world.ports.history.save(cluster, rows);
    await world.post([jobFor(1)], { ttlSeconds: 10_000 });
    await world.round();
    world.advance(seconds);
    await world.snapshot();
    return (await viewsOf(world))[0]?.slowBoot;
  }

  test("and that no job needs any more is idle since then, and goes after the minute for which it is held", async () => {
    const world = createWorld();
    await world.post([jobFor(1)]);
    await world.round();
    await world.round();
    await world.post([]);
    const cancelledAt = world.now();
    world.advance(1);
    await world.plan();
    const times = { idleSinceSeconds: cancelledAt + 1, deleteAtSeconds: cancelledAt + 61 };
    expect(await viewsOf(world)).toMatchObject([{ state: "Acquiring", readySeconds: null, ...times }]);
  });

  test.each([
    ["for longer than 95 of 100 of its size is shown to be slow", 200, [100, 110, 120], { p95Seconds: 120 }],
    ["for as long as others is not", 119, [100, 110, 120], null],
    ["of a size of which few boots are known is not", 900, [100, 110], null],
  ])("%s", async (_, seconds, earlier, expected) => {
    const slow = await bootingFor(seconds, earlier);
    if (expected === null) expect(slow).toBeNull();
    else expect(slow).toMatchObject(expected);
  });
});
