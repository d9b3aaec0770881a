import { beforeEach, describe, expect, test } from "vitest";
import { costQuery } from "../../../shared/api/index.ts";
import { drawUpCost } from "../../../shared/views/index.ts";
import { bucketOf, nodeArrayOf, nodeOf } from "../../support/cluster.ts";
import { cluster, type World, worldWith } from "../../support/world.ts";

let world: World;

/** Two nodes of 4 cores at 3.60 USD an hour, and two jobs on one of them, for some hours that cross midnight (UTC). */
beforeEach(async () => {
  world = worldWith({
    nodeArrays: [nodeArrayOf({ buckets: [bucketOf()] })],
    nodes: [1, 2].map((index) => nodeOf({ name: `htc-${index}`, hostname: `host-${index}` })),
  });
  world.configure({ facts: { overrides: { Standard_F4s_v2: { pricePerHourUsd: 3.6 } } } });
  const toMidnight = 86_400 - (world.now() % 86_400);
  world.advance(toMidnight - 2 * 3_600);
  const jobs = [
    { name: "1", constraints: { ncpus: 2 }, user: "ada", account: "geo", queue: "long" },
    { name: "2", constraints: { ncpus: 1 } },
  ];
  await world.post(
    jobs.map((job) => ({ ...job, executingHostnames: ["host-1"] })),
    { ttlSeconds: 86_400 },
  );
  await world.snapshot();
  for (let half = 0; half < 8; half++) {
    world.advance(1_800);
    await world.snapshot();
  }
});

async function cost(query: Readonly<Record<string, string>> = {}) {
  const outcome = await drawUpCost(world.ports, cluster, costQuery.parse({ from: "0", ...query }));
  if (outcome?.ok !== true) throw new Error(JSON.stringify(outcome));
  return outcome.answer;
}

/** Keys, US dollars, node-hours. */
async function rows(query: Readonly<Record<string, string>>) {
  return (await cost(query)).rows.map(({ keys, usd, nodeHours }) => [...Object.values(keys), usd, nodeHours]);
}

