import { describe, expect, test } from "vitest";
import { executeAction } from "../../../shared/cycle/index.ts";
import { type ClusterNode, defaultSettings } from "../../../shared/engine/index.ts";
import { act } from "../../../shared/operate/act.ts";
import { requestStop } from "../../../shared/operate/request-stop.ts";
import type { Operation } from "../../../shared/ports/index.ts";
import { clusterStatus, listNodes, lookAhead } from "../../../shared/views/index.ts";
import { nodeOf } from "../../support/cluster.ts";
import { interposed } from "../../support/crash.ts";
import { cluster, jobFor, type World, worldWith } from "../../support/world.ts";

const who = { by: "alice", reason: "long debug" };

function keepAlive(world: World, names: readonly string[], fields: { on?: boolean; dryRun?: boolean } = {}) {
  const body = { kind: "keep-alive", ...who, on: true, dryRun: false, nodes: { names }, ...fields } as const;
  return act(world.ports, { cluster, body });
}

function remove(world: World, names: readonly string[]) {
  const body = { kind: "delete", ...who, dryRun: false, force: true, nodes: { names } } as const;
  return act(world.ports, { cluster, body });
}

/** Three idle nodes that a plan has seen; `htc-3` is keep-alive in CycleCloud. */
async function idleWorld(fields: Partial<ClusterNode> = {}): Promise<World> {
  const names = ["htc-1", "htc-2"];
  const nodes = [
    ...names.map((name) => nodeOf({ name, ...fields })),
    nodeOf({ name: "htc-3", keepAlive: true }),
  ];
  const world = worldWith({ nodes });
  await world.round();
  return world;
}

async function idleFor(world: World, seconds: number): Promise<void> {
  for (const endsAt = world.now() + seconds; world.now() < endsAt; world.advance(30)) await world.round();
}

function names(world: World): readonly string[] {
  return world.cycleCloud.nodes
    .filter(({ targetState }) => targetState === "Started")
    .map(({ name }) => name);
}

async function viewOf(world: World, name: string) {
  const outlook = await lookAhead(world.ports, cluster);
  if (outlook === undefined) throw new Error("The cluster is configured");
  const listed = listNodes(outlook, { name: [name], limit: 10 });
  return listed.ok ? listed.answer.nodes[0] : undefined;
}

const long = defaultSettings.idleTimeoutSeconds.default * 3;

