import { describe, expect, test } from "vitest";
import { parkedMessages } from "../../../../shared/cycle/demand/parked-hosts.ts";
import { noRoomForSource } from "../../../../shared/cycle/demand/room-for-source.ts";
import { snapshotCluster } from "../../../../shared/cycle/snapshot/snapshot-cluster.ts";
import { tellSchedulers } from "../../../../shared/cycle/tell-schedulers.ts";
import { ConfigurationError, UpstreamError } from "../../../../shared/errors/errors.ts";
import type { Ports } from "../../../../shared/ports/index.ts";
import { clusterStatus } from "../../../../shared/views/index.ts";
import { nodeOf } from "../../../support/cluster.ts";
import { Crash, crashingAt } from "../../../support/crash.ts";
import { cluster, configOf, createWorld, jobFor, type World, worldWith } from "../../../support/world.ts";

const day = 86_400;

function small(most: number): World {
  const world = worldWith({ nodes: [nodeOf({ name: "htc-1" })] });
  world.configure({ cycle: { maxSources: most } });
  return world;
}

async function sourcesOf(world: World): Promise<readonly string[]> {
  const known = await world.ports.demand.summaries(cluster);
  return known.map(({ source }) => source).filter((source) => source !== "");
}

const running = jobFor(1, { executingHostnames: ["htc-1"] });

