import { describe, expect, test } from "vitest";
import { foreseeQuotas } from "../../../../shared/cycle/plan/foresee-quotas.ts";
import { readRefusal } from "../../../../shared/cycle/plan/quota-refusals.ts";
import type { ClusterNode } from "../../../../shared/engine/index.ts";
import type { Operation } from "../../../../shared/ports/index.ts";
import { clusterStatus, explainJob, listLimits, lookAhead } from "../../../../shared/views/index.ts";
import { bucketOf, clusterOf, nodeArrayOf, nodeOf } from "../../../support/cluster.ts";
import { createAction, operationOf } from "../../../support/operation.ts";
import { cluster, jobFor, type World, worldWith } from "../../../support/world.ts";

const azure = (quota: string, limit: number, usage: number) =>
  `Operation could not be completed as it results in exceeding approved ${quota} quota. Additional details - Deployment Model: Resource Manager, Location: westeurope, Current Limit: ${limit}, Current Usage: ${usage}, Additional Required: 4`;

describe("a refusal's words", () => {
  test.each([
    [azure("standardFSv2Family Cores", 10, 8), { limit: "family", coresLeft: 2 }],
    [azure("Total Regional Cores", 10, 8), { limit: "region", coresLeft: 2 }],
    [azure("LowPriorityCores", 100, 100), { limit: "spot", coresLeft: 0 }],
    ["SKUFamilyQuotaExceeded: no more of them", { limit: "family", coresLeft: null }],
    ["Added 2 of 5 nodes: limited by the regional spot quota", { limit: "spot", coresLeft: null }],
    [
      "Operation results in exceeding quota limits of Core. Maximum allowed: 20, Current in use: 18",
      { limit: "region", coresLeft: 2 },
    ],
    [azure("standardFSv2Family Cores", 8, 10), { limit: "family", coresLeft: 0 }],
    ["quota reached", null],
    ["AllocationFailed: no capacity in this region", null],
    ["", null],
  ])("%s", (message, refusedBy) => {
    expect(readRefusal(message)).toEqual(refusedBy);
  });
});

const small = { ...bucketOf({ vmSize: "small" }).vm, vcpuCount: 2, vcpuQuotaCount: 2 };

/** `first` and `second` have a size of four cores each, `third` one of two, all of one family. */
function worldOf(
  fields: { readonly maxCores?: number; readonly nodes?: readonly ClusterNode[] } = {},
): World {
  const { maxCores = 1_000, nodes = [] } = fields;
  const limits = { ...bucketOf().limits, family: { maxCores, usedCores: 0 } };
  const array = (name: string, bucket = bucketOf({ vmSize: `size-${name}` })) =>
    nodeArrayOf({ name, buckets: [{ ...bucket, bucketId: name, limits }] });
  const arrays = [
    array("first"),
    array("second"),
    array("third", bucketOf({ vmSize: "size-third", vm: small })),
  ];
  return worldWith({ nodeArrays: arrays, nodes });
}

const made = (world: World) => world.cycleCloud.nodes.map(({ nodeArray }) => nodeArray);

/** Five nodes are wanted of `first`; two are added, and the message says why no more. */
async function shortOf(message: string): Promise<World> {
  const world = worldOf();
  world.cycleCloud.shortBecause = message;
  world.cycleCloud.give(2, "size-first");
  await world.post([jobFor(5)], { ttlSeconds: 10_000 });
  await world.round();
  world.advance(1);
  await world.plan();
  await world.execute();
  return world;
}

