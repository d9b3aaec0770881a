import { describe, expect, test } from "vitest";
import { type ExecuteOutcome, executeAction } from "../../../../shared/cycle/execute/execute-action.ts";
import { planScale } from "../../../../shared/cycle/plan/plan-scale.ts";
import type { ScaleAction } from "../../../../shared/messages/scale-action.ts";
import type { Operation, Ports } from "../../../../shared/ports/index.ts";
import { bucketOf, nodeArrayOf, nodeOf } from "../../../support/cluster.ts";
import { interposed } from "../../../support/crash.ts";
import { cluster, jobFor, type World, worldWith } from "../../../support/world.ts";

function worldOf(fields: {
  readonly room?: number;
  readonly nodes?: readonly Parameters<typeof nodeOf>[0][];
}): World {
  const nodeArrays = [nodeArrayOf({ buckets: [bucketOf({ availableCount: fields.room ?? 20 })] })];
  const nodes = (fields.nodes ?? []).map(nodeOf);
  return worldWith({ nodeArrays, nodes });
}

/** Takes the one action that the planner sent. */
function take(world: World): ScaleAction {
  const action = world.ports.scaleActions.take();
  if (action === undefined) throw new Error("no action waits");
  return action;
}

/** A world whose planner wants `count` new nodes, and the action that says so. */
async function creating(
  count: number,
  world = worldOf({}),
): Promise<{ readonly world: World; readonly action: ScaleAction }> {
  await world.post([jobFor(count)]);
  await world.snapshot();
  world.advance(1);
  await world.plan();
  return { world, action: take(world) };
}

/** A world with two idle nodes, and the action that shuts them down. */
async function retiring(): Promise<{ readonly world: World; readonly action: ScaleAction }> {
  const world = worldOf({ nodes: [{ name: "htc-1" }, { name: "htc-2" }] });
  await world.round();
  world.advance(301);
  await world.snapshot();
  world.advance(1);
  await world.plan();
  return { world, action: take(world) };
}

async function operationOf(world: World, action: ScaleAction): Promise<Operation | undefined> {
  return (await world.ports.operations.load(cluster, action.actionId))?.value;
}

const namesOf = (world: World) => world.cycleCloud.nodes.map((node) => node.name);
const staying = (world: World) =>
  world.cycleCloud.nodes.filter((node) => node.targetState === "Started").map((node) => node.name);

describe("executeAction: create", () => {
  test("accepted: the operation knows its id, its nodes and how many there are", async () => {
    const { world, action } = await creating(2);
    expect(await executeAction(world.ports, action)).toEqual({ outcome: "accepted", messages: [] });
    expect(await operationOf(world, action)).toMatchObject({
      state: "accepted",
      operationId: "operation-1",
      added: [2],
      nodes: [{ name: "htc-1" }, { name: "htc-2" }],
      updatedAtSeconds: world.now(),
    });
  });

  test("partly added: accepted, with the server's reason", async () => {
    const { world, action } = await creating(5);
    world.cycleCloud.shrink(3);
    expect(await executeAction(world.ports, action)).toEqual({
      outcome: "accepted",
      messages: ["quota reached"],
    });
    expect(await operationOf(world, action)).toMatchObject({ added: [3], nodes: [{}, {}, {}] });
  });

  test("none added: failed, with the server's reason", async () => {
    const { world, action } = await creating(5);
    world.cycleCloud.shrink(0);
    const outcome = await executeAction(world.ports, action);
    expect(outcome).toEqual({ outcome: "failed", messages: ["quota reached"] });
    expect(world.log.at(-1)).toMatch(/^warn action .*quota reached/);
  });

  test("refused, and not known: open, with the server's words, until its lists cannot lag any more", async () => {
    const { world, action } = await creating(2);
    world.cycleCloud.refusal = "no such node array";
    const messages = ["no such node array", "CycleCloud does not know the request yet"];
    expect(await executeAction(world.ports, action)).toEqual({ outcome: "unclear", messages });
    const unknownSinceSeconds = world.now();
    expect(await operationOf(world, action)).toMatchObject({ state: "sent", messages, unknownSinceSeconds });
    world.advance(120);
    await world.snapshot();
    expect(await operationOf(world, action)).toMatchObject({ state: "sent" });
    world.advance(1);
    await world.snapshot();
    const why = `CycleCloud did not know request ${action.requestId} for 2m`;
    expect(await operationOf(world, action)).toMatchObject({ state: "lost", messages: [...messages, why] });
    expect(world.log.some((line) => line.startsWith("error operation") && line.includes(why))).toBe(true);
    expect(namesOf(world)).toEqual([]);
  });
});

