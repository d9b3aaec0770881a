import { describe, expect, test } from "vitest";
import { eventsQuery } from "../../../shared/api/index.ts";
import { changeControl } from "../../../shared/cycle/index.ts";
import { act } from "../../../shared/operate/act.ts";
import { rollOn } from "../../../shared/operate/roll-on.ts";
import { tendCluster } from "../../../shared/operate/tend-cluster.ts";
import { clusterStatus, listEvents } from "../../../shared/views/index.ts";
import { nodeOf } from "../../support/cluster.ts";
import { cluster, type World, worldWith } from "../../support/world.ts";

const who = { by: "alice", reason: "new image", dryRun: false };
const names = ["htc-1", "htc-2", "htc-3", "htc-4", "htc-5"];

/** Five nodes with a job each, of a scheduler that drains. */
async function busyWorld(): Promise<World> {
  const world = worldWith({ nodes: names.map((name) => nodeOf({ name })) });
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

const fail = () => Promise.reject(new Error("nobody is to be told"));

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

  test("goes on with the beat of the timer that reads the cluster", async () => {
    const world = await busyWorld();
    await roll(world);
    await runOn(world, names.slice(2));
    world.advance(60);
    const request = { version: 1, cluster, reason: "beat", atSeconds: world.now(), onBeat: true } as const;
    await tendCluster(world.ports, request, { notifier: { send: fail }, lastReadings: new Map() });
    expect(await drainedIn(world)).toEqual(names.slice(0, 4));
  });

  test("drains no more while more are in turn than the record allows", async () => {
    const world = await busyWorld();
    await roll(world);
    await changeControl(world.ports, cluster, (control) => ({
      ...control,
      rolling: control.rolling && { ...control.rolling, atOnce: 1 },
    }));
    await step(world);
    expect(await drainedIn(world)).toEqual(["htc-1", "htc-2"]);
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
      answer: { outcome: "done", summary: expect.stringContaining("3 of 5 nodes are left") },
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

  test("with replace, a deletion that came to nothing is asked for again", async () => {
    const world = await busyWorld();
    await roll(world, { atOnce: 1, replace: true });
    await runOn(world, names.slice(1));
    world.cycleCloud.stubborn.set("htc-1", "it is locked");
    await step(world);
    await world.execute();
    const isGoing = () => world.cycleCloud.nodes.find(({ name }) => name === "htc-1")?.targetState;
    expect(isGoing()).toBe("Started");
    world.cycleCloud.stubborn.clear();
    await step(world);
    await world.execute();
    expect(isGoing()).toBe("Terminated");
  });

  test.each([
    ["taken back from its drain", { kind: "undrain" }],
    ["kept alive", { kind: "keep-alive", on: true }],
  ] as const)("with replace, a node that is %s by somebody does not hold up the others", async (_, body) => {
    const world = await busyWorld();
    await roll(world, { atOnce: 1, replace: true });
    await act(world.ports, { cluster, body: { ...who, ...body, nodes: { names: ["htc-1"] } } });
    await runOn(world, []);
    await step(world);
    expect(await rollingIn(world)).toMatchObject({ leftCount: 3, inTurn: ["htc-2"] });
    await step(world);
    await world.execute();
    expect(world.cycleCloud.nodes.find(({ name }) => name === "htc-1")?.targetState).toBe("Started");
  });

  test("with replace, nodes that nobody may delete are left alone from the beginning", async () => {
    const world = await busyWorld();
    await act(world.ports, {
      cluster,
      body: { kind: "keep-alive", on: true, ...who, nodes: { names: ["htc-2"] } },
    });
    expect(await roll(world, { atOnce: 5, replace: true })).toMatchObject({
      answer: { skipped: [{ node: "htc-2", why: "is kept alive by alice: new image" }] },
    });
    expect(await rollingIn(world)).toMatchObject({ total: 4, leftCount: 0 });
  });

  test("a node that was drained for an hour stays drained once it has its turn", async () => {
    const world = await busyWorld();
    const untilSeconds = world.now() + 90;
    const nodes = { names: ["htc-1"] };
    await act(world.ports, { cluster, body: { kind: "drain", ...who, force: false, nodes, untilSeconds } });
    await roll(world, { atOnce: 1 });
    await step(world);
    await step(world);
    expect(await drainedIn(world)).toEqual(["htc-1"]);
    expect(await rollingIn(world)).toMatchObject({ inTurn: ["htc-1"] });
  });

  test("of two that begin at once, one is told that the other has begun", async () => {
    const world = await busyWorld();
    const { controls } = world.ports;
    const save = controls.save.bind(controls);
    let others = 1;
    controls.save = async (...args) => {
      if (others-- > 0) await roll(world, { reason: "faster" });
      return save(...args);
    };
    const body = { kind: "roll", ...who, nodes: { names }, atOnce: 1, replace: false } as const;
    expect(await act(world.ports, { cluster, body })).toMatchObject({
      outcome: "refused",
      problems: [expect.stringContaining("rolling: alice began one at")],
    });
    expect((await controlOf(world))?.rolling).toMatchObject({ reason: "faster", atOnce: 2 });
  });

  test("whose turn it is, is an event of the node", async () => {
    const world = await busyWorld();
    await roll(world, { atOnce: 1 });
    await runOn(world, names.slice(1));
    await step(world);
    const { events } = await listEvents(world.ports, cluster, eventsQuery.parse({ kind: "drain" }));
    expect(events).toMatchObject([
      { nodes: ["htc-2"], by: "alice", text: "No new jobs there: rolling drain: new image." },
      { nodes: ["htc-1"], by: "alice", text: "No new jobs there: rolling drain: new image." },
    ]);
  });
});
