import { describe, expect, test } from "vitest";
import { planScale } from "../../../shared/cycle/index.ts";
import { UpstreamError } from "../../../shared/errors/errors.ts";
import { pauseCluster } from "../../../shared/operate/pause-cluster.ts";
import { type ActionDraft, requestAction } from "../../../shared/operate/request-action.ts";
import type { Ports } from "../../../shared/ports/index.ts";
import { clusterStatus } from "../../../shared/views/index.ts";
import { nodeOf } from "../../support/cluster.ts";
import { Crash, type CrashPoint, crashingAt, interposed } from "../../support/crash.ts";
import { cluster, jobFor, type World, worldWith } from "../../support/world.ts";

const requestedBy = { who: "ada", why: "it misbehaves" };

/** Nodes htc-1 to htc-N, which the planner has seen. */
async function worldOf(count: number, fields: object = {}): Promise<World> {
  const names = Array.from({ length: count }, (_, index) => `htc-${index + 1}`);
  const nodes = names.map((name) => nodeOf({ ...fields, name }));
  const world = worldWith({ nodes });
  await world.round();
  return world;
}

function shutdownOf(name: string, fields: object = {}): ActionDraft {
  const nodes = [{ nodeId: `id-${name}`, name }];
  return { kind: "shutdown-nodes", cause: "operator", nodes, ...fields };
}

function ask(ports: Ports, draft: ActionDraft, key?: string) {
  const decide = async () => ({ ask: draft });
  return requestAction(ports, { cluster, requestedBy, decide, ...(key === undefined ? {} : { key }) });
}

const staying = (world: World) =>
  world.cycleCloud.nodes.filter(({ targetState }) => targetState === "Started").map(({ name }) => name);

/** What the operations of the cluster came to, newest first. */
async function fates(world: World): Promise<readonly string[]> {
  const operations = await world.ports.operations.recent(cluster, 100);
  return operations.map(({ state, messages }) => [state, ...messages].join(": "));
}

describe("requestAction", () => {
  test("records who asked and why, sends it, and the executor does it; a snapshot closes it", async () => {
    const world = await worldOf(2);
    const outcome = await ask(world.ports, shutdownOf("htc-1"));
    expect(outcome).toMatchObject({ outcome: "requested", operation: { action: { planId: null } } });
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.operations).toMatchObject([
      { state: "sent", requestedBy, reason: "it misbehaves (asked for by ada)", kind: "shutdown-nodes" },
    ]);
    await world.settle();
    expect(staying(world)).toEqual(["htc-2"]);
    expect(await fates(world)).toEqual(["visible"]);
  });

  test("a plan made meanwhile counts on it: the node takes no job, and is not taken back as stray", async () => {
    const world = await worldOf(1);
    await ask(world.ports, shutdownOf("htc-1"));
    await world.post([jobFor(1)]);
    world.advance(1);
    await world.plan();
    const operations = await world.ports.operations.open(cluster);
    expect(operations.map(({ value }) => value.action.kind)).toEqual(["shutdown-nodes", "create-nodes"]);
    await world.settle();
    expect(world.cycleCloud.calls).toEqual(["shutdown", "create"]);
  });

  test("the same key asks once, also when the first request was carried out long ago", async () => {
    const world = await worldOf(2);
    await ask(world.ports, shutdownOf("htc-1"), "key-1");
    expect(await ask(world.ports, shutdownOf("htc-1"), "key-1")).toMatchObject({ outcome: "known" });
    await world.settle();
    const again = await ask(world.ports, shutdownOf("htc-1"), "key-1");
    expect(again).toMatchObject({ outcome: "known", operation: { state: "visible" } });
    expect(await ask(world.ports, shutdownOf("htc-2"), "key-2")).toMatchObject({ outcome: "requested" });
  });

  test("whoever decides is asked anew when another request was recorded meanwhile", async () => {
    const world = await worldOf(3);
    const seen: number[] = [];
    const decide = async () => {
      seen.push((await world.ports.operations.open(cluster)).length);
      if (seen.length === 1) await ask(world.ports, shutdownOf("htc-1"));
      return seen.length === 1 ? { ask: shutdownOf("htc-2") } : { refused: "one is enough" };
    };
    const outcome = await requestAction(world.ports, { cluster, requestedBy, decide });
    expect(outcome).toEqual({ outcome: "refused", why: "one is enough" });
    expect(seen).toEqual([0, 1]);
    expect(await fates(world)).toEqual(["sent"]);
  });

  test("who always loses the race is told so", async () => {
    const world = await worldOf(1);
    const decide = async () => {
      const other = shutdownOf("htc-1");
      await ask(world.ports, other);
      return { ask: other };
    };
    expect(await requestAction(world.ports, { cluster, requestedBy, decide })).toEqual({ outcome: "busy" });
  });

  test("its own record, written by a call whose answer was lost, is no other request", async () => {
    const world = await worldOf(1);
    const ports = interposed(world.ports, { port: "operations", method: "saveRequested" }, async (call) => {
      await call();
      return call();
    });
    expect(await ask(ports, shutdownOf("htc-1"))).toMatchObject({ outcome: "requested" });
    expect(await fates(world)).toEqual(["sent"]);
  });

  test("a cluster that is paused, read-only or unknown is asked nothing, with the reason", async () => {
    const world = await worldOf(1);
    await pauseCluster(world.ports, { cluster, by: "ada", reason: "maintenance" });
    const why = "paused by ada: maintenance";
    expect(await ask(world.ports, shutdownOf("htc-1"))).toEqual({ outcome: "held", why });
    world.configure({ cycle: { readOnly: true } });
    expect(await ask(world.ports, shutdownOf("htc-1"))).toMatchObject({ outcome: "held" });
    world.ports.configs.delete(cluster);
    expect(await ask(world.ports, shutdownOf("htc-1"))).toEqual({ outcome: "unknown-cluster" });
    expect(await fates(world)).toEqual([]);
  });

  test("words that are too long are cut", async () => {
    const world = await worldOf(1);
    const decide = async () => ({ ask: shutdownOf("htc-1") });
    const long = { who: "a".repeat(9_999), why: "b".repeat(9_999) };
    const outcome = await requestAction(world.ports, { cluster, requestedBy: long, decide });
    const action = outcome.outcome === "requested" ? outcome.operation.action : undefined;
    expect(action?.requestedBy?.who).toHaveLength(500);
    expect(action?.reason.length).toBeLessThan(1_100);
  });

  test("a queue that cannot be reached takes nothing back: the next plan sends it", async () => {
    const world = await worldOf(2);
    const ports = interposed(world.ports, { port: "scaleActions", method: "send" }, async () => {
      throw new UpstreamError("Cannot send to queue", { retryable: true });
    });
    expect(await ask(ports, shutdownOf("htc-1"))).toMatchObject({ outcome: "requested" });
    expect(await fates(world)).toEqual(["planned"]);
    await world.settle();
    expect(staying(world)).toEqual(["htc-2"]);
  });
});

