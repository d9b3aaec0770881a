import { describe, expect, test } from "vitest";
import { executeAction, underWay } from "../../../../shared/cycle/index.ts";
import { resolveOperations } from "../../../../shared/cycle/snapshot/resolve-operations.ts";
import { snapshotCluster } from "../../../../shared/cycle/snapshot/snapshot-cluster.ts";
import { UpstreamError } from "../../../../shared/errors/errors.ts";
import type { Operation } from "../../../../shared/ports/index.ts";
import { clusterOf, nodeOf } from "../../../support/cluster.ts";
import { interposed } from "../../../support/crash.ts";
import type { FakeCycleCloud } from "../../../support/fake-cyclecloud.ts";
import { createAction, nodesAction, operationOf, requestedNode } from "../../../support/operation.ts";
import { snapshotOf } from "../../../support/snapshot.ts";
import { cluster, createWorld, jobFor, type World, worldWith } from "../../../support/world.ts";

const operationTimeoutSeconds = 900;
const nodeListLagSeconds = 120;
const settings = { operationTimeoutSeconds, nodeListLagSeconds };
const actionTtlSeconds = 600;

async function only(world: World): Promise<Operation> {
  const [operation, ...more] = await world.ports.operations.recent(cluster, 10);
  if (operation === undefined || more.length > 0)
    throw new Error(`${more.length + 1} operations, expected 1`);
  return operation;
}

/** A world in which a create of two nodes is on the queue. */
async function sent(): Promise<World> {
  const world = createWorld();
  await world.post([jobFor(2)]);
  await world.snapshot();
  world.advance(1);
  await world.plan();
  return world;
}

/** The same, carried out. */
async function accepted(): Promise<World> {
  const world = await sent();
  await world.execute();
  return world;
}

describe("resolveOperations: an accepted operation", () => {
  test("is visible in a snapshot that was started later", async () => {
    const world = await accepted();
    world.advance(1);
    await world.snapshot();
    expect(await only(world)).toMatchObject({ state: "visible", updatedAtSeconds: world.now() });
  });

  test("is not looked for in a snapshot that was started earlier, or in the same moment", async () => {
    const world = await accepted();
    await world.snapshot();
    expect(await only(world)).toMatchObject({ state: "accepted" });
  });

  test("stays open until the last of its nodes shows", async () => {
    const world = await accepted();
    world.advance(1);
    const nodes = world.cycleCloud.nodes.slice(0, 1);
    const snapshot = snapshotOf(clusterOf({ nodes }), world.now());
    const seen = { cluster, snapshot, settings };
    expect(await resolveOperations(world.ports, world.cycleCloud, seen)).toBe(0);
    expect(await only(world)).toMatchObject({ state: "accepted", nodes: [{}, {}] });
  });

  test("does not wait for a node that is gone again", async () => {
    const world = await accepted();
    world.cycleCloud.change("htc-1", { targetState: "Terminated" });
    world.cycleCloud.settle();
    for (let beat = 0; beat < 4; beat += 1) {
      world.advance(60);
      await world.snapshot();
    }
    expect(await only(world)).toMatchObject({ state: "visible", nodes: [{ name: "htc-2" }] });
  });

  test("does not wait when all of its nodes are gone again", async () => {
    const world = await accepted();
    world.cycleCloud.change("htc-1", { targetState: "Terminated" });
    world.cycleCloud.change("htc-2", { targetState: "Terminated" });
    world.cycleCloud.settle();
    world.advance(nodeListLagSeconds);
    await world.snapshot();
    expect(await only(world)).toMatchObject({ state: "accepted" });
    world.advance(1);
    await world.snapshot();
    expect(await only(world)).toMatchObject({ state: "visible", messages: ["its nodes are gone again"] });
  });

  test("that CycleCloud cannot tell about holds up nothing, and is lost in the end", async () => {
    const world = await sent();
    world.cycleCloud.isListLate = true;
    await world.execute();
    const deaf = Object.assign(Object.create(world.cycleCloud), {
      nodesOfRequest: () => Promise.reject(new UpstreamError("no answer", { retryable: true })),
    });
    const ports = { ...world.ports, cycleCloudFor: () => deaf };
    world.advance(60);
    await snapshotCluster(ports, cluster);
    expect(await only(world)).toMatchObject({ state: "accepted" });
    expect(world.log.some((line) => line.includes("operation-not-found-out"))).toBe(true);
    world.advance(2 * operationTimeoutSeconds - 60);
    await snapshotCluster(ports, cluster);
    expect(await only(world)).toMatchObject({ state: "accepted" });
    world.advance(1);
    await snapshotCluster(ports, cluster);
    expect(await only(world)).toMatchObject({
      state: "lost",
      messages: ["CycleCloud could not report its state"],
    });
  });

  test("whose nodes were not told is looked up, and keeps its place in time", async () => {
    const world = await sent();
    world.cycleCloud.isListLate = true;
    await world.execute();
    const acceptedAtSeconds = world.now();
    expect(await only(world)).toMatchObject({ state: "accepted", nodes: [], added: [2] });
    world.advance(60);
    await world.snapshot();
    expect(await only(world)).toMatchObject({ state: "accepted", nodes: [] });
    world.cycleCloud.isListLate = false;
    await world.snapshot();
    expect(await only(world)).toMatchObject({
      state: "accepted",
      nodes: [{ name: "htc-1" }, { name: "htc-2" }],
      updatedAtSeconds: acceptedAtSeconds,
    });
    await world.snapshot();
    expect(await only(world)).toMatchObject({ state: "visible" });
  });

  test("without a trace is lost after the time-out, once", async () => {
    const world = await sent();
    world.cycleCloud.isListLate = true;
    await world.execute();
    world.advance(operationTimeoutSeconds);
    await world.snapshot();
    expect(await only(world)).toMatchObject({ state: "accepted" });
    world.advance(1);
    await world.snapshot();
    const lost = await only(world);
    expect(lost).toMatchObject({ state: "lost", messages: ["no effect seen within 15m"] });
    world.advance(1);
    await world.snapshot();
    expect(await only(world)).toEqual(lost);
    expect(world.log.filter((line) => line.startsWith("error operation"))).toHaveLength(1);
  });

  test.each(["start-nodes", "shutdown-nodes"] as const)("%s: visible by target state", async (kind) => {
    const world = worldWith({ nodes: [nodeOf({ name: "htc-1" })] });
    const before = kind === "start-nodes" ? "Deallocated" : "Started";
    const after = kind === "start-nodes" ? "Started" : "Terminated";
    world.cycleCloud.change("htc-1", { targetState: before });
    const operation = operationOf(nodesAction(kind, ["htc-1"]), {
      state: "accepted",
      nodes: [requestedNode("htc-1")],
      updatedAtSeconds: world.now(),
    });
    await world.ports.operations.save(operation, undefined);
    world.advance(1);
    await world.snapshot();
    expect(await only(world)).toMatchObject({ state: "accepted" });
    world.cycleCloud.change("htc-1", { targetState: after });
    await world.snapshot();
    expect(await only(world)).toMatchObject({ state: "visible" });
  });
});

