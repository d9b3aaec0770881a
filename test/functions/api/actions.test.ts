import { beforeEach, describe, expect, test, vi } from "vitest";
import type { ActionAnswer } from "../../../shared/api/index.ts";
import { served } from "../../fuzz/served-world.ts";
import { bucketOf, clusterOf, nodeArrayOf, nodeOf } from "../../support/cluster.ts";
import { FakeCycleCloud } from "../../support/fake-cyclecloud.ts";
import { cluster, createWorld, jobFor } from "../../support/world.ts";
import { apiOf } from "./routes.ts";

// The composition root of the process, for which the world in memory stands in.
vi.mock("../../../functions/support/service.ts", () => import("../../fuzz/served-world.ts"));

const { handlers } = await import("./handlers.ts");
const api = apiOf(handlers, cluster);
const who = { by: "alice", reason: "maintenance" };

function ask(body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<ActionAnswer> {
  return api.read("actions", { body: { ...who, ...body }, headers });
}

async function refusalOf(body: Record<string, unknown>) {
  const response = await api.call("actions", { body: { ...who, ...body } });
  expect(response.status).toBe(409);
  return JSON.stringify(response.jsonBody);
}

const nodes = [
  nodeOf({ name: "htc-1" }),
  nodeOf({ name: "htc-2" }),
  nodeOf({ name: "busy-1", hostname: "busy" }),
  nodeOf({ name: "kept-1", keepAlive: true }),
  nodeOf({ name: "failed-1", status: "Failed" }),
  nodeOf({ name: "stopped-1", status: "Deallocated", targetState: "Deallocated", hostname: null }),
];

beforeEach(async () => {
  served.world = createWorld(new FakeCycleCloud(clusterOf({ nodes })));
  const { world } = served;
  await world.post([{ name: "running", constraints: { ncpus: 4 }, executingHostnames: ["busy"] }], {
    capabilities: ["drain"],
  });
  await world.round();
});

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
    const again = await ask({ kind: "start", nodes: { names: ["stopped-*"] } }, headers);
    expect(first.outcome).toBe("requested");
    expect(again.actions).toEqual(first.actions);
  });

  test("more nodes than one request holds become several requests, each node once", async () => {
    const many = Array.from({ length: 450 }, (_, index) => nodeOf({ name: `htc-${index}` }));
    served.world = createWorld(new FakeCycleCloud(clusterOf({ nodes: many })));
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

  test("on a paused cluster nothing is asked for, and a dry run says so", async () => {
    await ask({ kind: "pause" });
    expect(await refusalOf({ kind: "delete", nodes: { names: ["htc-1"] } })).toContain("paused by alice");
    expect(await ask({ kind: "delete", nodes: { names: ["htc-1"] }, dryRun: true })).toMatchObject({
      outcome: "refused",
      problems: [expect.stringContaining("paused by alice")],
    });
  });
});

describe("create-nodes", () => {
  test("makes new nodes, whatever existing ones have room", async () => {
    const { world } = served;
    const before = world.cycleCloud.nodes.length;
    const answer = await ask({ kind: "create-nodes", nodeArray: "htc", count: 3 });
    expect(answer).toMatchObject({
      outcome: "requested",
      actions: [{ create: [{ nodeArray: "htc", count: 3 }] }],
    });
    await world.execute();
    expect(world.cycleCloud.nodes).toHaveLength(before + 3);
  });

  test.each([
    [{ slots: 8 }, 2],
    [{ slots: 8, exclusive: true }, 8],
    [{ slots: 3, constraints: [{ ncpus: 2 }] }, 2],
    [{ count: 2, constraints: [{ ncpus: 1 }] }, 2],
    [{ count: 2, vmSize: "Standard_F4s_v2" }, 2],
  ])("%j means %i nodes", async (wanted, count) => {
    const { actions } = await ask({ kind: "create-nodes", ...wanted, dryRun: true });
    expect(actions[0]?.create.reduce((sum, set) => sum + set.count, 0)).toBe(count);
  });

  test("name format, keep-alive, attributes and placement group reach CycleCloud", async () => {
    await ask({
      kind: "create-nodes",
      nodeArray: "htc",
      count: 1,
      nameFormat: "login-%d",
      keepAlive: true,
      placementGroup: "pg0",
      nodeAttributes: { Comment: "for alice" },
    });
    const [operation] = await served.world.ports.operations.open(cluster);
    expect(operation?.value.action).toMatchObject({
      sets: [
        {
          names: ["login-1"],
          nameFormat: "login-%d",
          placementGroup: "pg0",
          nodeAttributes: { KeepAlive: true, Comment: "for alice" },
        },
      ],
    });
  });

  test.each(["pack", "scatter"])("hosts on premise are no new nodes (%s)", async (strategy) => {
    const hosts = ["lab-1", "lab-2", "lab-3"].map((hostname) => ({ hostname, resources: { ncpus: 64 } }));
    await served.world.post([], { nodes: hosts });
    for (const wanted of [{ count: 2 }, { slots: 2, constraints: [{ ncpus: 4 }] }]) {
      const { actions } = await ask({ kind: "create-nodes", ...wanted, strategy, dryRun: true });
      expect(actions).toMatchObject([{ create: [{ count: 2 }] }]);
    }
  });

  test("nodes on order are left out of the count, and count against the limits", async () => {
    await ask({ kind: "create-nodes", count: 10 });
    expect(await refusalOf({ kind: "create-nodes", count: 5 })).toContain("4 of 5 nodes");
    expect(await ask({ kind: "create-nodes", count: 4 })).toMatchObject({ outcome: "requested" });
  });

  test.each([
    [{ count: 21 }, "14 of 21 nodes"],
    [{ count: 1, vmSize: "Standard_None" }, "Standard_None"],
    [{ count: 1, nodeArray: "none" }, "expected one of htc"],
    [{ count: 1, constraints: [{ ncpus: 64 }] }, "too small"],
  ])("%j is refused with numbers", async (wanted, problem) => {
    expect(await refusalOf({ kind: "create-nodes", ...wanted })).toContain(problem);
  });

  test.each([{}, { count: 1, slots: 1 }, { count: 0 }, { count: 1, nameFormat: "a b" }])(
    "the body %j is refused",
    async (wanted) => {
      const body = { ...who, kind: "create-nodes", ...wanted };
      expect(await api.call("actions", { body })).toMatchObject({ status: 400 });
    },
  );
});

