import { describe, expect, test } from "vitest";
import { served } from "../../fuzz/served-world.ts";
import { jobFor } from "../../support/world.ts";
import { api, ask, useNodes } from "./asked-actions.ts";

useNodes();

describe("what takes effect at once", () => {
  test("pause and resume", async () => {
    expect(await ask({ kind: "pause", dryRun: true })).toMatchObject({ outcome: "would" });
    expect(await api.read("status")).toMatchObject({ paused: null });
    expect(await ask({ kind: "pause" })).toMatchObject({ outcome: "done" });
    expect(await api.read("status")).toMatchObject({ paused: { by: "alice", reason: "maintenance" } });
    expect(await ask({ kind: "resume" })).toMatchObject({ outcome: "done" });
    expect(await ask({ kind: "resume" })).toMatchObject({ outcome: "nothing-to-do" });
  });

  test("an ignored node takes no jobs and is not deleted, until it is unignored", async () => {
    const { world } = served;
    expect(await ask({ kind: "ignore", nodes: { names: ["htc-*"] } })).toMatchObject({ outcome: "done" });
    expect(await api.read("nodes", { query: { name: "htc-*" } })).toMatchObject({
      nodes: [{ ignored: true, deleteAtSeconds: null }, { ignored: true }],
    });
    world.advance(3_600);
    await world.round();
    const before = new Map(world.cycleCloud.nodes.map(({ name, targetState }) => [name, targetState]));
    expect(before.get("htc-1")).toBe("Started");
    expect(await ask({ kind: "unignore", nodes: { names: ["htc-1"] } })).toMatchObject({ outcome: "done" });
    await world.round();
    world.advance(301);
    await world.round();
    const after = new Map(world.cycleCloud.nodes.map(({ name, targetState }) => [name, targetState]));
    expect([after.get("htc-1"), after.get("htc-2")]).toEqual(["Terminated", "Started"]);
  });

  test("a deletion that the planner asked for is dropped when its node is ignored in between", async () => {
    const { world } = served;
    world.advance(301);
    await world.post([{ name: "running", executingHostnames: ["busy"] }]);
    await world.snapshot();
    world.advance(1);
    await world.plan();
    await ask({ kind: "ignore", nodes: { names: ["htc-1"] } });
    await world.execute();
    const states = new Map(world.cycleCloud.nodes.map(({ name, targetState }) => [name, targetState]));
    expect([states.get("htc-1"), states.get("htc-2")]).toEqual(["Started", "Terminated"]);
  });

  test("drain is carried out by the next plan, which tells the schedulers that can", async () => {
    const { world } = served;
    await world.post([{ name: "running", constraints: { ncpus: 4 }, executingHostnames: ["busy"] }], {
      capabilities: ["drain"],
      nodes: [{ hostname: "busy" }],
    });
    const answer = await ask({ kind: "drain", nodes: { names: ["busy-1", "stopped-1"] } });
    expect(answer).toMatchObject({
      outcome: "done",
      summary: expect.stringContaining('informs "celery"'),
      actions: [{ kind: "drain", nodes: [{ name: "busy-1" }] }],
      skipped: [{ node: "stopped-1" }],
    });
    expect(await api.read("nodes", { query: { name: "busy-1" } })).toMatchObject({
      nodes: [{ draining: { reason: "drained by alice: maintenance" } }],
    });
    await world.round();
    expect(await api.read("status")).toMatchObject({ draining: [{ name: "busy-1", phase: "draining" }] });
    expect(served.world.ports.schedulerEvents.of("celery")).toContainEqual(
      expect.objectContaining({
        kind: "drain",
        source: "celery",
        nodes: [expect.objectContaining({ name: "busy-1" })],
      }),
    );
  });

  test("drain says what it cannot promise", async () => {
    const drain = { kind: "drain", nodes: { names: ["htc-1"] } };
    await ask({ kind: "pause" });
    expect(await ask({ ...drain, dryRun: true })).toMatchObject({
      outcome: "would",
      summary: expect.stringContaining("once plans are sent again: paused by alice"),
    });
    await served.world.post([jobFor(1)], { capabilities: [] });
    expect(await ask(drain)).toMatchObject({
      outcome: "done",
      summary: expect.stringContaining("No live source of the cluster can drain nodes"),
    });
    expect(await ask(drain)).toMatchObject({
      outcome: "nothing-to-do",
      skipped: [{ node: "htc-1", why: "is drained already, by alice: maintenance" }],
    });
  });

  test("a drained node gets no jobs until it is undrained", async () => {
    const { world } = served;
    const nodes = { names: ["htc-*"] };
    const job = { name: "j", constraints: { ncpus: 4, "node.hostname": "host-htc-1" } };
    const jobsOn = async () => {
      const answer: { nodes: { jobs: unknown[] }[] } = await api.read("nodes", { query: { name: "htc-1" } });
      return answer.nodes[0]?.jobs;
    };
    await ask({ kind: "drain", nodes });
    await world.post([job]);
    expect(await jobsOn()).toEqual([]);
    expect(await ask({ kind: "undrain", nodes: { names: ["htc-1"] } })).toMatchObject({
      outcome: "done",
      actions: [{ kind: "undrain", nodes: [{ name: "htc-1" }] }],
    });
    expect(await jobsOn()).toEqual([{ job: "j", slots: 1 }]);
    expect(await ask({ kind: "undrain", nodes })).toMatchObject({
      outcome: "done",
      actions: [{ nodes: [{ name: "htc-2" }] }],
      skipped: [{ node: "htc-1", why: "is not drained by anybody's request" }],
    });
    expect(await ask({ kind: "undrain", nodes })).toMatchObject({ outcome: "nothing-to-do" });
  });
});
