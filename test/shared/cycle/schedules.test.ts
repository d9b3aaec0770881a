import { describe, expect, test } from "vitest";
import { configsInForce } from "../../../shared/config/index.ts";
import { overlappingSchedules, windowsOfSchedules } from "../../../shared/cycle/schedules.ts";
import { snapshotCluster } from "../../../shared/cycle/snapshot/snapshot-cluster.ts";
import type { Schedule } from "../../../shared/ports/index.ts";
import { clusterStatus, explainTarget, lookAhead } from "../../../shared/views/index.ts";
import { cluster, createWorld, jobFor, type World } from "../../support/world.ts";

const hour = 3_600;

/** Nodes of htc for an hour, ten minutes from now on; nodes are asked for five minutes before. */
function office(world: World, keys: Partial<Schedule> = {}): Schedule {
  return {
    name: "office",
    start: moment(world.now() + 600),
    end: { afterSeconds: hour },
    timeZone: "UTC",
    except: [],
    leadSeconds: 300,
    targets: [{ Name: "htc", TargetCount: 4 }],
    ...keys,
  };
}

function moment(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, "2026-12-01T08:00:00".length);
}

function nodes(world: World): number {
  return world.cycleCloud.nodes.filter(({ targetState }) => targetState === "Started").length;
}

async function minutes(world: World, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    world.advance(59);
    await world.round();
    world.cycleCloud.settle();
  }
}

async function worldWith(keys: Partial<Schedule> = {}): Promise<World> {
  const world = createWorld();
  world.configure({ schedules: [office(world, keys)] });
  await world.round();
  return world;
}

test("nodes are asked for before the window begins, stay while it is open, and idle after it", async () => {
  const world = await worldWith();
  await minutes(world, 4);
  expect(nodes(world)).toBe(0);
  await minutes(world, 2);
  expect(nodes(world)).toBe(4);
  await minutes(world, 63);
  expect(nodes(world)).toBe(4);
  await minutes(world, 9);
  expect(nodes(world)).toBe(0);
});

test("the plan before says when the next window matters, and when it ends", async () => {
  const world = await worldWith();
  const start = world.now() - 1 + 600;
  const deadline = async () => (await world.ports.plans.loadHead(cluster))?.value.nextDeadlineSeconds;
  expect(await deadline()).toBe(start - 300);
  await minutes(world, 11);
  expect(await deadline()).toBe(start + hour);
});

test("nodes that jobs need anyway count", async () => {
  const world = await worldWith();
  await world.post([jobFor(3)], { ttlSeconds: 2 * hour });
  await minutes(world, 12);
  expect(nodes(world)).toBe(4);
});

test("without a lead of its own it is as long as nearly all boots of the array took, or ten minutes", async () => {
  const start = (world: World) => ({ start: moment(world.now() + 1_200), leadSeconds: null });
  const unknown = createWorld();
  unknown.configure({ schedules: [office(unknown, start(unknown))] });
  await unknown.round();
  await minutes(unknown, 9);
  expect(nodes(unknown)).toBe(0);
  await minutes(unknown, 2);
  expect(nodes(unknown)).toBe(4);

  const known = createWorld();
  await known.post([jobFor(4)]);
  await known.round();
  known.advance(1);
  await known.round();
  known.advance(900);
  known.cycleCloud.settle();
  await known.post([]);
  await known.round();
  await minutes(known, 8);
  expect(nodes(known)).toBe(0);
  known.configure({ schedules: [office(known, start(known))] });
  await minutes(known, 4);
  expect(nodes(known)).toBe(0);
  await minutes(known, 2);
  expect(nodes(known)).toBe(4);
});