describe("the strategy of a creation", () => {
  /** Two sizes of an array, the first one preferred; so many nodes can be had of each. */
  function twoSizes(first: number, second: number): void {
    const large = 1_000_000;
    const limits = {
      activeCount: 0,
      region: { maxCores: large, usedCores: 0 },
      family: { maxCores: large, usedCores: 0 },
      maxPlacementGroupSize: 100,
    };
    const sizeOf = (vmSize: string, availableCount: number) =>
      bucketOf({ bucketId: vmSize, vmSize, limits: { ...limits, maxCount: availableCount, availableCount } });
    const buckets = [sizeOf("first", first), sizeOf("second", second)];
    const array = nodeArrayOf({ buckets, maxCount: large, maxCoreCount: large });
    const all = clusterOf({ nodeArrays: [array], maxCount: large, maxCoreCount: large });
    served.world = createWorld(new FakeCycleCloud(all));
  }

  const nodesBySize = async (wanted: Record<string, unknown>, dryRun = true) => {
    await served.world.snapshot();
    const { actions } = await ask({ kind: "create-nodes", ...wanted, dryRun });
    return actions.flatMap(({ create }) => create.map(({ vmSize, count }) => `${count} ${vmSize}`));
  };

  test.each([
    [{ count: 4 }, ["3 first", "1 second"]],
    [{ count: 4, strategy: "pack" }, ["3 first", "1 second"]],
    [{ count: 3, strategy: "scatter" }, ["3 first"]],
    [{ count: 4, strategy: "scatter" }, ["4 second"]],
    [{ slots: 4, constraints: [{ ncpus: 2 }] }, ["2 first"]],
    [{ slots: 3, constraints: [{ ncpus: 2 }], strategy: "scatter" }, ["3 first"]],
    [{ slots: 4, constraints: [{ ncpus: 2 }], strategy: "scatter" }, ["4 second"]],
    [{ slots: 8, strategy: "pack" }, ["2 first"]],
    [{ slots: 5, strategy: "scatter", exclusive: true }, ["5 second"]],
  ])("%j makes %j", async (wanted, made) => {
    twoSizes(3, 5);
    expect(await nodesBySize(wanted)).toEqual(made);
  });

  test("scattered nodes that no bucket has are refused, and none is made", async () => {
    twoSizes(3, 5);
    expect(await nodesBySize({ count: 6 })).toEqual(["3 first", "3 second"]);
    const refused = await refusalOf({ kind: "create-nodes", count: 6, strategy: "scatter" });
    expect(refused).toContain("no bucket can give 6 nodes now");
    expect(await served.world.ports.operations.open(cluster)).toEqual([]);
  });

  test("what takes several requests stays in one bucket, though another is preferred for the rest", async () => {
    twoSizes(1_100, 2_000);
    expect(await nodesBySize({ count: 1_150, strategy: "scatter" }, false)).toEqual([
      "1000 second",
      "150 second",
    ]);
  });

  test("any other is refused", async () => {
    const body = { ...who, kind: "create-nodes", count: 1, strategy: "spread" };
    expect(await api.call("actions", { body })).toMatchObject({
      status: 400,
      jsonBody: { problems: [expect.stringContaining("strategy")] },
    });
  });
});

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

  test("a node that is kept alive stays when its idle time is over, and says who keeps it", async () => {
    const { world } = served;
    const keep = { kind: "keep-alive", on: true, nodes: { names: ["htc-1"] } };
    expect(await ask(keep)).toMatchObject({
      outcome: "done",
      actions: [{ kind: "keep-alive on", nodes: [{ name: "htc-1" }] }],
    });
    expect(await api.read("nodes", { query: { name: "htc-1" } })).toMatchObject({
      nodes: [{ keepAlive: true, kept: { by: "alice", reason: "maintenance" } }],
    });
    expect(await api.read("status")).toMatchObject({ keptNodes: [{ name: "htc-1", by: "alice" }] });
    world.advance(301);
    await world.post([{ name: "running", executingHostnames: ["busy"] }]);
    await world.round();
    const states = new Map(world.cycleCloud.nodes.map(({ name, targetState }) => [name, targetState]));
    expect([states.get("htc-1"), states.get("htc-2")]).toEqual(["Started", "Terminated"]);
    expect(await ask({ ...keep, on: false })).toMatchObject({ outcome: "done" });
    expect(await api.read("nodes", { query: { name: "htc-1" } })).toMatchObject({
      nodes: [{ keepAlive: false, kept: null }],
    });
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
