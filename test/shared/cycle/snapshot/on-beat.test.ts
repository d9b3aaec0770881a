import { describe, expect, test } from "vitest";
import {
  type BeatOutcome,
  type LastReadings,
  requestSnapshots,
  snapshotOnBeat,
} from "../../../../shared/cycle/snapshot/on-beat.ts";
import { isDue, rhythmOf } from "../../../../shared/cycle/snapshot/rhythm.ts";
import { UpstreamError } from "../../../../shared/errors/errors.ts";
import { clusterOf, nodeOf } from "../../../support/cluster.ts";
import { FakeCycleCloud } from "../../../support/fake-cyclecloud.ts";
import { MemoryTelemetry } from "../../../support/memory-telemetry.ts";
import { configOf, createWorld, jobFor, type World, worldWith } from "../../../support/world.ts";

/** Fires the timer, and delivers what is due a second later. */
async function beat(world: World, lastReadings: LastReadings = new Map()): Promise<readonly BeatOutcome[]> {
  await requestSnapshots(world.ports);
  world.advance(1);
  const outcomes: BeatOutcome[] = [];
  for (const { request } of world.ports.planRequests.takeDue(world.now()))
    if (request.onBeat) outcomes.push(await snapshotOnBeat(world.ports, request, lastReadings));
  return outcomes;
}

describe("the timer", () => {
  test("asks once for each cluster, one after the other, in the session of each", async () => {
    const world = createWorld();
    for (const name of ["b", "c"]) world.ports.configs.put({ ...configOf({}), cluster: name });
    const before = world.now();
    await requestSnapshots(world.ports);
    await requestSnapshots(world.ports);
    const asked = world.ports.planRequests.scheduled;
    const waits = asked.map(({ deliverAtSeconds }) => Math.round((deliverAtSeconds - before) * 10) / 10);
    expect(asked.map(({ request }) => request.cluster).sort()).toEqual(["b", "c", "hpc"].sort());
    expect(waits).toEqual([1, 1.3, 1.6]);
  });

  test("asks for all of a thousand clusters within half a minute", async () => {
    const world = createWorld();
    for (let index = 0; index < 1_000; index += 1)
      world.ports.configs.put({ ...configOf({}), cluster: `c${index}` });
    await requestSnapshots(world.ports);
    const last = Math.max(...world.ports.planRequests.scheduled.map((each) => each.deliverAtSeconds));
    expect(last - world.now()).toBeLessThanOrEqual(31);
  });

  test("asks for the others when a request cannot be sent, and fails", async () => {
    const world = createWorld();
    world.ports.configs.put({ ...configOf({}), cluster: "a-full-one" });
    const sent: string[] = [];
    const planRequests = {
      send: async ({ request }: { readonly request: { readonly cluster: string } }) => {
        if (request.cluster === "a-full-one") throw new UpstreamError("full", { retryable: true });
        sent.push(request.cluster);
      },
    };
    await expect(requestSnapshots({ ...world.ports, planRequests })).rejects.toThrow(
      "Cannot request snapshots of 1 of 2 clusters",
    );
    expect(sent).toHaveLength(1);
  });
});