describe("a node that an operator keeps alive", () => {
  test("outlives its idle time-out, and goes by it once it is let go", async () => {
    const world = await idleWorld();
    expect(await keepAlive(world, ["htc-1"])).toMatchObject({
      answer: { outcome: "done", actions: [{ kind: "keep-alive on", nodes: [{ name: "htc-1" }] }] },
    });
    await idleFor(world, long);
    expect(names(world)).toEqual(["htc-1", "htc-3"]);
    expect(await keepAlive(world, ["htc-1"], { on: false })).toMatchObject({ answer: { outcome: "done" } });
    await idleFor(world, long);
    expect(names(world)).toEqual(["htc-3"]);
  });

  test("takes jobs as ever", async () => {
    const world = await idleWorld();
    await keepAlive(world, ["htc-1"]);
    await world.post([jobFor(2)]);
    expect(await viewOf(world, "htc-1")).toMatchObject({
      jobs: [{ job: "job-1", slots: 1 }],
      keepAlive: true,
    });
  });

  test.each([
    ["that does not boot", { status: "Preparing", hostname: null }, {}],
    ["that failed, where failed nodes are deleted", { status: "Failed" }, { failedNodes: "delete" as const }],
    ["that failed again and again", { status: "Failed" }, { failedNodes: "retry" as const }],
  ])("%s is not deleted either", async (_, fields, engine) => {
    const world = await idleWorld({ status: "Preparing", hostname: null });
    world.configure({ engine });
    await keepAlive(world, ["htc-1"]);
    world.cycleCloud.change("htc-1", fields);
    await idleFor(world, defaultSettings.bootTimeoutSeconds.default + 60);
    expect(names(world)).toEqual(["htc-1", "htc-3"]);
  });

  test("is refused to be deleted, with who keeps it and why", async () => {
    const world = await idleWorld();
    await keepAlive(world, ["htc-1"]);
    expect(await remove(world, ["htc-1", "htc-3"])).toMatchObject({
      answer: {
        outcome: "nothing-to-do",
        skipped: [
          {
            node: "htc-1",
            why: "is kept alive by alice: long debug",
            next: "End that with `ccscale keep-alive off`.",
          },
          { node: "htc-3", why: "is keep-alive in CycleCloud" },
        ],
      },
    });
  });

  test("is not granted its wish to stop", async () => {
    const world = await idleWorld();
    await keepAlive(world, ["htc-1"]);
    const request = {
      cluster,
      instance: "id-htc-1",
      requestedBy: { who: "node", why: "idle" },
      afterIdleTime: false,
    };
    expect(await requestStop(world.ports, request)).toMatchObject({
      outcome: "refused",
      reason: "keep-alive",
    });
  });

  test("is shown with who keeps it, when and why, in nodes and in the status", async () => {
    const world = await idleWorld();
    await keepAlive(world, ["htc-1"]);
    const sinceSeconds = world.now();
    expect(await viewOf(world, "htc-1")).toMatchObject({
      keepAlive: true,
      kept: [{ kind: "keep-alive", ...who, sinceSeconds, untilSeconds: null }],
      deleteAtSeconds: null,
    });
    expect(await viewOf(world, "htc-3")).toMatchObject({ keepAlive: true, kept: [{ by: "CycleCloud" }] });
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.keptNodes).toEqual([
      { nodeId: "id-htc-1", name: "htc-1", ...who, atSeconds: sinceSeconds },
    ]);
  });

  test("is forgotten when it is gone", async () => {
    const world = await idleWorld();
    await keepAlive(world, ["htc-1"]);
    world.cycleCloud.change("htc-1", { status: "Terminated", targetState: "Terminated" });
    world.cycleCloud.settle();
    await world.round();
    expect((await clusterStatus(world.ports, cluster))?.keptNodes).toEqual([]);
    await keepAlive(world, ["htc-2"]);
    const control = (await world.ports.controls.load(cluster))?.value;
    expect(control?.keptNodes).toMatchObject([{ name: "htc-2" }]);
  });

  test("is remembered while its record cannot be read", async () => {
    const world = await idleWorld();
    await keepAlive(world, ["htc-1"]);
    const stored = await world.ports.snapshots.load(cluster);
    if (stored === undefined) throw new Error("There is a snapshot");
    const { value } = stored;
    const nodes = value.cluster.nodes.filter(({ name }) => name !== "htc-1");
    await world.ports.snapshots.save(cluster, {
      ...value,
      takenAtSeconds: world.now(),
      cluster: { ...value.cluster, nodes },
      setAside: ["node htc-1: no status"],
    });
    await keepAlive(world, ["htc-2"]);
    const control = (await world.ports.controls.load(cluster))?.value;
    expect(control?.keptNodes?.map(({ name }) => name)).toEqual(["htc-1", "htc-2"]);
  });
});

