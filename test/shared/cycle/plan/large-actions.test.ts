import { expect, test } from "vitest";
import { toActions } from "../../../../shared/cycle/plan/to-actions.ts";
import { azureLimits } from "../../../../shared/ports/index.ts";
import { longestRow } from "../../../../shared/stores/store-limits.ts";
import { bucketOf, emptyPlan, nodeArrayOf } from "../../../support/cluster.ts";
import { cluster, type World, worldWith } from "../../../support/world.ts";

const wanted = 1_000;
const unlimited = { maxCores: 1_000_000, usedCores: 0 };

/** Room for 2,000 nodes, in stores and queues that take what Azure takes. */
function largeWorld(): World {
  const limits = {
    ...bucketOf().limits,
    maxCount: 2_000,
    availableCount: 2_000,
    region: unlimited,
    family: unlimited,
  };
  const nodeArrays = [nodeArrayOf({ buckets: [bucketOf({ limits })] })];
  return worldWith({ nodeArrays });
}

function askFor(world: World, name: string): ReturnType<World["receive"]> {
  return world.receive({
    version: 1,
    kind: "targets",
    cluster,
    source: "cron",
    sequence: 1,
    sentAt: new Date(world.now() * 1000).toISOString(),
    expirationInterval: 3_600,
    arrays: [{ Name: name, Extends: "htc", Dynamic: true, TargetCount: wanted }],
  });
}

test.each([
  ["letters", "l".repeat(128)],
  ["letters of three bytes", "集".repeat(128)],
])(
  "a target for 1,000 nodes whose array has a name of 128 %s is met, and wedges nothing",
  async (_case, name) => {
    const world = largeWorld();
    await askFor(world, name);
    for (let round = 0; round < 3; round += 1) {
      await world.round();
      world.cycleCloud.settle();
      world.advance(60);
    }
    expect(world.cycleCloud.nodes).toHaveLength(wanted);
    expect(await world.ports.operations.open(cluster)).toEqual([]);
    const closed = await world.ports.operations.recent(cluster, 100);
    expect(closed.length).toBeGreaterThan(1);
    for (const operation of closed) {
      expect(operation).toMatchObject({ state: "visible", messages: [] });
      expect(JSON.stringify(operation).length).toBeLessThan(longestRow);
      expect(Buffer.byteLength(JSON.stringify(operation.action))).toBeLessThan(
        azureLimits.serviceBus.messageBytes / 2,
      );
    }
    expect(world.log.filter((line) => line.startsWith("error"))).toEqual([]);
  },
);

test("CycleCloud gives longer names than were planned: what a row does not hold is left out with a count, and nothing is bought twice", async () => {
  const world = largeWorld();
  const { nodesOfRequest } = world.cycleCloud;
  const long = (name: string) => `${name}-${"x".repeat(1_000)}`;
  world.cycleCloud.nodesOfRequest = async (requestId) =>
    (await nodesOfRequest(requestId))?.map((node) => ({ ...node, name: long(node.name) }));
  await askFor(world, "special");
  for (let round = 0; round < 6; round += 1) {
    await world.round();
    world.cycleCloud.settle();
    world.advance(60);
    expect(world.cycleCloud.nodes).toHaveLength(wanted);
  }
  expect(await world.ports.operations.open(cluster)).toEqual([]);
  const [operation] = await world.ports.operations.recent(cluster, 1);
  expect(operation?.state).toBe("visible");
  expect(operation?.messages).toEqual([
    expect.stringMatching(/^\d+ of 1000 nodes are not recorded: a row holds no more$/),
  ]);
});

test("thousands of nodes with the longest names that hosts have go in requests that a message holds", () => {
  const retire = Array.from({ length: 5_000 }, (_, index) => ({
    nodeId: `id-${index}`,
    name: "集".repeat(300) + index,
    nodeArray: "htc",
    hostname: "h".repeat(255),
    cause: "idle-timeout" as const,
    sinceSeconds: 0,
  }));
  const actions = toActions(
    { ...emptyPlan, retire },
    { cluster, planId: "p", nowSeconds: 0, expiresAtSeconds: 1, requestIdOf: (id) => id },
  );
  const sizes = actions.map((action) => Buffer.byteLength(JSON.stringify(action)));
  expect(Math.max(...sizes)).toBeLessThan(azureLimits.serviceBus.messageBytes / 2);
  expect(actions.flatMap((action) => (action.kind === "create-nodes" ? [] : action.nodes))).toHaveLength(
    5_000,
  );
});

test("an action that no message holds is left out loudly, and the others are sent", async () => {
  const world = largeWorld();
  const huge = { Tag: "x".repeat(300_000) };
  world.configure({ engine: { nodeAttributes: { default: {}, byNodeArray: { htc: huge } } } });
  await world.post([{ name: "job-1", iterations: 2, constraints: [{ ncpus: 4 }] }]);
  await world.round();
  expect(world.log.some((line) => line.startsWith("error action-too-large"))).toBe(true);
  expect(world.cycleCloud.nodes).toEqual([]);
  expect(await world.ports.operations.open(cluster)).toEqual([]);
  world.configure({});
  await world.post([{ name: "job-1", iterations: 2, constraints: [{ ncpus: 4 }] }]);
  world.advance(60);
  await world.round();
  expect(world.cycleCloud.nodes).toHaveLength(2);
});
