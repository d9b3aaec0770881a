import { describe, expect, test } from "vitest";
import { type PlanOutcome, planScale } from "../../../../shared/cycle/plan/plan-scale.ts";
import { snapshotCluster } from "../../../../shared/cycle/snapshot/snapshot-cluster.ts";
import { retentionSeconds } from "../../../../shared/engine/index.ts";
import { ConflictError, StaleSnapshotError } from "../../../../shared/errors/errors.ts";
import type { Ports } from "../../../../shared/ports/index.ts";
import { clusterStatus } from "../../../../shared/views/index.ts";
import { bucketOf, clusterOf, nodeArrayOf, nodeOf } from "../../../support/cluster.ts";
import { crashingAt, interposed } from "../../../support/crash.ts";
import { FakeCycleCloud } from "../../../support/fake-cyclecloud.ts";
import { cluster, createWorld, headOf, jobFor, type World } from "../../../support/world.ts";

const idleSeconds = 300;
const bootSeconds = 1_800;

function planNow(world: World, ports: Ports = world.ports): Promise<PlanOutcome> {
  return planScale(ports, { version: 1, cluster, reason: "test", atSeconds: world.now() });
}

function worldWith(...nodes: Parameters<typeof nodeOf>[0][]): World {
  return createWorld(new FakeCycleCloud(clusterOf({ nodes: nodes.map(nodeOf) })));
}

describe("planScale: what was bought", () => {
  test("is in the head with why, of the newest plan that bought", async () => {
    const world = createWorld();
    await world.snapshot();
    await world.post([jobFor(3)]);
    await planNow(world);
    const bought = (await headOf(world))?.bought;
    expect(bought).toMatchObject({
      planId: "plan-0001",
      sizes: [{ nodeArray: "htc", count: 3, why: "first-choice", job: "job-1" }],
    });
    await world.execute();
    await planNow(world);
    expect(await headOf(world)).toMatchObject({ planId: "plan-0002", create: 0, bought });
    expect((await clusterStatus(world.ports, cluster))?.bought).toEqual({
      planId: "plan-0001",
      atSeconds: bought?.atSeconds,
      sizes: [expect.stringMatching(/^3 nodes .* the first size in order of preference/)],
    });
  });

  test("is nothing while plans are not sent", async () => {
    const world = createWorld();
    world.configure({ cycle: { readOnly: true } });
    await world.snapshot();
    await world.post([jobFor(3)]);
    expect(await planNow(world)).toMatchObject({ summary: { create: 3 } });
    expect((await headOf(world))?.bought).toBeNull();
  });
});

