import { expect, test } from "vitest";
import { cluster, createWorld, jobFor, type World } from "../../../support/world.ts";

const wanted = 5;
const beatSeconds = 15;

/** A create of five nodes that CycleCloud carried out, and whose answer nobody heard. */
async function answerLost(): Promise<World> {
  const world = createWorld();
  await world.post([jobFor(wanted)]);
  await world.snapshot();
  world.advance(1);
  await world.plan();
  world.cycleCloud.fault = { afterEffect: true, on: "create" };
  await world.execute();
  return world;
}

/** Snapshots, plans and actions for so long, with demand that stays alive. */
async function live(world: World, forSeconds: number): Promise<void> {
  for (const until = world.now() + forSeconds; world.now() < until; ) {
    world.advance(beatSeconds);
    await world.post([jobFor(wanted)]);
    await world.round();
  }
}

const openStates = async ({ ports }: World) =>
  (await ports.operations.open(cluster)).map(({ value }) => value.state);

interface Lag {
  readonly listed?: number;
  readonly shown?: number;
  readonly isRequestLate?: boolean;
  readonly isListLate?: boolean;
}

const noLag = {
  listed: Number.POSITIVE_INFINITY,
  shown: Number.POSITIVE_INFINITY,
  isRequestLate: false,
  isListLate: false,
};

test.each<readonly [string, Lag]>([
  ["both lists show one node of the five", { listed: 1, shown: 1 }],
  ["the request's list shows one node, the status all", { listed: 1 }],
  ["the request's list shows all, the status one node", { shown: 1 }],
  ["the request's list is empty, the status shows one node", { isListLate: true, shown: 1 }],
  ["the request is not known after the 409, no node shows", { isRequestLate: true, shown: 0 }],
  ["the request is not known after the 409, one node shows", { isRequestLate: true, shown: 1 }],
])("bought once, though the answer of a create is lost and %s for 100 s", async (_case, lag) => {
  const world = await answerLost();
  Object.assign(world.cycleCloud, lag);
  await live(world, 100);
  expect(world.cycleCloud.nodes).toHaveLength(wanted);
  expect(await openStates(world)).toHaveLength(1);
  Object.assign(world.cycleCloud, noLag);
  await live(world, 200);
  expect(world.cycleCloud.nodes).toHaveLength(wanted);
  expect(await openStates(world)).toEqual([]);
});

test("a list that shows other nodes each time is put together while it may lag", async () => {
  const world = await answerLost();
  const { cycleCloud } = world;
  const { nodesOfRequest } = cycleCloud;
  let turn = 0;
  cycleCloud.nodesOfRequest = async (requestId) => {
    const nodes = await nodesOfRequest(requestId);
    turn += 1;
    return nodes?.filter((_, index) => index === turn % wanted);
  };
  cycleCloud.shown = 2;
  await live(world, 100);
  const [open] = await world.ports.operations.open(cluster);
  expect(open?.value.nodes).toHaveLength(wanted);
  expect(cycleCloud.nodes).toHaveLength(wanted);
});

test("what was not made after all is asked for again once the lists cannot lag any more: no job starves", async () => {
  const world = await answerLost();
  const [made] = world.cycleCloud.nodes;
  if (made === undefined) throw new Error("no node was made");
  for (const { name } of world.cycleCloud.nodes.slice(1))
    world.cycleCloud.change(name, { targetState: "Terminated" });
  world.cycleCloud.settle();
  await live(world, 105);
  expect(world.cycleCloud.nodes).toHaveLength(1);
  await live(world, 75);
  expect(world.cycleCloud.nodes).toHaveLength(wanted);
});

test("a create that was never carried out is closed as lost, loudly, and asked for again", async () => {
  const world = await answerLost();
  world.cycleCloud.clear();
  world.cycleCloud.isRequestLate = true;
  await live(world, 105);
  expect(world.cycleCloud.nodes).toEqual([]);
  await live(world, 45);
  expect(world.cycleCloud.nodes).toHaveLength(wanted);
  expect(world.log.filter((line) => line.startsWith("error operation"))).toHaveLength(1);
});
