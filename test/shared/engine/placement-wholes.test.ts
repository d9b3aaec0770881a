import { describe, expect, test } from "vitest";
import {
  type Bucket,
  type ClusterNode,
  type Job,
  type Plan,
  type PlanInput,
  plan,
} from "../../../shared/engine/index.ts";
import { afterActions } from "./after-actions.ts";
import { violationsOf } from "./plan-validity.ts";
import { array, bucket, cluster, input, job, node, nodesOf } from "./tiny.ts";

function priced(vcpus: number, price: number, spec: Parameters<typeof bucket>[0] = {}): Bucket {
  return bucket({ vcpus, available: 100, ...spec, fields: { pricePerHourUsd: price, ...spec.fields } });
}

function byCost(
  buckets: readonly Bucket[],
  jobs: readonly Job[],
  nodes: readonly ClusterNode[] = [],
): PlanInput {
  return input({
    cluster: cluster({ nodeArrays: [array({ buckets })], nodes }),
    jobs,
    settings: { placement: { default: "cost", byNodeArray: {} } },
  });
}

function bought({ create }: Plan): readonly string[] {
  return create.map(({ vmSize, count }) => `${count} ${vmSize}`).sort();
}

/** A job that wants so many different nodes. */
function wide(name: string, nodeCount: number, json: object, fields: Partial<Job> = {}): Job {
  return job(name, json, { nodeCount, ...fields });
}

const hour = 3_600;
const groupsOf = (...names: readonly string[]) => names.map((name) => ({ name, activeCount: 0 }));

interface Example {
  readonly what: string;
  readonly buckets: readonly Bucket[];
  readonly jobs: readonly Job[];
  readonly nodes?: readonly ClusterNode[];
  readonly expected: readonly string[];
}

