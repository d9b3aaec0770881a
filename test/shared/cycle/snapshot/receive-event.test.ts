import { describe, expect, test } from "vitest";
import { answerPlanRequest } from "../../../../shared/cycle/plan/answer-plan-request.ts";
import { requestLook, requestPlan } from "../../../../shared/cycle/request-plan.ts";
import { receiveEvent } from "../../../../shared/cycle/snapshot/receive-event.ts";
import { UpstreamError } from "../../../../shared/errors/errors.ts";
import { clusterStatus } from "../../../../shared/views/index.ts";
import { bucketOf, nodeArrayOf } from "../../../support/cluster.ts";
import { Crash, type CrashPoint, crashingAt } from "../../../support/crash.ts";
import { eventOf } from "../../../support/event.ts";
import { cluster, jobFor, type World, worldWith } from "../../../support/world.ts";

const spot = nodeArrayOf({ name: "spot", spot: true, buckets: [bucketOf({ bucketId: "spot" })] });
const onDemand = nodeArrayOf({ name: "htc", buckets: [bucketOf({ bucketId: "htc" })] });

/** A cluster whose first choice is spot, with `count` nodes Ready and needed. */
async function worldOf(count: number): Promise<World> {
  const world = worldWith({ nodeArrays: [spot, onDemand] });
  await world.post([jobFor(count)], { ttlSeconds: 10_000 });
  await world.round();
  world.cycleCloud.settle();
  world.advance(10);
  await world.round();
  // Nothing is left to be told, and no clock is close.
  world.advance(20);
  await world.plan();
  return world;
}

function tell(world: World, kind: string, data: object = {}, fields: { id?: string; ago?: number } = {}) {
  const { id = "event-1", ago = 0 } = fields;
  return receiveEvent(world.ports, eventOf(kind, { id, atSeconds: world.now() - ago, data: { ...data } }));
}

const evicted = { reason: "SpotEvicted", nodeArray: "spot", nodeName: "spot-1", priority: "spot" };

/** Moves on by a window, runs what is due, and says of each what came of it. */
async function soon(world: World): Promise<readonly string[]> {
  const outcomes: string[] = [];
  for (let second = 0; second < 4; second += 1) {
    world.advance(1);
    for (const { request } of world.ports.planRequests.takeDue(world.now()))
      outcomes.push((await answerPlanRequest(world.ports, request)).outcome);
    await world.execute();
  }
  return outcomes;
}

const staying = (world: World) => world.cycleCloud.nodes.map(({ nodeArray }) => nodeArray);

const ageOf = async (world: World) =>
  world.now() - ((await world.ports.snapshots.load(cluster))?.value.takenAtSeconds ?? 0);

describe("receiveEvent", () => {
  test("a node that vanished is replaced without waiting for the timer", async () => {
    const world = await worldOf(1);
    world.cycleCloud.clear();
    // Its clock may be five seconds behind.
    const ago = (await ageOf(world)) + 5;
    expect(await tell(world, "NodeTerminated", { reason: "System" }, { ago })).toEqual({ outcome: "look" });
    expect(await soon(world)).toEqual(["looked", "planned"]);
    expect(staying(world)).toEqual(["spot"]);
  });

  test("the planner alone writes the history: the event leads to the look that does", async () => {
    const world = await worldOf(1);
    const before = await world.ports.history.list(cluster);
    world.cycleCloud.clear();
    await tell(world, "NodeTerminated", { nodeId: before[0]?.nodeId });
    expect(await world.ports.history.list(cluster)).toEqual(before);
    await soon(world);
    const rows = await world.ports.history.list(cluster);
    expect(rows.find(({ nodeId }) => nodeId === before[0]?.nodeId)?.deletedSeconds).not.toBeNull();
  });

  test("operations are closed when their nodes are told of", async () => {
    const world = worldWith({ nodeArrays: [onDemand] });
    await world.post([jobFor(1)]);
    await world.round();
    world.cycleCloud.settle();
    world.advance(5);
    await tell(world, "NodeCreated", { nodeName: "htc-1" });
    await soon(world);
    expect(await world.ports.operations.recent(cluster, 1)).toMatchObject([{ state: "visible" }]);
  });

  test("a hundred events in a window are one look", async () => {
    const world = await worldOf(1);
    const asked = world.cycleCloud.asked;
    for (let index = 0; index < 100; index += 1) await tell(world, "NodeCreated", {}, { id: `e-${index}` });
    expect(await soon(world)).toEqual(["looked"]);
    expect(world.cycleCloud.asked - asked).toBe(1);
  });

  test("a plan that is asked for in the same window takes no look's place", async () => {
    const world = await worldOf(1);
    await requestPlan(world.ports, { cluster, reason: "demand" });
    await requestLook(world.ports, { cluster, reason: "event" });
    expect((await soon(world)).toSorted()).toEqual(["looked", "planned"]);
  });

  test("an event that comes late, after a snapshot that shows it, asks for nothing", async () => {
    const world = await worldOf(1);
    const ago = (await ageOf(world)) + 6;
    expect(await tell(world, "NodeTerminated", { reason: "System" }, { ago })).toEqual({
      outcome: "seen",
      plan: false,
    });
    expect(await soon(world)).toEqual([]);
  });

  test("one of the future is taken for one of now", async () => {
    const world = await worldOf(1);
    expect(await tell(world, "NodeTerminated", evicted, { ago: -1e9 })).toEqual({ outcome: "look" });
    expect(await world.ports.losses.recent(cluster, 9)).toMatchObject([{ atSeconds: world.now() }]);
  });

  test("a look that was overtaken by a snapshot is none", async () => {
    const world = await worldOf(1);
    await tell(world, "NodeTerminated");
    world.advance(2);
    await world.snapshot();
    expect(await soon(world)).toEqual(["seen"]);
  });

  test("a snapshot between two events of a window takes no look's place: it has not seen the second", async () => {
    const world = await worldOf(1);
    world.advance(2 - (world.now() % 2));
    await tell(world, "NodeCreated");
    world.advance(0.5);
    await world.snapshot();
    world.advance(0.5);
    world.cycleCloud.clear();
    await tell(world, "NodeTerminated", {}, { id: "e-2" });
    expect(await soon(world)).toContain("looked");
    expect((await world.ports.snapshots.load(cluster))?.value.cluster.nodes).toEqual([]);
  });

  test.each(["NodeAdded", "ClusterSizeIncreased"])(
    "%s that we asked for ourselves is no news",
    async (kind) => {
      const world = await worldOf(1);
      expect(await tell(world, kind)).toEqual({ outcome: "seen", plan: false });
      expect(await tell(world, kind, { reason: "UserInitiated" })).toEqual({ outcome: "look" });
    },
  );

  test("a server that does not answer is left to the timer", async () => {
    const world = await worldOf(1);
    await tell(world, "NodeTerminated");
    world.cycleCloud.outage = new UpstreamError("Cannot reach CycleCloud", { retryable: true });
    expect(await soon(world)).toEqual(["not-seen"]);
  });

  test.each([
    ["of an unknown kind", { eventType: "Microsoft.CycleCloud.NodeSang" }, "is not known"],
    ["of a cluster that is not configured", { data: { clusterName: "else" } }, "is not configured"],
    ["without a cluster", { data: {} }, "clusterName"],
    ["that is none", { eventTime: 7 }, "eventTime"],
  ])("an event %s is ignored, and the log says why", async (_, fields, says) => {
    const world = await worldOf(1);
    const event = { ...eventOf("NodeTerminated", { atSeconds: world.now() }), ...fields };
    expect(await receiveEvent(world.ports, event)).toMatchObject({ outcome: "ignored" });
    expect(world.log.at(-1)).toMatch(/^warn event-ignored/);
    expect(world.log.at(-1)).toContain(says);
    expect(await soon(world)).toEqual([]);
  });
});

