import { describe, expect, test } from "vitest";
import type { ClusterNode, EngineSettings } from "../../../../shared/engine/index.ts";
import { UpstreamError } from "../../../../shared/errors/errors.ts";
import { bucketOf, nodeArrayOf, nodeOf } from "../../../support/cluster.ts";
import { cluster, headOf, jobFor, type World, worldWith } from "../../../support/world.ts";

const retrying: Partial<EngineSettings> = { failedNodes: "retry" };
const failedNode = (name: string, fields: Partial<ClusterNode> = {}) =>
  nodeOf({ name, status: "Failed", ...fields });

function worldOf(nodes: readonly ClusterNode[], engine = retrying): World {
  const nodeArrays = [
    nodeArrayOf({ name: "htc", buckets: [bucketOf()] }),
    nodeArrayOf({ name: "other", buckets: [bucketOf({ bucketId: "other-f4" })] }),
  ];
  const world = worldWith({ nodeArrays, nodes });
  world.configure({ engine });
  return world;
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

  test("its job does not wait for the retry: it gets another node at once", async () => {
    const world = worldOf([failedNode("htc-1")]);
    await world.post([jobFor(1)]);
    await world.round();
    expect(world.cycleCloud.calls.toSorted()).toEqual(["create", "retry"]);
  });

  test("after failed_node_retries it is deleted instead", async () => {
    const world = worldOf([failedNode("htc-1")]);
    for (let round = 0; round < 8; round += 1) {
      await world.round();
      failAll(world);
      world.advance(59);
      if (world.cycleCloud.calls.includes("shutdown")) break;
    }
    expect(world.cycleCloud.calls).toEqual(["retry", "retry", "retry", "shutdown"]);
  });

  test("a node that came up starts counting again", async () => {
    const world = worldOf([failedNode("htc-1")]);
    world.configure({ engine: retrying, cycle: { failedNodeRetries: 1 } });
    for (const status of ["Ready", "Failed", "Ready"]) {
      await world.round();
      world.cycleCloud.change("htc-1", { status });
      world.advance(10);
    }
    expect(world.cycleCloud.calls).toEqual(["retry", "retry"]);
    expect((await headOf(world))?.troubled).toMatchObject([{ nodeId: "id-htc-1" }]);
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
    expect((await headOf(world))?.troubled).toEqual([]);
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
