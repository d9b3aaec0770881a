import { describe, expect, test } from "vitest";
import { requestStop } from "../../../../shared/operate/index.ts";
import { clusterStatus } from "../../../../shared/views/index.ts";
import { bucketOf, nodeArrayOf } from "../../../support/cluster.ts";
import { cluster, createWorld, jobFor, type World, worldWith } from "../../../support/world.ts";

const small = "Standard_F4s_v2";
const large = "Standard_F8s_v2";

/** Room for 100 nodes of 4 cores and 100 of 8 in the array "htc". */
function worldOfTwoSizes(): World {
  const bigger = bucketOf({ vmSize: large, bucketId: "bucket-f8", availableCount: 100 });
  const buckets = [
    bucketOf({ availableCount: 100 }),
    { ...bigger, vm: { ...bigger.vm, vcpuCount: 8, vcpuQuotaCount: 8 } },
  ];
  return worldWith({ nodeArrays: [nodeArrayOf({ buckets })] });
}

let sequence = 0;

function ask(world: World, arrays: readonly Record<string, unknown>[], fields: Record<string, unknown> = {}) {
  sequence += 1;
  return world.receive({
    version: 1,
    kind: "targets",
    cluster,
    source: "cron",
    sequence,
    sentAt: new Date(world.now() * 1000).toISOString(),
    arrays,
    ...fields,
  });
}

async function settle(world: World): Promise<void> {
  world.cycleCloud.settle();
  world.advance(1);
  await world.round();
}

/** Rounds a minute apart, in each of which `each` may ask again. */
async function minutes(world: World, count: number, each?: () => Promise<unknown>): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    world.advance(59);
    await each?.();
    await world.round();
    world.cycleCloud.settle();
  }
}

function namesOf(world: World): string[] {
  return world.cycleCloud.nodes
    .filter(({ targetState }) => targetState === "Started")
    .map(({ name }) => name);
}

