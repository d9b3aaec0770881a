import { describe, expect, test } from "vitest";
import { actionBody } from "../../../shared/api/index.ts";
import { act } from "../../../shared/operate/act.ts";
import { type Decision, pauseCluster, resumeCluster } from "../../../shared/operate/pause-cluster.ts";
import { clusterStatus } from "../../../shared/views/index.ts";
import { crashingAt } from "../../support/crash.ts";
import { cluster, createWorld, headOf, jobFor, type World } from "../../support/world.ts";

const decision: Decision = { cluster, by: "ann", reason: "quota talks" };

/** A paused world that wants two nodes. */
async function paused(): Promise<World> {
  const world = createWorld();
  await pauseCluster(world.ports, decision);
  await world.post([jobFor(2)]);
  return world;
}

describe("pauseCluster", () => {
  test("shows in the status who paused it, when and why", async () => {
    const world = await paused();
    expect(await clusterStatus(world.ports, cluster)).toMatchObject({
      paused: { by: "ann", reason: "quota talks", atSeconds: world.now() },
    });
  });

  test("plans are made, archived and shown, and nothing is sent", async () => {
    const world = await paused();
    await world.round();
    expect(await headOf(world)).toMatchObject({ create: 2, held: "paused by ann: quota talks" });
    expect(await world.ports.plans.load(cluster, "plan-0001")).toMatchObject({ actions: [{}] });
    expect(await world.ports.operations.recent(cluster, 5)).toEqual([]);
    expect(world.cycleCloud.calls).toEqual([]);
  });

  test("a dry run shows what would be asked for, and that nothing is sent now; the request itself is refused", async () => {
    const world = await paused();
    await world.snapshot();
    const body = { kind: "create-nodes", count: 1, nodeArray: "htc", by: "bob", reason: "test" } as const;
    const ask = (dryRun: boolean) =>
      act(world.ports, { cluster, body: actionBody.parse({ ...body, dryRun }) });
    expect(await ask(true)).toMatchObject({
      outcome: "answered",
      answer: {
        outcome: "would",
        problems: [],
        summary: expect.stringContaining("Nothing is sent now: paused by ann: quota talks."),
      },
    });
    expect(await ask(false)).toMatchObject({ outcome: "refused" });
  });

  test("actions that wait are dropped with that reason", async () => {
    const world = createWorld();
    await world.post([jobFor(2)]);
    await world.snapshot();
    world.advance(1);
    await world.plan();
    await pauseCluster(world.ports, decision);
    await world.execute();
    expect(world.cycleCloud.calls).toEqual([]);
    expect(await world.ports.operations.recent(cluster, 5)).toMatchObject([
      { state: "dropped", messages: ["paused by ann: quota talks"] },
    ]);
  });

  test("what was recorded by a planner that died is not sent either, and sent after the pause", async () => {
    const world = createWorld();
    await world.post([jobFor(2)]);
    await world.snapshot();
    world.advance(1);
    const dying = crashingAt(world.ports, { port: "scaleActions", method: "send", when: "before" });
    await expect(world.planWith(dying)).rejects.toThrow("crash");
    await pauseCluster(world.ports, decision);
    await world.round();
    expect(world.ports.scaleActions.waiting).toEqual([]);
    await resumeCluster(world.ports, decision);
    await world.round();
    expect(world.cycleCloud.nodes).toHaveLength(2);
  });

  test("an unknown cluster is refused", async () => {
    const { ports } = createWorld();
    const body = actionBody.parse({ kind: "pause", by: "ann", reason: "quota talks" });
    expect(await act(ports, { cluster: "hcp", body })).toEqual({ outcome: "unknown-cluster" });
    expect(await ports.controls.load("hcp")).toBeUndefined();
  });
});

describe("resumeCluster", () => {
  test("asks for a plan, whose actions are carried out", async () => {
    const world = await paused();
    await world.round();
    world.advance(100);
    await world.snapshot();
    await resumeCluster(world.ports, decision);
    world.advance(1);
    await world.plan();
    await world.execute();
    expect(world.cycleCloud.nodes).toHaveLength(2);
    expect(await headOf(world)).not.toHaveProperty("held");
    expect(await clusterStatus(world.ports, cluster)).toMatchObject({ paused: null });
  });

  test("dies before it asks for a plan: the next snapshot asks", async () => {
    const world = await paused();
    await world.round();
    const dying = crashingAt(world.ports, { port: "planRequests", method: "send", when: "before" });
    await expect(resumeCluster(dying, decision)).rejects.toThrow("crash");
    world.advance(10);
    await world.round();
    expect(world.cycleCloud.nodes).toHaveLength(2);
  });

  test("lets a refused login be tried once more", async () => {
    const world = createWorld();
    world.cycleCloud.isLoginRefused = true;
    await world.snapshot();
    world.cycleCloud.isLoginRefused = false;
    await resumeCluster(world.ports, decision);
    world.advance(60);
    await world.snapshot();
    expect(await world.ports.snapshots.load(cluster)).toBeDefined();
  });

  test("has nothing to do for a cluster that is not stopped", async () => {
    const world = createWorld();
    await resumeCluster(world.ports, decision);
    expect(world.ports.planRequests.scheduled).toEqual([]);
  });

  test("a read-only cluster stays read-only", async () => {
    const world = await paused();
    world.configure({ cycle: { readOnly: true } });
    await resumeCluster(world.ports, decision);
    await world.round();
    expect(await headOf(world)).toMatchObject({ held: "the cluster is read-only" });
    world.configure({});
    world.advance(10);
    await world.round();
    expect(world.cycleCloud.nodes).toHaveLength(2);
  });
});
