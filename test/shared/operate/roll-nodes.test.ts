import { describe, expect, test } from "vitest";
import { act } from "../../../shared/operate/act.ts";
import { rollOn } from "../../../shared/operate/roll-on.ts";
import { clusterStatus } from "../../../shared/views/index.ts";
import { clusterOf, nodeOf } from "../../support/cluster.ts";
import { FakeCycleCloud } from "../../support/fake-cyclecloud.ts";
import { cluster, createWorld, type World } from "../../support/world.ts";

const who = { by: "alice", reason: "new image", dryRun: false };
const names = ["htc-1", "htc-2", "htc-3", "htc-4", "htc-5"];

/** Five nodes with a job each, of a scheduler that drains. */
async function busyWorld(): Promise<World> {
  const world = createWorld(new FakeCycleCloud(clusterOf({ nodes: names.map((name) => nodeOf({ name })) })));
  await runOn(world, names);
  await world.round();
  return world;
}

/** The scheduler says that jobs run there, and nowhere else. */
const runOn = (world: World, on: readonly string[]) =>
  world.post(
    on.map((name) => ({
      name: `on ${name}`,
      constraints: { ncpus: 1 },
      executingHostnames: [`host-${name}`],
    })),
    { ttlSeconds: 86_400 },
  );

const roll = (world: World, fields: Record<string, unknown> = {}) => {
  const body = { kind: "roll", ...who, nodes: { names }, atOnce: 2, replace: false, ...fields } as const;
  return act(world.ports, { cluster, body });
};

const controlOf = async (world: World) => (await world.ports.controls.load(cluster))?.value;
const drainedIn = async (world: World) => (await controlOf(world))?.drainedNodes.map(({ name }) => name);
const rollingIn = async (world: World) => (await clusterStatus(world.ports, cluster))?.rolling;

async function step(world: World): Promise<void> {
  world.advance(60);
  await world.round();
  await rollOn(world.ports, cluster);
}

describe("a rolling drain", () => {
  test("drains so many at once, and the next when no job runs there", async () => {
    const world = await busyWorld();
    expect(await roll(world)).toMatchObject({ answer: { outcome: "done" } });
    expect(await drainedIn(world)).toEqual(["htc-1", "htc-2"]);
    expect(await rollingIn(world)).toMatchObject({ total: 5, leftCount: 3, inTurn: ["htc-1", "htc-2"] });
    await step(world);
    expect(await drainedIn(world)).toEqual(["htc-1", "htc-2"]);
    await runOn(world, ["htc-2", "htc-3", "htc-4", "htc-5"]);
    await step(world);
    expect(await drainedIn(world)).toEqual(["htc-1", "htc-2", "htc-3"]);
    expect(await rollingIn(world)).toMatchObject({ leftCount: 2, inTurn: ["htc-2", "htc-3"] });
  });

  test("is over when all had their turn; they stay drained", async () => {
    const world = await busyWorld();
    await roll(world, { atOnce: "100%" });
    expect(await drainedIn(world)).toEqual(names);
    await runOn(world, []);
    await step(world);
    expect(await rollingIn(world)).toBeNull();
    expect(await drainedIn(world)).toEqual(names);
  });

  test("with replace, a node is deleted once no job runs there, and only then comes the next", async () => {
    const world = await busyWorld();
    await roll(world, { atOnce: 1, replace: true });
    await runOn(world, names.slice(1));
    await step(world);
    await world.execute();
    const targets = () =>
      Object.fromEntries(world.cycleCloud.nodes.map(({ name, targetState }) => [name, targetState]));
    expect(targets()).toMatchObject({ "htc-1": "Terminated", "htc-2": "Started" });
    expect(await drainedIn(world)).toEqual(["htc-1"]);
    world.cycleCloud.settle();
    await step(world);
    expect(await rollingIn(world)).toMatchObject({ leftCount: 3, inTurn: ["htc-2"] });
    expect(targets()).toMatchObject({ "htc-2": "Started" });
  });

  test.each([
    ["10%", 1],
    ["40%", 2],
    ["41%", 3],
    [4, 4],
  ])("%s of five nodes at once are %i", async (atOnce, count) => {
    const world = await busyWorld();
    await roll(world, { atOnce });
    expect(await drainedIn(world)).toHaveLength(count);
  });

  test("nothing goes on while the cluster is paused", async () => {
    const world = await busyWorld();
    await roll(world);
    await runOn(world, []);
    await act(world.ports, { cluster, body: { kind: "pause", ...who } });
    await step(world);
    expect(await drainedIn(world)).toEqual(["htc-1", "htc-2"]);
    await act(world.ports, { cluster, body: { kind: "resume", ...who } });
    await step(world);
    expect(await drainedIn(world)).toEqual(["htc-1", "htc-2", "htc-3", "htc-4"]);
  });

  test("it is stopped: what waits is left as it is, what is drained stays so", async () => {
    const world = await busyWorld();
    await roll(world);
    const stopped = await act(world.ports, { cluster, body: { kind: "stop-rolling", ...who } });
    expect(stopped).toMatchObject({
      answer: { outcome: "done", summary: expect.stringContaining("3 nodes of 5") },
    });
    await runOn(world, []);
    await step(world);
    expect(await drainedIn(world)).toEqual(["htc-1", "htc-2"]);
  });

  test("a second one is refused, and a dry run changes nothing", async () => {
    const world = await busyWorld();
    expect(await roll(world, { dryRun: true })).toMatchObject({
      answer: {
        outcome: "would",
        summary: "Would drain 5 nodes, 2 at a time: they get no new jobs, and stay drained until undrain.",
      },
    });
    expect(await rollingIn(world)).toBeNull();
    await roll(world);
    expect(await roll(world)).toMatchObject({
      outcome: "refused",
      problems: [
        expect.stringMatching(/^rolling: alice began one at .* that has 3 nodes left, expected none/),
      ],
    });
  });

  test("nodes that are gone meanwhile are not waited for", async () => {
    const world = await busyWorld();
    await roll(world);
    await act(world.ports, {
      cluster,
      body: { kind: "terminate", ...who, force: true, nodes: { names: ["htc-1", "htc-3"] } },
    });
    await world.execute();
    world.cycleCloud.settle();
    await step(world);
    expect(await rollingIn(world)).toMatchObject({ leftCount: 1, inTurn: ["htc-2", "htc-4"] });
  });
});
