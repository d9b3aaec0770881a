import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PlacementPolicy, type Plan, type PlanInput, plan } from "../../../shared/engine/index.ts";
import { afterActions } from "./after-actions.ts";
import { placedBy, pricedWorlds, roomy, usdPerHourOf } from "./priced-worlds.ts";
import { array, bucket, cluster, input, job, node } from "./tiny.ts";

const runs = { numRuns: 150 };

function grantedIn({ jobs }: Plan): readonly number[] {
  return jobs.map(({ granted }) => granted);
}

/** What is paid with a placement, and who is placed. */
function outcomeOf(world: PlanInput, placement: PlacementPolicy) {
  const result = plan(placedBy(world, placement));
  return { usd: usdPerHourOf(world, result) ?? Number.NaN, granted: grantedIn(result) };
}

describe("plan, where all prices are known", () => {
  test("costs no more than filling in order by another placement that places as much", () => {
    fc.assert(
      fc.property(pricedWorlds, (world) => {
        const [order, reuse, cost] = [
          outcomeOf(world, "order"),
          outcomeOf(world, "reuse"),
          outcomeOf(world, "cost"),
        ];
        for (const [dearer, cheaper] of [
          [reuse, order],
          [cost, order],
          [cost, reuse],
        ] as const) {
          for (const [index, granted] of dearer.granted.entries())
            expect(granted).toBeGreaterThanOrEqual(order.granted[index] ?? 0);
          if (dearer.granted.join() === cheaper.granted.join())
            expect(dearer.usd).toBeLessThanOrEqual(cheaper.usd + 1e-6);
        }
      }),
      runs,
    );
  });

  test.each(["reuse", "cost"] as const)(
    "%s: the next plan buys nothing and leaves nobody out",
    (placement) => {
      fc.assert(
        fc.property(pricedWorlds, (world) => {
          const input = placedBy(roomy(world), placement);
          const first = plan(input);
          const second = plan(afterActions(input, first));
          expect({ create: second.create, start: second.start }).toEqual({ create: [], start: [] });
          const granted = grantedIn(second);
          for (const [index, before] of grantedIn(first).entries())
            expect(granted[index]).toBeGreaterThanOrEqual(before);
        }),
        runs,
      );
    },
  );

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
    expect(outcomeOf(world, "cost")).toEqual(outcomeOf(world, "order"));
    expect(outcomeOf(world, "cost").usd).toBeCloseTo(0.6);
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
    expect(outcomeOf(world, "cost")).toEqual(outcomeOf(world, "reuse"));
    expect(outcomeOf(world, "cost").usd).toBeLessThan(outcomeOf(world, "order").usd);
  });
});
