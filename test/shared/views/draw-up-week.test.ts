import { expect, test } from "vitest";
import { drawUpWeek } from "../../../shared/views/index.ts";
import { bucketOf, nodeArrayOf, nodeOf } from "../../support/cluster.ts";
import { cluster, worldWith } from "../../support/world.ts";

const hour = 3_600;

/** Three nodes at 3.60 USD an hour, one with a job, for three hours and a half from 10:00 on a Thursday (UTC). */
async function someHours() {
  const size = { maxCount: 10, maxCoreCount: 40 };
  const world = worldWith({
    ...size,
    nodeArrays: [
      nodeArrayOf({ ...size, buckets: [bucketOf()] }),
      nodeArrayOf({ ...size, name: "hpc", buckets: [bucketOf()] }),
    ],
    nodes: [1, 2, 3].map((index) => nodeOf({ name: `htc-${index}`, hostname: `host-${index}` })),
  });
  const thursday = Date.UTC(2027, 0, 21, 10) / 1_000;
  world.advance(thursday - world.now());
  world.configure({
    facts: { overrides: { Standard_F4s_v2: { pricePerHourUsd: 3.6 } } },
    schedules: [
      {
        name: "office",
        start: "0 11 * * mon-fri",
        end: { afterSeconds: hour * 1.5 },
        timeZone: "UTC",
        except: [],
        leadSeconds: null,
        targets: [{ Name: "htc", TargetCount: 4 }],
      },
      {
        name: "ready",
        start: "0 0 * * *",
        end: { at: "0 0 * * *" },
        timeZone: "UTC",
        except: [],
        leadSeconds: null,
        targets: [{ Name: "hpc", SpareCount: "auto" }],
      },
    ],
  });
  const job = { constraints: { ncpus: 1 } };
  await world.post(
    [
      { ...job, name: "1", executingHostnames: ["host-1"] },
      { ...job, name: "2" },
    ],
    { ttlSeconds: 86_400 },
  );
  await world.snapshot();
  for (let half = 0; half < 7; half++) {
    world.advance(hour / 2);
    await world.snapshot();
  }
  return { world, thursday };
}

test("a week by the hour: nodes, those with jobs, what idle ones cost, and jobs that waited", async () => {
  const { world, thursday } = await someHours();
  const week = await drawUpWeek(world.ports, cluster, {});
  expect(week).toMatchObject({
    fromSeconds: thursday + 3 * hour - 167 * hour,
    untilSeconds: thursday + 3.5 * hour,
    openedAtSeconds: thursday,
  });
  const [htc, hpc] = week?.nodeArrays ?? [];
  // Of the open hour half is counted, and its nodes are three, not one and a half.
  expect(htc?.hours).toEqual(
    [0, 1, 2, 3].map((index) => ({
      fromSeconds: thursday + index * hour,
      busyNodes: 1,
      nodes: 3,
      idleUsd: index < 3 ? 7.2 : 3.6,
    })),
  );
  // What was counted and had no nodes is zero, what was not counted is missing.
  expect(hpc?.hours.map(({ nodes }) => nodes)).toEqual([0, 0, 0, 0]);
  expect(week?.waiting).toEqual(
    [0, 1, 2, 3].map((index) => ({ fromSeconds: thursday + index * hour, jobs: 1 })),
  );
});

test("what schedules keep, beside what ran; of a time before the first snapshot nobody knows", async () => {
  const { world, thursday } = await someHours();
  const [htc, hpc] = (await drawUpWeek(world.ports, cluster, {}))?.nodeArrays ?? [];
  const day = 24 * hour;
  // Monday to Wednesday, the Thursday and Friday before, and today.
  expect(
    htc?.kept.map(({ fromSeconds, busyNodes }) => [(fromSeconds - thursday - hour) / day, busyNodes]),
  ).toEqual([
    [-6, null],
    [-3, null],
    [-2, null],
    [-1, null],
    [0, 1],
  ]);
  expect(htc?.kept.at(-1)).toEqual({
    schedule: "office",
    keeps: "4 nodes",
    fromSeconds: thursday + hour,
    untilSeconds: thursday + 2.5 * hour,
    busyNodes: 1,
  });
  expect(hpc?.kept).toMatchObject([
    { schedule: "ready", keeps: "as many spare nodes as are needed", busyNodes: 0 },
  ]);
});

test("a schedule that is paused keeps nothing until the moment that is named", async () => {
  const { world, thursday } = await someHours();
  const { schedules = [] } = (await world.ports.configs.load(cluster)) ?? {};
  const pausedUntil = async (pausedUntilSeconds: number) => {
    world.configure({ schedules: schedules.map((schedule) => ({ ...schedule, pausedUntilSeconds })) });
    return (await drawUpWeek(world.ports, cluster, {}))?.nodeArrays ?? [];
  };
  const friday = thursday + 24 * hour;
  for (const { kept, paused } of await pausedUntil(friday)) {
    expect(kept).toEqual([]);
    expect(paused).toMatchObject([{ untilSeconds: friday }]);
  }
  const [htc, hpc] = await pausedUntil(thursday + 2 * hour);
  expect(htc?.kept).toMatchObject([{ schedule: "office", fromSeconds: thursday + 2 * hour }]);
  expect(hpc?.kept).toMatchObject([{ schedule: "ready", fromSeconds: thursday + 2 * hour }]);
  expect([htc, hpc].map((array) => array?.paused)).toEqual([[], []]);
});

test("boots, failures and evictions by size", async () => {
  const { world } = await someHours();
  const now = world.now();
  const row = {
    nodeArray: "htc",
    vmSize: "Standard_F4s_v2",
    hostname: null,
    instanceId: null,
    lastMatchSeconds: null,
    deletedSeconds: now,
  };
  await world.ports.history.save(cluster, [
    ...[100, 200, 400].map((seconds) => ({
      ...row,
      nodeId: `boot-${seconds}`,
      name: `boot-${seconds}`,
      createdSeconds: now - 7_200,
      readySeconds: now - 7_200 + seconds,
    })),
    {
      ...row,
      nodeId: "later",
      name: "later",
      createdSeconds: now - 8 * 86_400,
      readySeconds: now - 8 * 86_400 + 60,
      failure: { atSeconds: now - 60, message: null },
    },
  ]);
  await world.ports.losses.add({
    cluster,
    eventId: "e1",
    atSeconds: now - 100,
    reason: "SpotEvicted",
    nodeId: "n1",
    nodeName: "htc-9",
    nodeArray: "htc",
    vmSize: "Standard_D4s_v5",
  });
  const week = await drawUpWeek(world.ports, cluster, { nodeArray: ["ht?", "none"] });
  expect(week?.nodeArrays.map(({ name, sizes }) => ({ name, sizes }))).toEqual([
    {
      name: "htc",
      sizes: [
        {
          vmSize: "Standard_D4s_v5",
          boots: 0,
          p50Seconds: null,
          p95Seconds: null,
          failures: 0,
          evictions: 1,
        },
        { vmSize: "Standard_F4s_v2", boots: 3, p50Seconds: 200, p95Seconds: 400, failures: 1, evictions: 0 },
      ],
    },
  ]);
});

test("a cluster that is not configured has no week", async () => {
  const { world } = await someHours();
  expect(await drawUpWeek(world.ports, "other", {})).toBeUndefined();
});
