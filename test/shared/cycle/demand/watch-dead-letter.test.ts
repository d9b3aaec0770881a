import { describe, expect, test } from "vitest";
import {
  type DeadLetter,
  watchDeadAction,
  watchDeadPlanRequest,
} from "../../../../shared/cycle/demand/watch-dead-letter.ts";
import { LoginRefusedError } from "../../../../shared/errors/errors.ts";
import type { Operation } from "../../../../shared/ports/index.ts";
import { interposed } from "../../../support/crash.ts";
import { cluster, createWorld, jobFor, type World } from "../../../support/world.ts";

/** A world in which a create of two nodes was given up by the broker. */
async function givenUp(): Promise<{ readonly world: World; readonly letter: DeadLetter }> {
  const world = createWorld();
  await world.post([jobFor(2)]);
  await world.snapshot();
  world.advance(1);
  await world.plan();
  const action = world.ports.scaleActions.take();
  if (action === undefined) throw new Error("no action");
  const facts = { messageId: action.actionId, queue: "scale-actions", attempts: 10 };
  return { world, letter: { ...facts, body: action, reason: "MaxDeliveryCountExceeded" } };
}

async function only(world: World): Promise<Operation> {
  const [operation, ...more] = await world.ports.operations.recent(cluster, 10);
  if (operation === undefined || more.length > 0) throw new Error("expected one operation");
  return operation;
}

describe("watchDeadAction: an action that was given up", () => {
  test("is recorded with why, how often it was tried, and all of it", async () => {
    const { world, letter } = await givenUp();
    await watchDeadAction(world.ports, letter);
    const [rejection] = await world.ports.rejections.list(cluster, 10);
    expect(rejection).toMatchObject({
      kind: "dead-letter",
      queue: "scale-actions",
      attempts: 10,
      problems: ["message: given up by the broker after 10 deliveries: MaxDeliveryCountExceeded"],
    });
    const kept = await world.ports.rejections.load(cluster, letter.messageId);
    expect(JSON.parse(kept?.body ?? "")).toEqual(letter.body);
    expect(world.log.filter((line) => line.startsWith("error rejected"))).toHaveLength(1);
    await watchDeadPlanRequest(world.ports, { ...letter, messageId: "long", reason: "x".repeat(2_000) });
    const long = (await world.ports.rejections.load(cluster, "long"))?.rejection.problems[0];
    expect([long?.length, long?.endsWith("x…")]).toEqual([1_001, true]);
  });

  test("closes its operation as lost and asks for a plan, which asks for the nodes again", async () => {
    const { world, letter } = await givenUp();
    world.ports.planRequests.takeDue(Number.POSITIVE_INFINITY);
    expect(await watchDeadAction(world.ports, letter)).toBe("lost");
    expect(await only(world)).toMatchObject({
      state: "lost",
      messages: [expect.stringContaining("MaxDeliveryCountExceeded")],
    });
    world.advance(1);
    expect(await world.plan()).toBe(1);
    await world.execute();
    expect(world.cycleCloud.nodes).toHaveLength(2);
  });

  test("that reached CycleCloud all the same is followed, and its nodes are not bought again", async () => {
    const { world, letter } = await givenUp();
    const { requestId, sets } = Object(letter.body);
    await world.cycleCloud.createNodes({ requestId, sets });
    expect(await watchDeadAction(world.ports, letter)).toBe("accepted");
    await world.round();
    expect(world.cycleCloud.nodes).toHaveLength(2);
  });

  test("is left to the next snapshots while CycleCloud does not say whether it has heard of it", async () => {
    const { world, letter } = await givenUp();
    world.cycleCloud.fault = { afterEffect: false, on: "nodes-of-request" };
    expect(await watchDeadAction(world.ports, letter)).toBe("unknown");
    expect(await only(world)).toMatchObject({ state: "sent" });
    expect(await world.ports.rejections.list(cluster, 10)).toHaveLength(1);
    world.advance(600 + 900 + 1);
    await world.snapshot();
    expect(await only(world)).toMatchObject({ state: "lost" });
  });

  test("does not ask CycleCloud while that refuses the login", async () => {
    const { world, letter } = await givenUp();
    let asked = 0;
    const cycleCloud = Object.assign(Object.create(world.cycleCloud), {
      nodesOfRequest: async () => {
        asked += 1;
        throw new LoginRefusedError("unauthorized");
      },
    });
    const ports = { ...world.ports, cycleCloudFor: () => cycleCloud };
    expect(await watchDeadAction(ports, letter)).toBe("unknown");
    expect(await watchDeadAction(ports, letter)).toBe("unknown");
    expect(asked).toBe(1);
    expect(await only(world)).toMatchObject({ state: "sent" });
  });

  test("whose operation is closed, or never was, changes nothing", async () => {
    const { world, letter } = await givenUp();
    await watchDeadAction(world.ports, letter);
    const before = await only(world);
    expect(await watchDeadAction(world.ports, letter)).toBe("closed-before");
    expect(await only(world)).toEqual(before);
    const strange = { ...letter, messageId: "s", body: { ...Object(letter.body), actionId: "strange" } };
    expect(await watchDeadAction(world.ports, strange)).toBe("closed-before");
  });

  test("of a cluster that is no longer configured is lost", async () => {
    const { world, letter } = await givenUp();
    world.ports.configs.delete(cluster);
    expect(await watchDeadAction(world.ports, letter)).toBe("lost");
  });

  test("is looked at again when somebody else wrote its operation meanwhile", async () => {
    const { world, letter } = await givenUp();
    let saves = 0;
    const ports = interposed(world.ports, { port: "operations", method: "save" }, async (call) => {
      saves += 1;
      if (saves === 1) {
        const stored = await world.ports.operations.load(cluster, (await only(world)).actionId);
        await world.ports.operations.save({ ...(await only(world)), state: "accepted" }, stored?.etag);
      }
      return call();
    });
    expect(await watchDeadAction(ports, letter)).toBe("closed-before");
    expect(await only(world)).toMatchObject({ state: "accepted" });
  });

  test.each([
    ["no JSON", "}{"],
    ["something else", { version: 1, hello: "there" }],
    ["nothing", undefined],
    ["nested too deeply", JSON.parse("[".repeat(20_000) + "]".repeat(20_000))],
  ])("that is %s is recorded", async (_case, body) => {
    const world = createWorld();
    const letter = { body, messageId: "m", queue: "scale-actions", reason: "MaxDeliveryCountExceeded" };
    expect(await watchDeadAction(world.ports, letter)).toBe("no-action");
    expect(await world.ports.rejections.list(undefined, 10)).toHaveLength(1);
  });
});

test("watchDeadPlanRequest: is recorded for its cluster, and asks for no plan", async () => {
  const world = createWorld();
  const body = { version: 1, cluster, reason: "demand from celery", atSeconds: 1 };
  const facts = { messageId: `${cluster}:1`, queue: "plan-requests", attempts: 5 };
  await watchDeadPlanRequest(world.ports, { ...facts, body, reason: "MaxDeliveryCountExceeded" });
  expect(await world.ports.rejections.list(cluster, 10)).toMatchObject([
    { rejectionId: `${cluster}:1`, kind: "dead-letter", queue: "plan-requests", attempts: 5 },
  ]);
  expect(world.ports.planRequests.scheduled).toEqual([]);
});
