import { describe, expect, test } from "vitest";
import { type PlacementPolicy, plan } from "../../shared/engine/index.ts";
import { priceCluster } from "../../shared/prices/index.ts";
import { placedBy, usdPerHourOf } from "../shared/engine/priced-worlds.ts";
import { inputOf, readVectors, type Scenario } from "./scenario.ts";

/** Every sixth: a promise about money breaks in many of them, or in none. */
const vectors = [
  ...readVectors<Scenario>("plan.jsonl.gz"),
  ...readVectors<Scenario>("plan-limits.jsonl.gz"),
].filter((_, index) => index % 6 === 0);

/** What is paid with a placement at list prices, and who is placed. */
function outcomeOf(vector: Scenario, placement: PlacementPolicy) {
  const input = inputOf(vector);
  const world = placedBy({ ...input, cluster: priceCluster(input.cluster, {}) }, placement);
  const result = plan(world);
  return { usd: usdPerHourOf(world, result), granted: result.jobs.map(({ granted }) => granted) };
}

describe("recorded scenarios at list prices", () => {
  test.each(vectors)("$name: reuse and cost leave nobody out and cost no more than filling in order", (vector) => {
    const order = outcomeOf(vector, "order");
    for (const placement of ["reuse", "cost"] as const) {
      const { usd, granted } = outcomeOf(vector, placement);
      for (const [index, slots] of order.granted.entries())
        expect(granted[index], `job ${index}`).toBeGreaterThanOrEqual(slots);
      if (usd !== null && order.usd !== null && granted.join() === order.granted.join())
        expect(usd).toBeLessThanOrEqual(order.usd + 1e-6);
    }
  });
});
