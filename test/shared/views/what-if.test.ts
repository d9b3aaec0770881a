import { expect, test } from "vitest";
import type { WhatIfAnswer, WhatIfAsked } from "../../../shared/api/index.ts";
import { loadWorld } from "../../../shared/cycle/index.ts";
import { whatIf } from "../../../shared/views/index.ts";
import { bucketOf, nodeArrayOf } from "../../support/cluster.ts";
import { cluster, createWorld, jobFor, worldWith } from "../../support/world.ts";

/** A node costs 2 USD an hour; only so many can be had. */
async function asked(
  jobs: readonly Record<string, unknown>[],
  body: WhatIfAsked,
  fields: Parameters<typeof bucketOf>[0] & { readonly arrayNodes?: number } = {},
) {
  const { arrayNodes = 1_000, ...bucket } = fields;
  const nodeArrays = [nodeArrayOf({ maxCount: arrayNodes, buckets: [bucketOf(bucket)] })];
  const world = worldWith({ nodeArrays });
  world.configure({ facts: { overrides: { Standard_F4s_v2: { pricePerHourUsd: 2 } } } });
  await world.post(jobs);
  await world.snapshot();
  const known = await loadWorld(world.ports, cluster);
  if (known === undefined) throw new Error("unknown cluster");
  return whatIf(known, body, world.now());
}

async function answered(...args: Parameters<typeof asked>): Promise<WhatIfAnswer> {
  const result = await asked(...args);
  if (!result.ok) throw new Error(result.problems.join());
  return result.answer;
}

test("a job that asks for less: what it gets, what is not needed any more, and what it costs before and after", async () => {
  const change = { job: "job-1", with: { constraints: [{ ncpus: 2 }] } };
  const { changed, more } = await answered([jobFor(4)], { change });
  expect(changed).toMatchObject({
    before: { granted: 4, placeCount: 4 },
    after: { granted: 4, placeCount: 2 },
    costBefore: { usdPerHour: 8 },
  });
  expect(more).toMatchObject({
    create: 0,
    additions: [],
    fewer: [{ nodeArray: "htc", count: 2 }],
    cost: { usdPerHour: 4 },
  });
});

test("it keeps its place in the queue, what is not named of it stays, and others may get its room", async () => {
  const jobs = [jobFor(2, { name: "first" }), jobFor(2, { name: "second" })];
  const change = { job: "first", with: { iterations: 1 } };
  const { changed, others } = await answered(jobs, { change }, { availableCount: 3 });
  expect(changed?.after).toMatchObject({ job: "first", source: "celery", asked: 1, granted: 1 });
  expect(changed?.after.request).toMatchObject({ iterations: 1, constraints: [{ ncpus: 4 }] });
  expect(others).toEqual({
    better: 1,
    worse: 0,
    first: [{ job: "second", source: "celery", asked: 2, before: 1, after: 2, why: null }],
  });
});

test("a name in the change is passed over", async () => {
  const change = { job: "job-1", with: { name: "other", iterations: 1 } };
  expect((await answered([jobFor(4)], { change })).changed?.after.job).toBe("job-1");
});

test.each([
  ["node-array", "htc", "nodes", { availableCount: 2, arrayNodes: 2 }],
  ["bucket", "htc/Standard_F4s_v2", "nodes", { availableCount: 2 }],
] as const)("a higher limit: %s", async (limit, scope, unit, fields) => {
  const limits = [{ limit, scope, unit, more: 1 }];
  const { placedJobs, additions, others } = await answered([jobFor(4)], { limits }, fields);
  expect(placedJobs).toBe(0);
  expect(additions).toMatchObject([{ count: 3 }]);
  expect(others.first).toMatchObject([{ job: "job-1", before: 2, after: 3 }]);
});

test("a higher core quota gives as many nodes as its cores are enough for", async () => {
  const quota = { maxCores: 8, usedCores: 0 };
  const { limits: usual } = bucketOf();
  const fields = { limits: { ...usual, availableCount: 2, family: quota } };
  const limits = [
    { limit: "family", scope: "westeurope/standardFSv2Family", unit: "cores", more: 11 } as const,
  ];
  expect((await answered([jobFor(8)], { limits }, fields)).additions).toMatchObject([{ count: 4 }]);
});

test("a cap of the operator is raised too", async () => {
  const world = createWorld();
  world.configure({ cycle: { caps: { maxNodesPerPlan: 1, maxCores: null, monthlyBudgetUsd: null } } });
  await world.post([jobFor(4)]);
  await world.snapshot();
  const known = await loadWorld(world.ports, cluster);
  if (known === undefined) throw new Error("unknown cluster");
  const scope = "plan";
  const limits = [{ limit: "max-nodes-per-plan", scope, unit: "nodes", more: 2 } as const];
  const result = whatIf(known, { limits }, world.now());
  expect(result).toMatchObject({ ok: true, answer: { more: { create: 2 }, additions: [{ count: 3 }] } });
});

