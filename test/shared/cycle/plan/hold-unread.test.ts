import { describe, expect, test } from "vitest";
import { executeAction } from "../../../../shared/cycle/index.ts";
import { longestUnreadSeconds } from "../../../../shared/cycle/unread-demand.ts";
import { UpstreamError } from "../../../../shared/errors/errors.ts";
import type { NodesAction } from "../../../../shared/messages/index.ts";
import type { Operation, Ports } from "../../../../shared/ports/index.ts";
import { nodeOf } from "../../../support/cluster.ts";
import { interposed } from "../../../support/crash.ts";
import { nodesAction, operationOf } from "../../../support/operation.ts";
import { cluster, createWorld, headOf, jobFor, type World, worldWith } from "../../../support/world.ts";

/** Two nodes that have been idle for so long that the next plan wants them gone. */
async function idleWorld(): Promise<World> {
  const nodes = [nodeOf({ name: "htc-1", hostname: "h1" }), nodeOf({ name: "htc-2", hostname: "h2" })];
  const world = worldWith({ nodes });
  await world.post([]);
  await world.round();
  world.advance(301);
  await world.post([]);
  await world.snapshot();
  world.advance(1);
  return world;
}

/** What the scheduler posts when a job has started on a node. */
function started(world: World, hostname: string): string {
  const sentAt = new Date(world.now() * 1000).toISOString();
  const jobs = [jobFor(1, { name: "job-b", executingHostnames: [hostname] })];
  return JSON.stringify({
    version: 1,
    kind: "snapshot",
    cluster,
    source: "celery",
    sequence: 100,
    sentAt,
    jobs,
  });
}

/** Posts to the queue; nobody reads it yet. */
async function post(world: World, text: string): Promise<void> {
  await world.ports.unreadDemand.post(text);
}

/** A host takes the oldest message that is visible, and dies or is slow. */
function hide(world: World): string {
  return world.ports.unreadDemand.take() ?? "";
}

/** The host reads what it has taken, and is done with it. */
async function read(world: World, text: string): Promise<void> {
  await world.receive(text);
  world.ports.unreadDemand.done();
}

const staying = (world: World) =>
  world.cycleCloud.nodes.filter((node) => node.targetState === "Started").map((node) => node.name);
function take(world: World) {
  const action = world.ports.scaleActions.take(world.now());
  if (action === undefined) throw new Error("no action waits");
  return action;
}

