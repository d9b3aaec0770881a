import { expect, test } from "vitest";
import { isRaisable, limitNames } from "../../../../shared/engine/index.ts";
import { limitWords } from "../../../../shared/views/explain/limit-words.ts";
import {
  clusterStatus,
  explainJob,
  listBuckets,
  listLimits,
  lookAhead,
} from "../../../../shared/views/index.ts";
import { bucketOf, nodeArrayOf } from "../../../support/cluster.ts";
import { cluster, jobFor, type World, worldWith } from "../../../support/world.ts";

const base = bucketOf({ availableCount: 2 });
const tenNodes = { ...base.limits, maxCount: 10, activeCount: 0 };

test.each([
  ["all that is left is told as it is", { limits: { ...tenNodes, maxCount: 2 } }, null],
  ["what CycleCloud offers less of is its own word", { limits: tenNodes }, "CycleCloud"],
  [
    "a placement group of it takes none of what CycleCloud offers",
    {
      limits: { ...tenNodes, maxPlacementGroupSize: 2 },
      placementGroups: [{ name: "pg0", activeCount: 1 }],
    },
    "CycleCloud",
  ],
  [
    "what another limit leaves less of names that limit",
    { limits: { ...tenNodes, family: { maxCores: 8, usedCores: 0 } } },
    "family westeurope/standardFSv2Family",
  ],
])("limits: of a bucket, %s", async (_, over, boundBy) => {
  const array = nodeArrayOf({ allowsColocation: true, buckets: [{ ...base, ...over }] });
  const world = worldWith({ nodeArrays: [array] });
  // CycleCloud knows nothing of an operator's caps.
  world.configure({ cycle: { caps: { maxNodesPerPlan: 1, maxCores: null, monthlyBudgetUsd: null } } });
  await world.snapshot();
  const outlook = await lookAhead(world.ports, cluster);
  if (outlook === undefined) throw new Error("The cluster is configured");
  const listed = listLimits(outlook, {});
  const bucket = listed.ok ? listed.answer.limits.find(({ limit }) => limit === "bucket") : undefined;
  expect(bucket).toMatchObject({ left: 2, boundBy });
});

async function limitsOf(world: World) {
  const outlook = await lookAhead(world.ports, cluster);
  if (outlook === undefined) throw new Error("The cluster is configured");
  const [listed, buckets] = [listLimits(outlook, {}), listBuckets(outlook, {})];
  if (!listed.ok || !buckets.ok) throw new Error("Nothing was selected");
  return { limits: listed.answer.limits, buckets: buckets.answer.buckets, outlook };
}

test("a back-off of our own is not said to be CycleCloud's: it has a line, and CycleCloud's offer stays what it is", async () => {
  const size = bucketOf({ availableCount: 40, secondsSinceCapacityFailure: 100 });
  const world = worldWith({ nodeArrays: [nodeArrayOf({ buckets: [size] })] });
  await world.snapshot();
  await world.post([jobFor(1)]);
  world.advance(1);
  await world.plan();
  const { limits, buckets, outlook } = await limitsOf(world);
  const why = "for 3m19s: Azure had no such VM";
  expect(limits.find(({ limit }) => limit === "bucket")).toMatchObject({
    left: 40,
    boundBy: null,
    waitingJobs: 0,
  });
  expect(limits[0]).toEqual({
    limit: "back-off",
    scope: "htc/Standard_F4s_v2",
    unit: "nodes",
    max: null,
    used: null,
    left: 0,
    binds: 1,
    boundBy: why,
    waitingJobs: 1,
    waitingCores: 4,
  });
  expect(buckets[0]).toMatchObject({
    binding: "back-off",
    availableCount: 0,
    backOff: { why: "Azure had no such VM" },
  });
  // The same words everywhere.
  const sentence = `No new nodes are asked of htc/Standard_F4s_v2 ${why}.`;
  const explained = explainJob(outlook, "job-1");
  expect(explained.outcome === "explained" && explained.answer.causes[0]?.text).toBe(sentence);
  const status = await clusterStatus(world.ports, cluster);
  expect(status?.waiting[0]?.why.at(-1)).toBe(sentence);
  expect(status?.problems.map(({ text }) => text)).toContain(sentence);
});

test("limits are ranked by the cores and jobs that wait behind them", async () => {
  const small = nodeArrayOf({ name: "small", maxCount: 0, buckets: [bucketOf({ vmSize: "F4-small" })] });
  const large = nodeArrayOf({ name: "large", maxCount: 0, buckets: [bucketOf({ vmSize: "F4-large" })] });
  const world = worldWith({ nodeArrays: [small, large] });
  await world.snapshot();
  const on = (nodearray: string, ncpus: number) => ({
    constraints: [{ ncpus, "node.nodearray": nodearray }],
  });
  await world.post([
    jobFor(1, { ...on("small", 1), name: "a" }),
    jobFor(2, { ...on("small", 1), name: "b" }),
    jobFor(3, { ...on("large", 2), iterations: 6 }),
  ]);
  world.advance(1);
  await world.plan();
  const { limits } = await limitsOf(world);
  const first = limits
    .slice(0, 2)
    .map(({ scope, waitingJobs, waitingCores }) => [scope, waitingJobs, waitingCores]);
  expect(first).toEqual([
    ["large", 1, 12],
    ["small", 2, 3],
  ]);
});

test("a bucket has what it offers now, and what is left of that once the plan is carried out", async () => {
  const world = worldWith({ nodeArrays: [nodeArrayOf({ buckets: [bucketOf({ availableCount: 5 })] })] });
  await world.snapshot();
  await world.post([jobFor(2)]);
  const { buckets } = await limitsOf(world);
  expect(buckets).toMatchObject([{ availableCount: 5, leftAfterPlan: 3 }]);
});

/** Whoever is advised to raise a limit can try that first with `ccscale what-if`. A price is given, not raised. */
test.each(limitNames.filter((name) => name !== "unknown-price"))(
  "limits: %s names what to raise if, and only if, the planner can raise it",
  (name) => {
    const knob = limitWords(name).knob({ scope: "westeurope/standardFSv2Family", unit: "cores" });
    expect(knob !== null).toBe(isRaisable(name));
  },
);