describe("resolveOperations: an operation that was only sent", () => {
  const longest = actionTtlSeconds + operationTimeoutSeconds;

  test("waits while its action may still be carried out", async () => {
    const world = await sent();
    world.ports.scaleActions.take();
    world.advance(longest);
    await world.snapshot();
    expect(await only(world)).toMatchObject({ state: "sent" });
  });

  test("is lost when the server knows nothing of it", async () => {
    const world = await sent();
    world.ports.scaleActions.take();
    world.advance(longest + 1);
    await world.snapshot();
    expect(await only(world)).toMatchObject({ state: "lost" });
  });

  test("is found late when the server carried it out, and then visible", async () => {
    const world = await sent();
    world.cycleCloud.fault = { afterEffect: true };
    await world.execute();
    world.advance(longest + 1);
    await world.snapshot();
    expect(await only(world)).toMatchObject({ state: "accepted", nodes: [{}, {}] });
    world.advance(1);
    await world.snapshot();
    expect(await only(world)).toMatchObject({ state: "visible" });
  });
});

describe("resolveOperations: a create whose answer was lost while the list of requests fails", () => {
  /** The node was made, its answer was lost, and CycleCloud cannot list requests. */
  async function unanswered(): Promise<{ world: World; deaf: World["ports"] }> {
    const world = createWorld();
    await world.post([jobFor(1)]);
    await world.snapshot();
    world.advance(1);
    await world.plan();
    const deafCloud = Object.assign(Object.create(world.cycleCloud), {
      nodesOfRequest: () => Promise.reject(new UpstreamError("HTTP 500", { retryable: true })),
    });
    const deaf = { ...world.ports, cycleCloudFor: () => deafCloud };
    world.cycleCloud.fault = { afterEffect: true };
    const action = world.ports.scaleActions.take();
    if (action === undefined) throw new Error("no action was sent");
    await executeAction(deaf, action);
    expect(await only(world)).toMatchObject({ state: "sent", asked: true, nodes: [] });
    return { world, deaf };
  }

  const comingOf = async (world: World) => {
    const snapshot = await world.ports.snapshots.load(cluster);
    if (snapshot === undefined) throw new Error("no snapshot");
    const open = await world.ports.operations.open(cluster);
    const { pending } = underWay(
      open.map(({ value }) => value),
      snapshot.value.cluster,
    );
    return pending.reduce((sum, { count }) => sum + count, 0);
  };

  test("is found by the first snapshot at which the list answers, and counts no node twice from then on", async () => {
    const { world, deaf } = await unanswered();
    world.cycleCloud.settle();
    world.advance(30);
    await snapshotCluster(deaf, cluster);
    expect(await only(world)).toMatchObject({ state: "sent" });
    expect(await comingOf(world)).toBe(1);
    world.advance(30);
    await world.snapshot();
    expect(await only(world)).toMatchObject({ state: "accepted", nodes: [{ name: "htc-1" }] });
    expect(await comingOf(world)).toBe(0);
    world.advance(1);
    await world.snapshot();
    expect(await only(world)).toMatchObject({ state: "visible" });
  });

  test("is no operation without effect when its node ran and is gone again before the list answers", async () => {
    const { world, deaf } = await unanswered();
    world.cycleCloud.settle();
    world.advance(60);
    await snapshotCluster(deaf, cluster);
    world.cycleCloud.clear();
    world.advance(actionTtlSeconds + operationTimeoutSeconds);
    await snapshotCluster(deaf, cluster);
    expect(await only(world)).toMatchObject({ state: "sent" });
    for (let beat = 0; beat < 4; beat += 1) {
      world.advance(60);
      await world.snapshot();
    }
    expect(await only(world)).toMatchObject({
      state: "visible",
      messages: [expect.any(String), expect.stringContaining("none was made, or all are gone again")],
    });
    expect(await comingOf(world)).toBe(0);
  });

  test("keeps what its answer says when that comes after the list did", async () => {
    const world = createWorld();
    world.cycleCloud.shrink(1);
    await world.post([jobFor(1)]);
    await world.snapshot();
    world.advance(1);
    await world.plan();
    const slow = Object.assign(Object.create(world.cycleCloud), {
      createNodes: async (request: Parameters<FakeCycleCloud["createNodes"]>[0]) => {
        const answer = await world.cycleCloud.createNodes(request);
        world.advance(30);
        await world.snapshot();
        return answer;
      },
    });
    const action = world.ports.scaleActions.take();
    if (action === undefined) throw new Error("no action was sent");
    await executeAction({ ...world.ports, cycleCloudFor: () => slow }, action);
    expect(await only(world)).toMatchObject({
      state: "accepted",
      operationId: expect.any(String),
      added: [1],
      nodes: [{ name: "htc-1" }],
    });
  });
});