describe("unread demand: a plan", () => {
  test.each(["visible", "hidden by the lease of a host that died"])(
    "deletes no idle node while a message is %s, and looks again",
    async (how) => {
      const world = await idleWorld();
      await post(world, started(world, "h1"));
      const text = how === "visible" ? started(world, "h1") : hide(world);
      await world.plan();
      await world.execute();
      expect(staying(world)).toEqual(["htc-1", "htc-2"]);
      expect(await headOf(world)).toMatchObject({
        retire: 0,
        unread: { messages: 1, sinceSeconds: world.now(), nodes: 2 },
        nextDeadlineSeconds: world.now() + 5,
      });
      world.advance(6);
      if (how === "visible") hide(world);
      await read(world, text);
      world.advance(1);
      await world.plan();
      await world.execute();
      expect(staying(world)).toEqual(["htc-1"]);
      expect((await headOf(world))?.unread).toBeUndefined();
    },
  );

  test("asks nothing of the queue when it deletes nothing, or is read-only", async () => {
    const world = createWorld();
    let asked = 0;
    const unreadDemand = { count: async () => (asked += 1), showsAnyOf: async () => true };
    const ports = { ...world.ports, unreadDemand };
    await world.post([jobFor(2)]);
    await world.snapshot();
    world.advance(1);
    await world.planWith(ports);
    expect(asked).toBe(0);
    const idle = await idleWorld();
    idle.configure({ cycle: { readOnly: true } });
    await idle.planWith({ ...idle.ports, unreadDemand });
    expect(await headOf(idle)).toMatchObject({ retire: 2, readOnly: true });
    expect(asked).toBe(0);
  });

  test("looks less often when the wait lasts, at least every 15 seconds", async () => {
    const world = await idleWorld();
    await post(world, "unreadable");
    hide(world);
    const pauses: number[] = [];
    await world.plan();
    for (let look = 0; look < 8; look += 1) {
      const [next] = world.ports.planRequests.scheduled.filter(
        ({ request }) => request.reason === "unread demand",
      );
      if (next === undefined) throw new Error("no plan is asked for");
      pauses.push(Math.round(next.deliverAtSeconds - world.now()));
      world.advance(next.deliverAtSeconds - world.now());
      await world.post([]);
      await world.snapshot();
      await world.plan();
    }
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
    expect(pauses[0]).toBeLessThanOrEqual(6);
    expect(pauses.at(-1)).toBeLessThanOrEqual(16);
    expect(staying(world)).toEqual(["htc-1", "htc-2"]);
  });

  test("one plan looks again, however many are made meanwhile", async () => {
    const world = await idleWorld();
    await post(world, "unreadable");
    hide(world);
    for (let second = 0; second < 4; second += 1) {
      await world.plan();
      await world.post([]);
      world.advance(1);
    }
    const looks = world.ports.planRequests.scheduled.filter(
      ({ request }) => request.reason === "unread demand",
    );
    expect(looks).toHaveLength(1);
    expect(staying(world)).toEqual(["htc-1", "htc-2"]);
  });

  test("still buys what jobs need", async () => {
    const world = await idleWorld();
    await post(world, "unreadable");
    await world.post([jobFor(3)]);
    await world.plan();
    await world.execute();
    expect(world.cycleCloud.nodes).toHaveLength(3);
  });

  test("keeps its nodes while the queue does not answer, however long, and plans all the same", async () => {
    const world = await idleWorld();
    const noAnswer = () => Promise.reject(new UpstreamError("no answer", { retryable: true }));
    const deaf: Ports = { ...world.ports, unreadDemand: { count: noAnswer, showsAnyOf: noAnswer } };
    await world.planWith(deaf);
    expect(await headOf(world)).toMatchObject({ retire: 0, unread: { messages: null, nodes: 2 } });
    world.advance(longestUnreadSeconds + 60);
    await world.post([]);
    await world.snapshot();
    world.advance(1);
    await world.planWith(deaf);
    expect(await headOf(world)).toMatchObject({ retire: 0, unread: { messages: null, nodes: 2 } });
  });
});

