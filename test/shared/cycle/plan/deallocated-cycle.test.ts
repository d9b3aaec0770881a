import { describe, expect, test } from "vitest";
import type { ClusterNode } from "../../../../shared/engine/index.ts";
import { nodeOf } from "../../../support/cluster.ts";
import { cluster, configOf, jobFor, type World, worldWith } from "../../../support/world.ts";

const daySeconds = 86_400;

const htc = { most: 2, maxAgeSeconds: 7 * daySeconds, diskUsdPerHour: null };
const deallocate = { default: null, byNodeArray: { htc } };

/** A world whose idle nodes are deallocated, up to two. */
function deallocating(names: readonly string[], fields: Partial<ClusterNode> = {}): World {
  const nodes = names.map((name) => nodeOf({ ...fields, name }));
  const world = worldWith({ nodes });
  world.configure({ engine: { deallocate } });
  return world;
}

const statusOf = (world: World) =>
  Object.fromEntries(world.cycleCloud.nodes.map(({ name, targetState }) => [name, targetState]));

/** Until nodes that nothing needs are past their time-out, and what was decided of them has been carried out. */
async function idleOut(world: World): Promise<void> {
  await world.round();
  world.advance(301);
  await world.round();
}

describe("idle nodes of an array that keeps two deallocated", () => {
  test("are deallocated by that very call, the third is deleted", async () => {
    const world = deallocating(["htc-1", "htc-2", "htc-3"]);
    await idleOut(world);
    expect(world.cycleCloud.calls).toEqual(["deallocate", "terminate"]);
    expect(statusOf(world)).toEqual({
      "htc-1": "Deallocated",
      "htc-2": "Deallocated",
      "htc-3": "Terminated",
    });
  });

  test("are gone to their scheduler, and join it again under their new host name", async () => {
    const world = deallocating(["htc-1"], { hostname: "host-1" });
    await idleOut(world);
    await world.post([]);
    const asleep = { status: "Deallocated", targetState: "Deallocated" } as const;
    world.cycleCloud.change("htc-1", asleep);
    world.advance(1);
    await world.snapshot();
    world.cycleCloud.change("htc-1", { status: "Ready", targetState: "Started", hostname: "host-2" });
    world.advance(1);
    await world.snapshot();
    const events = world.ports.schedulerEvents
      .of("celery")
      .flatMap((event) => ("nodes" in event ? [event] : []));
    expect(events.map(({ kind, nodes }) => [kind, nodes[0]?.hostname])).toEqual([
      ["node-deleted", "host-1"],
      ["node-joined", "host-2"],
    ]);
  });

  test("are deallocated beside one that its scheduler holds, which takes no place", async () => {
    const names = ["htc-1", "htc-2", "htc-3"];
    const nodes = names.map((name) => nodeOf({ name, hostname: `host-${name}` }));
    const world = worldWith({ nodes });
    world.configure({ engine: { deallocate } });
    const host = { hostname: "host-htc-1", resources: {}, state: "draining" };
    const says = () =>
      world.post([], { capabilities: ["drain"], nodes: [host], sentAtSeconds: world.now(), ttlSeconds: 600 });
    await says();
    await idleOut(world);
    expect(statusOf(world)).toEqual({
      "htc-1": "Started",
      "htc-2": "Deallocated",
      "htc-3": "Deallocated",
    });
  });

  test("are left alone when they have got a job since", async () => {
    const world = deallocating(["htc-1"], { hostname: "host-1" });
    await world.round();
    world.advance(301);
    await world.snapshot();
    world.advance(1);
    await world.plan();
    await world.post([jobFor(1, { executingHostnames: ["host-1"] })]);
    await world.execute();
    expect(statusOf(world)).toEqual({ "htc-1": "Started" });
  });
});