const steps: readonly Omit<CrashPoint, "when">[] = [
  { port: "operations", method: "requestsTag" },
  { port: "operations", method: "saveRequested" },
  { port: "scaleActions", method: "send" },
  { port: "operations", method: "save" },
];
const points = steps.flatMap((step) =>
  (["before", "after"] as const).map((when): CrashPoint => ({ ...step, when })),
);

describe("requestAction: a run that dies", () => {
  test.each(points)("$when $port.$method: asked again with its key it is done, once", async (point) => {
    const world = await worldOf(2);
    await expect(ask(crashingAt(world.ports, point), shutdownOf("htc-1"), "key-1")).rejects.toThrow(Crash);
    await ask(world.ports, shutdownOf("htc-1"), "key-1");
    await world.settle();
    expect(staying(world)).toEqual(["htc-2"]);
    expect(world.cycleCloud.calls).toEqual(["shutdown"]);
    expect(await fates(world)).toEqual(["visible"]);
  });

  test.each(points)("$when $port.$method: what was recorded is sent by the next plan", async (point) => {
    const world = await worldOf(2);
    await expect(ask(crashingAt(world.ports, point), shutdownOf("htc-1"))).rejects.toThrow(Crash);
    const recorded = await fates(world);
    await world.settle();
    expect(staying(world)).toEqual(recorded.length === 0 ? ["htc-1", "htc-2"] : ["htc-2"]);
    expect(world.cycleCloud.calls).toEqual(recorded.length === 0 ? [] : ["shutdown"]);
  });

  test("a plan that reads between the record and the send sends it too, and it is done once", async () => {
    const world = await worldOf(2);
    const ports = interposed(world.ports, { port: "scaleActions", method: "send" }, async (call) => {
      await planScale(world.ports, { version: 1, cluster, reason: "meanwhile", atSeconds: 4e9 });
      return call();
    });
    await ask(ports, shutdownOf("htc-1"));
    await world.settle();
    expect(world.cycleCloud.calls).toEqual(["shutdown"]);
    expect(await fates(world)).toEqual(["visible"]);
  });
});

describe("executeAction: what an operator asked for", () => {
  test.each([
    ["goes, though the planner would keep it", {}, { busy: false }, "visible"],
    ["stays when it runs a job", {}, { busy: true }, "dropped: htc-1 runs a job now"],
    ["goes with its job when that was asked for", { force: true }, { busy: true }, "visible"],
  ] as const)("a node %s", async (_, fields, { busy }, fate) => {
    const world = await worldOf(1);
    await world.post([jobFor(1, busy ? { executingHostnames: ["host-htc-1"] } : {})]);
    world.advance(1);
    await world.plan();
    await ask(world.ports, shutdownOf("htc-1", fields));
    await world.execute();
    world.cycleCloud.settle();
    world.advance(1);
    await world.snapshot();
    expect((await fates(world)).at(-1)).toBe(fate);
  });

  test("a keep-alive node stays, whatever was asked for", async () => {
    const world = await worldOf(1, { keepAlive: true });
    await ask(world.ports, shutdownOf("htc-1", { force: true }));
    await world.execute();
    expect(await fates(world)).toEqual(["dropped: htc-1 is keep-alive now"]);
  });

  test("what CycleCloud says now counts, not the snapshot: keep-alive since, and gone since", async () => {
    const world = await worldOf(2);
    world.cycleCloud.change("htc-1", { keepAlive: true });
    await ask(world.ports, shutdownOf("htc-1"));
    await ask(world.ports, shutdownOf("htc-3"));
    await world.execute();
    expect((await fates(world)).toSorted()).toEqual([
      "dropped: htc-1 is keep-alive now",
      "dropped: htc-3 is gone",
    ]);
  });
});
