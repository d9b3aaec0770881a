import { beforeEach, describe, expect, test } from "vitest";
import type { NodeArray } from "../../../../shared/engine/index.ts";
import type { SpotSettings } from "../../../../shared/ports/index.ts";
import { explainJob, listJobs, lookAhead } from "../../../../shared/views/index.ts";
import { bucketOf, nodeArrayOf, nodeOf } from "../../../support/cluster.ts";
import { cluster, headOf, jobFor, type World, worldWith } from "../../../support/world.ts";

const settings: SpotSettings = {
  pairs: [{ spot: "htc-spot", regular: "htc" }],
  patienceSeconds: 300,
  maxRuntimeSeconds: 3_600,
  maxShare: 1,
  evictionsBeforeRegular: 2,
};

const spotBucket = bucketOf({ bucketId: "spot", vmSize: "size-spot", pricePerHourUsd: 0.2 });
const regularBucket = bucketOf({ bucketId: "regular", vmSize: "size-regular", pricePerHourUsd: 1 });
const regular = nodeArrayOf({ name: "htc", buckets: [regularBucket] });
const spot = nodeArrayOf({ name: "htc-spot", spot: true, buckets: [spotBucket] });

const policies = ["reuse", "cost"] as const;
let placement: (typeof policies)[number] = "reuse";

function worldOf(
  fields: Partial<SpotSettings> = {},
  nodeArrays: readonly NodeArray[] = [regular, spot],
  spotNodes = 0,
): World {
  const nodes = Array.from({ length: spotNodes }, (_, index) =>
    nodeOf({ name: `htc-spot-${index + 1}`, nodeArray: "htc-spot", vmSize: "size-spot", hostname: null }),
  );
  const world = worldWith({ nodeArrays, nodes });
  const engine = { placement: { default: placement, byNodeArray: {} } };
  world.configure({ engine, cycle: { spot: { ...settings, ...fields } } });
  return world;
}

const made = (world: World) =>
  world.cycleCloud.nodes.filter(({ targetState }) => targetState === "Started").map((node) => node.nodeArray);

async function wait(world: World, seconds: number, jobs: readonly Record<string, unknown>[]): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 30) {
    world.advance(30);
    await world.post(jobs, { ttlSeconds: 10_000 });
    await world.round();
  }
}

describe.each(policies)("a job with a spot array and its regular one, with placement %s", (policy) => {
  beforeEach(() => {
    placement = policy;
  });

  test.each([
    ["goes to the spot array, though it comes last", {}, {}, ["htc-spot"]],
    ["may not be interrupted: the regular one", { interruptible: false }, {}, ["htc"]],
    ["would run too long: the regular one", { runtimeSeconds: 3_601 }, {}, ["htc"]],
    ["may run as long as spot nodes take: the spot one", { runtimeSeconds: 3_600 }, {}, ["htc-spot"]],
    [
      "has a run time that nobody limits",
      { runtimeSeconds: 9_999 },
      { maxRuntimeSeconds: null },
      ["htc-spot"],
    ],
    [
      "fills the share: the regular one first",
      { iterations: 5 },
      { maxShare: 0.8 },
      ["htc", ...Array(4).fill("htc-spot")],
    ],
  ])("%s", async (_, job, fields, arrays) => {
    const world = worldOf(fields);
    await world.post([jobFor(1, job)]);
    await world.round();
    expect(made(world).toSorted()).toEqual(arrays);
  });

  test("no room for spot nodes: the rest goes to the regular one at once", async () => {
    const few = {
      ...spot,
      buckets: [bucketOf({ bucketId: "spot", vmSize: "size-spot", availableCount: 2 })],
    };
    const world = worldOf({}, [regular, few]);
    await world.post([jobFor(5)]);
    await world.round();
    expect(made(world).toSorted()).toEqual(["htc", "htc", "htc", "htc-spot", "htc-spot"]);
  });

  test("scalelib's behaviour knows no spot arrays, and no job that may not be interrupted", async () => {
    const world = worldOf({}, [spot, regular]);
    world.configure({ engine: { compatibility: "scalelib" }, cycle: { spot: settings } });
    await world.post([jobFor(1, { interruptible: false })]);
    await world.round();
    expect(made(world)).toEqual(["htc-spot"]);
  });

  test.each([
    ["gone", "htc", 'the cluster has no node array "gone"'],
    ["htc-spot", "gone", 'the cluster has no node array "gone"'],
    ["htc", "htc-spot", 'node array "htc" is not Interruptible in CycleCloud'],
    ["htc-spot", "htc-spot", 'node array "htc-spot" is Interruptible in CycleCloud, expected a regular one'],
  ])("a pair %s of %s is reported, and changes nothing", async (spot, regular, problem) => {
    const world = worldOf({ pairs: [{ spot, regular }] });
    await world.post([jobFor(1)]);
    await world.round();
    expect(made(world)).toEqual(["htc"]);
    const head = await world.ports.plans.loadHead(cluster);
    expect(head?.value.warnings.map(({ message }) => message)).toEqual([`spot.pairs: ${problem}`]);
  });

  test.each([
    ["of the pair changes nothing within it", [{ ...regular, priority: 5 }, spot], "htc-spot"],
    ["of another array goes before it", [spot, regular, { ...regular, name: "a", priority: 2 }], "a"],
  ])("a priority %s", async (_, nodeArrays, expected) => {
    const world = worldOf({}, nodeArrays);
    await world.post([jobFor(1)]);
    await world.round();
    expect(made(world)).toEqual([expected]);
  });

  test.each([
    [["Low", null, "High", "Medium"], "High"],
    [["Low", null], null],
  ])("Azure's placement score orders the sizes of a spot array: of %j it is %s", async (scores, best) => {
    const scored = scores.map((spotPlacementScore) =>
      bucketOf({
        bucketId: `${spotPlacementScore}`,
        vmSize: `size-${spotPlacementScore}`,
        spotPlacementScore,
      }),
    );
    const world = worldOf({}, [regular, { ...spot, buckets: scored }]);
    await world.post([jobFor(1)]);
    await world.round();
    expect(world.cycleCloud.nodes.map(({ vmSize }) => vmSize)).toEqual([`size-${best}`]);
  });
});