describe("what a cluster cost", () => {
  test("by node array, with what of it was for jobs, unused and idle", async () => {
    const { rows: all, total } = await cost();
    expect(all).toHaveLength(1);
    expect(all[0]).toMatchObject({
      keys: { array: "htc" },
      usd: 28.8,
      share: 1,
      nodeHours: 8,
      coreHours: 32,
      unpricedNodeHours: 0,
      busyNodeHours: 4,
      usdByPurpose: { job: 10.8, unused: 3.6, idle: 14.4, boot: 0, failed: 0 },
    });
    expect(total).toMatchObject({ usd: 28.8, nodeHours: 8 });
  });

  test("by user: what nobody said is a group of its own, and so is what was no job's", async () => {
    const { rows: all } = await cost({ by: "user" });
    expect(all.map(({ keys, isOverhead, usd }) => [keys.user, isOverhead, usd])).toEqual([
      ["ada", false, 7.2],
      [null, false, 3.6],
      [undefined, true, 18],
    ]);
  });

  test("by several dimensions", async () => {
    expect(await rows({ by: "account,queue" })).toEqual([
      ["geo", "long", 7.2, 2],
      [null, null, 3.6, 1],
      [18, 5],
    ]);
  });

  test("by hour and by day the same, in order", async () => {
    const days = await rows({ by: "day" });
    expect(days).toHaveLength(2);
    expect(days.map(([, usd]) => usd)).toEqual([14.4, 14.4]);
    const hours = await rows({ by: "hour", from: `${world.now() - 4 * 3_600}` });
    expect(hours.map(([, usd]) => usd)).toEqual([7.2, 7.2, 7.2, 7.2]);
    expect(hours.map(([hour]) => hour)).toEqual(hours.map(([hour]) => hour).toSorted());
  });

  test("by job: whole runs, and what they cost until now", async () => {
    expect(
      (await cost({ by: "job" })).rows.map(({ keys, usd, runs }) => [keys.job, keys.user, usd, runs]),
    ).toEqual([
      ["1", "ada", 7.2, 0],
      ["2", null, 3.6, 0],
    ]);
    await world.post([]);
    world.advance(60);
    await world.snapshot();
    const ended = (await cost({ by: "job" })).rows;
    expect(ended.map(({ keys, runs }) => [keys.job, runs])).toEqual([
      ["1", 1],
      ["2", 1],
    ]);
  });

  test("by node: what each cost on a day, and how much of it while it idled", async () => {
    const day = await cost({ by: "node,day" });
    expect(
      day.rows.map(({ keys, usd, usdByPurpose: { idle, unused, job } }) => [
        keys.node,
        usd,
        idle,
        unused + job,
      ]),
    ).toEqual([
      ["htc-1", 7.2, 0, 7.2],
      ["htc-1", 7.2, 0, 7.2],
      ["htc-2", 7.2, 7.2, 0],
      ["htc-2", 7.2, 7.2, 0],
    ]);
    expect((await cost({ by: "node" })).total).toMatchObject({ usd: 28.8, nodeHours: 8, coreHours: 32 });
    const idle = (await cost({ by: "purpose,node" })).rows.filter(({ keys }) => keys.purpose === "idle");
    expect(idle.map(({ keys, usd }) => [keys.node, usd])).toEqual([["htc-2", 14.4]]);
  });

  test.each([{ by: "node,user" }, { by: "node,hour" }, { by: "job,node" }, { by: "node", user: "ada" }])(
    "%j cannot be told of nodes",
    async (query) => {
      const outcome = await drawUpCost(world.ports, cluster, costQuery.parse({ from: "0", ...query }));
      expect(outcome).toMatchObject({
        ok: false,
        problems: expect.arrayContaining([expect.stringContaining("node")]),
      });
    },
  );

  test("of one user: what his jobs had, by array and by job", async () => {
    expect((await cost({ user: "ada" })).total).toMatchObject({ usd: 7.2, nodeHours: 2, busyNodeHours: 2 });
    expect(await rows({ user: "ada", by: "day" })).toHaveLength(2);
    expect((await cost({ user: "ada", by: "job" })).rows.map(({ keys, usd }) => [keys.job, usd])).toEqual([
      ["1", 7.2],
    ]);
    expect((await cost({ queue: "short" })).rows).toEqual([]);
  });

  test("by user and job: the jobs of a user stay together", async () => {
    const { rows: all } = await cost({ by: "user,job" });
    expect(all.map(({ keys, usd }) => [keys.user, keys.job, usd])).toEqual([
      ["ada", "1", 7.2],
      [null, "2", 3.6],
    ]);
    const refused = await drawUpCost(world.ports, cluster, costQuery.parse({ by: "job,hour" }));
    expect(refused).toMatchObject({ ok: false, problems: [expect.stringContaining("a run has no hour")] });
  });

  test("a part of a day by its hours; an hour counts where it begins", async () => {
    const from = world.now() - 3 * 3_600;
    expect((await cost({ from: `${from}`, until: `${from + 2 * 3_600}` })).total.usd).toBe(14.4);
  });

  test("what is said to be counted is what is counted: two parts of an hour are the hour", async () => {
    const from = Math.floor((world.now() - 3 * 3_600) / 3_600) * 3_600;
    const within = await cost({ from: `${from + 600}`, until: `${from + 1_200}` });
    expect(within).toMatchObject({ fromSeconds: from, untilSeconds: from + 3_600 });
    expect(within.total).toEqual((await cost({ from: `${from}`, until: `${from + 3_600}` })).total);
    const runs = await cost({ by: "job", from: `${world.now() - 60}` });
    expect(runs.fromSeconds).toBe(Math.floor((world.now() - 60) / 86_400) * 86_400);
  });

  test("by hour, as far back as hours are kept: the sum is of the time that is named", async () => {
    for (let day = 0; day < 12; day += 1) {
      world.advance(86_400);
      await world.snapshot();
    }
    const oldest = Math.floor(world.now() / 86_400 - 7) * 86_400;
    const outcome = await drawUpCost(world.ports, cluster, costQuery.parse({ by: "hour" }));
    if (outcome?.ok !== true) throw new Error(JSON.stringify(outcome));
    const { fromSeconds, total, rows } = outcome.answer;
    expect(fromSeconds).toBe(oldest);
    expect(total).toEqual((await cost({ by: "day", from: `${fromSeconds}` })).total);
    expect(rows[0]?.keys.hour).toBe(`${new Date(fromSeconds * 1_000).toISOString().slice(0, 13)}:00Z`);
    const older = costQuery.parse({ by: "hour", from: `${oldest - 86_400}` });
    expect(await drawUpCost(world.ports, cluster, older)).toMatchObject({
      ok: false,
      problems: [expect.stringContaining("or later by hour: hours are kept for 7 days")],
    });
  });

  test("this month, unless it is said otherwise; nothing is counted beyond the newest snapshot", async () => {
    const outcome = await drawUpCost(world.ports, cluster, costQuery.parse({}));
    const date = new Date(world.now() * 1_000);
    const month = Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1_000;
    world.advance(600);
    expect(outcome).toMatchObject({ answer: { fromSeconds: month, untilSeconds: world.now() - 600 } });
  });

  test("pages that were closed and not kept yet are counted, and none twice", async () => {
    const { total } = await cost({ by: "day" });
    world.advance(1);
    await world.snapshot();
    expect((await cost({ by: "day" })).total.nodeHours).toBeCloseTo(total.nodeHours + 2 / 3_600, 3);
  });

  test("an unknown price is time without money", async () => {
    const nowhere = nodeArrayOf({ location: "nowhere" });
    world = worldWith({ nodeArrays: [nowhere], nodes: [nodeOf({ name: "htc-1" })] });
    await world.snapshot();
    world.advance(3_600);
    await world.snapshot();
    const [row, ...others] = (await cost()).rows;
    expect(others).toEqual([]);
    expect(row).toMatchObject({ usd: 0, nodeHours: 1, unpricedNodeHours: 1, share: 1 });
  });
});

describe("what cannot be told", () => {
  test.each([
    [{ by: "user,user" }, 'by: "user" twice, expected each once'],
    [
      { by: "job,day" },
      'by: "job,day", expected "job" beside user, account and queue alone: a run has no day',
    ],
    [
      { from: "9999", until: "5000" },
      "from: 1970-01-01T02:46:39Z, expected a moment before 1970-01-01T01:23:20Z",
    ],
    [
      { from: "9999" },
      "from: 1970-01-01T02:46:39Z, expected the start of a day (00:00 UTC): hours are kept for 7 days",
    ],
  ])("%o", async (query, problem) => {
    const outcome = await drawUpCost(world.ports, cluster, costQuery.parse(query));
    expect(outcome).toMatchObject({ ok: false, problems: expect.arrayContaining([problem]) });
  });

  test("a cluster that nobody configured", async () => {
    expect(await drawUpCost(world.ports, "nowhere", costQuery.parse({}))).toBeUndefined();
  });

  test.each(["", "colour", "array,,day"])("by: %s", (by) => {
    expect(costQuery.safeParse({ by }).success).toBe(false);
  });
});
