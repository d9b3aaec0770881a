import { InvocationContext } from "@azure/functions";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { planScale } from "../../functions/plan-scale.ts";
import host from "../../host.json" with { type: "json" };
import { served, service } from "../fuzz/served-world.ts";
import { cluster } from "../support/world.ts";

beforeEach(() => {
  served.renew();
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

/** The host ends an instance, with all that it does, when a run takes longer: host.json. */
const [hours = 0, minutes = 0, seconds = 0] = host.functionTimeout.split(":").map(Number);
const functionTimeoutMs = ((hours * 60 + minutes) * 60 + seconds) * 1_000;

test("a plan that finds no room leaves its session in time, and is asked for again", async () => {
  const { world } = served;
  await world.snapshot();
  await world.post([{ name: "1", constraints: { ncpus: 4 } }]);
  const context = new InvocationContext({ invocationId: "i-1", logHandler: () => {} });
  const due = () => world.ports.planRequests.takeDue(world.now());
  world.advance(1);
  const request = due().at(-1)?.request;
  const inside = Promise.withResolvers<void>();
  const holder = service.planning.take(1_000, () => inside.promise);

  const run = planScale(request, context);
  let isOver = false;
  void run.then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(functionTimeoutMs / 2);
  expect(isOver).toBe(true);
  expect(await world.ports.plans.loadHead(cluster)).toBeUndefined();
  const lines = ["plan-waits", "plan-put-off"].map(
    (event) => `info ${event} ${JSON.stringify({ cluster, size: 1 })}`,
  );
  expect(world.log).toEqual(expect.arrayContaining(lines));

  inside.resolve();
  await holder;
  world.advance(1);
  const again = due();
  expect(again).toHaveLength(1);
  await planScale(again[0]?.request, context);
  expect((await world.ports.plans.loadHead(cluster))?.value.create).toBe(1);
});
