import { describe, expect, test } from "vitest";
import type { ScaleAction } from "../../../shared/messages/scale-action.ts";
import type { SchedulerEvent } from "../../../shared/messages/scheduler-event.ts";
import { createMemoryQueues } from "../../support/memory-queues.ts";
import { actionOf, type BusBench, busCases, requestOf } from "./bus-cases.ts";

const nowSeconds = 1_770_000_000;

function bench(): BusBench {
  const queues = createMemoryQueues();
  return {
    ...queues,
    nowSeconds: () => nowSeconds,
    receivePlanRequests: async (cluster) =>
      queues.planRequests
        .takeDue(nowSeconds)
        .map(({ request }) => request)
        .filter((request) => request.cluster === cluster),
    async receiveActions(cluster) {
      const received: ScaleAction[] = [];
      for (
        let next = queues.scaleActions.take(nowSeconds);
        next !== undefined;
        next = queues.scaleActions.take(nowSeconds)
      ) {
        if (next.cluster === cluster) received.push(next);
      }
      return received;
    },
  };
}

describe("buses (in memory)", () => {
  for (const [name, run] of Object.entries(busCases)) test(name, () => run(bench()));

  test("takeDue: gives the soonest first and keeps what is not due, visible in `scheduled`", async () => {
    const { planRequests } = createMemoryQueues();
    for (const at of [30, 10, 20]) await planRequests.send(requestOf("c", `c:${at}`, at));
    expect(planRequests.takeDue(20).map(({ messageId }) => messageId)).toEqual(["c:10", "c:20"]);
    expect(planRequests.scheduled.map(({ messageId }) => messageId)).toEqual(["c:30"]);
  });

  test("waiting: shows what was sent; changing it changes nothing", async () => {
    const { scaleActions } = createMemoryQueues();
    await scaleActions.send([actionOf("c", "a", nowSeconds)]);
    Object.assign(scaleActions.waiting[0] ?? {}, { reason: "changed" });
    expect(scaleActions.waiting).toEqual([actionOf("c", "a", nowSeconds)]);
  });

  test("scheduler events: each source gets its own, in order", async () => {
    const { schedulerEvents } = createMemoryQueues();
    const event = (source: string, atSeconds: number): SchedulerEvent => ({
      version: 1,
      cluster: "c",
      source,
      kind: "node-joined",
      nodes: [{ nodeId: "n", name: "n", hostname: null }],
      atSeconds,
    });
    for (const [source, at] of [
      ["celery", 1],
      ["slurm", 2],
      ["celery", 3],
    ] as const) {
      await schedulerEvents.send(event(source, at));
    }
    expect(schedulerEvents.of("celery").map(({ atSeconds }) => atSeconds)).toEqual([1, 3]);
    expect(schedulerEvents.of("pbs")).toEqual([]);
  });
});