describe.each(policies)("patience, with placement %s", (policy) => {
  beforeEach(() => {
    placement = policy;
  });

  test("a job that has waited so long gets a regular node, once, and the spot order goes", async () => {
    const world = worldOf();
    const jobs = [jobFor(1)];
    await world.post(jobs, { ttlSeconds: 10_000 });
    await world.round();
    await wait(world, 270, jobs);
    expect(made(world)).toEqual(["htc-spot"]);
    await wait(world, 60, jobs);
    expect(made(world)).toEqual(["htc"]);
    await wait(world, 300, jobs);
    expect(made(world)).toEqual(["htc"]);
    expect(world.cycleCloud.calls).toEqual(["create", "create", "shutdown"]);
  });

  test("a plan is due when it ends", async () => {
    const world = worldOf();
    await world.post([jobFor(1)], { ttlSeconds: 10_000 });
    const since = world.now();
    await world.round();
    expect((await world.ports.plans.loadHead(cluster))?.value.nextDeadlineSeconds).toBe(since + 300);
  });

  test("it is counted from when the job was first seen to wait, whatever comes in between", async () => {
    const world = worldOf();
    await world.post([jobFor(1)], { ttlSeconds: 10_000 });
    world.advance(200);
    await world.post([jobFor(1, { priority: 3 })], { ttlSeconds: 10_000 });
    await world.post([], { kind: "delta", ttlSeconds: 10_000 });
    // A round takes a second.
    world.advance(99);
    await world.round();
    expect(made(world)).toEqual(["htc"]);
  });

  test("a job that ran and is queued again waits anew", async () => {
    const world = worldOf();
    await world.post([jobFor(1)], { ttlSeconds: 10_000 });
    world.advance(290);
    await world.post([jobFor(1, { executingHostnames: ["elsewhere"] })], { ttlSeconds: 10_000 });
    world.advance(100);
    await world.post([jobFor(1)], { ttlSeconds: 10_000 });
    await world.round();
    expect(made(world)).toEqual(["htc-spot"]);
  });

  test("without room on regular nodes it still gets a spot node", async () => {
    const full = {
      ...regular,
      buckets: [bucketOf({ bucketId: "regular", vmSize: "size-regular", availableCount: 0 })],
    };
    const world = worldOf({}, [full, spot]);
    await world.post([jobFor(1)], { ttlSeconds: 10_000 });
    world.advance(400);
    await world.round();
    expect(made(world)).toEqual(["htc-spot"]);
  });

  test("jobs say where they may go, why, and how long they still wait", async () => {
    const world = worldOf();
    const jobs = [
      jobFor(1),
      { ...jobFor(1, { interruptible: false }), name: "kept" },
      { ...jobFor(1, { runtimeSeconds: 9_999 }), name: "long" },
    ];
    await world.post(jobs, { ttlSeconds: 10_000 });
    await world.round();
    const stances = async () => {
      const outlook = await lookAhead(world.ports, cluster);
      const listed = outlook && listJobs(outlook, { limit: 10 });
      if (listed === undefined || !listed.ok) throw new Error("no jobs");
      return Object.fromEntries(listed.answer.jobs.map(({ job, spot }) => [job, spot]));
    };
    const off = { patienceLeftSeconds: null, evictions: 0 };
    // A round took a second.
    world.advance(99);
    expect(await stances()).toEqual({
      "job-1": { stance: "first", patienceLeftSeconds: 200, evictions: 0 },
      kept: { stance: "SpotNotInterruptible", ...off },
      long: { stance: "SpotRunTimeTooLong", ...off },
    });
    world.advance(150);
    await world.post(jobs, { ttlSeconds: 10_000 });
    world.advance(50);
    await world.snapshot();
    expect((await stances())["job-1"]).toEqual({ stance: "SpotPatienceOver", ...off });
  });

  test("the explanation says why a job stays off spot nodes", async () => {
    const full = {
      ...regular,
      buckets: [bucketOf({ bucketId: "regular", vmSize: "size-regular", availableCount: 0 })],
    };
    const world = worldOf({}, [full, spot]);
    await world.post([jobFor(1, { interruptible: false })], { ttlSeconds: 10_000 });
    await world.round();
    const outlook = await lookAhead(world.ports, cluster);
    if (outlook === undefined) throw new Error("The cluster is configured");
    const explained = JSON.stringify(explainJob(outlook, "job-1"));
    expect(explained).toContain("SpotNotInterruptible");
    expect(explained).toContain("may not be interrupted, so that it stays off spot nodes");
  });
});