describe("unread demand: the end of the wait", () => {
  /** A message has been unread since the plan of an hour ago. */
  async function waited(text: string, isHidden: boolean): Promise<World> {
    const world = await idleWorld();
    await post(world, text);
    if (isHidden) hide(world);
    await world.plan();
    world.advance(longestUnreadSeconds);
    await world.post([]);
    await world.snapshot();
    world.advance(1);
    return world;
  }

  test("comes after an hour for what cannot be seen: the plan deletes, the executor too, and the log has it", async () => {
    const world = await waited("unreadable", true);
    await world.plan();
    await world.execute();
    expect(staying(world)).toEqual([]);
    expect(await headOf(world)).toMatchObject({ retire: 2, unread: { messages: 1, nodes: 0 } });
    expect(world.log.filter((line) => line.startsWith("warn demand-unread"))).toHaveLength(1);
  });

  test("comes after an hour for a failed node too, which no plan holds", async () => {
    const nodes = [nodeOf({ name: "htc-1", status: "Failed", hostname: "h1" })];
    const world = worldWith({ nodes });
    await post(world, "unreadable");
    hide(world);
    const gone = () => staying(world).length === 0;
    const beganSeconds = world.now();
    while (!gone() && world.now() - beganSeconds < 2 * longestUnreadSeconds) {
      world.advance(30);
      await world.post([]);
      await world.round();
    }
    expect(gone()).toBe(true);
    const waitedSeconds = world.now() - beganSeconds;
    expect(waitedSeconds).toBeGreaterThan(longestUnreadSeconds);
    expect(waitedSeconds).toBeLessThan(longestUnreadSeconds + 900);
  });

  test("comes for a poison message that nobody can record", async () => {
    const world = await idleWorld();
    await post(world, started(world, "h1"));
    hide(world);
    world.ports.unreadDemand.giveUp();
    await world.plan();
    expect(await headOf(world)).toMatchObject({ retire: 0, unread: { messages: 1 } });
    world.advance(longestUnreadSeconds);
    await world.post([]);
    await world.snapshot();
    world.advance(1);
    await world.plan();
    expect(await headOf(world)).toMatchObject({ retire: 2 });
  });

  test("does not come while a message can be seen that names the cluster: nobody reads the queue", async () => {
    const world = await waited(started(createWorld(), "h1"), false);
    await world.plan();
    expect(await headOf(world)).toMatchObject({ retire: 0, unread: { messages: 1, nodes: 2 } });
  });

  test("is counted anew once nothing was unread", async () => {
    const world = await waited("unreadable", true);
    world.ports.unreadDemand.done();
    world.cycleCloud.change("htc-1", { keepAlive: true });
    world.cycleCloud.change("htc-2", { keepAlive: true });
    await world.snapshot();
    await world.plan();
    expect((await headOf(world))?.unread).toBeUndefined();
    for (const name of ["htc-1", "htc-2"]) world.cycleCloud.change(name, { keepAlive: false });
    await post(world, "unreadable");
    await world.round();
    world.advance(301);
    await world.post([]);
    await world.snapshot();
    world.advance(1);
    await world.plan();
    expect(await headOf(world)).toMatchObject({ unread: { sinceSeconds: world.now(), nodes: 2 } });
  });
});