describe("executeAction: two runs at once, because a session was lost", () => {
  test("one is refused, the other is not: what CycleCloud agreed to counts", async () => {
    const { world, action } = await creating(2);
    const overtaken = interposed(world.ports, { port: "operations", method: "save" }, async (call) => {
      const etag = await call();
      world.cycleCloud.refusal = "not now";
      await executeAction(world.ports, action);
      return etag;
    });
    expect(await executeAction(overtaken, action)).toMatchObject({ outcome: "accepted" });
    expect(await operationOf(world, action)).toMatchObject({
      state: "accepted",
      nodes: [{ name: "htc-1" }, { name: "htc-2" }],
    });
  });

  test.each(["create", "shutdown"])("a %s that came to an end meanwhile is not asked for", async (verb) => {
    const { world, action } = await (verb === "create" ? creating(2) : retiring());
    const overtaken = interposed(world.ports, { port: "controls", method: "load" }, async (call) => {
      const answer = await call();
      const operation = await world.ports.operations.load(cluster, action.actionId);
      if (operation?.value.state === "sent")
        await world.ports.operations.save({ ...operation.value, state: "lost" }, operation.etag);
      return answer;
    });
    expect(await executeAction(overtaken, action)).toEqual({ outcome: "already-done" });
    expect(world.cycleCloud.calls).toEqual([]);
    expect(await operationOf(world, action)).toMatchObject({ state: "lost" });
  });
});

