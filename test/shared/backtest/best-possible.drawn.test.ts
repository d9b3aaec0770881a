import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { solveLp } from "../../../clients/cli/backtest/solve-lp.ts";
import {
  type BestPossible,
  bestPossible,
  type PricedSize,
  pricedSizes,
  type TraceJob,
  workOf,
} from "../../../shared/backtest/index.ts";
import { generalSizes, marketOf } from "../../bench/cost/market.ts";

const hour = 3_600;
const usd = 1e9;

function job(wish: Partial<TraceJob> = {}): TraceJob {
  return { name: "a", submitSeconds: 0, runSeconds: hour, requestedSeconds: null, processors: 1, ...wish };
}

function size(
  ncpus: number,
  memoryGiB: number,
  usdPerHour: number,
  more: Partial<PricedSize> = {},
): PricedSize {
  const capacity = [ncpus, memoryGiB, 0] as const;
  return {
    nodeArray: "htc",
    vmSize: `s${ncpus}`,
    spot: false,
    capacity,
    usdPerHour,
    reservation: null,
    ...more,
  };
}

async function best(
  jobs: readonly TraceJob[],
  sizes: readonly PricedSize[],
  more: { bootSeconds?: number; hours?: number } = {},
): Promise<BestPossible> {
  const outcome = await bestPossible({ jobs, sizes, bootSeconds: 0, hours: 1_000, solve: solveLp, ...more });
  if (!outcome.ok) throw new Error(outcome.why);
  return outcome.best;
}

const nodes = (count: number, wish: Partial<TraceJob> = {}) => Array.from({ length: count }, () => job(wish));

describe("bestPossible: the bound of work that one can add up by hand", () => {
  const small = size(4, 16, 0.2);
  const large = size(16, 64, 0.7);
  const fat = size(4, 64, 0.4);
  test.each([
    ["a full node", nodes(4), [small], 0.2],
    ["one job pays its part of a node", nodes(1), [small], 0.05],
    ["the size that costs least for each processor", nodes(16), [small, large], 0.7],
    ["memory decides", nodes(1, { memoryGiB: 64, nodes: 1 }), [small, fat], 0.4],
    [
      "processors and memory of two jobs share one node",
      [...nodes(3), job({ memoryGiB: 16, nodes: 1 })],
      [small],
      0.2,
    ],
    ["two hours", nodes(4, { runSeconds: 2 * hour }), [small], 0.4],
    ["a job over two nodes", nodes(1, { processors: 8, nodes: 2 }), [small], 0.4],
    ["a node to itself", nodes(1, { exclusive: true, nodes: 1 }), [small], 0.2],
    ["whole nodes: each job of one processor pays one", nodes(4, { wholeNodes: true }), [small], 0.8],
    [
      "whole nodes: processors of one job share them",
      [job({ processors: 8, wholeNodes: true })],
      [small],
      0.4,
    ],
    ["whole nodes: the small one is enough", [job({ wholeNodes: true })], [small, large], 0.2],
    [
      "spot is taken where it is cheaper",
      nodes(4),
      [small, { ...small, spot: true, usdPerHour: 0.05 }],
      0.05,
    ],
    ["a reservation pays its nodes", nodes(8), [{ ...small, reservation: { name: "r", nodes: 1 } }], 0.2],
    ["no jobs", [], [small], 0],
  ] as const)("%s", async (_, jobs, sizes, expected) => {
    const { boundNanoUsd } = await best(jobs, sizes, { hours: 1 });
    expect(boundNanoUsd / usd).toBeLessThanOrEqual(expected);
    expect(boundNanoUsd / usd).toBeGreaterThanOrEqual(expected * (1 - 1e-5));
  });

  test("a job that fits on no size is counted, and in neither figure", async () => {
    const found = await best([job(), job({ processors: 64, nodes: 1 })], [small]);
    expect(found.jobsLeftOut).toBe(1);
    expect(found.boundNanoUsd / usd).toBeCloseTo(0.05, 5);
  });
});

describe("bestPossible: with everything known beforehand", () => {
  const small = size(4, 16, 0.2);
  const foreseen = async (jobs: readonly TraceJob[], bootSeconds = 360) =>
    ((await best(jobs, [small], { bootSeconds })).foreseenNanoUsd ?? Number.NaN) / usd;

  test.each([
    ["one job: its node, and the boot", [job()], 0.2 + 0.02],
    ["four jobs share a node", nodes(4), 0.22],
    ["five jobs need two", nodes(5), 0.44],
    [
      "a node stays up for the next job",
      [job(), job({ submitSeconds: hour + 100 })],
      0.4 + (0.2 * 100) / hour + 0.02,
    ],
    ["and not when a boot costs less", [job(), job({ submitSeconds: hour + 400 })], 0.44],
    ["parts on different nodes", [job({ processors: 2, nodes: 2 })], 0.44],
    ["a node to itself", [job(), job({ exclusive: true, nodes: 1 })], 0.44],
    ["whole nodes", [job({ wholeNodes: true }), job({ processors: 5, wholeNodes: true })], 0.66],
    ["none", [], 0],
  ])("%s", async (_, jobs, expected) => {
    expect(await foreseen(jobs)).toBeCloseTo(expected, 8);
  });

  test("spot nodes alone have no such plan: they may be taken away", async () => {
    expect((await best([job()], [{ ...small, spot: true }])).foreseenNanoUsd).toBeNull();
  });
});

