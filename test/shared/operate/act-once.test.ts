import { expect, test } from "vitest";
import { UpstreamError } from "../../../shared/errors/errors.ts";
import { act } from "../../../shared/operate/act.ts";
import { nodeOf } from "../../support/cluster.ts";
import { cluster, type World, worldWith } from "../../support/world.ts";

const names = ["htc-1", "htc-2"];
const who = { by: "alice", reason: "kernel", dryRun: false };

async function worldOf(all: readonly string[]): Promise<World> {
  const world = worldWith({ nodes: all.map((name) => nodeOf({ name })) });
  await world.round();
  return world;
}

const restart = (world: World, nodes: readonly string[]) =>
  act(world.ports, {
    cluster,
    body: { kind: "restart", ...who, force: true, nodes: { names: [...nodes] } },
    key: "nightly",
  });

const restarts = ({ cycleCloud }: World) => cycleCloud.calls.filter((call) => call === "restart").length;

test("the same key asks for nothing new, even long after what it asked for is done", async () => {
  const world = await worldOf(names);
  const first = await restart(world, names);
  const [operation] = await world.ports.operations.open(cluster);
  const asked = world.cycleCloud.nodes.map(({ nodeId, name, hostname }) => ({ nodeId, name, hostname }));
  expect(operation?.value.action).toMatchObject({ kind: "restart-nodes", nodes: asked });
  await world.settle();
  expect(restarts(world)).toBe(1);
  for (let again = 0; again < 3; again += 1) {
    const { answer } = (await restart(world, names)) as Extract<typeof first, { answer: unknown }>;
    expect(answer).toMatchObject({
      outcome: "requested",
      actions: [{ nodes: [{ name: "htc-1" }, { name: "htc-2" }] }],
    });
    expect(answer.actions).toHaveLength(1);
    await world.settle();
  }
  expect(restarts(world)).toBe(1);
});

test.each([
  ["more nodes", { kind: "restart", ...who, force: true, nodes: { names } }],
  ["another kind", { kind: "terminate", ...who, force: true, nodes: { names: ["htc-1"] } }],
  ["another reason", { kind: "restart", ...who, reason: "disk", force: true, nodes: { names: ["htc-1"] } }],
] as const)("the same key with %s is refused, whether what it asked for is done or not", async (_, body) => {
  const world = await worldOf(names);
  await restart(world, ["htc-1"]);
  const again = () => act(world.ports, { cluster, body, key: "nightly" });
  expect(await again()).toMatchObject({ outcome: "key-reused" });
  await world.settle();
  expect(await again()).toMatchObject({ outcome: "key-reused" });
  await world.settle();
  expect(world.cycleCloud.calls.filter((call) => call === "restart" || call === "terminate")).toEqual([
    "restart",
  ]);
});

test("with a key too, a request of which nothing can be done says why", async () => {
  const world = await worldOf(names);
  const outcome = await act(world.ports, {
    cluster,
    body: { kind: "start", ...who, force: false, nodes: { names: ["htc-99"] } },
    key: "nightly",
  });
  const { answer } = outcome as Extract<typeof outcome, { answer: unknown }>;
  expect(answer.actions).toEqual([]);
  expect(answer.problems.join()).toContain("htc-99");
});

test("a repeated request names no problem of what it asked for before", async () => {
  const world = await worldOf(names);
  await restart(world, names);
  const again = await restart(world, names);
  const { answer } = again as Extract<typeof again, { answer: unknown }>;
  expect(answer).toMatchObject({
    problems: [],
    actions: [{ nodes: [{ name: "htc-1" }, { name: "htc-2" }] }],
  });
});

test("the order of keys in a body makes no difference", async () => {
  const world = await worldOf(names);
  await restart(world, ["htc-1"]);
  const body = {
    nodes: { names: ["htc-1"] },
    force: true,
    dryRun: false,
    reason: "kernel",
    by: "alice",
    kind: "restart",
  };
  const again = await act(world.ports, { cluster, body, key: "nightly" } as Parameters<typeof act>[1]);
  expect(again).toMatchObject({ outcome: "answered" });
});

test("whoever dies between two actions of a request asks for the rest with the same key", async () => {
  const many = Array.from({ length: 250 }, (_, index) => `htc-${index + 1}`);
  const world = await worldOf(many);
  const { operations } = world.ports;
  const save = operations.saveRequested.bind(operations);
  let left = 1;
  operations.saveRequested = async (...args) => {
    if (left-- > 0) return save(...args);
    throw new UpstreamError("the host is gone", { retryable: true });
  };
  await expect(restart(world, many)).rejects.toThrow("the host is gone");
  operations.saveRequested = save;
  expect(await restart(world, many)).toMatchObject({ answer: { actions: [{}, {}] } });
  await world.settle();
  expect(restarts(world)).toBe(2);
});

test("the same key makes nodes once", async () => {
  const world = await worldOf(names);
  const create = () =>
    act(world.ports, {
      cluster,
      body: {
        kind: "create-nodes",
        ...who,
        nodeArray: "htc",
        count: 3,
        strategy: "pack",
        exclusive: false,
        keepAlive: false,
      },
      key: "nightly",
    });
  await create();
  await world.settle();
  const { length } = world.cycleCloud.nodes;
  await create();
  await world.settle();
  expect(world.cycleCloud.nodes).toHaveLength(length);
});