describe("executeAction: delivered again", () => {
  test.each(["create", "shutdown"])("a %s that was carried out is not carried out again", async (verb) => {
    const { world, action } = await (verb === "create" ? creating(2) : retiring());
    await executeAction(world.ports, action);
    const before = await operationOf(world, action);
    expect(await executeAction(world.ports, action)).toEqual({ outcome: "already-done" });
    expect(world.cycleCloud.calls).toEqual([verb]);
    expect(await operationOf(world, action)).toEqual(before);
  });

  test("an action that nobody recorded is none of ours", async () => {
    const { world, action } = await creating(2);
    const stranger = { ...action, actionId: "plan-9999-0" };
    expect(await executeAction(world.ports, stranger)).toEqual({ outcome: "already-done" });
    expect(world.cycleCloud.calls).toEqual([]);
  });

  test.each([
    ["the request never arrived", { afterEffect: false }],
    ["its answer was lost", { afterEffect: true }],
  ] as const)("a create after %s: accepted with the same nodes, made once", async (_case, fault) => {
    const { world, action } = await creating(2);
    world.cycleCloud.fault = fault;
    expect(await executeAction(world.ports, action)).toMatchObject({ outcome: "waiting" });
    expect(await operationOf(world, action)).toMatchObject({ state: "sent" });
    expect(await executeAction(world.ports, action)).toMatchObject({ outcome: "accepted" });
    expect(await operationOf(world, action)).toMatchObject({ nodes: [{ name: "htc-1" }, { name: "htc-2" }] });
    expect(world.cycleCloud.calls).toEqual(["create"]);
  });

  test("a create whose nodes cannot be listed: accepted at once, the snapshots ask for them", async () => {
    const { world, action } = await creating(2);
    world.cycleCloud.fault = { afterEffect: false, on: "nodes-of-request" };
    expect(await executeAction(world.ports, action)).toMatchObject({ outcome: "accepted" });
    expect(await operationOf(world, action)).toMatchObject({ state: "accepted", nodes: [], added: [2] });
    world.advance(1);
    await world.snapshot();
    expect(await operationOf(world, action)).toMatchObject({ nodes: [{ name: "htc-1" }, { name: "htc-2" }] });
  });

  test("a create whose answer was lost and whose nodes do not show yet: accepted, and looked for later", async () => {
    const { world, action } = await creating(2);
    world.cycleCloud.fault = { afterEffect: true };
    expect(await executeAction(world.ports, action)).toMatchObject({ outcome: "waiting" });
    world.cycleCloud.isListLate = true;
    expect(await executeAction(world.ports, action)).toEqual({
      outcome: "accepted",
      messages: ["was asked for before"],
    });
    expect(await operationOf(world, action)).toMatchObject({ state: "accepted", nodes: [] });
    world.advance(1);
    await world.snapshot();
    world.advance(1);
    await world.plan();
    expect(world.ports.scaleActions.waiting).toEqual([]);
    world.cycleCloud.isListLate = false;
    await world.snapshot();
    expect(await operationOf(world, action)).toMatchObject({ nodes: [{ name: "htc-1" }, { name: "htc-2" }] });
    await world.snapshot();
    expect(await operationOf(world, action)).toMatchObject({ state: "visible" });
    expect(world.cycleCloud.calls).toEqual(["create"]);
  });

  test("a create whose answer was lost and whose nodes do not show until it has expired: accepted", async () => {
    const { world, action } = await creating(2);
    world.cycleCloud.fault = { afterEffect: true };
    expect(await executeAction(world.ports, action)).toMatchObject({ outcome: "waiting" });
    world.cycleCloud.isListLate = true;
    world.advance(601);
    expect(await executeAction(world.ports, action)).toMatchObject({ outcome: "accepted" });
  });

  test("a shutdown whose answer was lost: accepted with the same nodes", async () => {
    const { world, action } = await retiring();
    world.cycleCloud.fault = { afterEffect: true };
    expect(await executeAction(world.ports, action)).toMatchObject({ outcome: "waiting" });
    expect(await executeAction(world.ports, action)).toMatchObject({ outcome: "accepted" });
    expect(await operationOf(world, action)).toMatchObject({ nodes: [{ name: "htc-1" }, { name: "htc-2" }] });
    expect(world.cycleCloud.calls).toEqual(["shutdown"]);
  });

  test.each([
    ["has expired", (world: World) => world.advance(601)],
    ["meets a read-only cluster", (world: World) => world.configure({ cycle: { readOnly: true } })],
  ])("a create whose answer was lost and that then %s: its nodes are still known", async (_case, happens) => {
    const { world, action } = await creating(2);
    world.cycleCloud.fault = { afterEffect: true };
    expect(await executeAction(world.ports, action)).toMatchObject({ outcome: "waiting" });
    happens(world);
    expect(await executeAction(world.ports, action)).toMatchObject({ outcome: "accepted" });
    expect(await operationOf(world, action)).toMatchObject({ nodes: [{ name: "htc-1" }, { name: "htc-2" }] });
  });
});

describe("executeAction: dropped without asking the server", () => {
  test.each([
    ["expired", (world: World) => world.advance(601), "expired before its turn came"],
    [
      "no longer configured",
      (world: World) => world.ports.configs.delete(cluster),
      'cluster "hpc" is no longer configured',
    ],
    [
      "read-only by now",
      (world: World) => world.configure({ cycle: { readOnly: true } }),
      "the cluster has become read-only",
    ],
  ])("%s", async (_case, happens, words) => {
    const { world, action } = await creating(2);
    happens(world);
    expect(await executeAction(world.ports, action)).toEqual({ outcome: "dropped", messages: [words] });
    expect(world.cycleCloud.calls).toEqual([]);
    expect(await operationOf(world, action)).toMatchObject({ state: "dropped", messages: [words] });
  });
});