describe("bestPossible: of any workload", () => {
  const jobs = fc.array(
    fc.record({
      name: fc.constant("a"),
      submitSeconds: fc.nat(20_000),
      runSeconds: fc.integer({ min: 1, max: 20_000 }),
      requestedSeconds: fc.constant(null),
      processors: fc.integer({ min: 1, max: 8 }),
      nodes: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      memoryGiB: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
      exclusive: fc.boolean(),
      wholeNodes: fc.boolean(),
    }),
    { minLength: 1, maxLength: 25 },
  );
  const sizes = fc.array(
    fc.tuple(
      fc.integer({ min: 8, max: 32 }),
      fc.integer({ min: 40, max: 128 }),
      fc.integer({ min: 1, max: 900 }),
    ),
    { minLength: 1, maxLength: 4 },
  );

  test("no plan costs less than the bound: neither the foreseen one nor a node for each part", async () => {
    await fc.assert(
      fc.asyncProperty(jobs, sizes, fc.nat(600), async (given, offered, bootSeconds) => {
        const all = given.map(
          ({ nodes: hosts, memoryGiB, ...rest }): TraceJob => ({
            ...rest,
            ...(hosts === undefined ? {} : { nodes: hosts }),
            ...(memoryGiB === undefined ? {} : { memoryGiB }),
          }),
        );
        const priced = offered.map(([ncpus, memoryGiB, cents]) => size(ncpus, memoryGiB, cents / 100));
        const { boundNanoUsd, foreseenNanoUsd, jobsLeftOut } = await best(all, priced, { bootSeconds });
        expect(jobsLeftOut).toBe(0);
        expect(foreseenNanoUsd).toBeGreaterThanOrEqual(boundNanoUsd);
        const cheapest = Math.min(...priced.map(({ usdPerHour }) => usdPerHour));
        const alone = all.reduce(
          (sum, { nodes: hosts, processors, runSeconds }) =>
            sum + ((hosts ?? processors) * runSeconds * cheapest) / hour,
          0,
        );
        expect(boundNanoUsd / usd).toBeLessThanOrEqual(alone);
      }),
      { seed: 19, numRuns: 30 },
    );
  });

  test("many kinds of memory become few, rounded down", () => {
    const all = Array.from({ length: 5_000 }, (_, index) => job({ memoryGiB: 1 + index / 7, nodes: 1 }));
    const items = workOf(all);
    expect(items.length).toBeLessThanOrEqual(400);
    expect(items.reduce((sum, { count }) => sum + count, 0)).toBeCloseTo(5_000, 6);
    const memory = (total: number, { count, demand }: (typeof items)[number]) =>
      total + count * (demand[1] ?? 0);
    const exact = all.reduce((sum, { memoryGiB = 0 }) => sum + memoryGiB, 0);
    const rounded = items.reduce(memory, 0);
    expect(rounded).toBeLessThanOrEqual(exact);
    expect(rounded).toBeGreaterThan(exact * 0.9);
  });
});

describe("pricedSizes", () => {
  const market = marketOf(generalSizes().slice(0, 3));

  test("the sizes of a cluster, with what they have", () => {
    const found = pricedSizes(market);
    expect(found.ok && found.sizes.map(({ vmSize, capacity }) => [vmSize, capacity.length])).toEqual(
      generalSizes()
        .slice(0, 3)
        .map(({ vmSize }) => [vmSize, 3]),
    );
  });

  test("a size without a price: the bound is not known", () => {
    const nodeArrays = market.nodeArrays.map((array) => ({
      ...array,
      buckets: array.buckets.map((bucket, index) =>
        index === 1 ? { ...bucket, pricePerHourUsd: null } : bucket,
      ),
    }));
    expect(pricedSizes({ nodeArrays })).toMatchObject({
      ok: false,
      why: expect.stringMatching(/^the price of "/),
    });
    expect(pricedSizes({ nodeArrays: [] })).toEqual({
      ok: false,
      why: "the cluster has no node array with a size.",
    });
  });
});
