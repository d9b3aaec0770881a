import { describe, expect, test } from "vitest";
import type { ClusterNode, EngineSettings } from "../../../../shared/engine/index.ts";
import { UpstreamError } from "../../../../shared/errors/errors.ts";
import type { PlanHead } from "../../../../shared/ports/index.ts";
import { clusterStatus } from "../../../../shared/views/index.ts";
import { bucketOf, clusterOf, nodeArrayOf, nodeOf } from "../../../support/cluster.ts";
import { FakeCycleCloud } from "../../../support/fake-cyclecloud.ts";
import { cluster, createWorld, jobFor, type World } from "../../../support/world.ts";

const retrying: Partial<EngineSettings> = { failedNodes: "retry" };
const failedNode = (name: string, fields: Partial<ClusterNode> = {}) =>
  nodeOf({ name, status: "Failed", ...fields });

function worldOf(nodes: readonly ClusterNode[], engine = retrying): World {
  const nodeArrays = [
    nodeArrayOf({ name: "htc", buckets: [bucketOf()] }),
    nodeArrayOf({ name: "other", buckets: [bucketOf({ bucketId: "other-f4" })] }),
  ];
  const world = createWorld(new FakeCycleCloud(clusterOf({ nodeArrays, nodes })));
  world.configure({ engine });
  return world;
}

async function headOf(world: World): Promise<PlanHead> {
  const head = await world.ports.plans.loadHead(cluster);
  if (head === undefined) throw new Error("no plan");
  return head.value;
}

const failAll = (world: World) => {
  for (const { name } of world.cycleCloud.nodes) world.cycleCloud.change(name, { status: "Failed" });
};

describe("failed_nodes retry", () => {
  test("a failed node is retried, once per failure that a snapshot saw", async () => {
    const world = worldOf([failedNode("htc-1"), nodeOf({ name: "htc-2" })]);
    await world.round();
    await world.plan();
    expect(world.cycleCloud.calls).toEqual(["retry"]);
    expect(world.cycleCloud.nodes.map((node) => node.status)).toEqual(["Acquiring", "Ready"]);
    expect(await world.ports.operations.recent(cluster, 1)).toMatchObject([
      { state: "accepted", action: { kind: "retry-failed", nodes: [{ name: "htc-1" }] } },
    ]);
  });

  test("a node that is being retried already is left alone", async () => {
    const world = worldOf([failedNode("htc-1")]);
    await world.snapshot();
    world.advance(1);
    await world.plan();
    expect(world.ports.scaleActions.waiting).toHaveLength(1);
    await world.post([jobFor(1, { executingHostnames: ["elsewhere"] })]);
    world.advance(1);
    await world.plan();
    expect(world.ports.scaleActions.waiting.map(({ kind }) => kind)).toEqual(["retry-failed"]);
  });

  test("a node that recovered before its turn came is left out", async () => {
    const world = worldOf([failedNode("htc-1")]);
    await world.snapshot();
    world.advance(1);
    await world.plan();
    world.cycleCloud.change("htc-1", { status: "Ready" });
    await world.snapshot();
    await world.execute();
    expect(world.cycleCloud.calls).toEqual([]);
    expect(await world.ports.operations.recent(cluster, 1)).toMatchObject([
      { state: "dropped", messages: ["htc-1 has not failed any more"] },
    ]);
  });

  test("a retry whose answer was lost is asked again", async () => {
    const world = worldOf([failedNode("htc-1")]);
    world.cycleCloud.fault = { afterEffect: true, on: "retry" };
    await world.round();
    world.advance(5);
    await world.execute();
    expect(world.cycleCloud.calls).toEqual(["retry", "retry"]);
    expect(await world.ports.operations.recent(cluster, 1)).toMatchObject([{ state: "accepted" }]);
  });

  test("after failed_node_retries it is deleted instead, and another one is bought", async () => {
    const world = worldOf([failedNode("htc-1")]);
    await world.post([jobFor(1)], { ttlSeconds: 10_000 });
    for (let round = 0; round < 8; round += 1) {
      await world.round();
      failAll(world);
      world.advance(59);
      if (world.cycleCloud.calls.includes("shutdown")) break;
    }
    expect(world.cycleCloud.calls).toEqual(["retry", "retry", "retry", "shutdown"]);
    world.cycleCloud.settle();
    await world.round();
    expect(world.cycleCloud.calls.at(-1)).toBe("create");
  });

  test("a node that came up starts counting again", async () => {
    const world = worldOf([failedNode("htc-1")]);
    world.configure({ engine: retrying, cycle: { failedNodeRetries: 1 } });
    await world.post([jobFor(1)], { ttlSeconds: 10_000 });
    for (const status of ["Ready", "Failed", "Ready"]) {
      await world.round();
      world.cycleCloud.change("htc-1", { status });
      world.advance(10);
    }
    expect(world.cycleCloud.calls).toEqual(["retry", "retry"]);
    expect((await headOf(world)).troubled).toMatchObject([{ nodeId: "id-htc-1", fate: "retried" }]);
  });

  test("a keep-alive node is retried as often, and never deleted", async () => {
    const world = worldOf([failedNode("htc-1", { keepAlive: true })]);
    for (let round = 0; round < 8; round += 1) {
      await world.round();
      failAll(world);
      world.advance(59);
    }
    expect(world.cycleCloud.calls).toEqual(["retry", "retry", "retry"]);
  });

  test("retries of a plan that was held do not count", async () => {
    const world = worldOf([failedNode("htc-1")]);
    world.configure({ engine: retrying, cycle: { readOnly: true } });
    await world.round();
    expect((await headOf(world)).troubled).toEqual([]);
  });

  test("what the server cannot do now is tried again", async () => {
    const world = worldOf([failedNode("htc-1")]);
    await world.snapshot();
    world.advance(1);
    await world.plan();
    world.cycleCloud.outage = new UpstreamError("busy", { status: 503, retryable: true });
    await world.execute();
    expect(world.ports.scaleActions.delayed).toHaveLength(1);
  });
});