describe("broken nodes of an array that keeps two deallocated", () => {
  const nhc = "NHC: check_fs_mount: /scratch not mounted";

  test("are deleted, whatever their shutdown policy, when their scheduler has them out", async () => {
    const world = deallocating(["htc-1"], { hostname: "host-1" });
    const policy = { default: "replace", byNodeArray: {} } as const;
    const unhealthyNodes = { ...configOf({}).cycle.unhealthyNodes, policy };
    world.configure({ engine: { deallocate }, cycle: { unhealthyNodes } });
    const host = { hostname: "host-1", resources: {}, state: "drained", stateReason: nhc };
    for (let turn = 0; turn < 3; turn += 1) {
      await world.post([], { capabilities: ["drain"], nodes: [host], sentAtSeconds: world.now() });
      await world.round();
      world.advance(30);
    }
    expect(world.cycleCloud.calls).toEqual(["terminate"]);
  });

  test("are deleted when they were retried often enough", async () => {
    const world = deallocating(["htc-1"], { status: "Failed" });
    world.configure({ engine: { deallocate, failedNodes: "retry" }, cycle: { failedNodeRetries: 0 } });
    await world.round();
    expect(world.cycleCloud.calls).toEqual(["terminate"]);
  });
});

describe("a deallocated node", () => {
  const asleep = { status: "Deallocated", targetState: "Deallocated" } as const;

  test("is started before a new one is made", async () => {
    const world = deallocating(["htc-1"], asleep);
    await world.post([jobFor(2)]);
    await world.round();
    expect(world.cycleCloud.calls.toSorted()).toEqual(["create", "start"]);
  });

  test("that CycleCloud does not start is passed over for a while: jobs get a new one, and it is tried later", async () => {
    const world = deallocating(["htc-1"], asleep);
    world.cycleCloud.refusal = "no such VM";
    await world.post([jobFor(1)]);
    await world.round();
    world.cycleCloud.refusal = undefined;
    await world.round();
    expect(world.cycleCloud.nodes.map(({ name }) => name)).toEqual(["htc-1", "htc-2"]);
    expect(statusOf(world)["htc-1"]).toBe("Deallocated");
    world.advance(301);
    await world.post([jobFor(2)]);
    await world.round();
    expect(statusOf(world)["htc-1"]).toBe("Started");
  });

  test("that starts, and is deallocated again before it is up, is passed over as well", async () => {
    const world = deallocating(["htc-1"], { hostname: "host-1" });
    await idleOut(world);
    world.cycleCloud.change("htc-1", { status: "Deallocated" });
    world.advance(1);
    await world.round();
    await world.post([jobFor(1)]);
    await world.round();
    world.advance(1);
    await world.round();
    world.cycleCloud.change("htc-1", asleep);
    await world.round();
    await world.round();
    expect(world.cycleCloud.calls).toEqual(["deallocate", "start", "create"]);
  });

  test("beyond the most is deleted, and not started while that is under way", async () => {
    const world = deallocating(["htc-1", "htc-2", "htc-3"], asleep);
    await world.round();
    expect(world.cycleCloud.calls).toEqual(["terminate"]);
    expect(Object.values(statusOf(world)).filter((state) => state === "Terminated")).toHaveLength(1);
  });

  test("beyond the most is deleted as well where a scheduler can drain: it lists none that is deallocated", async () => {
    const world = deallocating(["htc-1", "htc-2", "htc-3", "htc-4"], asleep);
    world.cycleCloud.change("htc-4", { status: "Ready", targetState: "Started", hostname: "host-4" });
    await world.post([jobFor(1, { executingHostnames: ["host-4"] })], {
      capabilities: ["drain"],
      nodes: [{ hostname: "host-4", state: "up" }],
    });
    await world.round();
    expect(world.cycleCloud.calls).toEqual(["terminate"]);
    expect(statusOf(world)["htc-4"]).toBe("Started");
  });

  test("that somebody has just started is not deleted any more, though it is not on its way yet", async () => {
    const world = deallocating(["htc-1", "htc-2", "htc-3"], asleep);
    await world.snapshot();
    world.advance(1);
    await world.plan();
    for (const { name } of world.cycleCloud.nodes) world.cycleCloud.change(name, { targetState: "Started" });
    await world.execute();
    expect(world.cycleCloud.calls).toEqual([]);
    expect((await world.ports.operations.recent(cluster, 1)).flatMap(({ messages }) => messages)).toEqual([
      expect.stringContaining("is not deallocated any more"),
    ]);
  });

  test("keeps its row, however long it is deallocated, so that its age is known", async () => {
    const world = deallocating(["htc-1"]);
    await idleOut(world);
    world.cycleCloud.change("htc-1", asleep);
    world.advance(6 * daySeconds);
    await world.round();
    expect(statusOf(world)).toEqual({ "htc-1": "Deallocated" });
    world.advance(2 * daySeconds);
    await world.round();
    expect(statusOf(world)).toEqual({ "htc-1": "Terminated" });
  });
});