describe("sources of a cluster", () => {
  test("one too many is refused with the reason, and those that are known go on", async () => {
    const world = small(50);
    const outcomes: string[] = [];
    for (let index = 0; index < 300; index += 1)
      outcomes.push((await world.post([jobFor(1)], { source: `source-${index}` })).outcome);
    expect(outcomes.filter((outcome) => outcome === "accepted")).toHaveLength(50);
    expect(outcomes.slice(0, 50)).not.toContain("rejected");
    expect(await sourcesOf(world)).toHaveLength(50);
    const { problems = [] } = (await clusterStatus(world.ports, cluster)) ?? {};
    expect(problems).toContainEqual(expect.objectContaining({ kind: "sources-full" }));
    expect(await world.post([jobFor(2)], { source: "source-7" })).toMatchObject({ outcome: "accepted" });
    const rejections = await world.ports.rejections.list(cluster, 300);
    expect(rejections.find(({ source }) => source === "source-299")?.problems).toEqual([
      'source: "source-299" would be one too many, expected at most 50 (max_sources); 50 are live, or have jobs that may still run',
    ]);
  });

  test("a silent one makes room, one with jobs that may still run does not", async () => {
    const world = small(2);
    await world.post([jobFor(1)], { source: "waiting" });
    await world.post([running], { source: "running" });
    world.advance(300);
    expect(await world.post([], { source: "new" })).toMatchObject({ outcome: "accepted" });
    expect(await sourcesOf(world)).toEqual(["new", "running"]);
    world.advance(day - 1);
    await world.post([], { source: "new" });
    expect(await world.post([], { source: "another" })).toMatchObject({ outcome: "rejected" });
    world.advance(1);
    await world.post([], { source: "new" });
    expect(await world.post([], { source: "another" })).toMatchObject({ outcome: "accepted" });
    expect(await sourcesOf(world)).toEqual(["another", "new"]);
  });

  test("of silent ones those that were silent first make room, and no more of them than must", async () => {
    const world = small(4);
    for (const source of ["c", "b", "a"]) {
      await world.post([], { source });
      world.advance(10);
    }
    world.advance(301);
    // It counts, though none of it can be planned.
    await world.post([], { source: "parts", part: { index: 0, count: 2 } });
    expect(await sourcesOf(world)).toEqual(["a", "b", "c"]);
    await world.post([], { source: "new" });
    expect(await sourcesOf(world)).toEqual(["a", "b", "new"]);
    world.configure({ cycle: { maxSources: 5 } });
    await world.post([], { source: "newer" });
    expect(await sourcesOf(world)).toEqual(["a", "b", "new", "newer"]);
  });

  test("a silent one whose newest message was refused keeps its place while that counts", async () => {
    const world = small(1);
    await world.post([], { source: "refused" });
    world.advance(200);
    await world.post([], { source: "refused", sequence: "none" });
    const { refused } = (await world.ports.demand.load(cluster, "refused"))?.value ?? {};
    world.advance(101);
    expect(refused?.untilSeconds).toBeGreaterThan(world.now());
    expect(await world.post([], { source: "new" })).toMatchObject({ outcome: "rejected" });
    world.advance((refused?.untilSeconds ?? 0) - world.now());
    expect(await world.post([], { source: "new" })).toMatchObject({ outcome: "accepted" });
  });

  test.each([
    [
      "that cannot be read leaves the usual number",
      new ConfigurationError("hpc", ["no such key"]),
      "accepted",
    ],
    ["that is away lets the message come again", new UpstreamError("away", { retryable: true }), "thrown"],
  ])("a configuration %s", async (_, error, expected) => {
    const world = small(1);
    const configs = Object.assign(Object.create(world.ports.configs), { load: () => Promise.reject(error) });
    const asked = noRoomForSource({ ...world.ports, configs }, { cluster, source: "new" });
    expect(await asked.then((refusal) => refusal ?? "accepted").catch(() => "thrown")).toBe(expected);
  });

  test("one that only ever sends parts or early deltas counts, and takes no more than its place", async () => {
    const world = small(2);
    const part = { index: 0, count: 2 };
    expect(await world.post([], { source: "parts", part })).toMatchObject({ outcome: "waiting-for-parts" });
    const delta = { kind: "delta", source: "deltas", sequence: 9, remove: [] };
    expect(await world.post([], delta)).toMatchObject({ outcome: "parked" });
    expect(await world.post([], { source: "late" })).toMatchObject({ outcome: "rejected" });
    expect(await world.post([], { source: "parts", part })).toMatchObject({ outcome: "waiting-for-parts" });
  });

  test("messages that wait are read before a deletion, the newest hundred", async () => {
    const { ports } = createWorld();
    for (let sequence = 1; sequence <= 102; sequence += 1)
      await ports.demand.savePart({ cluster, source: "celery", sequence }, { index: 0, jobs: [], nodes: [] });
    const sequences = (await parkedMessages(ports, cluster)).map((message) => message.sequence);
    expect([sequences.length, sequences[0], sequences.at(-1)]).toEqual([100, 102, 3]);
  });

  test("parts that nothing completes are bounded: newer messages drop those of older ones", async () => {
    const world = createWorld();
    for (let sequence = 1; sequence <= 2_000; sequence += 1)
      await world.ports.demand.savePart(
        { cluster, source: "celery", sequence },
        { index: 0, jobs: [], nodes: [] },
      );
    await world.post([], { sequence: 3_000, part: { index: 0, count: 2 } });
    expect(await world.ports.demand.waitingParts({ cluster, source: "celery" })).toEqual([
      { sequence: 3_000, index: 0 },
    ]);
    expect(await world.post([], { sequence: 3_000, part: { index: 1, count: 2 } })).toMatchObject({
      outcome: "accepted",
    });
  });
});

