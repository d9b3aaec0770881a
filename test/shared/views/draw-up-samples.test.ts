import { expect, test } from "vitest";
import { snapshotCluster } from "../../../shared/cycle/index.ts";
import { UpstreamError } from "../../../shared/errors/errors.ts";
import type { Sample } from "../../../shared/ports/index.ts";
import { drawUpSamples } from "../../../shared/views/index.ts";
import { nodeArrayOf, nodeOf } from "../../support/cluster.ts";
import { cluster, worldWith } from "../../support/world.ts";

const minute = 60;
const none = { jobs: 0, boot: 0, idle: 0, drained: 0, kept: 0, failed: 0, ending: 0 };

function twoNodes() {
  const nodes = ["htc-1", "htc-2"].map((name) => nodeOf({ name, hostname: `host-${name}` }));
  const world = worldWith({ nodeArrays: [nodeArrayOf()], nodes });
  world.configure({ facts: { overrides: { Standard_F4s_v2: { pricePerHourUsd: 2 } } } });
  return world;
}

async function drawn(world: ReturnType<typeof twoNodes>, query = {}) {
  const outcome = await drawUpSamples(world.ports, cluster, query);
  if (outcome?.ok !== true) throw new Error(JSON.stringify(outcome));
  return outcome.answer;
}

test("each snapshot leaves a sample: nodes by use, what they cost, jobs", async () => {
  const world = twoNodes();
  const job = { constraints: { ncpus: 1 } };
  await world.post([
    { ...job, name: "1", executingHostnames: ["host-htc-1"] },
    { ...job, name: "2" },
    { ...job, name: "3" },
  ]);
  await world.snapshot();
  const first = world.now();
  world.advance(minute);
  await world.post([]);
  await world.snapshot();
  const { samples, stepSeconds } = await drawn(world);
  const seen = { usdPerHour: 4, unpricedNodes: 0 };
  expect(stepSeconds).toBe(120);
  expect(samples.at(-1)).toEqual({
    atSeconds: first + minute,
    nodes: { ...none, idle: 2 },
    ...seen,
    runningJobs: 0,
    waitingJobs: 0,
  });
  const { samples: fine } = await drawn(world, { from: first - 1, until: first + 2 * minute });
  expect(fine).toEqual([
    { atSeconds: first, nodes: { ...none, jobs: 1, idle: 1 }, ...seen, runningJobs: 1, waitingJobs: 2 },
    samples.at(-1),
  ]);
});

test("a node without a price is counted, not taken for free", async () => {
  const nodes = ["htc-1", "htc-2"].map((name) => nodeOf({ name, vmSize: "Standard_Unlisted" }));
  const world = worldWith({ nodeArrays: [nodeArrayOf()], nodes });
  await world.snapshot();
  const [only] = (await drawn(world)).samples;
  expect(only).toMatchObject({ nodes: { idle: 2 }, usdPerHour: 0, unpricedNodes: 2 });
});

test("a month is shown in steps of an hour, of each the newest sample", async () => {
  const world = twoNodes();
  const end = world.now();
  const sampleAt = (atSeconds: number): Sample => ({
    atSeconds,
    nodes: { idle: 1 },
    usdPerHour: 0.123456,
    unpricedNodes: 0,
    runningJobs: 0,
    waitingJobs: Math.round(atSeconds - end),
  });
  const kept = [-2 * 86_400, -90 * minute, -89 * minute, -minute, 0].map((at) => sampleAt(end + at));
  for (const sample of kept) await world.ports.samples.add(cluster, sample);
  const { samples, stepSeconds, fromSeconds } = await drawn(world, { from: Math.floor(end) - 30 * 86_400 });
  expect({ stepSeconds, fromSeconds }).toEqual({
    stepSeconds: 3_600,
    fromSeconds: Math.floor(end) - 30 * 86_400,
  });
  const steps = samples.map(({ atSeconds }) => Math.floor(atSeconds / 3_600));
  expect(new Set(steps).size).toBe(steps.length);
  expect(samples.at(-1)).toMatchObject({ atSeconds: end, usdPerHour: 0.1235, waitingJobs: 0 });
  expect(samples[0]?.atSeconds).toBe(end - 2 * 86_400);
});

test("a store that fails stops no snapshot", async () => {
  const world = twoNodes();
  const samples = {
    add: () => Promise.reject(new UpstreamError("storage is away", { retryable: true })),
    list: async () => [],
  };
  await snapshotCluster({ ...world.ports, samples }, cluster);
  expect((await world.ports.snapshots.load(cluster))?.value.cluster.nodes).toHaveLength(2);
  expect(world.log.filter((line) => line.includes("sample-not-kept"))).toHaveLength(1);
});

test.each([
  [{ from: 5, until: 5 }, ["from: 5, expected less than until (5)"]],
  [{ from: 6, until: 5 }, ["from: 6, expected less than until (5)"]],
])("%j is refused", async (query, problems) => {
  expect(await drawUpSamples(twoNodes().ports, cluster, query)).toEqual({ ok: false, problems });
});

test("of a cluster that is not configured nothing is known", async () => {
  expect(await drawUpSamples(twoNodes().ports, "nobody", {})).toBeUndefined();
});