const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}-${index + 1}`);

describe("targets of the autoscale API", () => {
  test("128 cores are 32 nodes of 4, asked for once, and no more when asked again", async () => {
    const world = worldOfTwoSizes();
    const request = [{ Name: "htc", TargetCoreCount: 128 }];
    await ask(world, request);
    await world.round();
    expect(namesOf(world)).toEqual(numbered("htc", 32));
    await settle(world);
    await minutes(world, 10, () => ask(world, request));
    expect(namesOf(world)).toHaveLength(32);
    expect(world.cycleCloud.calls).toEqual(["create"]);
  });

  test("five minutes after the last request the nodes begin to idle, and go after the idle time-out", async () => {
    const world = worldOfTwoSizes();
    await ask(world, [{ Name: "htc", TargetCount: 3 }]);
    await world.round();
    await settle(world);
    await minutes(world, 4);
    const deadline = (await world.ports.plans.loadHead(cluster))?.value.nextDeadlineSeconds;
    expect(deadline).toBe((await world.ports.targets.load(cluster, "standard"))?.value.expiresAtSeconds);
    await minutes(world, 5);
    expect(namesOf(world)).toHaveLength(3);
    await minutes(world, 3);
    expect(namesOf(world)).toEqual([]);
  });

  test("a longer interval holds longer", async () => {
    const world = worldOfTwoSizes();
    await ask(world, [{ Name: "htc", TargetCount: 3 }], { expirationInterval: 3_600 });
    await minutes(world, 55);
    expect(namesOf(world)).toHaveLength(3);
    await minutes(world, 15);
    expect(namesOf(world)).toEqual([]);
  });

  test("jobs on the same array count towards the target, whichever came first", async () => {
    for (const isJobFirst of [true, false]) {
      const world = worldOfTwoSizes();
      const steps = [() => world.post([jobFor(4)]), () => ask(world, [{ Name: "htc", TargetCount: 6 }])];
      for (const step of isJobFirst ? steps : steps.toReversed()) {
        await step();
        await world.round();
      }
      expect(namesOf(world)).toHaveLength(6);
    }
  });

  test("when the jobs are done the floor stays, and the rest goes", async () => {
    const world = worldOfTwoSizes();
    const request = [{ Name: "htc", TargetCount: 2 }];
    await ask(world, request);
    await world.post([jobFor(5)]);
    await world.round();
    await settle(world);
    await world.post([]);
    await minutes(world, 8, () => ask(world, request));
    expect(namesOf(world)).toEqual(["htc-1", "htc-2"]);
  });

  test("two sets come to the larger wish, and each holds for its own time", async () => {
    const world = worldOfTwoSizes();
    await ask(world, [{ Name: "htc", TargetCount: 5 }], { requestSet: "mpi" });
    await ask(world, [{ Name: "htc", TargetCoreCount: 12 }], { expirationInterval: 3_600 });
    await world.round();
    expect(namesOf(world)).toHaveLength(5);
    await settle(world);
    await minutes(world, 12);
    expect(namesOf(world)).toEqual(numbered("htc", 3));
  });

  test("a dynamic array beside the array that it extends: its nodes are known again, swept when it is left out, and forgotten", async () => {
    const world = worldOfTwoSizes();
    const htc = { Name: "htc", TargetCoreCount: 16 };
    const special = {
      Name: "special",
      Extends: "htc",
      Dynamic: true,
      TargetCount: 3,
      Configuration: { application_version: "1.2.3" },
    };
    await ask(world, [htc, special]);
    await world.round();
    expect(namesOf(world)).toEqual([...numbered("htc", 4), ...numbered("special", 3)]);
    await settle(world);
    expect(world.cycleCloud.nodes.at(-1)).toMatchObject({
      nodeArray: "htc",
      dynamicArray: "special",
      softwareConfiguration: { application_version: "1.2.3", autoscale: { dynamic_array: "special" } },
    });
    const changed = { ...special, Configuration: { application_version: "2" } };
    await minutes(world, 7, () => ask(world, [htc, changed]));
    // A changed definition is for new nodes only.
    expect(world.cycleCloud.calls).toEqual(["create"]);
    await minutes(world, 7, () => ask(world, [htc]));
    expect(namesOf(world)).toEqual(numbered("htc", 4));
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.targets.map(({ name }) => name)).toEqual(["htc"]);
  });

  test("groups are made in placement groups of their own, told in the status, and counted when they are there", async () => {
    const world = worldOfTwoSizes();
    const request = [{ Name: "htc", TargetGroupCount: 4, GroupCoreCount: 64, MachineType: [small] }];
    await ask(world, request);
    await world.round();
    await settle(world);
    await minutes(world, 3, () => ask(world, request));
    expect(world.cycleCloud.nodes).toHaveLength(64);
    const groups = Map.groupBy(world.cycleCloud.nodes, ({ placementGroup }) => placementGroup);
    expect([...groups].map(([id, nodes]) => [id, nodes.length])).toEqual(
      [1, 2, 3, 4].map((index) => [`htc-64-group${index}`, 16]),
    );
    for (const [id, [node]] of groups)
      expect(node?.softwareConfiguration).toMatchObject({ cyclecloud: { node: { group_id: id } } });
    expect((await clusterStatus(world.ports, cluster))?.targets).toMatchObject([
      { name: "htc:64", nodeArray: "htc", unit: "groups", asked: 4, granted: 4, nodes: 64, why: [] },
    ]);
  });

  test("a group that CycleCloud made in part is left, and one of the next size takes its place", async () => {
    const world = worldOfTwoSizes();
    const request = [{ Name: "htc", TargetGroupCount: 1, GroupCoreCount: 64, MachineType: [small, large] }];
    world.cycleCloud.give(10, small);
    await ask(world, request);
    await world.round();
    await settle(world);
    await settle(world);
    const count = (size: string) => world.cycleCloud.nodes.filter(({ vmSize }) => vmSize === size).length;
    expect([count(small), count(large)]).toEqual([10, 8]);
    await minutes(world, 12, () => ask(world, request));
    expect([count(small), count(large)]).toEqual([0, 8]);
  });

  test("a machine type that gave less than asked is backed off, and the next one tried", async () => {
    const world = worldOfTwoSizes();
    world.cycleCloud.give(2, small);
    await ask(world, [{ Name: "htc", TargetCoreCount: 40, MachineType: [small, large] }]);
    await world.round();
    await settle(world);
    await settle(world);
    const cores = world.cycleCloud.nodes.map(({ vmSize }) => (vmSize === small ? 4 : 8));
    expect(cores.toSorted()).toEqual([4, 4, 8, 8, 8, 8]);
  });

  test("of idle nodes that ask whether they may stop, as many stay as the floor needs", async () => {
    const world = worldOfTwoSizes();
    await ask(world, [{ Name: "htc", TargetCount: 5 }]);
    await world.round();
    await settle(world);
    await ask(world, [{ Name: "htc", TargetCoreCount: 8 }]);
    const asked = [];
    for (const { nodeId: instance } of world.cycleCloud.nodes) {
      const requestedBy = { who: "node", why: "idle" };
      asked.push(await requestStop(world.ports, { cluster, instance, requestedBy, afterIdleTime: false }));
    }
    expect(asked.filter(({ outcome }) => outcome === "granted")).toHaveLength(3);
    expect(asked.find(({ outcome }) => outcome === "refused")).toMatchObject({
      why: expect.stringMatching(/^target "htc" counts it, and without it /),
    });
    await world.execute();
    expect(namesOf(world)).toHaveLength(2);
  });

  test("what cannot be met waits, says why, and is tried again", async () => {
    const world = createWorld();
    await ask(world, [
      { Name: "htc", TargetCount: 25 },
      { Name: "nowhere", TargetCount: 1 },
    ]);
    await world.round();
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.targets.map(({ name, asked, granted }) => ({ name, asked, granted }))).toEqual([
      { name: "htc", asked: 25, granted: 20 },
      { name: "nowhere", asked: 1, granted: 0 },
    ]);
    expect(status?.targets[0]?.why[1]).toMatch(
      /^htc\/Standard_F4s_v2: 5 more nodes are wanted, and .* leaves 0\.$/,
    );
    expect(status?.targets[1]?.why[1]).toBe('The cluster has no node array "nowhere".');
    expect(status?.nextDeadlineSeconds).toBeLessThanOrEqual(world.now() + 60);
  });

  test("a plan request that was lost is asked for again by the next snapshot", async () => {
    const world = createWorld();
    await world.round();
    await ask(world, [{ Name: "htc", TargetCount: 1 }]);
    world.ports.planRequests.takeDue(world.now() + 100);
    world.advance(60);
    await world.round();
    expect(namesOf(world)).toEqual(["htc-1"]);
    const reasons = (await world.ports.plans.list(cluster, 1)).map(({ reason }) => reason);
    expect(reasons).toEqual(["new targets"]);
  });

  test("a dynamic array that extends none and brings all its attributes: its nodes are made where its machine type is", async () => {
    const world = worldOfTwoSizes();
    const own = { Name: "own", Dynamic: true, MachineType: [large], TargetCount: 2 };
    await ask(world, [{ Name: "htc", TargetCount: 1 }, own]);
    await world.round();
    expect(namesOf(world)).toEqual(["htc-1", "own-1", "own-2"]);
    expect(world.cycleCloud.nodes.at(-1)).toMatchObject({
      nodeArray: "htc",
      dynamicArray: "own",
      vmSize: large,
    });
    await minutes(world, 2, () => ask(world, [own]));
    expect(namesOf(world)).toEqual(["htc-1", "own-1", "own-2"]);
  });

  test("of a dynamic array that extends none, nodes are made in the regular array of the highest priority", async () => {
    const arrays = [
      { name: "spot", spot: true, priority: 9 },
      { name: "off", enabled: false, priority: 9 },
      { name: "low" },
      { name: "high", priority: 2 },
    ];
    const nodeArrays = arrays.map((each) =>
      nodeArrayOf({ ...each, buckets: [bucketOf({ bucketId: each.name })] }),
    );
    const world = worldWith({ nodeArrays });
    await ask(world, [{ Name: "own", Dynamic: true, MachineType: small, TargetCount: 1 }]);
    await world.round();
    expect(world.cycleCloud.nodes).toMatchObject([{ nodeArray: "high" }]);
  });

  test("of a dynamic array that extends none, a machine type that no array has is named", async () => {
    const world = worldOfTwoSizes();
    await ask(world, [{ Name: "own", Dynamic: true, MachineType: "Standard_Nowhere", TargetCount: 2 }]);
    await world.round();
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.targets).toMatchObject([
      { name: "own", granted: 0, why: [expect.anything(), expect.stringContaining("Standard_Nowhere")] },
    ]);
  });

  test("nodes whose answer was lost, or that are not listed yet, are not asked for twice", async () => {
    const world = worldOfTwoSizes();
    const request = [
      { Name: "htc", TargetCount: 2 },
      { Name: "special", Extends: "htc", Dynamic: true, TargetCount: 2 },
      { Name: "htc", TargetGroupCount: 1, GroupInstanceCount: 2 },
    ];
    await ask(world, request);
    world.cycleCloud.isListLate = true;
    await world.round();
    await ask(world, request);
    world.advance(1);
    await world.plan();
    await world.execute();
    world.cycleCloud.isListLate = false;
    await minutes(world, 3, () => ask(world, request));
    expect(namesOf(world)).toEqual([
      "htc-1",
      "htc-2",
      "special-1",
      "special-2",
      "htc-2-nodes-1",
      "htc-2-nodes-2",
    ]);
    expect(world.cycleCloud.calls).toEqual(["create"]);
  });

  test("a create is told as what it is for", async () => {
    const world = worldOfTwoSizes();
    await world.post([jobFor(2)]);
    await ask(world, [{ Name: "htc", TargetCount: 5 }]);
    await world.round();
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.operations.map(({ reason }) => reason)).toEqual(["jobs need 2 new nodes, targets 3"]);
    expect(status?.requestSets).toMatchObject([
      { requestSet: "standard", source: "cron", expired: false, arrays: 1 },
    ]);
  });

  test("the status tells a request that no plan has seen from what the plan before made of its set", async () => {
    const world = worldOfTwoSizes();
    await ask(world, [{ Name: "htc", TargetCount: 5 }]);
    const plannedNow = async () =>
      (await clusterStatus(world.ports, cluster))?.requestSets.map(({ planned }) => planned);
    expect(await plannedNow()).toEqual([false]);
    await world.round();
    expect(await plannedNow()).toEqual([true]);
    world.advance(1);
    await ask(world, [{ Name: "htc", TargetCount: 1 }]);
    expect(await plannedNow()).toEqual([false]);
  });

  test("large attributes are spread over several actions", async () => {
    const world = worldOfTwoSizes();
    const groups = { Name: "htc", TargetGroupCount: 30, GroupInstanceCount: 2 };
    await ask(world, [{ ...groups, Configuration: { text: "x".repeat(8_000) } }]);
    await world.round();
    expect(world.cycleCloud.nodes).toHaveLength(60);
    const recorded = await world.ports.operations.recent(cluster, 100);
    expect(recorded.length).toBeGreaterThan(1);
    for (const { action } of recorded) expect(JSON.stringify(action).length).toBeLessThan(120_000);
  });
});