test("without a start it always holds, and spare nodes are made again for those that jobs take", async () => {
  const world = createWorld();
  const always = { start: "0 0 * * *", end: { at: "0 0 * * *" }, targets: [{ Name: "htc", SpareCount: 2 }] };
  world.configure({ schedules: [office(world, always)] });
  await minutes(world, 3);
  expect(nodes(world)).toBe(2);
  expect((await clusterStatus(world.ports, cluster))?.requestSets).toMatchObject([{ lasting: true }]);
  await world.post([jobFor(3)], { ttlSeconds: 2 * hour });
  await minutes(world, 3);
  expect(nodes(world)).toBe(5);
  await minutes(world, 20);
  expect(nodes(world)).toBe(5);
  await world.post([]);
  await minutes(world, 12);
  expect(nodes(world)).toBe(2);
});

test("a changed configuration counts at once", async () => {
  const world = await worldWith();
  await minutes(world, 7);
  expect(nodes(world)).toBe(4);
  world.configure({ schedules: [] });
  await minutes(world, 9);
  expect(nodes(world)).toBe(0);
});

test("the status and the explanation name the schedule", async () => {
  const world = await worldWith();
  const set = async () => (await clusterStatus(world.ports, cluster))?.requestSets;
  expect(await set()).toMatchObject([{ requestSet: "schedule/office", planned: false, expired: false }]);
  await minutes(world, 12);
  expect(await set()).toMatchObject([
    { requestSet: "schedule/office", planned: true, arrays: 1, lasting: false },
  ]);
  const outlook = await lookAhead(world.ports, cluster);
  if (outlook === undefined) throw new Error("The cluster is configured");
  const explained = explainTarget(outlook, "htc");
  expect(explained).toMatchObject({ answer: { requestSet: "schedule/office", granted: 4, lasting: false } });
});

test("a node that a window needs is not taken back by an action that was on its way", async () => {
  const world = await worldWith({ start: moment(1_800_000_000 + 1_200), leadSeconds: 0 });
  await world.post([jobFor(4)], { ttlSeconds: 100 });
  await minutes(world, 2);
  expect(nodes(world)).toBe(4);
  await world.post([]);
  await minutes(world, 5);
  // The plan that lets them go is made a moment before the window opens, and carried out a moment after.
  world.advance(1_800_000_000 + 1_199 - world.now());
  await world.snapshot();
  world.advance(1);
  await world.plan();
  world.advance(1);
  await world.execute();
  expect(nodes(world)).toBe(4);
});

async function worldWithSettings(settings: NonNullable<Schedule["settings"]>) {
  const world = createWorld();
  world.configure({ schedules: [office(world, { targets: [], settings })] });
  const ports = { ...world.ports, configs: configsInForce(world.ports.configs, world.ports.clock) };
  const pass = async () => {
    world.advance(59);
    await snapshotCluster(ports, cluster);
    world.advance(1);
    await world.planWith(ports);
    await world.execute();
    world.cycleCloud.settle();
  };
  const passes = async (count: number) => {
    for (let minute = 0; minute < count; minute += 1) await pass();
  };
  return { world, passes };
}

test("settings hold while the window is open, and are those of the configuration again after it", async () => {
  const { world, passes } = await worldWithSettings({
    max_cores: 8,
  });
  await passes(10);
  await world.post([jobFor(4)], { ttlSeconds: 3 * hour });
  await passes(1);
  expect(nodes(world)).toBe(2);
  await passes(60);
  expect(nodes(world)).toBe(4);
});

test("a window in which nothing is bought, except for urgent jobs", async () => {
  const { world, passes } = await worldWithSettings({
    min_priority: 50,
  });
  await passes(10);
  const jobs = [jobFor(3), { ...jobFor(1), name: "urgent", priority: 50 }];
  await world.post(jobs, { ttlSeconds: 3 * hour });
  await passes(1);
  expect(nodes(world)).toBe(1);
  await passes(60);
  expect(nodes(world)).toBe(4);
});