describe("planScale: demand", () => {
  test("becomes a create action, an operation and an archived plan", async () => {
    const world = createWorld();
    await world.snapshot();
    await world.post([jobFor(3)]);
    const outcome = await planNow(world);
    expect(outcome).toMatchObject({ outcome: "planned", summary: { create: 3, jobs: 1, placedJobs: 1 } });
    const [action] = world.ports.scaleActions.waiting;
    expect(action).toMatchObject({
      kind: "create-nodes",
      actionId: "plan-0001-0000",
      requestId: "request-plan-0001-0000",
      expiresAtSeconds: world.now() + 600,
      sets: [{ nodeArray: "htc", count: 3, names: ["htc-1", "htc-2", "htc-3"] }],
    });
    expect(await world.ports.operations.recent(cluster, 5)).toMatchObject([{ state: "sent", action }]);
    expect(await world.ports.plans.load(cluster, "plan-0001")).toMatchObject({ actions: [action] });
  });

  test("is not bought twice by a second plan that sees no new snapshot", async () => {
    const world = createWorld();
    await world.snapshot();
    await world.post([jobFor(3)]);
    await planNow(world);
    await world.execute();
    expect(await planNow(world)).toMatchObject({ summary: { create: 0, placedJobs: 1 } });
    expect(world.ports.scaleActions.waiting).toEqual([]);
  });

  test("that grows while operations are open buys the difference, under names of its own", async () => {
    const world = createWorld();
    await world.snapshot();
    await world.post([jobFor(2)]);
    await planNow(world);
    await world.post([jobFor(3)]);
    await planNow(world);
    expect(world.ports.scaleActions.waiting.at(-1)).toMatchObject({ sets: [{ names: ["htc-3"] }] });
  });

  test.each([
    { port: "operations", method: "open" },
    { port: "snapshots", method: "load" },
    { port: "demand", method: "list" },
  ] as const)(
    "is not bought twice when a snapshot shows its nodes just before $port.$method",
    async (moment) => {
      const world = createWorld();
      await world.snapshot();
      await world.post([jobFor(3)]);
      await planNow(world);
      await world.execute();
      const overtaken = interposed(world.ports, moment, async (call) => {
        world.advance(1);
        await snapshotCluster(world.ports, cluster);
        return call();
      });
      expect(await planNow(world, overtaken)).toMatchObject({ summary: { create: 0 } });
      expect(await world.ports.operations.open(cluster)).toEqual([]);
    },
  );

  test("that waits longest of each user is in the head, the longest first", async () => {
    const world = createWorld();
    await world.snapshot();
    const waits = (name: string, user: string, second: number) => {
      const submittedAt = new Date(second * 1_000).toISOString();
      return { name, user, submittedAt, constraints: { ncpus: 640 } };
    };
    const fits = { ...waits("fits", "cy", 1), constraints: { ncpus: 1 } };
    await world.post([fits, waits("a", "ann", 5), waits("b", "bob", 3), waits("c", "ann", 4)]);
    await planNow(world);
    expect((await headOf(world))?.longestWaits).toEqual([
      { user: "bob", job: "b", source: "celery", sinceSeconds: 3 },
      { user: "ann", job: "c", source: "celery", sinceSeconds: 4 },
    ]);
  });

  test("of a source that fell silent does not count", async () => {
    const world = createWorld();
    await world.post([jobFor(3)], { ttlSeconds: 60 });
    world.advance(60);
    await world.snapshot();
    expect(await planNow(world)).toMatchObject({ summary: { create: 0, jobs: 0 } });
  });

  test.each([
    { host: "of a node that was deleted", hostname: "ip-0A000008.cluster", create: 1 },
    { host: "that CycleCloud never had", hostname: "own-1", create: 0 },
  ])("uses a host of its scheduler $host: $create new nodes", async ({ hostname, create }) => {
    const world = worldWith({ name: "htc-1", hostname: "ip-0A000008" });
    await world.round();
    world.cycleCloud.clear();
    world.advance(60);
    await world.snapshot();
    await world.post([jobFor(1)], { nodes: [{ hostname, resources: { ncpus: 4 } }] });
    expect(await planNow(world)).toMatchObject({ summary: { create, placedJobs: 1 } });
    expect(world.log.some((line) => line.includes("gone-host"))).toBe(create > 0);
  });

  test("of several sources adds up", async () => {
    const world = createWorld();
    await world.post([jobFor(1)]);
    await world.post([jobFor(2)], { source: "slurm" });
    await world.snapshot();
    expect(await planNow(world)).toMatchObject({ summary: { create: 3, jobs: 2 } });
  });

  test("gets no node that is leaving", async () => {
    const world = worldWith({ name: "htc-1" });
    await world.round();
    world.advance(idleSeconds + 1);
    await world.snapshot();
    await planNow(world);
    expect(world.ports.scaleActions.waiting).toMatchObject([{ kind: "shutdown-nodes" }]);
    await world.post([jobFor(1)]);
    expect(await planNow(world)).toMatchObject({ summary: { create: 1, retire: 0 } });
  });
});

