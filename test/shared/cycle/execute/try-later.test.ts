import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { retryDelaySeconds } from "../../../../shared/cycle/execute/try-later.ts";
import { UpstreamError } from "../../../../shared/errors/errors.ts";
import type { Operation } from "../../../../shared/ports/index.ts";
import { clusterStatus } from "../../../../shared/views/index.ts";
import { cluster, createWorld, jobFor, type World } from "../../../support/world.ts";

function outageOf(fields: { readonly status?: number; readonly retryAfterSeconds?: number } = {}) {
  return new UpstreamError("Cannot reach CycleCloud: busy", { status: 503, retryable: true, ...fields });
}

/** A world with a create of two nodes on the queue, and a server that cannot answer. */
async function unanswered(outage = outageOf()): Promise<World> {
  const world = createWorld();
  await world.post([jobFor(2)], { ttlSeconds: 10_000 });
  await world.snapshot();
  world.advance(1);
  await world.plan();
  world.cycleCloud.outage = outage;
  return world;
}

async function only(world: World): Promise<Operation> {
  const [operation, ...more] = await world.ports.operations.recent(cluster, 10);
  if (operation === undefined || more.length > 0) throw new Error("expected one operation");
  return operation;
}

/** Seconds from now until the next copy comes; undefined when none does. */
function nextCopy(world: World): number | undefined {
  const [delayed, ...more] = world.ports.scaleActions.delayed;
  expect(more).toEqual([]);
  return delayed && delayed.atSeconds - world.now();
}

describe("executeAction: CycleCloud cannot answer now", () => {
  test("the message is done with, and a copy comes later, after longer and longer pauses", async () => {
    const world = await unanswered();
    const pauses: (number | undefined)[] = [];
    for (const _ of [1, 2, 3, 4, 5, 6]) {
      await world.execute();
      const pause = nextCopy(world) ?? Number.NaN;
      pauses.push(pause);
      world.advance(pause);
    }
    expect(pauses).toEqual([3.75, 7.5, 15, 30, 60, 90]);
    expect(await only(world)).toMatchObject({ state: "sent", attempts: 6 });
    expect(world.cycleCloud.asked).toBe(7);
  });

  test("when it answers again, the action is carried out, once", async () => {
    const world = await unanswered();
    await world.execute();
    await world.execute();
    expect(world.cycleCloud.asked).toBe(2);
    world.cycleCloud.outage = undefined;
    world.advance(5);
    await world.execute();
    expect(await only(world)).toMatchObject({ state: "accepted", attempts: 1, nodes: [{}, {}] });
    expect(world.cycleCloud.nodes).toHaveLength(2);
    expect(nextCopy(world)).toBeUndefined();
  });

  test("its Retry-After is kept", async () => {
    const world = await unanswered(outageOf({ status: 429, retryAfterSeconds: 77 }));
    await world.execute();
    expect(nextCopy(world)).toBe(77 + 2.5);
  });

  test("its words and the number of tries are in the status", async () => {
    const world = await unanswered();
    await world.execute();
    expect(await clusterStatus(world.ports, cluster)).toMatchObject({
      openOperations: 1,
      operations: [{ state: "sent", attempts: 1, messages: ["Cannot reach CycleCloud: busy"] }],
    });
    expect(world.log.at(-1)).toMatch(/^warn action .*"waiting"/);
  });

  test("other actions of the cluster go on meanwhile", async () => {
    const world = await unanswered();
    await world.execute();
    world.cycleCloud.outage = undefined;
    await world.post([jobFor(2), jobFor(1, { name: "job-2" })]);
    world.advance(1);
    await world.plan();
    await world.execute();
    expect(world.cycleCloud.nodes).toHaveLength(1);
    world.advance(5);
    await world.execute();
    expect(world.cycleCloud.nodes).toHaveLength(3);
  });

  test("the last copy comes when the action has expired, and closes it without a further try", async () => {
    const world = await unanswered();
    let last = 0;
    for (let next: number | undefined = 0; next !== undefined; next = nextCopy(world)) {
      last = next;
      world.advance(next);
      if (world.now() > (await only(world)).action.expiresAtSeconds) world.cycleCloud.outage = undefined;
      await world.execute();
    }
    expect(last).toBeGreaterThan(0);
    const operation = await only(world);
    const unknownSinceSeconds = operation.action.expiresAtSeconds + 1;
    expect(operation).toMatchObject({ state: "sent", unknownSinceSeconds });
    expect(operation.messages[0]).toBe("expired before its turn came");
    expect(world.cycleCloud.calls).toEqual([]);
    // Any of those tries may have had its effect, and the list may lag.
    world.advance(121);
    await world.snapshot();
    expect(await only(world)).toMatchObject({ state: "lost" });
  });

  test("expired and still no answer: it stays open, and is looked up when its time is over", async () => {
    const world = await unanswered();
    world.cycleCloud.outage = undefined;
    world.cycleCloud.fault = { afterEffect: true };
    await world.execute();
    world.cycleCloud.outage = outageOf();
    world.advance(601);
    await world.execute();
    expect(await only(world)).toMatchObject({ state: "sent" });
    expect(nextCopy(world)).toBeUndefined();
    world.cycleCloud.outage = undefined;
    world.advance(901);
    await world.snapshot();
    expect(await only(world)).toMatchObject({ state: "accepted", nodes: [{}, {}] });
  });

  test("an answer that no other try will better goes to the host", async () => {
    const world = await unanswered(new UpstreamError("Not found", { status: 404, retryable: false }));
    await expect(world.execute()).rejects.toThrow("Not found");
    expect(nextCopy(world)).toBeUndefined();
  });
});

describe("retryDelaySeconds", () => {
  const failures = fc.record({
    attempt: fc.integer({ min: 1, max: 1_000 }),
    draw: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    retryAfterSeconds: fc.option(fc.nat({ max: 10_000 }), { nil: undefined }),
  });

  test("is never shorter than Retry-After, and without one between 2.5 s and 2 minutes", () => {
    fc.assert(
      fc.property(failures, (failure) => {
        const seconds = retryDelaySeconds(failure);
        expect(seconds).toBeGreaterThanOrEqual(failure.retryAfterSeconds ?? 2.5);
        expect(seconds).toBeLessThanOrEqual(Math.max(120, (failure.retryAfterSeconds ?? 0) + 5));
      }),
    );
  });
});
