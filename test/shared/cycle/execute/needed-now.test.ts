import { describe, expect, test } from "vitest";
import { executeAction } from "../../../../shared/cycle/execute/execute-action.ts";
import { cluster, createWorld, jobFor, type World } from "../../../support/world.ts";

/** Two nodes were bought for jobs and boot; the jobs were cancelled. */
async function cancelled(): Promise<World> {
  const world = createWorld();
  await world.post([jobFor(2)]);
  await world.round();
  await world.round();
  await world.post([]);
  world.advance(1);
  await world.plan();
  return world;
}

/** What time alone makes due: a snapshot, and the plan that it asks for. */
async function pass(world: World, seconds: number): Promise<void> {
  world.advance(seconds);
  await world.snapshot();
  world.advance(1);
  await world.plan();
}

/** Does not check out: nobody knows what it wants. */
const oddJob = { name: "odd", constraints: { ncpus: 4 }, priority: "high" };

const staying = (world: World) =>
  world.cycleCloud.nodes.filter(({ targetState }) => targetState === "Started").map(({ name }) => name);
const lastMessages = async (world: World) =>
  (await world.ports.operations.recent(cluster, 1)).flatMap(({ messages }) => messages);

describe("nodes whose jobs were cancelled while they boot", () => {
  test("go a minute later, by the clock alone, in words that a person understands", async () => {
    const world = await cancelled();
    await pass(world, 58);
    expect(world.ports.scaleActions.waiting).toEqual([]);
    await pass(world, 2);
    expect(world.ports.scaleActions.waiting).toMatchObject([
      {
        kind: "shutdown-nodes",
        cause: "unwanted",
        reason: "no job needs 2 nodes that still boot",
        nodes: [{ name: "htc-1" }, { name: "htc-2" }],
      },
    ]);
    await world.execute();
    expect(staying(world)).toEqual([]);
  });

  test("stay when the jobs come back within the minute, and nothing is bought or deleted", async () => {
    const world = await cancelled();
    for (const jobs of [[jobFor(2)], [], [jobFor(2)], []]) {
      await pass(world, 30);
      await world.post(jobs);
      world.advance(1);
      await world.plan();
      await world.execute();
    }
    expect(staying(world)).toEqual(["htc-1", "htc-2"]);
    expect(world.cycleCloud.calls).toEqual(["create"]);
  });

  test.each<readonly [string, (world: World) => unknown]>([
    ["its source falls silent", (world) => world.post([jobFor(2)], { ttlSeconds: 10 })],
    [
      "a message of its source is refused",
      (world) =>
        world.receive({ version: 1, kind: "snapshot", cluster, source: "celery", sequence: 99, jobs: 7 }),
    ],
    ["jobs are set aside", (world) => world.post([oddJob])],
  ])("stay while %s", async (_, happens) => {
    const world = await cancelled();
    await happens(world);
    for (const seconds of [20, 61, 61]) {
      await pass(world, seconds);
      await world.execute();
    }
    expect(staying(world)).toEqual(["htc-1", "htc-2"]);
  });

  test("stay where they were bought for targets too", async () => {
    const world = createWorld();
    await world.post([]);
    const sentAt = new Date(world.now() * 1000).toISOString();
    const arrays = [{ Name: "htc", TargetCoreCount: 8 }];
    const targets = { version: 1, kind: "targets", cluster, source: "cron", sequence: 1, sentAt, arrays };
    await world.receive({ ...targets, expirationInterval: 40 });
    await world.round();
    await world.round();
    for (const seconds of [60, 61, 61]) {
      await pass(world, seconds);
      await world.execute();
    }
    expect(staying(world)).toEqual(["htc-1", "htc-2"]);
  });
});

describe("the last check before they go", () => {
  async function going(): Promise<World> {
    const world = await cancelled();
    await pass(world, 62);
    expect(world.ports.scaleActions.waiting).toHaveLength(1);
    return world;
  }

  test.each<readonly [string, (world: World) => unknown, string]>([
    ["are up", (world) => world.cycleCloud.settle(), "is ready now"],
    ["are wanted by a job that no plan has seen", (world) => world.post([jobFor(2)]), "is needed again"],
    [
      "belong to a source that fell silent",
      async (world) => {
        await world.post([], { ttlSeconds: 5 });
        world.advance(6);
      },
      "is silent",
    ],
    ["may be wanted by jobs that were set aside", (world) => world.post([oddJob]), "were set aside"],
  ])("keeps nodes that %s", async (_, happens, words) => {
    const world = await going();
    await happens(world);
    await world.execute();
    expect(staying(world)).toEqual(["htc-1", "htc-2"]);
    expect(await lastMessages(world)).toEqual([
      expect.stringContaining(words),
      expect.stringContaining(words),
    ]);
  });

  test("waits for messages that nobody has read, though the nodes have no host names yet", async () => {
    const world = await going();
    const unreadDemand = { count: async () => 1, showsAnyOf: async () => true };
    const action = world.ports.scaleActions.take();
    if (action === undefined) throw new Error("no action waits");
    expect(await executeAction({ ...world.ports, unreadDemand }, action)).toMatchObject({
      outcome: "waiting",
    });
    expect(staying(world)).toEqual(["htc-1", "htc-2"]);
  });
});
