import { describe, expect, test } from "vitest";
import { ConfigurationError, InvariantError } from "../../../shared/errors/errors.ts";
import type { Rejection } from "../../../shared/ports/index.ts";
import { type ClusterStatus, clusterStatus } from "../../../shared/views/cluster-status.ts";
import { explainJob, explainTarget, lookAhead } from "../../../shared/views/index.ts";
import { nodeOf } from "../../support/cluster.ts";
import { cluster, createWorld, jobFor, type World, worldWith } from "../../support/world.ts";
import { ask } from "./explain/target-situations.ts";

async function statusOf(world: World): Promise<ClusterStatus> {
  const status = await clusterStatus(world.ports, cluster);
  if (status === undefined) throw new Error("no status");
  return status;
}

describe("clusterStatus", () => {
  test("a cluster that is not configured has none", async () => {
    const { ports } = createWorld();
    expect(await clusterStatus(ports, "hcp")).toBeUndefined();
  });

  test("before anything happened: nothing is known, which is not the same as nothing there", async () => {
    const world = createWorld();
    expect(await statusOf(world)).toMatchObject({
      cluster,
      atSeconds: world.now(),
      snapshot: null,
      demand: [],
      openOperations: 0,
      operations: [],
      plans: [],
      nextDeadlineSeconds: null,
      waiting: [],
      rejections: [],
    });
  });

  test("jobs that wait are named with their reasons", async () => {
    const world = createWorld();
    await world.post([{ name: "huge", constraints: { ncpus: 64 } }]);
    await world.round();
    expect((await statusOf(world))?.waiting).toEqual([
      {
        job: "huge",
        asked: 1,
        granted: 0,
        why: [expect.stringContaining('"huge" waits'), expect.stringContaining("too small")],
      },
    ]);
  });

  test("the reason of what waits is the first sentence of explain", async () => {
    const world = createWorld();
    await world.post([{ name: "huge", constraints: { ncpus: 64 } }, jobFor(40)]);
    await ask(world, [{ Name: "htc", TargetCount: 40 }], { requestSet: "standard" });
    await world.round();
    const outlook = await lookAhead(world.ports, cluster);
    if (outlook === undefined) throw new Error("no outlook");
    const status = await clusterStatus(world.ports, cluster, async () => outlook);
    expect(status?.waiting.map(({ job }) => job)).toEqual(["huge", "job-1"]);
    for (const { job, why } of status?.waiting ?? []) {
      const explained = explainJob(outlook, job);
      const said = explained.outcome === "explained" ? explained.answer.summary : "";
      expect(why).toHaveLength(2);
      expect(said).toContain(why[1]);
    }
    const [target] = status?.targets ?? [];
    const explained = explainTarget(outlook, target?.name ?? "");
    expect(explained.outcome === "explained" && explained.answer.summary).toContain(target?.why[1] ?? "?");
  });

  test("without a world that can be planned, the reasons are those of the newest plan", async () => {
    const world = createWorld();
    await world.post([{ name: "huge", constraints: { ncpus: 64 } }]);
    await world.round();
    const unusable = async () => {
      throw new ConfigurationError("the configuration", ["autoscale.json: no JSON"]);
    };
    const status = await clusterStatus(world.ports, cluster, unusable);
    expect(status?.waiting[0]?.why[1]).toMatch(/too small, the job asks for 64 "ncpus" per place/);
    const broken = async () => {
      throw new InvariantError("a bug");
    };
    await expect(clusterStatus(world.ports, cluster, broken)).rejects.toThrow("a bug");
  });

  test("nothing waits: nothing is planned for the page", async () => {
    const world = createWorld();
    await world.post([jobFor(1)]);
    await world.round();
    const asked: string[] = [];
    const status = await clusterStatus(world.ports, cluster, async () => {
      asked.push("an outlook");
      return undefined;
    });
    expect(status?.waiting).toEqual([]);
    expect(asked).toEqual([]);
  });

  test("the newest plan keeps codes and figures of its reasons, and no sentences", async () => {
    const world = createWorld();
    await world.post([{ name: "huge", constraints: { ncpus: 64 } }]);
    await world.round();
    const head = await world.ports.plans.loadHead(cluster);
    expect(head?.value.waiting).toEqual([
      {
        name: "huge",
        asked: 1,
        granted: 0,
        reasons: [expect.objectContaining({ code: "InsufficientResource", asked: 64, left: 4, limit: null })],
      },
    ]);
  });

  test("nodes outside every node array, such as the scheduler, are not counted", async () => {
    const nodes = [nodeOf({ name: "htc-1" }), nodeOf({ name: "scheduler", nodeArray: "scheduler" })];
    const world = worldWith({ nodes });
    await world.snapshot();
    expect((await statusOf(world))?.nodes).toEqual({ Ready: 1 });
  });

  test("nodes are counted by CycleCloud's states", async () => {
    const nodes = ["Ready", "Ready", "Failed"].map((status, index) =>
      nodeOf({ name: `htc-${index}`, status }),
    );
    const world = worldWith({ nodes });
    await world.snapshot();
    expect(await statusOf(world)).toMatchObject({
      snapshot: { takenAtSeconds: world.now(), setAside: [] },
      nodes: { Ready: 2, Failed: 1 },
    });
  });

  test("demand, plans and operations are shown in counts", async () => {
    const world = createWorld();
    await world.post([jobFor(3), jobFor(21, { name: "job-2" })]);
    await world.round();
    expect(await statusOf(world)).toMatchObject({
      demand: [{ source: "celery", sequence: 1, jobs: 2, nodes: 0, ignoredMessages: 0, expired: false }],
      openOperations: 1,
      operations: [{ actionId: "plan-0001-0000", state: "accepted", kind: "create-nodes" }],
      plans: [{ planId: "plan-0001", jobs: 2 }],
      nextDeadlineSeconds: world.now() + 60,
    });
  });

  test("an operation says how many nodes it was for", async () => {
    const world = worldWith({ nodes: [nodeOf({ name: "htc-9" })] });
    await world.round();
    world.advance(301);
    await world.round();
    await world.post([jobFor(3)]);
    world.advance(1);
    await world.plan();
    const { operations } = await statusOf(world);
    expect(operations.map(({ kind, nodes }) => [kind, nodes])).toEqual([
      ["create-nodes", 3],
      ["shutdown-nodes", 1],
    ]);
  });

  test("a source past its time to live is shown as expired", async () => {
    const world = createWorld();
    await world.post([jobFor(1)], { ttlSeconds: 60 });
    world.advance(59);
    expect(await statusOf(world)).toMatchObject({ demand: [{ expired: false }] });
    world.advance(1);
    expect(await statusOf(world)).toMatchObject({ demand: [{ expired: true, jobs: 1 }] });
  });

  test("closed operations are not counted as open, and say why they were closed", async () => {
    const world = createWorld();
    await world.post([jobFor(1)]);
    world.cycleCloud.refusal = "no such node array";
    await world.round();
    world.advance(121);
    await world.snapshot();
    const { openOperations, operations } = await statusOf(world);
    expect(openOperations).toBe(0);
    expect(operations).toMatchObject([{ state: "lost" }]);
    expect(operations[0]?.messages).toEqual([
      "no such node array",
      expect.stringContaining("does not know"),
      expect.stringContaining("did not know"),
    ]);
  });

  test("rejections of the cluster and of nobody are shown, those of other clusters are not", async () => {
    const world = createWorld();
    await world.receive({ cluster }, "own");
    world.advance(1);
    await world.receive("{", "nobody's");
    world.advance(1);
    const rejection: Rejection = {
      rejectionId: "other's",
      kind: "invalid",
      cluster: "other",
      source: undefined,
      queue: "job-demand",
      receivedAtSeconds: world.now(),
      attempts: 1,
      problems: ["bad"],
      excerpt: "",
    };
    await world.ports.rejections.add({ rejection, body: "" });
    const { rejections } = await statusOf(world);
    expect(rejections.map((rejection) => rejection.rejectionId)).toEqual(["nobody's", "own"]);
  });

  test("only the newest of everything is shown", async () => {
    const world = createWorld();
    for (let round = 0; round < 25; round += 1) {
      await world.post([jobFor(round)]);
      await world.receive("{", `rejected-${round}`);
      await world.round();
      world.cycleCloud.settle();
      world.advance(1);
    }
    const status = await statusOf(world);
    expect(status.plans[0]?.atSeconds).toBe(world.now() - 1);
    expect(status.plans).toHaveLength(5);
    expect(status.operations).toHaveLength(20);
    expect(status.rejections).toHaveLength(10);
    expect(status.rejections[0]?.rejectionId).toBe("rejected-24");
  });
});