describe("unread demand: the executor", () => {
  /** The same, with the action that deletes them. */
  async function retiring() {
    const world = await idleWorld();
    await world.plan();
    return { world, action: take(world) };
  }
  const operation = async (world: World): Promise<Operation | undefined> =>
    (await world.ports.operations.recent(cluster, 1))[0];

  test("waits a few seconds for a message that came after the plan, and then leaves its node alone", async () => {
    const { world, action } = await retiring();
    const text = started(world, "h1");
    await post(world, text);
    expect(await executeAction(world.ports, action)).toMatchObject({
      outcome: "waiting",
      messages: ["may take a node from a job: 1 message on the demand queue waits to be read"],
      untilSeconds: expect.toSatisfy((at) => at > world.now() && at <= world.now() + 5),
    });
    expect(await operation(world)).toMatchObject({ state: "sent", attempts: 1 });
    expect((await operation(world))?.asked).toBeUndefined();
    expect(staying(world)).toEqual(["htc-1", "htc-2"]);
    hide(world);
    await read(world, text);
    world.advance(5);
    await world.execute();
    expect(staying(world)).toEqual(["htc-1"]);
    expect(await operation(world)).toMatchObject({ state: "accepted", messages: ["htc-1 runs a job now"] });
  });

  test("sees a message that came and was read after its check, before CycleCloud is asked", async () => {
    const { world, action } = await retiring();
    const ports = interposed(world.ports, { port: "operations", method: "save" }, async (call) => {
      const saved = await call();
      await world.receive(JSON.parse(started(world, "h2")));
      return saved;
    });
    await executeAction(ports, action);
    expect(staying(world)).toEqual(["htc-2"]);
  });

  test("waits for a message that came after its check and lies unread", async () => {
    const { world, action } = await retiring();
    let saves = 0;
    const ports = interposed(world.ports, { port: "operations", method: "save" }, async (call) => {
      const saved = await call();
      saves += 1;
      if (saves === 1) await post(world, started(world, "h2"));
      return saved;
    });
    expect(await executeAction(ports, action)).toMatchObject({ outcome: "waiting" });
    expect(staying(world)).toEqual(["htc-1", "htc-2"]);
  });

  test.each([
    ["a delta whose predecessor is missing", { kind: "delta", sequence: 100 }],
    ["a part of a snapshot that is not complete", { sequence: 100, part: { index: 0, count: 2 } }],
  ])("leaves a node alone that is busy by %s", async (_what, fields) => {
    const { world, action } = await retiring();
    const message: Record<string, unknown> = JSON.parse(started(world, "h1"));
    const outcome = await world.receive({ ...message, ...fields });
    expect(outcome.outcome).toMatch(/^(parked|waiting-for-parts)$/);
    await executeAction(world.ports, action);
    expect(staying(world)).toEqual(["htc-1"]);
    expect(await operation(world)).toMatchObject({ messages: ["htc-1 runs a job now"] });
  });

  test("does not care for parts that a newer message has replaced", async () => {
    const { world, action } = await retiring();
    const message: Record<string, unknown> = JSON.parse(started(world, "h1"));
    await world.receive({ ...message, kind: "delta", sequence: 50 });
    await world.receive({ ...message, sequence: 60, jobs: [] });
    await executeAction(world.ports, action);
    expect(staying(world)).toEqual([]);
  });

  test("does not act on a look that is old by the time the demand was read", async () => {
    const { world, action } = await retiring();
    let lists = 0;
    const ports = interposed(world.ports, { port: "demand", method: "list" }, (call) => {
      lists += 1;
      if (lists === 2) world.advance(11);
      return call();
    });
    expect(await executeAction(ports, action)).toMatchObject({ outcome: "waiting" });
    expect(staying(world)).toEqual(["htc-1", "htc-2"]);
    world.advance(5);
    await world.execute();
    expect(staying(world)).toEqual([]);
  });

  test("gives the action up when it expires before the message was read", async () => {
    const { world, action } = await retiring();
    await post(world, started(world, "h1"));
    for (let look = 0; look < 200; look += 1) {
      await world.execute();
      if (look === 0) await executeAction(world.ports, action);
      world.advance(5);
    }
    expect(await operation(world)).toMatchObject({ state: "dropped", messages: [/expired/] });
    expect(staying(world)).toEqual(["htc-1", "htc-2"]);
  });

  test("tries again when the queue does not answer", async () => {
    const { world, action } = await retiring();
    const noAnswer = () => Promise.reject(new UpstreamError("no answer", { retryable: true }));
    const deaf = { ...world.ports, unreadDemand: { count: noAnswer, showsAnyOf: noAnswer } };
    expect(await executeAction(deaf, action)).toMatchObject({ outcome: "waiting", messages: ["no answer"] });
    expect(staying(world)).toEqual(["htc-1", "htc-2"]);
  });

  async function asked(world: World, fields: Partial<NodesAction>) {
    const expiresAtSeconds = world.now() + 600;
    const action = {
      ...nodesAction("shutdown-nodes", ["htc-1"]),
      expiresAtSeconds,
      ...fields,
    } as NodesAction;
    await world.ports.operations.save(operationOf(action, { state: "sent" }), undefined);
    return (await executeAction(world.ports, action)).outcome;
  }

  test.each([
    ["an operator's shutdown", { kind: "shutdown-nodes", cause: "operator" }, "waiting"],
    ["an operator's forced shutdown", { kind: "shutdown-nodes", cause: "operator", force: true }, "accepted"],
    ["a node that asked to stop", { kind: "shutdown-nodes", cause: "autostop" }, "waiting"],
    ["a restart", { kind: "restart-nodes" }, "waiting"],
    ["a forced removal", { kind: "remove-nodes", force: true }, "accepted"],
    ["a start", { kind: "start-nodes" }, "dropped"],
  ] as const)("%s: %o is %s", async (_name, fields, outcome) => {
    const world = await idleWorld();
    await post(world, started(world, "h1"));
    expect(await asked(world, fields)).toBe(outcome);
  });

  test("a node without a host name waits for no message", async () => {
    const nodes = [nodeOf({ name: "htc-1", status: "Failed", hostname: null })];
    const world = worldWith({ nodes });
    await world.snapshot();
    await post(world, started(world, "h1"));
    expect(await asked(world, { cause: "failed" })).toBe("accepted");
  });
});