describe("keep-alive after the plan that gives a node up", () => {
  /** A plan has sent the deletion of the idle nodes, and nobody has carried it out. */
  async function givenUp(): Promise<World> {
    const world = await idleWorld();
    world.advance(long);
    await world.snapshot();
    world.advance(1);
    await world.plan();
    expect(world.ports.scaleActions.waiting).toMatchObject([{ kind: "shutdown-nodes" }]);
    return world;
  }

  test("comes before the executor's look: the node stays, the others go", async () => {
    const world = await givenUp();
    expect(await keepAlive(world, ["htc-1"])).toMatchObject({
      answer: { summary: expect.not.stringContaining("too late") },
    });
    await world.execute();
    expect(names(world)).toEqual(["htc-1", "htc-3"]);
    expect(await newest(world)).toMatchObject({ messages: ["htc-1 is keep-alive now"] });
  });

  test("comes just before CycleCloud is asked: the node stays, and the operator is told that it was close", async () => {
    const world = await givenUp();
    const action = world.ports.scaleActions.take(world.now());
    if (action === undefined) throw new Error("The plan sent an action");
    let looks = 0;
    let said: unknown;
    const ports = interposed(world.ports, { port: "controls", method: "load" }, async (call) => {
      looks += 1;
      // The first is whether the cluster is paused, the second is the look again.
      if (looks === 3) said = await keepAlive(world, ["htc-1", "htc-2"]);
      return call();
    });
    await executeAction(ports, action);
    expect(said).toMatchObject({
      answer: { outcome: "done", summary: expect.stringContaining("may be too late for htc-1, htc-2") },
    });
    expect(names(world)).toEqual(["htc-1", "htc-2", "htc-3"]);
    expect(await newest(world)).toMatchObject({
      state: "dropped",
      messages: ["htc-1 is keep-alive now", "htc-2 is keep-alive now"],
    });
  });

  test("comes after CycleCloud was asked: the answer says so", async () => {
    const world = await givenUp();
    await world.execute();
    expect(await keepAlive(world, ["htc-1"])).toMatchObject({
      answer: { summary: expect.stringContaining("may be too late for htc-1") },
    });
    await world.snapshot();
    expect(await keepAlive(world, ["htc-2"])).toMatchObject({
      answer: { outcome: "nothing-to-do", skipped: [{ node: "htc-2", why: "is on its way out" }] },
    });
  });

  async function newest(world: World): Promise<Operation | undefined> {
    return (await world.ports.operations.recent(cluster, 1))[0];
  }
});

describe("keep-alive off", () => {
  test("of a node that CycleCloud's own record keeps is refused with what to do", async () => {
    const world = await idleWorld();
    expect(await keepAlive(world, ["htc-3"], { on: false })).toMatchObject({
      answer: {
        outcome: "nothing-to-do",
        skipped: [
          {
            node: "htc-3",
            why: "is keep-alive in CycleCloud, by nobody's request here",
            next: expect.stringContaining("Take keep-alive off there"),
          },
        ],
      },
    });
  });

  test("of a node that both keep ends ours, and says that CycleCloud's stays", async () => {
    const world = await idleWorld();
    await keepAlive(world, ["htc-1"]);
    world.cycleCloud.change("htc-1", { keepAlive: true });
    await world.round();
    expect(await keepAlive(world, ["htc-1"], { on: false })).toMatchObject({
      answer: {
        outcome: "done",
        summary: expect.stringContaining("CycleCloud's own record keeps htc-1 alive"),
      },
    });
  });

  test("of a node that nobody keeps has nothing to do", async () => {
    const world = await idleWorld();
    expect(await keepAlive(world, ["htc-1"], { on: false })).toMatchObject({
      answer: { outcome: "nothing-to-do", skipped: [{ node: "htc-1", why: "is not kept alive" }] },
    });
  });
});

describe("keep-alive on", () => {
  test("twice has nothing to do, and says who came first", async () => {
    const world = await idleWorld();
    await keepAlive(world, ["htc-1"]);
    expect(await keepAlive(world, ["htc-*"])).toMatchObject({
      answer: {
        outcome: "done",
        actions: [{ nodes: [{ name: "htc-2" }] }],
        skipped: [
          { node: "htc-1", why: "is kept alive already, by alice: long debug" },
          { node: "htc-3", why: "is keep-alive already, in CycleCloud" },
        ],
      },
    });
  });

  test("as a dry run changes nothing", async () => {
    const world = await idleWorld();
    expect(await keepAlive(world, ["htc-1"], { dryRun: true })).toMatchObject({
      answer: { outcome: "would" },
    });
    expect(await world.ports.controls.load(cluster)).toBeUndefined();
  });

  test("is planned although the request for a plan was lost", async () => {
    const world = await idleWorld();
    await keepAlive(world, ["htc-1"]);
    world.ports.planRequests.takeDue(world.now() + 100);
    await world.snapshot();
    expect(world.log.at(-1)).toContain("snapshot changed");
  });
});
