import fc from "fast-check";
import { expect, test } from "vitest";
import { requestPlan, schedulePlan } from "../../../shared/cycle/request-plan.ts";
import { createMemoryQueues } from "../../../shared/queues/in-memory/index.ts";

test("requestPlan: a burst becomes one plan at the end of its window", async () => {
  const { planRequests } = createMemoryQueues();
  let nowSeconds = 100.1;
  const ports = { planRequests, clock: { nowSeconds: () => nowSeconds } };
  for (let request = 0; request < 50; request += 1) {
    await requestPlan(ports, { cluster: "hpc", reason: `message ${request}` });
    nowSeconds += 0.01;
  }
  expect(planRequests.scheduled.map(({ deliverAtSeconds }) => deliverAtSeconds)).toEqual([101]);
});

test("requestPlan: clusters do not share windows", async () => {
  const { planRequests } = createMemoryQueues();
  const ports = { planRequests, clock: { nowSeconds: () => 100.1 } };
  await requestPlan(ports, { cluster: "a", reason: "r" });
  await requestPlan(ports, { cluster: "b", reason: "r" });
  expect(planRequests.scheduled).toHaveLength(2);
});

test("schedulePlan: whatever is asked, and when, a plan that is dropped as a repeat has one that runs later", () => {
  const time = fc.double({ min: 1.7e9, max: 1.9e9, noNaN: true });
  fc.assert(
    fc.property(time, fc.double({ min: 0, max: 5, noNaN: true }), (first, gap) => {
      const one = schedulePlan({ cluster: "hpc", reason: "r", atSeconds: first });
      const other = schedulePlan({ cluster: "hpc", reason: "r", atSeconds: first + gap });
      expect(other.deliverAtSeconds).toBeGreaterThan(first + gap);
      if (one.messageId === other.messageId) expect(one.deliverAtSeconds).toBeGreaterThan(first + gap);
      else expect(other.deliverAtSeconds).toBeGreaterThan(one.deliverAtSeconds);
    }),
  );
});