describe("planScale: without a fresh snapshot", () => {
  test.each([
    ["no snapshot", undefined, "never taken"],
    ["one that is too old", 301, "5m1s old"],
  ])("%s: no plan and no effect", async (_case, ageSeconds, words) => {
    const world = createWorld();
    if (ageSeconds !== undefined) await world.snapshot();
    world.advance(ageSeconds ?? 0);
    await world.post([jobFor(3)]);
    const planned = planNow(world);
    await expect(planned).rejects.toThrow(StaleSnapshotError);
    await expect(planned).rejects.toThrow(words);
    expect(await headOf(world)).toBeUndefined();
    expect(await world.ports.operations.recent(cluster, 5)).toEqual([]);
    expect(world.ports.scaleActions.waiting).toEqual([]);
  });

  test("one of exactly the greatest age will do", async () => {
    const world = createWorld();
    await world.snapshot();
    world.advance(300);
    expect(await planNow(world)).toMatchObject({ outcome: "planned" });
  });

  test("an unknown cluster is no error: its configuration was removed", async () => {
    const world = createWorld();
    world.ports.configs.delete(cluster);
    expect(await planNow(world)).toEqual({ outcome: "unknown-cluster" });
  });
});

describe("planScale: a read-only cluster", () => {
  test("gets its plan archived and nothing sent", async () => {
    const world = createWorld();
    world.configure({ cycle: { readOnly: true } });
    await world.snapshot();
    await world.post([jobFor(3)]);
    await planNow(world);
    const archived = await world.ports.plans.load(cluster, "plan-0001");
    expect(archived).toMatchObject({ summary: { readOnly: true, create: 3 }, actions: [{}] });
    expect(await world.ports.operations.recent(cluster, 5)).toEqual([]);
    expect(world.ports.scaleActions.waiting).toEqual([]);
  });
});

describe("planScale: the next deadline", () => {
  test("is null when nothing waits for the clock", async () => {
    const world = createWorld();
    await world.snapshot();
    await planNow(world);
    expect(await headOf(world)).toMatchObject({ nextDeadlineSeconds: null });
  });

  test("is the idle time-out of a node without jobs", async () => {
    const world = worldWith({ name: "htc-1" });
    await world.snapshot();
    await planNow(world);
    expect(await headOf(world)).toMatchObject({ nextDeadlineSeconds: world.now() + idleSeconds });
  });

  test("is the idle time-out also for the plan that is made in its very second", async () => {
    const world = worldWith({ name: "htc-1" });
    await world.snapshot();
    await planNow(world);
    world.advance(idleSeconds);
    await planNow(world);
    expect(world.ports.scaleActions.waiting).toEqual([]);
    expect(await headOf(world)).toMatchObject({ nextDeadlineSeconds: world.now() });
  });

  test("is the boot time-out of a node that is not up", async () => {
    const world = worldWith({ name: "htc-1", status: "Preparing" });
    await world.snapshot();
    await planNow(world);
    expect(await headOf(world)).toMatchObject({ nextDeadlineSeconds: world.now() + bootSeconds });
  });

  test("is the moment in which a source falls silent", async () => {
    const world = worldWith({ name: "htc-1" });
    await world.post([jobFor(1)], { ttlSeconds: 200 });
    await world.snapshot();
    await planNow(world);
    expect(await headOf(world)).toMatchObject({ nextDeadlineSeconds: world.now() + 200 });
  });

  test("is a minute away while jobs wait for capacity", async () => {
    const world = createWorld();
    await world.post([jobFor(21)]);
    await world.snapshot();
    await planNow(world);
    expect(await headOf(world)).toMatchObject({ placedJobs: 0, nextDeadlineSeconds: world.now() + 60 });
  });

  test.each([
    ["while jobs wait, if that is sooner than the next try", 21, 300 - 260],
    ["not while none waits", 0, null],
  ])("is the end of a back-off %s", async (_, jobs, inSeconds) => {
    const bucket = bucketOf({ secondsSinceCapacityFailure: 260 });
    const nodeArrays = [nodeArrayOf({ buckets: [bucket] })];
    const world = createWorld(new FakeCycleCloud(clusterOf({ nodeArrays })));
    if (jobs > 0) await world.post([jobFor(jobs)]);
    await world.snapshot();
    await planNow(world);
    const nextDeadlineSeconds = inSeconds === null ? null : world.now() + inSeconds;
    expect(await headOf(world)).toMatchObject({ backedOff: [{}], nextDeadlineSeconds });
  });
});

