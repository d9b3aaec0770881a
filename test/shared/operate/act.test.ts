import { describe, expect, test } from "vitest";
import { served } from "../../fuzz/served-world.ts";
import { nodeOf } from "../../support/cluster.ts";
import { cluster, worldWith } from "../../support/world.ts";
import { api, ask, refusalOf, useNodes, who } from "./asked-actions.ts";

useNodes();

describe("actions on nodes", () => {
  test.each([
    ["delete", "shutdown", ["htc-1", "htc-2"]],
    ["remove", "remove", ["htc-1", "htc-2"]],
    ["terminate", "terminate", ["htc-1", "htc-2"]],
    ["deallocate", "deallocate", ["htc-1", "htc-2"]],
    ["restart", "restart", ["htc-1", "htc-2"]],
    ["reimage", "reimage", ["htc-1", "htc-2"]],
    ["start", "start", ["stopped-1"]],
    ["retry-failed", "retry", ["failed-1"]],
  ])("%s goes the planner's way, with who asked and why", async (kind, call, names) => {
    const { world } = served;
    const answer = await ask({ kind, nodes: { names } });
    expect(answer).toMatchObject({
      outcome: "requested",
      actions: [{ nodes: names.map((name) => ({ name })) }],
    });
    const actionId = answer.actions[0]?.actionId ?? "";
    expect(await api.read("operation", { params: { actionId } })).toMatchObject({
      state: "sent",
      requestedBy: { who: "alice", why: "maintenance" },
      planId: null,
    });
    await world.execute();
    expect(world.cycleCloud.calls).toContain(call);
    expect(await api.read("operation", { params: { actionId } })).toMatchObject({ state: "accepted" });
    world.advance(1);
    await world.snapshot();
    expect(await api.read("operation", { params: { actionId } })).toMatchObject({ state: "visible" });
  });

  test("retry-failed without a selection is for all failed nodes, and for no others", async () => {
    const answer = await ask({ kind: "retry-failed" });
    expect(answer).toMatchObject({
      outcome: "requested",
      actions: [{ nodes: [{ name: "failed-1" }] }],
      skipped: [],
    });
  });

  test("a dry run records and sends nothing", async () => {
    const before = (await served.world.ports.operations.recent(cluster, 100)).length;
    const answer = await ask({ kind: "delete", nodes: { names: ["htc-*"] }, dryRun: true });
    expect(answer).toMatchObject({ outcome: "would", actions: [{ actionId: null, nodes: [{}, {}] }] });
    expect(await served.world.ports.operations.recent(cluster, 100)).toHaveLength(before);
  });

  test.each([
    ["a busy node", "delete", "busy-1", "runs job running", true],
    ["a keep-alive node", "restart", "kept-1", "is keep-alive", true],
    ["a node that is up", "start", "htc-1", "Only deallocated nodes", false],
    ["a node that has not failed", "retry-failed", "htc-1", "Only failed nodes", false],
    ["a deallocated node", "retry-failed", "stopped-1", "Only failed nodes", false],
    ["a deallocated node", "restart", "stopped-1", "Start it first: `ccscale start`", true],
    ["a deallocated node", "delete", "stopped-1", "Take it away with `ccscale remove-nodes`", true],
    ["a deallocated node", "deallocate", "stopped-1", "Nothing.", false],
  ])("%s is left alone by %s (%s), with a reason, and whether that is a refusal", async (...wanted) => {
    const [, kind, name, why, refused] = wanted;
    const answer = await ask({ kind, nodes: { names: [name] } });
    const skipped = [{ node: name, refused }];
    expect(answer).toMatchObject({ outcome: "nothing-to-do", actions: [], skipped });
    expect(JSON.stringify(answer.skipped)).toContain(why);
  });

  test("a node on its way out is left alone by what only nodes that are up can be asked for", async () => {
    await ask({ kind: "delete", nodes: { names: ["htc-1"] } });
    await served.world.execute();
    served.world.advance(1);
    await served.world.snapshot();
    const { skipped } = await ask({ kind: "reimage", nodes: { names: ["htc-1"] } });
    expect(skipped).toMatchObject([{ next: "Only nodes that are up or booting can be asked for that." }]);
  });

  test("force takes a busy node too, never a keep-alive one", async () => {
    const answer = await ask({ kind: "delete", nodes: { names: ["busy-1", "kept-1"] }, force: true });
    expect(answer).toMatchObject({
      outcome: "requested",
      actions: [{ nodes: [{ name: "busy-1" }] }],
      skipped: [{ node: "kept-1" }],
    });
    await served.world.execute();
    expect(served.world.cycleCloud.calls).toContain("shutdown");
  });

  test.each(["remove", "terminate", "deallocate", "restart", "reimage"])(
    "a node that gets a job in between is not touched by %s",
    async (kind) => {
      const { world } = served;
      const answer = await ask({ kind, nodes: { names: ["htc-1"] } });
      await world.post([{ name: "late", executingHostnames: ["host-htc-1"] }]);
      await world.execute();
      const actionId = answer.actions[0]?.actionId ?? "";
      expect(await api.read("operation", { params: { actionId } })).toMatchObject({
        state: "dropped",
        messages: ["htc-1 runs a job now"],
      });
      expect(world.cycleCloud.calls).not.toContain(kind);
    },
  );

  test("jobs that are planned on a node and do not run there keep nobody from deleting it, and are named", async () => {
    const { world } = served;
    const running = { name: "running", constraints: { ncpus: 4 }, executingHostnames: ["busy"] };
    await world.post([running, { name: "next", constraints: { ncpus: 4 } }], { capabilities: ["drain"] });
    const { nodes } = await api.read<{ nodes: { name: string; plannedJobs: string[] }[] }>("nodes");
    const planned = nodes.filter(({ plannedJobs }) => plannedJobs.length > 0);
    expect(planned.map(({ plannedJobs }) => plannedJobs)).toEqual([["next"]]);
    const names = [...planned.map(({ name }) => name), "busy-1"];
    const dry = await ask({ kind: "delete", nodes: { names }, force: true, dryRun: true });
    expect(dry.summary).toBe(
      "Would ask for shutdown-nodes: 2 nodes. 1 job is planned there, and not running there: next.",
    );
    const busy = await ask({ kind: "delete", nodes: { names: ["busy-1"] }, force: true, dryRun: true });
    expect(busy.summary).toBe("Would ask for shutdown-nodes: 1 node.");
  });

  test("what is under way is not asked for again", async () => {
    await ask({ kind: "restart", nodes: { names: ["htc-1"] } });
    expect(await ask({ kind: "delete", nodes: { names: ["htc-1"] } })).toMatchObject({
      outcome: "nothing-to-do",
      skipped: [{ why: expect.stringContaining("restart-nodes"), refused: true }],
    });
  });

  test.each(["delete", "remove", "terminate"])(
    "a delete that is under way is as good as %s",
    async (kind) => {
      await ask({ kind: "delete", nodes: { names: ["htc-1"] } });
      expect(await ask({ kind, nodes: { names: ["htc-1"] } })).toMatchObject({
        outcome: "nothing-to-do",
        skipped: [{ node: "htc-1", refused: false }],
      });
    },
  );

  test("the same idempotency key asks once", async () => {
    const headers = { "idempotency-key": "k-1" };
    const first = await ask({ kind: "start", nodes: { names: ["stopped-1"] } }, headers);
    const again = await ask({ kind: "start", nodes: { names: ["stopped-1"] } }, headers);
    expect(first.outcome).toBe("requested");
    expect(again.actions).toEqual(first.actions);
  });

  test("more nodes than one request holds become several requests, each node once", async () => {
    const many = Array.from({ length: 450 }, (_, index) => nodeOf({ name: `htc-${index}` }));
    served.world = worldWith({ nodes: many });
    await served.world.snapshot();
    const answer = await ask({ kind: "delete", nodes: { nodeArrays: ["htc"] } });
    expect(answer.actions.map((action) => action.nodes.length)).toEqual([200, 200, 50]);
    expect(new Set(answer.actions.flatMap((action) => action.nodes.map(({ nodeId }) => nodeId))).size).toBe(
      450,
    );
    expect(answer.skipped).toEqual([]);
  });

  test.each([
    [{ names: ["none-*"] }, "no node of the cluster is selected"],
    [{ constraints: [{ ncpus: -1 }] }, "constraints"],
  ])("the selection %j is refused", async (selection, problem) => {
    expect(await refusalOf({ kind: "delete", nodes: selection })).toContain(problem);
  });

  test("more than one request may ask for is said in words", async () => {
    const { status, jsonBody } = await api.call("actions", {
      body: { ...who, kind: "create-nodes", count: 100_000 },
    });
    expect({ status, jsonBody }).toMatchObject({
      status: 400,
      jsonBody: {
        title: expect.stringMatching(/^The body is not what POST .*\/actions takes$/),
        problems: ["count: 100000, expected at most 10000 nodes in one request"],
      },
    });
  });

  test("an empty selection is no selection", async () => {
    expect(await api.call("actions", { body: { ...who, kind: "delete", nodes: {} } })).toMatchObject({
      status: 400,
    });
  });

  test("a name in a header that only the platform may write is nobody's name, as the platform does not write it", async () => {
    const headers = { "x-ms-client-principal-name": "bob@example.com" };
    const answer = await ask({ kind: "delete", nodes: { names: ["htc-1"] } }, headers);
    const actionId = answer.actions[0]?.actionId ?? "";
    expect(await api.read("operation", { params: { actionId } })).toMatchObject({
      requestedBy: { who: "alice" },
    });
  });
});