test("in brief: the lists of the plan are empty, its counts and the job are there", async () => {
  const change = { job: "job-1", with: { iterations: 2 } };
  const answer = await answered([jobFor(4), jobFor(1, { name: "b" })], { change, brief: true });
  expect(answer).toMatchObject({ nodes: [], create: [], jobs: 2, placedJobs: 2, nodeCount: 3 });
  expect(answer.changed?.after.placeCount).toBe(2);
});

test.each<[what: string, body: WhatIfAsked, problem: string]>([
  ["no such job", { change: { job: "none", with: {} } }, 'change.job: no job "none" is wanted'],
  [
    "no such job of that source",
    { change: { job: "job-1", source: "pbs", with: {} } },
    'change.job: no job "job-1" of source "pbs" is wanted',
  ],
  [
    "an extra job with a value that is not shown",
    { jobs: [{ constraints: [{ ncpus: 1, "node.token": "***" }] }] },
    'jobs[0].constraints[0].node.token: "***" stands for a value that is not shown, expected the value itself',
  ],
  [
    "a change with a part of a value that is not shown",
    { change: { job: "job-1", with: { constraints: { image: "https://images.example/a?sig=***" } } } },
    'change.with.constraints.image: "***" stands for a value that is not shown, expected the value itself',
  ],
  [
    "a job that runs",
    { change: { job: "runs", with: {} } },
    'change.job: "runs" runs already, expected a job that waits',
  ],
  [
    "a change that cannot be read",
    { change: { job: "job-1", with: { iterations: -1 } } },
    "change.with.iterations",
  ],
  [
    "no such limit",
    { limits: [{ limit: "node-array", scope: "none", unit: "nodes", more: 1 }] },
    'limits[0]: no limit "node-array none" in nodes, expected one of "node-array htc" in cores, "node-array htc" in nodes, "bucket',
  ],
])("refused: %s", async (_, body, problem) => {
  const runs = jobFor(1, { name: "runs", executingHostnames: ["host-1"] });
  const result = await asked([jobFor(1), runs], body);
  expect(result).toMatchObject({ ok: false, problems: [expect.stringContaining(problem)] });
});

test("two sources with the same job name: one has to be named", async () => {
  const world = createWorld();
  await world.post([jobFor(1)]);
  await world.post([jobFor(1)], { source: "pbs" });
  await world.snapshot();
  const known = await loadWorld(world.ports, cluster);
  if (known === undefined) throw new Error("unknown cluster");
  const change = { job: "job-1", with: { iterations: 2 } };
  expect(whatIf(known, { change }, world.now())).toMatchObject({
    ok: false,
    problems: [expect.stringContaining("expected one of celery, pbs")],
  });
  const named = whatIf(known, { change: { ...change, source: "pbs" } }, world.now());
  expect(named).toMatchObject({ ok: true, answer: { changed: { after: { source: "pbs", asked: 2 } } } });
});

test("a raise that brings nothing names the limit that binds next, with what waits behind it", async () => {
  const { limits: usual } = bucketOf();
  const region = { maxCores: 8, usedCores: 0 };
  const fields = { limits: { ...usual, region }, arrayNodes: 2 };
  const limits = [{ limit: "node-array", scope: "htc", unit: "nodes", more: 5 } as const];
  const { more, others } = await answered([jobFor(4)], { limits }, fields);
  expect(others.better).toBe(0);
  expect(more.bindsNext).toMatchObject([
    {
      limit: "region",
      scope: "westeurope",
      waitingJobs: 1,
      waitingCores: 8,
      text: "the core quota of region westeurope binds: 1 job with 8 cores waits behind it.",
    },
  ]);
});

test("the net cost takes off what is not needed any more", async () => {
  const change = { job: "job-1", with: { constraints: [{ ncpus: 2 }] } };
  const { more } = await answered([jobFor(4)], { change });
  expect(more).toMatchObject({ netUsdPerHour: -4, gone: 0, bindsNext: [] });
});

test("a job that loses its room says why", async () => {
  const jobs = [jobFor(1, { name: "first" }), jobFor(2, { name: "second" })];
  const change = { job: "first", with: { iterations: 2 } };
  const { others } = await answered(jobs, { change }, { availableCount: 3 });
  expect(others.first).toMatchObject([{ job: "second", before: 2, after: 1 }]);
  expect(others.first[0]?.why).toMatch(/^No room for 1 slot: what CycleCloud still offers/);
});