describe("receiveEvent: nodes lost to Azure", () => {
  test("a spot eviction backs the bucket off: the replacement comes from elsewhere, and the status shows it", async () => {
    const world = await worldOf(1);
    const { nodeId } = world.cycleCloud.nodes[0] ?? {};
    world.cycleCloud.clear();
    await tell(world, "NodeTerminated", { ...evicted, nodeId });
    await soon(world);
    expect(staying(world)).toEqual(["htc"]);
    const status = await clusterStatus(world.ports, cluster);
    expect(status).toMatchObject({
      lostNodes: [{ reason: "SpotEvicted", nodeName: "spot-1", nodeArray: "spot" }],
      backedOff: [{ nodeArray: "spot", why: "Azure took a spot node back" }],
    });
  });

  test("told after the snapshot that shows the node gone, it asks for a plan all the same", async () => {
    const world = await worldOf(1);
    expect(await tell(world, "NodeTerminated", evicted, { ago: 40 })).toEqual({
      outcome: "seen",
      plan: true,
    });
    expect(await soon(world)).toEqual(["planned"]);
    expect(await tell(world, "NodeTerminated", evicted, { ago: 40 })).toEqual({
      outcome: "seen",
      plan: false,
    });
  });

  test("the back-off ends", async () => {
    const world = await worldOf(1);
    await tell(world, "NodeTerminated", evicted);
    await soon(world);
    world.advance(301);
    world.cycleCloud.clear();
    await world.round();
    expect(staying(world)).toEqual(["spot"]);
  });

  test.each([
    ["AllocationFailed", "htc", true],
    ["SpotEvicted", "spot", true],
    ["SpotEvicted", "htc", false],
    ["VMDisappeared", "spot", false],
    ["SpotEvicted", "no such array", false],
    ["UserInitiated", "spot", false],
  ])("%s of a node of array %s backs it off: %s", async (reason, nodeArray, expected) => {
    const world = await worldOf(1);
    await tell(world, "NodeTerminated", { reason, nodeArray });
    await requestPlan(world.ports, { cluster, reason: "test" });
    await soon(world);
    const head = await world.ports.plans.loadHead(cluster);
    expect(head?.value.backedOff.map((bucket) => bucket.nodeArray)).toEqual(expected ? [nodeArray] : []);
  });

  test.each([
    { port: "losses", method: "add", when: "before" },
    { port: "losses", method: "add", when: "after" },
    { port: "planRequests", method: "send", when: "before" },
    { port: "planRequests", method: "send", when: "after" },
  ] satisfies CrashPoint[])(
    "a run that dies $when $port.$method is made up for when it comes again",
    async (point) => {
      const world = await worldOf(1);
      world.cycleCloud.clear();
      const event = eventOf("NodeTerminated", { atSeconds: world.now(), data: evicted });
      await expect(receiveEvent(crashingAt(world.ports, point), event)).rejects.toThrow(Crash);
      await receiveEvent(world.ports, event);
      await soon(world);
      expect(staying(world)).toEqual(["htc"]);
      const losses = await world.ports.losses.recent(cluster, 9);
      expect(losses.filter(({ reason }) => reason === "SpotEvicted")).toHaveLength(1);
    },
  );
});