describe("a source that stays silent", () => {
  async function silentWorld(): Promise<World> {
    const world = small(50);
    await world.snapshot();
    await world.post([running], { source: "pbs" });
    await world.ports.demand.savePart(
      { cluster, source: "pbs", sequence: 99 },
      { index: 0, jobs: [], nodes: [] },
    );
    world.cycleCloud.change("htc-1", { status: "Failed" });
    await world.snapshot();
    world.cycleCloud.change("htc-1", { status: "Ready" });
    world.advance(1);
    await world.snapshot();
    expect(world.ports.schedulerEvents.of("pbs")).not.toEqual([]);
    return world;
  }

  test("is forgotten with its queue and its parts a day after its time to live, not before", async () => {
    const world = await silentWorld();
    world.ports.configs.put({ ...configOf({}), cluster: "another, which does not know it" });
    world.advance(day + 298);
    await world.snapshot();
    expect(await sourcesOf(world)).toEqual(["pbs"]);
    world.advance(1);
    await world.snapshot();
    expect(await sourcesOf(world)).toEqual([]);
    expect(await world.ports.demand.sourcesWithParts(cluster)).toEqual([]);
    expect(world.ports.schedulerEvents.of("pbs")).toEqual([]);
  });

  test("is not silent while its messages are refused", async () => {
    const world = await silentWorld();
    world.advance(day);
    await world.post([], { source: "pbs", sequence: "none" });
    world.advance(day + 299);
    await world.snapshot();
    expect(await sourcesOf(world)).toEqual(["pbs"]);
    world.advance(1);
    await world.snapshot();
    expect(await sourcesOf(world)).toEqual([]);
  });

  test("keeps its queue while another cluster knows it", async () => {
    const world = await silentWorld();
    world.ports.configs.put({ ...configOf({}), cluster: "other" });
    expect(await world.post([], { source: "pbs", cluster: "other" })).toMatchObject({ outcome: "accepted" });
    world.advance(day + 310);
    await world.snapshot();
    expect(await sourcesOf(world)).toEqual([]);
    expect(world.ports.schedulerEvents.of("pbs")).not.toEqual([]);
  });

  test("is kept when it speaks at the very moment", async () => {
    const world = await silentWorld();
    world.advance(day + 310);
    const ports: Ports = {
      ...world.ports,
      demand: new Proxy(world.ports.demand, {
        get(store, name: keyof Ports["demand"]) {
          if (name !== "remove") return store[name].bind(store);
          return async (...args: Parameters<Ports["demand"]["remove"]>) => {
            await world.post([jobFor(1)], { source: "pbs", sequence: 100 });
            return store.remove(...args);
          };
        },
      }),
    };
    await snapshotCluster(ports, cluster);
    expect(await sourcesOf(world)).toEqual(["pbs"]);
    expect(world.ports.schedulerEvents.of("pbs")).not.toEqual([]);
  });
});

describe("events", () => {
  test("of many sources are under way together, some at a time", async () => {
    const world = createWorld();
    let [now, most] = [0, 0];
    const ports = {
      log: world.ports.log,
      schedulerEvents: {
        forget: async () => undefined,
        send: async () => {
          now += 1;
          most = Math.max(most, now);
          await Promise.resolve();
          await Promise.resolve();
          now -= 1;
        },
      },
    };
    const events = Array.from({ length: 50 }, (_, index) => ({
      ...({ version: 1, cluster, kind: "node-joined", atSeconds: 1 } as const),
      nodes: [],
      source: `source-${index}`,
    }));
    await tellSchedulers(ports, events);
    expect(most).toBe(8);
  });

  test("are sent once the snapshot is stored; a run that dies between them leaves them to the next", async () => {
    const world = small(50);
    world.cycleCloud.change("htc-1", { status: "Failed" });
    await world.snapshot();
    await world.post([], { source: "pbs" });
    world.cycleCloud.change("htc-1", { status: "Ready" });
    world.advance(10);
    const dying = crashingAt(world.ports, { port: "schedulerEvents", method: "send", when: "before" });
    await expect(snapshotCluster(dying, cluster)).rejects.toThrow(Crash);
    expect((await world.ports.snapshots.load(cluster))?.value.takenAtSeconds).toBe(world.now());
    world.advance(10);
    await world.snapshot();
    expect(world.ports.schedulerEvents.of("pbs")).toMatchObject([{ kind: "node-joined" }]);
    world.advance(10);
    await world.snapshot();
    expect(world.ports.schedulerEvents.of("pbs")).toHaveLength(1);
  });
});