describe("resolveOperations: others at work", () => {
  test("one that cannot be saved holds up neither the others nor the plan that is due", async () => {
    const world = await accepted();
    const other: Operation = { ...(await only(world)), actionId: "plan-0000-0000" };
    await world.ports.operations.save(other, undefined);
    world.advance(1);
    let saves = 0;
    const ports = interposed(world.ports, { port: "operations", method: "save" }, (call) => {
      saves += 1;
      return saves === 1 ? Promise.reject(new Error("too large")) : call();
    });
    await snapshotCluster(ports, cluster);
    expect(world.log.some((line) => line.startsWith("error operation-not-resolved"))).toBe(true);
    const states = (await world.ports.operations.recent(cluster, 10)).map(({ state }) => state);
    expect(states.sort()).toEqual(["accepted", "visible"]);
    world.advance(1);
    expect(await world.plan()).toBe(1);
  });

  test("an outcome that the executor writes at the same moment stays", async () => {
    const world = await accepted();
    world.advance(1);
    const ports = interposed(world.ports, { port: "operations", method: "save" }, async (call) => {
      const stored = await world.ports.operations.load(cluster, (await only(world)).actionId);
      if (stored !== undefined)
        await world.ports.operations.save({ ...stored.value, messages: ["by the executor"] }, stored.etag);
      return call();
    });
    const reading = await world.cycleCloud.readCluster();
    const snapshot = snapshotOf(reading.cluster, world.now());
    const seen = { cluster, snapshot, settings };
    expect(await resolveOperations(ports, world.cycleCloud, seen)).toBe(0);
    expect(await only(world)).toMatchObject({ state: "accepted", messages: ["by the executor"] });
    expect(await resolveOperations(world.ports, world.cycleCloud, seen)).toBe(1);
  });

  test("operations of another cluster are left alone", async () => {
    const world = await accepted();
    const other = operationOf({ ...createAction(["htc-1"]), cluster: "other" }, { cluster: "other" });
    await world.ports.operations.save(other, undefined);
    world.advance(actionTtlSeconds + operationTimeoutSeconds + 2);
    await world.snapshot();
    expect(await world.ports.operations.open("other")).toHaveLength(1);
  });
});