describe("boots that keep failing", () => {
  const deleting: Partial<EngineSettings> = { failedNodes: "delete" };
  const failed = (count: number) =>
    Array.from({ length: count }, (_, index) => failedNode(`htc-${index + 1}`));
  const errors = (world: World) => world.log.filter((line) => line.startsWith("error boots-failing"));
  const arrays = (world: World) => world.cycleCloud.nodes.map((node) => node.nodeArray);

  test("two deletions within an hour are nothing special: the array is asked again", async () => {
    const world = worldOf(failed(2), deleting);
    await world.post([jobFor(2)], { ttlSeconds: 10_000 });
    await world.round();
    world.cycleCloud.settle();
    expect(arrays(world)).toEqual(["htc", "htc"]);
    expect(errors(world)).toEqual([]);
  });

  test("the third backs the array off in the very plan that deletes it, loudly", async () => {
    const world = worldOf(failed(3), deleting);
    await world.post([jobFor(2)], { ttlSeconds: 10_000 });
    await world.round();
    world.cycleCloud.settle();
    expect(arrays(world)).toEqual(["other", "other"]);
    expect(errors(world)).toHaveLength(1);
    expect((await clusterStatus(world.ports, cluster))?.bootsFailing).toEqual([
      { nodeArray: "htc", failures: 3, untilSeconds: world.now() + 1_800 },
    ]);
  });

  test("is told once per failure, not once per plan", async () => {
    const world = worldOf(failed(3), deleting);
    await world.round();
    for (let round = 1; round <= 4; round += 1) {
      await world.post([jobFor(round)]);
      world.advance(1);
      await world.plan();
    }
    expect(errors(world)).toHaveLength(1);
  });

  test("waiting jobs say why, and after the back-off the array is tried again", async () => {
    const world = worldOf(failed(3), deleting);
    const needsHtc = { constraints: [{ ncpus: 4, "node.nodearray": "htc" }] };
    await world.post([jobFor(1, needsHtc)], { ttlSeconds: 10_000 });
    await world.round();
    world.cycleCloud.settle();
    world.advance(1_790);
    await world.round();
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.waiting[0]?.why.at(-1)).toMatch(
      /^htc\/\S+: no new nodes .* 3 nodes of "htc" failed or did not boot/,
    );
    expect(world.cycleCloud.nodes).toEqual([]);
    world.advance(60);
    await world.round();
    expect(arrays(world)).toEqual(["htc"]);
  });

  test("deletions of more than an hour ago are forgotten", async () => {
    const world = worldOf(failed(2), deleting);
    await world.round();
    world.cycleCloud.settle();
    world.advance(3_600);
    await world.post([jobFor(1)], { ttlSeconds: 10_000 });
    await world.round();
    failAll(world);
    await world.round();
    expect((await headOf(world)).troubled).toHaveLength(1);
    expect(errors(world)).toEqual([]);
  });

  test("boot_failures_before_backoff 0 never backs off", async () => {
    const world = worldOf(failed(5), deleting);
    world.configure({ engine: deleting, cycle: { bootFailuresBeforeBackoff: 0 } });
    await world.post([jobFor(1)]);
    await world.round();
    world.cycleCloud.settle();
    expect(arrays(world)).toEqual(["htc"]);
  });

  test("nodes that never boot count like those that failed", async () => {
    const world = worldOf(
      [1, 2, 3].map((index) => nodeOf({ name: `htc-${index}`, status: "Preparing" })),
      {},
    );
    await world.round();
    world.advance(1_801);
    await world.round();
    expect((await headOf(world)).bootsFailing).toMatchObject([{ nodeArray: "htc", failures: 3 }]);
  });
});