describe("after a refusal by a quota", () => {
  test("no other array of the family is asked for what did not fit", async () => {
    const world = await shortOf("limited by the family quota");
    expect(made(world)).toEqual(["first", "first"]);
    expect(world.cycleCloud.calls).toEqual(["create"]);
  });

  test("a refusal for another reason leaves the family alone", async () => {
    const world = await shortOf("no capacity");
    expect(made(world)).toEqual(["first", "first", "second", "second", "second"]);
  });

  test("with figures, what they leave is asked for, once", async () => {
    const world = await shortOf(azure("standardFSv2Family Cores", 14, 8));
    // Six cores were left: a node of four fits, of which `first` has no more.
    world.cycleCloud.give(20, "size-first");
    for (let round = 0; round < 3; round += 1) {
      world.cycleCloud.settle();
      world.advance(20);
      await world.round();
    }
    expect(made(world)).toHaveLength(3);
  });

  test("a smaller size that may still fit is asked for", async () => {
    const world = worldOf();
    world.cycleCloud.shortBecause = "limited by the family quota";
    world.cycleCloud.give(0, "size-first");
    await world.post([jobFor(1, { constraints: [{ ncpus: 2 }] })], { ttlSeconds: 10_000 });
    await world.round();
    world.advance(1);
    await world.plan();
    await world.execute();
    expect(made(world)).toEqual(["third"]);
  });

  test("the figures are believed again when the back-off is over", async () => {
    const world = await shortOf("limited by the family quota");
    world.cycleCloud.give(20, "size-first");
    await world.post([jobFor(5)], { ttlSeconds: 10_000 });
    world.advance(310);
    await world.settle();
    expect(made(world)).toHaveLength(5);
  });

  test("the status, the limits and the explanation say so", async () => {
    const world = await shortOf(azure("standardFSv2Family Cores", 9, 8));
    const refusal = { limit: "family", scope: "westeurope/standardFSv2Family", coresLeft: 1 };
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.refusedQuotas).toMatchObject([refusal]);
    expect(status?.problems.map(({ kind }) => kind)).toContain("quota-refused");
    const outlook = await lookAhead(world.ports, cluster);
    if (outlook === undefined) throw new Error("The cluster is configured");
    const limits = listLimits(outlook, {});
    const family = limits.ok ? limits.answer.limits.find(({ limit }) => limit === "family") : undefined;
    // Two nodes are on order: the figures as CycleCloud has them, with those.
    expect(family).toMatchObject({ max: 1_000, used: 8, left: 1, boundBy: "refusal, for 4m59s" });
    const explained = JSON.stringify(explainJob(outlook, "job-1"));
    expect(explained).toContain("Azure refused nodes there 1s ago, with at most 1 core left");
  });
});

test.each<[Operation["state"], number]>([
  ["sent", 2],
  ["failed", 6],
  ["dropped", 6],
  ["lost", 6],
])("of six cores that a refusal left, an order of one node that was %s since leaves %i", (state, left) => {
  const scope = "westeurope/standardFSv2Family";
  const refusal = { limit: "family", scope, coresLeft: 6, atSeconds: 0, untilSeconds: 9, why: "" } as const;
  const operations = [operationOf(createAction(["htc-1"]), { state })];
  const there = clusterOf({ nodeArrays: [nodeArrayOf()] });
  const foreseen = foreseeQuotas(there, { refusals: [refusal], pending: [], operations });
  expect(foreseen.nodeArrays[0]?.buckets[0]?.limits.family).toMatchObject({ mostLeftCores: left });
});

test("nodes that boot count although CycleCloud's figure of the quota does not show them yet", async () => {
  const world = worldOf({ maxCores: 12 });
  await world.post([jobFor(5)], { ttlSeconds: 10_000 });
  for (let round = 0; round < 4; round += 1) {
    await world.round();
    world.advance(20);
  }
  // Three nodes of four cores fit twelve cores, of whichever array.
  expect(made(world)).toHaveLength(3);
});

test("a node that failed without a machine holds nothing of a quota", async () => {
  const failed = nodeOf({ name: "first-1", nodeArray: "first", vmSize: "size-first", status: "Failed" });
  const world = worldOf({ maxCores: 4, nodes: [failed] });
  world.configure({ engine: { failedNodes: "delete" } });
  await world.post([jobFor(1)]);
  await world.snapshot();
  world.advance(1);
  await world.plan();
  const creates = world.ports.scaleActions.waiting.filter(({ kind }) => kind === "create-nodes");
  expect(creates).toHaveLength(1);
});
