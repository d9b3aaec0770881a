import { describe, expect, test } from "vitest";
import { readPastHours, targetsInForce } from "../../../shared/cycle/spare-room.ts";
import type { NodeArrayTarget } from "../../../shared/messages/index.ts";
import type { RequestSet, Sample, Schedule } from "../../../shared/ports/index.ts";
import { MemorySampleStore } from "../../../shared/stores/in-memory/memory-samples.ts";
import { clusterStatus, explainTarget, lookAhead } from "../../../shared/views/index.ts";
import { cluster, createWorld } from "../../support/world.ts";

const [hour, day] = [3_600, 86_400];
/** The beginning of an hour. */
const nowSeconds = 1_800_000_000;

const set = (array: Partial<NodeArrayTarget>): RequestSet => ({
  cluster,
  requestSet: "spare",
  source: "cron",
  sequence: 1,
  sentAtSeconds: nowSeconds,
  receivedAtSeconds: nowSeconds,
  expiresAtSeconds: nowSeconds + hour,
  ignoredMessages: 0,
  arrays: [{ Name: "htc", ...array }],
});

/** `cores` null: of nodes whose size is not known; `nodes` null: of a program that kept no account of them. */
const sample = (
  atSeconds: number,
  nodes: number | null,
  cores: number | null = 4 * (nodes ?? 0),
): Sample => ({
  atSeconds,
  nodes: {},
  usdPerHour: 0,
  unpricedNodes: 0,
  ...(nodes !== null && { used: { htc: { nodes, cores } } }),
  runningJobs: 0,
  waitingJobs: 0,
});

/** What is asked for in this hour, when hours of earlier days were so: nodes in use by minutes since their begin. */
async function sizedBy(
  hours: Readonly<
    Record<number, readonly (readonly [minute: number, nodes: number | null, cores?: number | null])[]>
  >,
  array: Partial<NodeArrayTarget> = { SpareCount: "auto" },
) {
  const samples = new MemorySampleStore();
  for (const [daysAgo, points] of Object.entries(hours).toReversed())
    for (const [minute, nodes, cores] of points)
      await samples.add(cluster, sample(nowSeconds - Number(daysAgo) * day + minute * 60, nodes, cores));
  const sets = [set(array)];
  const config = { cluster };
  const past = await readPastHours({ samples }, config, { sets, nowSeconds });
  const { targets, spares } = targetsInForce(sets, { config, history: [], nowSeconds, past });
  return { asked: targets[0]?.arrays[0], sizing: spares[0] };
}

describe("spare room that is left to the service", () => {
  test("is what jobs needed more within a boot, in 95 of 100 minutes of that hour in earlier weeks", async () => {
    // Ten minutes before the rise, boots of ten minutes would have come too late.
    const { asked, sizing } = await sizedBy({
      7: [
        [0, 2],
        [30, 5],
      ],
      14: [[0, 2]],
      1: [
        [0, 0],
        [5, 90],
      ],
    });
    expect(asked?.SpareCount).toBe(3);
    expect(sizing).toMatchObject({ isAuto: true, hours: 2, bootSeconds: 600 });
    expect(sizing?.rises.filter((rise) => rise > 0)).toEqual(Array(10).fill(3));
  });

  test("is none for what comes in fewer minutes", async () => {
    const weeks = [7, 14, 21, 28].map((days) => [days, [[0, 2]]] as const);
    const rare = await sizedBy({
      ...Object.fromEntries(weeks),
      7: [
        [0, 2],
        [5, 5],
      ],
    });
    expect(rare.asked?.SpareCount).toBe(0);
  });

  test("counts earlier days until two weeks are known, and nothing before", async () => {
    expect(
      (
        await sizedBy({
          1: [
            [0, 0],
            [20, 4],
          ],
          7: [[0, 0]],
        })
      ).asked?.SpareCount,
    ).toBe(4);
    const unknown = await sizedBy({});
    expect(unknown).toMatchObject({ asked: { SpareCount: 0 }, sizing: { hours: 0, rises: [] } });
  });

  test("is in slots of so many cores where these are asked for", async () => {
    const slots = { SpareSlots: "auto", SlotResources: { ncpus: 4, memgb: 16 } } as const;
    const { asked } = await sizedBy(
      {
        7: [
          [0, 1, 4],
          [20, 2, 13],
        ],
        14: [[0, 1]],
      },
      slots,
    );
    expect(asked).toMatchObject({ SpareSlots: 3, SlotResources: slots.SlotResources });
  });

  test.each<[string, Parameters<typeof sizedBy>[0][number], number]>([
    [
      "is known from the first sample on that tells it",
      [
        [0, null],
        [20, 90],
        [30, 92],
      ],
      2,
    ],
    [
      "is not known when it is told in its last minutes only",
      [
        [0, null],
        [40, 90],
        [50, 99],
      ],
      0,
    ],
    [
      "is not known when most samples do not tell it",
      [
        [0, 2],
        [20, 5],
        [21, null],
        [40, null],
        [41, null],
      ],
      0,
    ],
  ])("counts what samples tell: an hour %s", async (_, points, wanted) => {
    const { asked, sizing } = await sizedBy({ 1: points });
    expect([asked?.SpareCount, sizing?.rises.length]).toEqual([wanted, wanted === 0 ? 0 : 40]);
  });

  test("takes cores of nodes whose size was not known for unknown, not for none", async () => {
    const slots = { SpareSlots: "auto", SlotResources: { ncpus: 4 } } as const;
    const points = [
      [0, 8, null],
      [10, 8, 32],
    ] as const;
    expect((await sizedBy({ 1: points }, slots)).asked?.SpareSlots).toBe(0);
    expect((await sizedBy({ 1: points })).sizing?.hours).toBe(1);
  });

  test("reads nothing where nobody asks for spare room", async () => {
    const samples = { add: async () => {}, list: () => Promise.reject(new Error("read")) };
    const sets = [set({ TargetCount: 2 })];
    expect(await readPastHours({ samples }, { cluster }, { sets, nowSeconds })).toEqual([]);
  });
});

test("a schedule keeps what the last weeks tell, and the status and the explanation say why and for how much", async () => {
  const world = createWorld();
  const begin = Math.floor(world.now() / hour) * hour;
  for (const days of [7, 14])
    for (const [minute, nodes] of [
      [0, 0],
      [55, 3],
    ] as const)
      await world.ports.samples.add(cluster, sample(begin - days * day + minute * 60, nodes));
  const always: Schedule = {
    name: "spare",
    start: "0 0 * * *",
    end: { at: "0 0 * * *" },
    timeZone: "UTC",
    except: [],
    leadSeconds: null,
    targets: [{ Name: "htc", SpareCount: "auto" }],
  };
  world.configure({ schedules: [always] });
  await world.round();
  world.cycleCloud.settle();
  await world.round();
  const [target] = (await clusterStatus(world.ports, cluster))?.targets ?? [];
  expect(target).toMatchObject({
    name: "htc:spare",
    asked: 3,
    spare: { auto: true, keptNodes: 3, waitSeconds: 0 },
  });
  const outlook = await lookAhead(world.ports, cluster);
  if (outlook === undefined) throw new Error("The cluster is configured");
  const explained = explainTarget(outlook, "htc:spare");
  expect(explained).toMatchObject({ answer: { spare: target?.spare, lasting: true } });
  expect(target?.spare?.text).toMatch(
    /^In 95 of 100 minutes of 2 hours like this one, jobs needed no more within a boot/,
  );
  const head = await world.ports.plans.loadHead(cluster);
  expect(head?.value.nextDeadlineSeconds).toBeLessThanOrEqual(begin + hour);
});