describe("schedules that ask for the same at the same time", () => {
  const thursday = Date.parse("2026-11-26T00:00Z") / 1000;
  const daily = (
    name: string,
    start: number,
    end: number,
    target: Schedule["targets"][number],
  ): Schedule => ({
    name,
    start: `0 ${start} * * *`,
    end: { at: `0 ${end} * * *` },
    timeZone: "UTC",
    except: [],
    leadSeconds: null,
    targets: [target],
  });
  const four = { Name: "htc", TargetCount: 4 };
  const office = daily("office", 8, 18, four);

  test.each([
    [
      "one array, nodes and cores",
      daily("early", 7, 9, { Name: "htc", TargetCoreCount: 8 }),
      "nodes",
      "office",
      "early",
      "08",
    ],
    ["one begins in the other", daily("noon", 12, 13, four), "nodes", "noon", "office", "12"],
    ["over midnight", daily("night", 20, 9, four), "nodes", "office", "night", "08"],
  ])("%s: both are named once", (_, other, what, later, earlier, hour) => {
    expect(overlappingSchedules({ schedules: [office, other] }, thursday)).toEqual([
      `schedules.${later}: asks for ${what} of "htc" while schedules.${earlier} does, first at 2026-11-26T${hour}:00:00Z; the larger number counts, not the sum`,
    ]);
  });

  test("keys that both set are named", () => {
    const capped = (name: string, fromHour: number, toHour: number) => ({
      ...daily(name, fromHour, toHour, four),
      targets: [],
      settings: { max_cores: 100, idle_timeout: 60 },
    });
    const schedules = [capped("office", 8, 18), { ...capped("noon", 12, 13), settings: { max_cores: 50 } }];
    expect(overlappingSchedules({ schedules }, thursday)).toEqual([
      "schedules.noon: sets max_cores while schedules.office does, first at 2026-11-26T12:00:00Z; the later of them in the file counts",
    ]);
  });

  test("spare nodes and spare slots of one array are named once", () => {
    const schedules = [
      daily("nodes", 8, 18, { Name: "htc", SpareCount: 1 }),
      daily("slots", 9, 10, { Name: "htc", SpareSlots: 1, SlotResources: { ncpus: 1 } }),
    ];
    expect(overlappingSchedules({ schedules }, thursday)).toEqual([
      expect.stringContaining('schedules.slots: asks for spare nodes of "htc" while schedules.nodes does'),
    ]);
  });

  test.each([
    ["one ends when the other begins", daily("late", 18, 22, four)],
    ["another array", daily("gpus", 8, 18, { Name: "gpu", TargetCount: 1 })],
    ["spare slots beside a floor", daily("slots", 8, 18, { Name: "htc", SpareSlots: 1, SlotResources: {} })],
    ["spare nodes beside a floor", daily("spare", 8, 18, { Name: "htc", SpareCount: 1 })],
    ["a floor that always holds", daily("floor", 0, 0, four)],
    ["a weekend far away", { ...office, name: "once", start: "2027-06-01T08:00", end: { afterSeconds: 60 } }],
  ])("%s: no warning", (_, other) => {
    expect(overlappingSchedules({ schedules: [office, other] }, thursday)).toEqual([]);
  });
});

test("windows that are shown change with the time, also where they were found before", () => {
  const about = { timeZone: "Europe/Berlin", except: [], leadSeconds: null, targets: [] };
  const schedules: readonly Schedule[] = [
    { name: "office", start: "0 8 * * *", end: { at: "0 18 * * *" }, ...about },
    { name: "overlap", start: "0 */5 * * *", end: { afterSeconds: 6 * 3_600 }, ...about },
    { name: "once", start: "2026-11-27T09:30", end: { afterSeconds: 1_800 }, ...about },
  ];
  const start = Date.parse("2026-11-26T00:00Z") / 1_000;
  for (let at = start; at < start + 2 * 86_400; at += 900)
    expect(windowsOfSchedules({ cluster, schedules }, at)).toEqual(
      windowsOfSchedules({ cluster, schedules: schedules.map((each) => ({ ...each })) }, at),
    );
});