describe("a beat of a cluster", () => {
  test("that has nodes reads it once in each interval", async () => {
    const world = createWorld();
    await world.post([jobFor(2)], { ttlSeconds: 10_000 });
    await world.round();
    world.cycleCloud.settle();
    world.configure({ cycle: { snapshotIntervalSeconds: 60 } });
    const outcomes: BeatOutcome[] = [];
    for (let index = 0; index < 12; index += 1) {
      world.advance(19);
      outcomes.push(...(await beat(world)));
    }
    expect(outcomes.filter((outcome) => outcome === "read")).toHaveLength(4);
  });

  test("that rests, but for its head node, reads it less often, and demand has it read on the next beat", async () => {
    const headNode = nodeOf({ name: "scheduler", nodeArray: "scheduler" });
    const world = worldWith({ nodes: [headNode] });
    await world.round();
    const readings: number[] = [];
    for (let minute = 0; minute < 10; minute += 1) {
      world.advance(59);
      if ((await beat(world)).includes("read")) readings.push(minute);
      await world.plan();
    }
    expect(readings).toHaveLength(4);
    await world.post([jobFor(2)], { ttlSeconds: 10_000 });
    world.advance(1);
    await world.plan();
    await world.execute();
    world.advance(58);
    expect(await beat(world)).toEqual(["read"]);
  });

  test("that came while the last one was still reading is skipped, once, and counted", async () => {
    const world = createWorld();
    world.configure({ cycle: { snapshotIntervalSeconds: 0 } });
    const lastReadings: LastReadings = new Map();
    const telemetry = new MemoryTelemetry();
    const start = world.now();
    const server = new FakeCycleCloud(clusterOf());
    server.readCluster = async () => {
      world.advance(90);
      throw new UpstreamError("no answer within 90 s", { retryable: true });
    };
    const ports = { ...world.ports, telemetry, cycleCloudFor: () => server };
    const take = (atSeconds: number) =>
      snapshotOnBeat(ports, { version: 1, cluster: "hpc", reason: "timer", atSeconds }, lastReadings);
    await expect(take(start)).rejects.toThrow("no answer");
    expect(await take(start + 60)).toBe("late");
    expect(telemetry.of("autoscale.snapshots.late")).toEqual([{ value: 1, attributes: { cluster: "hpc" } }]);
    expect(world.log).toContain('warn snapshot-late {"cluster":"hpc","lateSeconds":30}');
    world.advance(30);
    await expect(take(start + 120)).rejects.toThrow("no answer");
  });

  test("of a cluster whose configuration is gone does nothing", async () => {
    const world = createWorld();
    const request = { version: 1, cluster: "gone", reason: "timer", atSeconds: world.now() } as const;
    expect(await snapshotOnBeat(world.ports, request, new Map())).toBe("not-due");
  });
});

describe("the rhythm", () => {
  test.each([
    { name: "by default", interval: 60, most: 300, expected: { atWorkSeconds: 60, atRestSeconds: 150 } },
    {
      name: "two readings fit into the oldest",
      interval: 600,
      most: 300,
      expected: { atWorkSeconds: 150, atRestSeconds: 150 },
    },
    {
      name: "rest is never longer than five minutes",
      interval: 60,
      most: 3_600,
      expected: { atWorkSeconds: 60, atRestSeconds: 300 },
    },
    {
      name: "unless the interval is",
      interval: 600,
      most: 3_600,
      expected: { atWorkSeconds: 600, atRestSeconds: 600 },
    },
    { name: "0 is every beat", interval: 0, most: 300, expected: { atWorkSeconds: 0, atRestSeconds: 0 } },
  ])("$name", ({ interval, most, expected }) => {
    const cycle = { snapshotIntervalSeconds: interval, maxSnapshotAgeSeconds: most };
    expect(rhythmOf(cycle)).toEqual(expected);
  });

  test("a cluster that was never read, or by a clock that was ahead, is due", async () => {
    const world = createWorld();
    await world.round();
    const rhythm = rhythmOf({ snapshotIntervalSeconds: 60, maxSnapshotAgeSeconds: 300 });
    const snapshot = (await world.ports.snapshots.load("hpc"))?.value;
    if (snapshot === undefined) throw new Error("no snapshot");
    const doings = () => Promise.reject(new Error("nobody needs to know"));
    const at = (atSeconds: number) => ({ atSeconds, doings });
    expect(await isDue(snapshot, rhythm, at(snapshot.takenAtSeconds))).toBe(false);
    expect(await isDue(undefined, rhythm, at(snapshot.takenAtSeconds))).toBe(true);
    expect(await isDue(snapshot, rhythm, at(snapshot.takenAtSeconds - 3_600))).toBe(true);
  });
});
