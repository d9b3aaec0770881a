import { expect, test } from "vitest";
import { fitCreate } from "../../../../shared/cycle/execute/fit-create.ts";
import type { Operation } from "../../../../shared/ports/index.ts";
import { cluster, createWorld, jobFor, type World } from "../../../support/world.ts";

/** Five nodes are planned; before their turn comes, a snapshot shows less room. */
async function plannedThenShrunk(room: number): Promise<World> {
  const world = createWorld();
  await world.post([jobFor(5)], { ttlSeconds: 10_000 });
  await world.snapshot();
  world.advance(1);
  await world.plan();
  world.advance(5);
  world.cycleCloud.shrink(room);
  await world.snapshot();
  return world;
}

async function newest(world: World): Promise<Operation> {
  const [operation] = await world.ports.operations.recent(cluster, 1);
  if (operation === undefined) throw new Error("no operation");
  return operation;
}

test("a create is cut down to what the newest snapshot leaves", async () => {
  const world = await plannedThenShrunk(2);
  await world.execute();
  expect(world.cycleCloud.nodes).toHaveLength(2);
  expect(await newest(world)).toMatchObject({
    state: "accepted",
    added: [2],
    shortfalls: [{ asked: 5, added: 2, isForeseen: true }],
  });
  expect((await newest(world)).messages[0]).toMatch(/^3 not asked for: the bucket limit of htc\//);
});

test("of two sets, the one that is cut whole has added none", async () => {
  const world = await plannedThenShrunk(2);
  const { action, actionId } = await newest(world);
  const [set] = action.kind === "create-nodes" ? action.sets : [];
  const stored = await world.ports.operations.load(cluster, actionId);
  if (action.kind !== "create-nodes" || set === undefined || stored === undefined) throw new Error("none");
  const second = { ...set, names: set.names.map((name) => `${name}-b`) };
  const both = { ...stored.value, action: { ...action, sets: [set, second] } };
  await world.ports.operations.save(both, stored.etag);
  await world.execute();
  expect(await newest(world)).toMatchObject({ state: "accepted", added: [2, 0] });
});

test("one that would be refused altogether is not sent, and a plan is made anew", async () => {
  const world = await plannedThenShrunk(0);
  world.ports.planRequests.takeDue(world.now() + 60);
  world.advance(60);
  await world.execute();
  expect(world.cycleCloud.calls).toEqual([]);
  expect(await newest(world)).toMatchObject({ state: "dropped", added: [] });
  const asked = world.ports.planRequests.takeDue(world.now() + 60);
  expect(asked.map(({ request }) => request.reason)).toEqual(["fewer nodes than asked"]);
});

test("what was cut backs off nothing: the next snapshot that shows room gets the rest", async () => {
  const world = await plannedThenShrunk(2);
  await world.execute();
  world.cycleCloud.shrink(20);
  world.advance(5);
  await world.settle();
  expect(world.cycleCloud.nodes).toHaveLength(5);
});

test.each([
  ["older than its plan's", -1, 5],
  ["that its plan was made from", 0, 5],
  ["younger than its plan's", 1, 2],
  ["by a clock that is an hour ahead", 3_600, 5],
])("a snapshot %s: taken %i s after the plan's it leaves %i of 5 nodes", async (_, afterSeconds, count) => {
  const world = await plannedThenShrunk(2);
  const { action } = await newest(world);
  if (action.kind !== "create-nodes") throw new Error(action.kind);
  const stored = (await world.ports.snapshots.load(cluster))?.value;
  if (stored === undefined) throw new Error("no snapshot");
  const { snapshotTakenAtSeconds = 0 } = action;
  const takenAtSeconds = snapshotTakenAtSeconds + afterSeconds;
  const { clock, operations, snapshots } = world.ports;
  const taken = Object.assign(Object.create(snapshots), {
    load: async () => ({ value: { ...stored, takenAtSeconds }, etag: "1" }),
  });
  const fitted = await fitCreate({ clock, operations, snapshots: taken }, action);
  expect(fitted.sets.map(({ set }) => set.count)).toEqual([count]);
});

test.each([
  ["before it was asked for: all of it is sent", -1, 5],
  ["after it was asked for", 1, 2],
])("a create that no plan wants, and a snapshot taken %s", async (_, afterSeconds, count) => {
  const world = await plannedThenShrunk(2);
  const { action } = await newest(world);
  const takenAtSeconds = (await world.ports.snapshots.load(cluster))?.value.takenAtSeconds ?? 0;
  if (action.kind !== "create-nodes") throw new Error(action.kind);
  const { snapshotTakenAtSeconds: _seen, ...asked } = action;
  const fitted = await fitCreate(world.ports, {
    ...asked,
    planId: null,
    createdAtSeconds: takenAtSeconds - afterSeconds,
  });
  expect(fitted.sets.map(({ set }) => set.count)).toEqual([count]);
});

test("a plan that waited long for its snapshot is held to the one that was stored meanwhile", async () => {
  const world = createWorld();
  await world.post([jobFor(5)], { ttlSeconds: 10_000 });
  await world.snapshot();
  world.advance(1);
  const { snapshots } = world.ports;
  const slow = Object.assign(Object.create(snapshots), {
    load: async (name: string) => {
      const answer = await snapshots.load(name);
      world.advance(30);
      world.cycleCloud.shrink(2);
      await world.snapshot();
      world.advance(30);
      return answer;
    },
  });
  await world.planWith({ ...world.ports, snapshots: slow });
  await world.execute();
  expect(await newest(world)).toMatchObject({ added: [2], shortfalls: [{ asked: 5, isForeseen: true }] });
});

test("a create that was asked for before is asked for as it was: its nodes may be in the snapshot", async () => {
  const world = createWorld();
  await world.post([jobFor(5)], { ttlSeconds: 10_000 });
  await world.snapshot();
  world.advance(1);
  await world.plan();
  world.cycleCloud.fault = { afterEffect: true, on: "create" };
  await world.execute();
  world.advance(5);
  world.cycleCloud.shrink(5);
  await world.snapshot();
  await world.execute();
  expect(world.cycleCloud.nodes).toHaveLength(5);
  expect((await newest(world)).state).not.toBe("dropped");
});

test.each<[string, { readonly isOwn: boolean; readonly isAsked: boolean }, string[]]>([
  ["another that CycleCloud was asked for takes its part", { isOwn: false, isAsked: true }, ["htc-1"]],
  [
    "another that it was not asked for finds what this one leaves",
    { isOwn: false, isAsked: false },
    ["htc-1", "htc-2", "htc-3", "htc-4"],
  ],
  [
    "its own record takes nothing from it",
    { isOwn: true, isAsked: true },
    ["htc-1", "htc-2", "htc-3", "htc-4"],
  ],
])("room for four of five nodes: %s", async (_, { isOwn, isAsked }, names) => {
  const world = await plannedThenShrunk(4);
  const operation = await newest(world);
  const { action } = operation;
  if (action.kind !== "create-nodes") throw new Error(action.kind);
  const sets = action.sets.map((set) => ({ ...set, count: 3, names: ["htc-7", "htc-8", "htc-9"] }));
  const actionId = isOwn ? action.actionId : "another";
  const open: Operation = {
    ...operation,
    actionId,
    action: { ...action, actionId, sets },
    ...(isAsked && { asked: true }),
  };
  const { clock, operations, snapshots } = world.ports;
  const others = Object.assign(Object.create(operations), {
    open: async () => [{ value: open, etag: "1" }],
  });
  const fitted = await fitCreate({ clock, operations: others, snapshots }, action);
  expect(fitted.sets.flatMap(({ set }) => set.names)).toEqual(names);
});