describe("executeAction: shutdown looks again", () => {
  test("nothing changed: both nodes go", async () => {
    const { world, action } = await retiring();
    expect(await executeAction(world.ports, action)).toMatchObject({ outcome: "accepted" });
    expect(staying(world)).toEqual([]);
  });

  test.each<readonly [string, (world: World) => unknown, string]>([
    [
      "is keep-alive by now",
      async (world) => {
        world.cycleCloud.change("htc-1", { keepAlive: true });
        await world.snapshot();
      },
      "htc-1 is keep-alive now",
    ],
    [
      "has got a job by now",
      (world) => world.post([jobFor(1, { executingHostnames: ["HOST-htc-1.example.com"] })]),
      "htc-1 runs a job now",
    ],
    [
      "is needed again",
      async (world) => {
        const rows = await world.ports.history.list(cluster);
        const needed = rows.filter((row) => row.name === "htc-1");
        await world.ports.history.save(
          cluster,
          needed.map((row) => ({ ...row, lastMatchSeconds: null })),
        );
      },
      "htc-1 is needed again",
    ],
    [
      "is gone",
      async (world) => {
        world.cycleCloud.change("htc-1", { targetState: "Terminated" });
        world.cycleCloud.settle();
        await world.snapshot();
      },
      "htc-1 is gone",
    ],
  ])("a node that %s is left out, the other one goes", async (_case, happens, words) => {
    const { world, action } = await retiring();
    await happens(world);
    expect(await executeAction(world.ports, action)).toEqual({ outcome: "accepted", messages: [words] });
    expect(await operationOf(world, action)).toMatchObject({ nodes: [{ name: "htc-2" }] });
    expect(staying(world)).not.toContain("htc-2");
    expect(staying(world)).toEqual(words.includes("gone") ? [] : ["htc-1"]);
  });

  test("a job that ran when its source fell silent keeps its node", async () => {
    const { world, action } = await retiring();
    await world.post([jobFor(1, { executingHostnames: ["host-htc-1"] })], { ttlSeconds: 10 });
    world.advance(10);
    expect(await executeAction(world.ports, action)).toMatchObject({ messages: ["htc-1 runs a job now"] });
  });

  test("no node is left: dropped, with a reason for each", async () => {
    const { world, action } = await retiring();
    await world.post([jobFor(2, { executingHostnames: ["host-htc-1", "host-htc-2"] })]);
    expect(await executeAction(world.ports, action)).toEqual({
      outcome: "dropped",
      messages: ["htc-1 runs a job now", "htc-2 runs a job now"],
    });
    expect(world.cycleCloud.calls).toEqual([]);
  });

  test("the server will not act on one node: accepted without it", async () => {
    const { world, action } = await retiring();
    world.cycleCloud.stubborn.set("htc-1", "is locked");
    expect(await executeAction(world.ports, action)).toEqual({
      outcome: "accepted",
      messages: ["htc-1: is locked"],
    });
    expect(await operationOf(world, action)).toMatchObject({ nodes: [{ name: "htc-2" }] });
  });

  test("the server will not act on any node: failed", async () => {
    const { world, action } = await retiring();
    for (const name of namesOf(world)) world.cycleCloud.stubborn.set(name, "is locked");
    expect(await executeAction(world.ports, action)).toMatchObject({ outcome: "failed" });
  });

  test("the answer was lost, and the server had left out one node: accepted without it", async () => {
    const { world, action } = await retiring();
    world.cycleCloud.stubborn.set("htc-1", "is locked");
    world.cycleCloud.fault = { afterEffect: true };
    expect(await executeAction(world.ports, action)).toMatchObject({ outcome: "waiting" });
    expect(await executeAction(world.ports, action)).toMatchObject({ outcome: "accepted" });
    expect(await operationOf(world, action)).toMatchObject({ nodes: [{ name: "htc-2" }] });
  });

  test("the server refuses the request: failed, with its words", async () => {
    const { world, action } = await retiring();
    world.cycleCloud.refusal = "the cluster is being deleted";
    expect(await executeAction(world.ports, action)).toEqual({
      outcome: "failed",
      messages: ["the cluster is being deleted"],
    });
  });

  test.each<readonly [string, Partial<Parameters<typeof nodeOf>[0]>, Record<string, unknown>, string]>([
    ["boots no longer", { status: "Preparing" }, {}, "htc-1 is ready now"],
    ["has recovered", { status: "Failed" }, { failedNodes: "delete" }, "htc-1 has not failed any more"],
  ])("a node that %s stays", async (_case, node, engine, words) => {
    const world = worldOf({ nodes: [{ name: "htc-1", ...node }] });
    world.configure({ engine });
    while (world.ports.scaleActions.waiting.length === 0) {
      world.advance(1_801);
      await world.snapshot();
      world.advance(1);
      await world.plan();
    }
    const action = take(world);
    // No snapshot has seen it yet.
    world.cycleCloud.change("htc-1", { status: "Ready" });
    expect(await executeAction(world.ports, action)).toMatchObject({ outcome: "dropped", messages: [words] });
  });
});

