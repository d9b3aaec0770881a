import { expect, test } from "vitest";
import { plan } from "../../../shared/engine/index.ts";
import { array, bucket, cluster, input, job, nodesOf } from "./tiny.ts";

const fourCores = { vmSize: "Standard_D4s_v5", vcpus: 4, memoryGiB: 16 };
const world = cluster({ nodeArrays: [array({ buckets: [bucket(fourCores)] })] });

test.each([
  ["the first for which there is room", [{ ncpus: 3 }, { or: [{ ncpus: 2 }, { ncpus: 1 }] }], 0],
  ["one that takes nothing", [{ ncpus: 4 }, { or: [{ ncpus: 2 }, { "node.vcpu_count": 4 }] }], 0],
  [
    "each of two beside the other",
    [{ or: [{ ncpus: 3 }, { ncpus: 1 }] }, { or: [{ ncpus: 2 }, { ncpus: 1 }] }],
    0,
  ],
  ["one inside another", [{ ncpus: 2 }, { or: [{ ncpus: 3 }, { or: [{ ncpus: 4 }, { ncpus: 1 }] }] }], 1],
  ["the first, where all fit", [{ ncpus: 1 }, { or: [{ ncpus: 2 }, { ncpus: 1 }] }], 1],
])("of alternatives a slot takes %s", (_, constraints, left) => {
  const result = plan(input({ cluster: world, jobs: [job("j", constraints)] }));
  expect(nodesOf(result, "j")).toEqual(["htc-1"]);
  expect(result.nodes.find(({ name }) => name === "htc-1")?.available.ncpus).toBe(left);
});

test("where no alternative fits beside the rest, the job learns which resource is short, and no limit is named", () => {
  const result = plan(
    input({ cluster: world, jobs: [job("j", [{ ncpus: 3 }, { or: [{ ncpus: 3 }, { ncpus: 2 }] }])] }),
  );
  expect(result.create).toEqual([]);
  expect(result.jobs[0]?.reasons).toMatchObject([
    { code: "InsufficientResource", limit: null, asked: 6, left: 4, constraint: { resource: "ncpus" } },
  ]);
});

test("however few checks are left, there is a plan", () => {
  const sizes = [2, 8, 16].map((vcpus) =>
    bucket({ vmSize: `Standard_${vcpus}`, vcpus, memoryGiB: 4 * vcpus }),
  );
  const priced = sizes.map((size) => ({ ...size, pricePerHourUsd: size.vm.vcpuCount }));
  const fewest = Array.from({ length: 100 }, (_, checks) =>
    plan(
      input({
        cluster: cluster({ nodeArrays: [array({ buckets: priced })] }),
        jobs: [job("j", [{ ncpus: 2 }, { or: [{ ncpus: 0.5 }, { ncpus: 0.25 }] }], { nodeCount: 2 })],
        settings: { placement: { default: "cost", byNodeArray: {} }, demandCaps: { maxPlanChecks: checks } },
      }),
    ),
  ).findIndex(({ jobs }) => jobs[0]?.allocated);
  expect(fewest).toBeGreaterThan(0);
});
