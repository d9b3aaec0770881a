import { describe, expect, test } from "vitest";
import { type PlacementPolicy, type PlanInput, plan } from "../../../shared/engine/index.ts";
import { afterActions } from "./after-actions.ts";
import { placedBy, usdPerHourOf } from "./priced-worlds.ts";
import { array, bucket, cluster, deallocated, input, job, node } from "./tiny.ts";

/** What is paid with a placement, and who is placed. */
function outcomeOf(world: PlanInput, placement: PlacementPolicy) {
  const result = plan(placedBy(world, placement));
  return {
    usd: usdPerHourOf(world, result) ?? Number.NaN,
    granted: result.jobs.map(({ granted }) => granted),
  };
}

describe("plan, where all prices are known", () => {
  // Price alone places a job more, which does not last: of the runs that do, the cheapest is left.
  test("costs no more than filling in order where the cheapest run would not last", () => {
    const small = bucket({
      vcpus: 2,
      available: 100,
      fields: { vmSize: "Standard_F2", pricePerHourUsd: 0.1 },
    });
    const large = bucket({ vcpus: 8, available: 1, fields: { vmSize: "Standard_E8", pricePerHourUsd: 0.4 } });
    const nodeArrays = [
      array({ name: "htc", buckets: [small] }),
      array({ name: "gpu", buckets: [large, small] }),
    ];
    const nodes = [node("gpu-1", { nodeArray: "gpu", vmSize: "Standard_E8" })];
    const jobs = [
      job("three", { ncpus: 1, "node.nodearray": "gpu" }, { iterations: 3 }),
      job("first", { ncpus: 1 }, { exclusive: true, priority: 5 }),
      job("wide", { ncpus: 3 }, { exclusive: true, priority: 5 }),
      job("two-wide", { ncpus: 3 }, { exclusive: true, iterations: 2 }),
      job("last", { ncpus: 1 }, { exclusive: true }),
    ];
    const world = input({ cluster: cluster({ nodeArrays, nodes }), jobs });
    const cost = outcomeOf(world, "cost");
    expect(cost).toEqual(outcomeOf(world, "order"));
    expect(cost.usd).toBeCloseTo(0.6);
  });

  // No run by price comes about here: what reuse makes of the same jobs is left, which is less than filling in order.
  test("costs no more than reuse where jobs by price cannot be placed", () => {
    const size = (vcpus: number, available: number, pricePerHourUsd: number, memoryGiB: number, gpus = 0) =>
      bucket({ vcpus, available, memoryGiB, gpus, fields: { pricePerHourUsd } });
    const nodeArrays = [
      array({ name: "htc", buckets: [size(2, 0, 0.1, 4)] }),
      array({ name: "gpu", buckets: [size(8, 100, 0.4, 16), size(6, 4, 0.1, 56, 1)] }),
    ];
    const nodes = [
      node("htc-1", { nodeArray: "htc", vmSize: "Standard_F2" }),
      node("gpu-2", { nodeArray: "gpu", vmSize: "Standard_F6" }),
    ];
    const onGpu = { "node.nodearray": "gpu" };
    const jobs = [
      job("whole", { ncpus: 8, ngpus: 0, ...onGpu }, { iterations: 8, priority: 5 }),
      job("never", { ncpus: 3, memgb: 25, ngpus: 0, "node.nodearray": "htc" }, { iterations: 3 }),
      job("third", { ncpus: 3, ngpus: 0, ...onGpu }, { iterations: 6 }),
      job("wide", { ncpus: 2, memgb: 15, ...onGpu }, { iterations: 5 }),
      job("with-gpu", { ncpus: 2, memgb: 21, ngpus: 1, ...onGpu }, { iterations: 5 }),
      job("six", { ncpus: 6, ngpus: 0, ...onGpu }, { iterations: 8, priority: 5 }),
    ];
    const world = input({ cluster: cluster({ nodeArrays, nodes }), jobs });
    const cost = outcomeOf(world, "cost");
    expect(cost).toEqual(outcomeOf(world, "reuse"));
    expect(cost.usd).toBeLessThan(outcomeOf(world, "order").usd);
  });
});

// Deallocated nodes come behind all others, and back among them by their names once they are started.
test("nodes that a plan starts leave the next one nothing to buy, though they come before others by their names", () => {
  const large = bucket({ vcpus: 8, fields: { vmSize: "Standard_F8", pricePerHourUsd: 0.1 } });
  const size = { vmSize: "Standard_F8" };
  const nodes = [
    node("htc-1", { ...size, ...deallocated }),
    node("htc-2", { ...size, ...deallocated }),
    node("htc-3", size),
  ];
  const either = { or: [{ ncpus: 8 }, { ncpus: 2, memgb: 16 }] };
  const jobs = [
    job("pair", either, { nodeCount: 2 }),
    job("runs", { ncpus: 1 }, { executingHostnames: ["host-htc-3"] }),
    job("alone", { ncpus: 1 }, { exclusive: true }),
  ];
  const world = placedBy(
    input({ cluster: cluster({ nodeArrays: [array({ buckets: [large] })], nodes }), jobs }),
    "reuse",
  );
  const first = plan(world);
  expect(first.jobs.map(({ granted }) => granted)).toEqual([2, 1, 1]);
  const second = plan(afterActions(world, first));
  expect({ create: second.create, start: second.start }).toEqual({ create: [], start: [] });
});