test("planScale: a request that a later plan has overtaken makes no plan of its own", async () => {
  const world = createWorld();
  await world.snapshot();
  const request = { version: 1, cluster, reason: "burst", atSeconds: world.now() } as const;
  world.advance(5);
  expect((await planScale(world.ports, request)).outcome).toBe("planned");
  world.advance(1);
  await planNow(world);
  expect((await planScale(world.ports, request)).outcome).toBe("superseded");
});

test("planScale: what a planner recorded that lost the race and died is taken back, and nothing is bought for it", async () => {
  const world = createWorld();
  await world.snapshot();
  await world.post([jobFor(4)]);
  const stalled = crashingAt(world.ports, { port: "plans", method: "saveHead", when: "before" });
  await expect(planNow(world, stalled)).rejects.toThrow("crash");
  await planNow(world);
  await planNow(world);
  await world.execute();
  expect(world.cycleCloud.nodes).toHaveLength(4);
  const states = (await world.ports.operations.recent(cluster, 10)).map((operation) => operation.state);
  expect(states.toSorted()).toEqual(["accepted", "dropped"]);
});

describe("planScale: two planners at once", () => {
  const moments = [
    { port: "operations", method: "open" },
    { port: "snapshots", method: "load" },
    { port: "demand", method: "list" },
    { port: "plans", method: "saveHead" },
  ] as const;
  const cases = moments.flatMap((moment) => [
    { ...moment, plan: "the first plan of all", hasHead: false },
    { ...moment, plan: "a later plan", hasHead: true },
  ]);

  test.each(cases)("$plan, before $port.$method: one gives way without any effect", async (moment) => {
    const world = createWorld();
    await world.snapshot();
    if (moment.hasHead) await planNow(world);
    await world.post([jobFor(3)]);
    const loser = interposed(world.ports, moment, async (call) => {
      await planNow(world);
      return call();
    });
    await expect(planNow(world, loser)).rejects.toThrow(ConflictError);
    expect(world.ports.scaleActions.waiting).toMatchObject([{ sets: [{ count: 3 }] }]);
    await planNow(world);
    expect(world.ports.scaleActions.waiting).toHaveLength(1);
  });

  test.each([
    { port: "operations", method: "save" },
    { port: "plans", method: "saveHead" },
    { port: "plans", method: "archive" },
    { port: "scaleActions", method: "send" },
    { port: "history", method: "save" },
  ] as const)("a planner that starts while another is at %o: nothing is doubled", async (moment) => {
    const world = worldWith({ name: "other-1", nodeArray: "other" });
    await world.snapshot();
    await world.post([jobFor(3)]);
    let started = false;
    const overtaken = interposed(world.ports, moment, async (call) => {
      if (!started) {
        started = true;
        await planNow(world);
      }
      return call();
    });
    await planNow(world, overtaken).catch((error: unknown) => expect(error).toBeInstanceOf(ConflictError));
    expect(started).toBe(true);
    await planNow(world);
    expect(world.ports.scaleActions.waiting).toMatchObject([{ sets: [{ count: 3 }] }]);
    const open = await world.ports.operations.open(cluster);
    expect(open.map((operation) => operation.value.state)).toEqual(["sent"]);
  });
});

describe("planScale: node history", () => {
  test("rows of nodes that are gone for more than seven days are removed, later ones stay", async () => {
    const world = worldWith({ name: "htc-1" }, { name: "htc-2" });
    await world.round();
    world.cycleCloud.change("htc-1", { targetState: "Terminated" });
    world.cycleCloud.settle();
    await world.round();
    const rows = async () => (await world.ports.history.list(cluster)).map((row) => row.nodeId);
    world.advance(retentionSeconds - 1);
    await world.snapshot();
    await planNow(world);
    expect(await rows()).toEqual(["id-htc-1", "id-htc-2"]);
    world.advance(2);
    await planNow(world);
    expect(await rows()).toEqual(["id-htc-2"]);
  });

  test("a plan in which nothing changed writes no row", async () => {
    const world = worldWith({ name: "htc-1" });
    await world.round();
    let writes = 0;
    const counting = interposed(world.ports, { port: "history", method: "save" }, (call) => {
      writes += 1;
      return call();
    });
    await planNow(world, counting);
    expect(writes).toBe(0);
  });
});
