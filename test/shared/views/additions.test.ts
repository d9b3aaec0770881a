import { expect, test } from "vitest";
import { loadWorld } from "../../../shared/cycle/index.ts";
import { drawUpDemand, lookAhead, whatIf } from "../../../shared/views/index.ts";
import { bucketOf, nodeArrayOf } from "../../support/cluster.ts";
import { cluster, createWorld, jobFor, worldWith } from "../../support/world.ts";

test("what the extra jobs add is told apart from what waits anyway", async () => {
  const world = createWorld();
  await world.post([jobFor(2)]);
  await world.snapshot();
  const outlook = await lookAhead(world.ports, cluster);
  const demand = outlook && drawUpDemand(outlook);
  const known = await loadWorld(world.ports, cluster);
  if (demand?.ok !== true || known === undefined) throw new Error("no plan");
  const [now] = demand.answer.additions;
  expect(demand.answer.additions).toEqual([
    {
      nodeArray: "htc",
      vmSize: "Standard_F4s_v2",
      count: expect.any(Number),
      usdPerHour: now?.usdPerHour,
      readyInSeconds: null,
    },
  ]);
  const extra = whatIf(known, { jobs: [{ iterations: 3, constraints: { ncpus: 4 } }] }, world.now());
  if (!extra.ok) throw new Error("refused");
  expect(extra.answer.more).toMatchObject({ create: 3, additions: [{ count: 3 }], waitingCount: 0 });
  expect(extra.answer.additions).toMatchObject([{ count: (now?.count ?? 0) + 3 }]);
  const tooBig = whatIf(known, { jobs: [{ constraints: { ncpus: 4_000 } }] }, world.now());
  expect(tooBig).toMatchObject({ ok: true, answer: { more: { additions: [], waitingCount: 1 } } });
});

const price = { Standard_F4s_v2: { pricePerHourUsd: 2 } };
/** Half of a node of four cores. */
const half = { constraints: { ncpus: 2 } };

test.each([
  ["an hour of its share of a node", [half], { usdPerHour: 1, usd: null, untimedJobs: 1 }],
  ["its run time", [{ ...half, runtimeSeconds: 7_200 }], { usdPerHour: 1, usd: 2, untimedJobs: 0 }],
  ["all of a node of its own", [{ ...half, exclusive: true }], { usdPerHour: 2 }],
  ["each of its slots", [{ ...half, iterations: 3, runtimeSeconds: 3_600 }], { usdPerHour: 3, usd: 3 }],
  [
    "what is known of some",
    [half, { ...half, runtimeSeconds: 3_600 }],
    { usdPerHour: 2, usd: 1, untimedJobs: 1 },
  ],
  ["nothing while it has no place", [{ constraints: { ncpus: 4_000 } }], { usdPerHour: 0, usd: null }],
])("an extra job costs %s", async (_, jobs, cost) => {
  const world = createWorld();
  world.configure({ facts: { overrides: price } });
  await world.snapshot();
  const known = await loadWorld(world.ports, cluster);
  const extra = known && whatIf(known, { jobs }, world.now());
  if (extra?.ok !== true) throw new Error("refused");
  expect(extra.answer.more.cost).toMatchObject({ unpricedJobs: 0, ...cost });
});

test("a job that gets a part now costs all of it in the end", async () => {
  const world = createWorld();
  world.configure({
    facts: { overrides: price },
    cycle: { caps: { maxNodesPerPlan: 2, maxCores: null, monthlyBudgetUsd: null } },
  });
  await world.snapshot();
  const known = await loadWorld(world.ports, cluster);
  const jobs = [{ constraints: { ncpus: 4 }, iterations: 8, runtimeSeconds: 3_600 }];
  const extra = known && whatIf(known, { jobs }, world.now());
  if (extra?.ok !== true) throw new Error("refused");
  expect(extra.answer.more.cost).toMatchObject({ usdPerHour: 4, usd: 16 });
});

test("a job on a size without a price is not free", async () => {
  const nodeArrays = [nodeArrayOf({ buckets: [bucketOf({ vmSize: "Odd" })] })];
  const world = worldWith({ nodeArrays });
  await world.snapshot();
  const known = await loadWorld(world.ports, cluster);
  const extra = known && whatIf(known, { jobs: [half] }, world.now());
  if (extra?.ok !== true) throw new Error("refused");
  expect(extra.answer.more.cost).toEqual({ usdPerHour: 0, usd: null, untimedJobs: 0, unpricedJobs: 1 });
});
