import { expect, test } from "vitest";
import { nodeFields } from "../../../../clients/cli/output/node-fields.ts";
import { isKnown } from "../../../../clients/columns/evaluate.ts";
import { nodeProperties } from "../../../../shared/engine/index.ts";
import { historyRow } from "../../../shared/engine/tiny.ts";
import { nodeOf } from "../../../support/cluster.ts";
import { cluster, jobFor, worldWith } from "../../../support/world.ts";
import { firstNode, idleNode } from "./first-node.ts";

test("every property of a node is a column of `nodes`", async () => {
  const { node, nowSeconds } = await idleNode();
  const fields = nodeFields(node, nowSeconds);
  const missing = nodeProperties.filter((name) => !isKnown({ kind: "value", name }, fields));
  expect(missing).toEqual([]);
});

test("what a size has, when a node was last matched and which form the properties have", async () => {
  const { node, nowSeconds } = await idleNode();
  expect(node.idleSinceSeconds).not.toBeNull();
  expect(nodeFields(node, nowSeconds)).toMatchObject({
    version: "1",
    vmFamily: expect.stringMatching(/Family$/),
    coresPerSocket: expect.any(Number),
    infiniband: false,
    last_match_time_unix: node.idleSinceSeconds,
    delete_time: null,
  });
});

test.each([
  [{ placementGroup: "pg0", hostname: "host-1", nodeId: "id-1" }, true, "host-1"],
  [{ placementGroup: null, hostname: null, nodeId: "id-1" }, false, "id-1"],
  [{ placementGroup: null, hostname: null, nodeId: null }, false, "htc-1"],
])("colocated and hostname_or_uuid of %j", async (changes, colocated, name) => {
  const { node } = await idleNode();
  expect(nodeFields({ ...node, ...changes }, 0)).toMatchObject({ colocated, hostname_or_uuid: name });
});

/** What STATE says of a node that boots for so long, where three of its size took 100 to 120 s. */
async function stateAfter(seconds: number) {
  const nodes = [nodeOf({ name: "htc-9", status: "Preparing", hostname: null })];
  const world = worldWith({ nodes });
  const earlier = [100, 110, 120].map((took, index) => {
    const createdSeconds = world.now() - 5_000;
    return historyRow(`old-${index}`, {
      createdSeconds,
      readySeconds: createdSeconds + took,
      deletedSeconds: world.now() - 1_000,
    });
  });
  await world.ports.history.save(cluster, earlier);
  await world.post([jobFor(1)], { ttlSeconds: 10_000 });
  await world.round();
  world.advance(seconds);
  await world.snapshot();
  return nodeFields(await firstNode(world), world.now()).state;
}

test("STATE marks a node that boots for longer than 95 of 100 of its size did", async () => {
  expect([await stateAfter(60), await stateAfter(240)]).toEqual([
    "Preparing",
    expect.stringMatching(/^Preparing \(slow: 4m\d*s?, p95 2m\)$/),
  ]);
});
