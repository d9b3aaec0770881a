import { describe, expect, test } from "vitest";
import { executeAction } from "../../../../shared/cycle/execute/execute-action.ts";
import { heldSizesOf } from "../../../../shared/cycle/plan/capacity-memory.ts";
import { clusterStatus } from "../../../../shared/views/index.ts";
import { bucketOf, nodeArrayOf } from "../../../support/cluster.ts";
import { cluster, headOf, jobFor, type World, worldWith } from "../../../support/world.ts";

/** Two VM sizes of four cores; the first is asked first. */
const first = bucketOf({ bucketId: "first", vmSize: "first" });
const second = bucketOf({ bucketId: "second", vmSize: "second" });

function worldOf(...buckets: (typeof first)[]): World {
  return worldWith({ nodeArrays: [nodeArrayOf({ buckets })] });
}

const sizes = (world: World) => world.cycleCloud.nodes.map((node) => node.vmSize);

/** A world that wants five nodes and gets as many of the first size as CycleCloud says. */
async function short(added: number, ...buckets: (typeof first)[]): Promise<World> {
  const world = worldOf(...buckets);
  await world.post([jobFor(5)], { ttlSeconds: 10_000 });
  await world.snapshot();
  world.advance(1);
  await world.plan();
  world.cycleCloud.give(added, "first");
  await world.execute();
  return world;
}

describe("capacity memory: a create that added fewer nodes than asked", () => {
  test.each([0, 2])("%i of 5: a plan is asked for at once, and goes elsewhere", async (added) => {
    const world = await short(added, first, second);
    world.cycleCloud.give(20, "first");
    world.advance(1);
    expect(await world.plan()).toBe(1);
    await world.execute();
    expect(sizes(world).filter((size) => size === "first")).toHaveLength(added);
    expect(sizes(world).filter((size) => size === "second")).toHaveLength(5 - added);
  });

  test.each([
    ["limited by the node array node count", 3],
    ["no capacity within the limit of 5", 0],
  ])("%s: the next snapshot asks for %i", async (message, more) => {
    const world = worldOf(first);
    world.cycleCloud.shortBecause = message;
    await world.post([jobFor(5)], { ttlSeconds: 10_000 });
    await world.snapshot();
    world.advance(1);
    await world.plan();
    world.cycleCloud.give(2, "first");
    await world.execute();
    world.cycleCloud.give(20, "first");
    world.advance(1);
    await world.plan();
    expect(world.ports.scaleActions.waiting).toEqual([]);
    world.advance(20);
    await world.round();
    expect(sizes(world)).toHaveLength(2 + more);
  });

  test("the operation keeps what was missing, and why", async () => {
    const world = await short(2, first);
    expect(await world.ports.operations.recent(cluster, 1)).toMatchObject([
      {
        shortfalls: [
          {
            nodeArray: "htc",
            vmSize: "first",
            asked: 5,
            added: 2,
            message: "quota reached",
            atSeconds: world.now(),
          },
        ],
      },
    ]);
  });

  test("with nowhere else to go the rest waits, and its reasons say so", async () => {
    const world = await short(2, first);
    world.cycleCloud.give(20, "first");
    world.advance(1);
    await world.plan();
    expect(world.ports.scaleActions.waiting).toEqual([]);
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.backedOff).toEqual([
      {
        nodeArray: "htc",
        vmSize: "first",
        untilSeconds: world.now() + 299,
        why: "2 of 5 nodes were added: quota reached",
      },
    ]);
    expect(status?.waiting[0]?.why.at(-1)).toBe(
      "No new nodes are asked of htc/first for 4m59s: 2 of 5 nodes were added: quota reached.",
    );
  });

  test("nodes that exist or are coming keep their jobs meanwhile", async () => {
    const world = await short(2, first, second);
    for (let round = 0; round < 4; round += 1) {
      world.advance(30);
      world.cycleCloud.settle();
      await world.round();
    }
    expect(sizes(world)).toEqual(["first", "first", "second", "second", "second"]);
    expect((await headOf(world))?.placedJobs).toBe(1);
    expect(world.cycleCloud.calls).toEqual(["create", "create"]);
  });

  test("the first snapshot after the back-off asks the bucket again, whenever the last plan was", async () => {
    const world = await short(2, first);
    world.cycleCloud.give(20, "first");
    world.advance(298);
    await world.round();
    expect(sizes(world)).toHaveLength(2);
    world.advance(1);
    await world.round();
    expect(sizes(world)).toHaveLength(5);
  });

  test("a back-off of 0 seconds is none", async () => {
    const world = await short(0, first);
    world.configure({ cycle: { capacityFailureBackoffSeconds: 0 } });
    world.cycleCloud.give(20, "first");
    world.advance(1);
    await world.round();
    expect(sizes(world)).toHaveLength(5);
    expect((await headOf(world))?.backedOff).toEqual([]);
  });

  test("an action that was carried out late is remembered from then on", async () => {
    const world = worldOf(first);
    await world.post([jobFor(5)], { ttlSeconds: 10_000 });
    await world.snapshot();
    world.advance(1);
    await world.plan();
    const action = world.ports.scaleActions.take();
    world.advance(590);
    world.cycleCloud.give(0, "first");
    if (action !== undefined) await executeAction(world.ports, action);
    world.advance(295);
    await world.snapshot();
    world.advance(1);
    await world.plan();
    expect((await headOf(world))?.backedOff).toMatchObject([{ untilSeconds: world.now() + 4 }]);
  });
});

describe("capacity memory: CycleCloud's own lastCapacityFailure", () => {
  test("backs the bucket off for what is left of the time", async () => {
    const world = worldOf({ ...first, secondsSinceCapacityFailure: 100 }, second);
    await world.post([jobFor(3)], { ttlSeconds: 10_000 });
    const takenAtSeconds = world.now();
    await world.round();
    expect(sizes(world)).toEqual(["second", "second", "second"]);
    expect((await headOf(world))?.backedOff).toEqual([
      { nodeArray: "htc", vmSize: "first", untilSeconds: takenAtSeconds + 200, why: "Azure had no such VM" },
    ]);
  });

  test("an older one does not count", async () => {
    const world = worldOf({ ...first, secondsSinceCapacityFailure: 300 }, second);
    await world.post([jobFor(3)]);
    await world.round();
    expect(sizes(world)).toEqual(["first", "first", "first"]);
  });

  test("does not hide a later shortfall", async () => {
    const failed = { ...first, secondsSinceCapacityFailure: 299 };
    const world = await short(2, failed);
    world.advance(1);
    await world.snapshot();
    await world.plan();
    expect((await headOf(world))?.backedOff).toMatchObject([
      { why: "2 of 5 nodes were added: quota reached" },
    ]);
  });
});

test("a size is held by what holds it: the time after a failure, or a budget that is spent", () => {
  const size = { nodeArray: "htc", vmSize: "first", untilSeconds: 2, why: "" };
  expect(heldSizesOf([size, { ...size, budget: "geo" }]).map(({ hold }) => hold)).toEqual([
    "back-off",
    "budget",
  ]);
});