const examples: readonly Example[] = [
  {
    what: "the cheapest nodes that do for a job of several",
    buckets: [priced(8, 2), priced(4, 0.5)],
    jobs: [wide("w", 4, { ncpus: 2 })],
    expected: ["4 Standard_F4"],
  },
  {
    what: "larger nodes that two jobs share where that is cheaper",
    buckets: [priced(4, 0.5), priced(8, 0.9)],
    jobs: [wide("a", 4, { ncpus: 4 }), wide("b", 4, { ncpus: 4 })],
    expected: ["4 Standard_F8"],
  },
  {
    what: "larger nodes where slots of other jobs fill them",
    buckets: [priced(4, 0.5), priced(8, 0.8)],
    jobs: [wide("w", 2, { ncpus: 4 }), job("ones", { ncpus: 1 }, { iterations: 8 })],
    expected: ["2 Standard_F8"],
  },
  {
    what: "small nodes for a job that shares with nobody",
    buckets: [priced(8, 2), priced(4, 0.5)],
    jobs: [wide("w", 3, { ncpus: 1 }, { exclusive: true })],
    expected: ["3 Standard_F4"],
  },
  {
    what: "small nodes for a task that is alone on its nodes",
    buckets: [priced(8, 2), priced(4, 0.5)],
    jobs: [job("t", { ncpus: 1, exclusive_task: true }, { iterations: 8 })],
    expected: ["2 Standard_F4"],
  },
  {
    what: "the cheapest nodes that hold the first alternative",
    buckets: [priced(8, 2), priced(4, 0.5), priced(2, 0.1, { memoryGiB: 64 })],
    jobs: [job("or", { or: [{ ncpus: 4 }, { ncpus: 2, memgb: 16 }] }, { iterations: 2 })],
    expected: ["2 Standard_F4"],
  },
  {
    what: "the cheapest nodes that something does not rule out",
    buckets: [priced(8, 2), priced(4, 0.5), priced(2, 0.1)],
    jobs: [job("not", { xor: [{ ncpus: 2 }, { ngpus: 1 }], not: { ncpus: 8 } }, { iterations: 2 })],
    expected: ["2 Standard_F2"],
  },
  {
    what: "the rest of what is there in part, of a size that comes later",
    buckets: [priced(8, 0.6), priced(4, 0.5)],
    jobs: [wide("w", 3, { ncpus: 4 })],
    nodes: [node("htc-1"), node("htc-2")],
    expected: ["1 Standard_F4"],
  },
  {
    what: "a placement group of the cheaper size that is large enough",
    buckets: [
      priced(8, 2, { fields: { placementGroups: groupsOf("p8") } }),
      priced(4, 0.5, { fields: { placementGroups: groupsOf("p4") } }),
      priced(2, 0.1, { fields: { placementGroups: groupsOf("p2") }, limits: { maxPlacementGroupSize: 2 } }),
    ],
    jobs: [wide("w", 3, { ncpus: 1 }, { colocated: true })],
    expected: ["3 Standard_F4"],
  },
  {
    what: "the cheaper placement group for parts of a gang that are in one",
    buckets: [
      priced(8, 2, { fields: { placementGroups: groupsOf("p8") } }),
      priced(4, 0.5, { fields: { placementGroups: groupsOf("p4") } }),
    ],
    jobs: [1, 2].map((part) =>
      wide(`w${part}`, part, { ncpus: 3 }, { gang: "w", gangApart: true, colocated: true, mayDivide: false }),
    ),
    expected: ["3 Standard_F4"],
  },
  {
    what: "the cheapest nodes for each part of a gang",
    buckets: [priced(8, 2), priced(4, 0.5), priced(2, 0.1)],
    jobs: [
      wide("w1", 1, { ncpus: 4 }, { gang: "w", gangApart: true }),
      wide("w2", 3, { ncpus: 2 }, { gang: "w", gangApart: true }),
    ],
    expected: ["1 Standard_F4", "3 Standard_F2"],
  },
  {
    what: "larger nodes that the parts of two gangs share, and not those of one",
    buckets: [priced(4, 0.5), priced(8, 0.9)],
    jobs: ["a", "b"].flatMap((gang) =>
      [1, 2].map((part) => wide(`${gang}${part}`, part, { ncpus: 4 }, { gang, gangApart: true })),
    ),
    expected: ["3 Standard_F8"],
  },
  {
    what: "nodes of their own for jobs that run for different times",
    buckets: [priced(8, 0.9), priced(4, 0.5)],
    jobs: [
      wide("long", 2, { ncpus: 4 }, { runtimeSeconds: 100 * hour }),
      wide("short", 2, { ncpus: 4 }, { runtimeSeconds: 300 }),
    ],
    expected: ["4 Standard_F4"],
  },
];

describe("placement by cost of jobs that are placed whole", () => {
  test.each(examples)("buys $what", ({ buckets, jobs, nodes, expected }) => {
    const world = byCost(buckets, jobs, nodes);
    const result = plan(world);
    expect(violationsOf(world, result)).toEqual([]);
    expect(bought(result)).toEqual(expected);
    expect(result.jobs.every(({ granted, asked }) => granted === asked)).toBe(true);
    expect(plan(afterActions(world, result)).create).toEqual([]);
  });

  test("where a limit binds, the first in the queue gets room, whatever would cost less", () => {
    const jobs = [wide("first", 3, { ncpus: 4 }), wide("second", 4, { ncpus: 1 })];
    const world = byCost([priced(4, 0.5, { available: 3 }), priced(2, 0.1, { available: 2 })], jobs);
    const result = plan(world);
    expect(nodesOf(result, "first")).toHaveLength(3);
    expect(nodesOf(result, "second")).toEqual([]);
  });

  test("a job that comes later leaves those before it on the nodes that were bought for them", () => {
    const jobs = [wide("a", 4, { ncpus: 4 }), wide("b", 4, { ncpus: 4 })];
    const world = byCost([priced(4, 0.5), priced(8, 0.9)], jobs);
    const later = { ...afterActions(world, plan(world)), jobs: [...jobs, wide("c", 2, { ncpus: 4 })] };
    expect(bought(plan(later))).toEqual(["2 Standard_F4"]);
  });
});