/** A spot node that is up with the job on it goes, and the job is queued again. */
async function evict(world: World, afterSeconds = 10): Promise<void> {
  await world.post([jobFor(1)], { ttlSeconds: 10_000 });
  await world.round();
  world.cycleCloud.settle();
  await world.round();
  const [node] = world.cycleCloud.nodes.filter(({ status }) => status === "Ready");
  if (node === undefined || node.hostname === null) throw new Error("no node is up");
  await world.post([jobFor(1, { executingHostnames: [node.hostname] })], { ttlSeconds: 10_000 });
  world.advance(afterSeconds);
  await world.round();
  world.cycleCloud.change(node.name, { targetState: "Terminated", status: "Terminating" });
  world.advance(10);
  await world.round();
  await world.post([jobFor(1)], { ttlSeconds: 10_000 });
  world.cycleCloud.settle();
  world.advance(10);
  await world.round();
}

describe.each(policies)("evictions, with placement %s", (policy) => {
  beforeEach(() => {
    placement = policy;
  });

  test("a job that lost spot nodes twice runs on a regular one", async () => {
    const world = worldOf();
    await evict(world);
    expect(made(world)).toEqual(["htc-spot"]);
    // Longer than a size without capacity is backed off.
    await evict(world, 600);
    expect(made(world)).toEqual(["htc"]);
  });

  test("each lost node is recorded once", async () => {
    const world = worldOf();
    await evict(world);
    await world.round();
    const losses = await world.ports.losses.recent(cluster, 10);
    expect(losses.map(({ reason }) => reason)).toEqual(["SpotGone"]);
    expect(losses.map(({ jobs }) => jobs)).toEqual([["job-1"]]);
    expect((await headOf(world))?.newestLossId).toBe(losses[0]?.eventId);
  });

  test("a node that was asked to go is no loss", async () => {
    const world = worldOf();
    await world.post([jobFor(1)], { ttlSeconds: 10_000 });
    await world.round();
    world.cycleCloud.settle();
    await world.post([], { ttlSeconds: 10_000 });
    for (let round = 0; round < 20; round += 1) {
      world.advance(30);
      await world.post([], { ttlSeconds: 10_000 });
      await world.round();
    }
    expect(made(world)).toEqual([]);
    expect(await world.ports.losses.recent(cluster, 10)).toEqual([]);
  });

  test.each([
    [2, null],
    [3, 600],
    [4, 1_200],
    [6, 3_600],
    [3, 600, 12],
    [3, null, 13],
  ])(
    "a size that is taken back %i times within an hour is backed off for %o, with %o left",
    async (times, seconds, left = 0) => {
      const world = worldOf({ evictionsBeforeRegular: 100 }, [regular, spot], left);
      for (let index = 0; index <= times; index += 1)
        await world.ports.losses.add({
          cluster,
          eventId: `e${index}`,
          reason: "SpotGone",
          nodeId: `n${index}`,
          nodeName: "x",
          nodeArray: "htc-spot",
          vmSize: "size-spot",
          // One an hour before the plan.
          atSeconds: index === times ? world.now() - 3_599 : world.now(),
        });
      await world.post([jobFor(1)]);
      await world.round();
      const head = await world.ports.plans.loadHead(cluster);
      const why = `Azure took ${times} of ${times + left} spot nodes back within an hour`;
      const untilSeconds = world.now() - 1 + (seconds ?? 0);
      expect(head?.value.backedOff).toEqual(
        seconds === null ? [] : [{ nodeArray: "htc-spot", vmSize: "size-spot", untilSeconds, why }],
      );
      if (left === 0) expect(made(world)).toEqual([seconds === null ? "htc-spot" : "htc"]);
    },
  );
});
