import { describe, expect, test } from "vitest";
import {
  type Bucket,
  type Job,
  type NodeArray,
  type Plan,
  type PlanInput,
  plan,
} from "../../../shared/engine/index.ts";
import { sizeSentences } from "../../../shared/views/index.ts";
import { afterActions } from "./after-actions.ts";
import { array, bucket, cluster, input, job } from "./tiny.ts";

function priced(vcpus: number, price: number | null, fields: Partial<Bucket> = {}): Bucket {
  return bucket({ vcpus, available: 100, fields: { pricePerHourUsd: price, ...fields } });
}

function byCost(
  buckets: readonly Bucket[],
  jobs: readonly Job[],
  fields: Partial<NodeArray> = {},
): PlanInput {
  return input({
    cluster: cluster({ nodeArrays: [array({ buckets, ...fields })] }),
    jobs,
    settings: { placement: { default: "cost", byNodeArray: {} } },
  });
}

function bought({ create }: Plan): readonly string[] {
  return create.map(({ vmSize, count }) => `${count} ${vmSize}`);
}

const ones = (count: number) => [job("j", { ncpus: 1 }, { iterations: count })];

describe("placement by cost", () => {
  test.each<[string, readonly Bucket[], number, readonly string[]]>([
    ["the cheaper of two sizes that do", [priced(8, 2), priced(4, 0.5)], 8, ["2 Standard_F4"]],
    [
      "a small node for what is left over",
      [priced(8, 2), priced(2, 0.6)],
      10,
      ["1 Standard_F8", "1 Standard_F2"],
    ],
    ["no size of unknown price where another does", [priced(8, null), priced(4, 3)], 4, ["1 Standard_F4"]],
    [
      "in order of preference where no price is known",
      [priced(8, null), priced(4, null)],
      4,
      ["1 Standard_F8"],
    ],
    [
      "what a reservation pays for",
      [priced(4, 0.5), priced(8, 4, { reservation: { name: "r", nodes: 1 } })],
      8,
      ["1 Standard_F8"],
    ],
  ])("buys %s", (_what, buckets, slots, expected) => {
    const world = byCost(buckets, ones(slots));
    const result = plan(world);
    expect([...bought(result)].sort()).toEqual([...expected].sort());
    expect(plan(afterActions(world, result)).create).toEqual([]);
  });

  test("the options of a job come before price", () => {
    const jobs = [job("j", { ncpus: 1, "node.vm_size": ["Standard_F8", "Standard_F4"] })];
    expect(bought(plan(byCost([priced(4, 0.1), priced(8, 9)], jobs)))).toEqual(["1 Standard_F8"]);
  });

  test("the priority of an array comes before price", () => {
    const nodeArrays = [
      array({ name: "cheap", priority: 1, buckets: [priced(4, 0.1)] }),
      array({ name: "first", priority: 2, buckets: [priced(4, 9)] }),
    ];
    const world = { ...byCost([], ones(1)), cluster: cluster({ nodeArrays }) };
    expect(plan(world).create.map(({ nodeArray }) => nodeArray)).toEqual(["first"]);
  });

  test("the limits of a cheaper size hold", () => {
    const cheap = bucket({ vcpus: 4, available: 1, fields: { pricePerHourUsd: 0.1 } });
    const result = plan(byCost([priced(8, 2), cheap], ones(8)));
    expect(result.jobs[0]?.granted).toBe(8);
    expect(result.create.find(({ vmSize }) => vmSize === "Standard_F4")?.count ?? 0).toBeLessThanOrEqual(1);
  });
});

describe("placement by cost, where it is known how long jobs run", () => {
  const hour = 3_600;
  const minutes = Array.from({ length: 15 }, () => 300);
  test.each<[string, readonly (number | null)[], string]>([
    ["small nodes where one job runs much longer", [...minutes, 100 * hour], "4 Standard_F4"],
    ["a large node, which is cheaper, where all run as long", [...minutes, 300], "1 Standard_F16"],
    ["a large node where nothing is known", [...minutes, 300].map(() => null), "1 Standard_F16"],
  ])("buys %s", (_what, runtimes, expected) => {
    const jobs = runtimes.map((runtimeSeconds, index) => job(`j${index}`, { ncpus: 1 }, { runtimeSeconds }));
    const world = byCost([priced(16, 1.75), priced(4, 0.5)], jobs);
    const result = plan(world);
    expect(bought(result)).toEqual([expected]);
    expect(plan(afterActions(world, result)).create).toEqual([]);
  });
});

test("of sizes that are about as cheap, small ones are bought: one long job keeps less of them", () => {
  const world = byCost([priced(8, 1.5), priced(16, 2), priced(4, 0.5)], ones(16));
  const result = plan(world);
  expect(bought(result)).toEqual(["4 Standard_F4"]);
  expect(plan(afterActions(world, result)).create).toEqual([]);
});

describe("why a size", () => {
  test.each<[string, PlanInput, object]>([
    [
      "least cost, beside the next best",
      byCost([priced(8, 2), priced(4, 0.5)], ones(16)),
      {
        why: "least-cost",
        pricePerHourUsd: 0.5,
        next: { vmSize: "Standard_F8", nodes: 2, usdPerHour: 4 },
        keptOut: [],
      },
    ],
    [
      "a constraint kept a cheaper one out",
      byCost([priced(8, 2), priced(4, 0.5)], [job("j", { ncpus: 8 })]),
      {
        next: null,
        keptOut: [{ vmSize: "Standard_F4", by: "constraint", reason: { code: "InsufficientResource" } }],
      },
    ],
    [
      "a limit did",
      byCost([priced(8, 2), bucket({ available: 0, fields: { pricePerHourUsd: 0.5 } })], ones(4)),
      {
        keptOut: [
          { vmSize: "Standard_F4", by: "limit", reason: { code: "NoCapacity", limit: "bucket", left: 0 } },
        ],
      },
    ],
    [
      "the options of the job did",
      byCost(
        [priced(4, 0.1), priced(8, 9)],
        [job("j", { ncpus: 1, "node.vm_size": ["Standard_F8", "Standard_F4"] })],
      ),
      { keptOut: [{ vmSize: "Standard_F4", by: "priority" }] },
    ],
    [
      "the order of preference did",
      { ...byCost([priced(8, 2), priced(4, 0.5)], ones(4)), settings: input({}).settings },
      {
        why: "first-choice",
        next: { vmSize: "Standard_F4" },
        keptOut: [{ vmSize: "Standard_F4", by: "preference" }],
      },
    ],
    [
      "a price that is not known is no price",
      byCost([priced(8, null)], ones(4)),
      { why: "first-choice", pricePerHourUsd: null, next: null, keptOut: [] },
    ],
  ])("%s", (_case, world, expected) => {
    const { sizes, create } = plan(world);
    expect(sizes.flatMap(({ names }) => names)).toEqual(create.flatMap(({ names }) => names));
    expect(sizes[0]).toMatchObject(expected);
    expect(sizes.flatMap(sizeSentences).join(" ")).toContain(create[0]?.vmSize);
  });
});