describe("executeAction: boot time-out", () => {
  test("a node that came up and got a job since the last snapshot stays", async () => {
    const world = worldOf({ nodes: [{ name: "htc-1", status: "Preparing", hostname: null }] });
    await world.round();
    world.advance(1_801);
    await world.snapshot();
    world.advance(1);
    await world.plan();
    const action = take(world);
    world.cycleCloud.change("htc-1", { hostname: "host-1" });
    await world.post([jobFor(1, { executingHostnames: ["host-1"] })]);
    expect(await executeAction(world.ports, action)).toMatchObject({
      outcome: "dropped",
      messages: ["htc-1 runs a job now"],
    });
    expect(world.cycleCloud.calls).toEqual([]);
  });
});

describe("executeAction: start", () => {
  const deallocated = { name: "htc-1", status: "Deallocated", targetState: "Deallocated" } as const;

  test("a deallocated node is started, none is created", async () => {
    const { world, action } = await creating(1, worldOf({ nodes: [deallocated] }));
    expect(action).toMatchObject({ kind: "start-nodes", nodes: [{ name: "htc-1" }] });
    expect(await executeAction(world.ports, action)).toMatchObject({ outcome: "accepted" });
    expect(staying(world)).toEqual(["htc-1"]);
    expect(world.cycleCloud.calls).toEqual(["start"]);
  });

  test("one that somebody else started is left out", async () => {
    const { world, action } = await creating(1, worldOf({ nodes: [deallocated] }));
    world.cycleCloud.change("htc-1", { status: "Acquiring", targetState: "Started" });
    await world.snapshot();
    expect(await executeAction(world.ports, action)).toEqual({
      outcome: "dropped",
      messages: ["htc-1 is started already"],
    });
  });
});

describe("executeAction: the planner marks the action as sent at the same moment", () => {
  const save = { port: "operations", method: "save" } as const;

  /** Ports whose planner died before it marked anything, so that the action is still `planned`. */
  async function stillPlanned(): Promise<{ readonly world: World; readonly action: ScaleAction }> {
    const { world, action } = await creating(2);
    const stored = await world.ports.operations.load(cluster, action.actionId);
    if (stored === undefined) throw new Error("no operation");
    await world.ports.operations.save({ ...stored.value, state: "planned" }, stored.etag);
    return { world, action };
  }

  async function markSent(world: World, action: ScaleAction): Promise<void> {
    const stored = await world.ports.operations.load(cluster, action.actionId);
    if (stored === undefined) throw new Error("no operation");
    await world.ports.operations.save({ ...stored.value, state: "sent" }, stored.etag);
  }

  test("just before the outcome is written: the outcome stays", async () => {
    const { world, action } = await stillPlanned();
    let marked = false;
    const ports: Ports = interposed(world.ports, save, async (call) => {
      if (!marked) await markSent(world, action);
      marked = true;
      return call();
    });
    const outcome: ExecuteOutcome = await executeAction(ports, action);
    expect(outcome).toMatchObject({ outcome: "accepted" });
    expect(await operationOf(world, action)).toMatchObject({ state: "accepted", nodes: [{}, {}] });
    expect(world.cycleCloud.calls).toEqual(["create"]);
  });

  test("just after it: the planner gives way", async () => {
    const world = worldOf({});
    await world.post([jobFor(2)]);
    await world.snapshot();
    world.advance(1);
    const fast = interposed(world.ports, { port: "scaleActions", method: "send" }, async (call) => {
      await call();
      await world.execute();
    });
    const [due] = world.ports.planRequests.takeDue(world.now());
    if (due === undefined) throw new Error("no plan is due");
    expect(await planScale(fast, due.request)).toMatchObject({ outcome: "planned" });
    expect(await world.ports.operations.recent(cluster, 5)).toMatchObject([
      { state: "accepted", nodes: [{}, {}] },
    ]);
  });
});

test("executeAction: an action whose configuration cannot be used is dropped at once, and its nodes are not waited for", async () => {
  const { world, action } = await creating(2);
  world.ports.configs.delete(cluster);
  world.ports.configs.putBroken(cluster, ["url: missing"]);
  expect(await executeAction(world.ports, action)).toMatchObject({
    outcome: "dropped",
    messages: [expect.stringContaining("url: missing")],
  });
});
