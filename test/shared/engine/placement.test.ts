import { describe, expect, test } from "vitest";
import { defaultSettings, type NodeArray, type PlacementPolicy, plan } from "../../../shared/engine/index.ts";
import { chooseRun } from "../../../shared/engine/place/choose-run.ts";
import { boughtIn } from "../../../shared/engine/place/run.ts";
import { afterActions } from "./after-actions.ts";
import { array, bucket, cluster, createdNames, input, job, node, nodesOf } from "./tiny.ts";

const f4 = bucket({ vcpus: 4, available: 500 });
const e64 = bucket({ vmSize: "Standard_E64", vcpus: 64, available: 500 });

function arrays(fields: Partial<NodeArray> = {}): readonly NodeArray[] {
  return [array({ name: "first", buckets: [f4], ...fields }), array({ name: "second", buckets: [e64] })];
}

function idle(count: number, name = "second", vmSize = "Standard_E64") {
  return Array.from({ length: count }, (_, k) =>
    node(`${name}-${k + 1}`, { nodeArray: name, vmSize, hostname: `${name}${k + 1}` }),
  );
}

function by(placement: PlacementPolicy, byNodeArray: Readonly<Record<string, PlacementPolicy>> = {}) {
  return { placement: { default: placement, byNodeArray } };
}

describe("placement", () => {
  test("is reuse unless configured", () => {
    expect(defaultSettings.placement).toEqual({ default: "reuse", byNodeArray: {} });
  });

  test.each<[PlacementPolicy, number]>([
    ["order", 250],
    ["reuse", 0],
    ["cost", 0],
  ])(
    "%s: 1,000 one-cpu jobs beside 200 idle nodes of the second array create %i nodes of the first",
    (placement, created) => {
      const jobs = Array.from({ length: 1000 }, (_, k) => job(`j${k}`, { ncpus: 1 }));
      const world = cluster({ nodeArrays: arrays(), nodes: idle(200) });
      const result = plan(input({ cluster: world, jobs, settings: by(placement) }));
      expect(createdNames(result)).toHaveLength(created);
      expect(result.jobs.every(({ granted }) => granted === 1)).toBe(true);
    },
  );

  test("compatibility with scalelib fills in order", () => {
    const settings = { ...by("reuse", { first: "cost" }), compatibility: "scalelib" } as const;
    const world = cluster({ nodeArrays: arrays(), nodes: idle(1) });
    const result = plan(input({ cluster: world, jobs: [job("j", { ncpus: 1 })], settings }));
    expect(createdNames(result)).toEqual(["first-1"]);
  });

  test.each([
    ["asked of the next plan", 3, "second-1"],
    ["not asked: filled in order", 2, "first-1"],
  ])("whether three shapes of jobs that packing says nothing of last is %s", (_, planAgain, home) => {
    const scattered = { packingStrategy: "scatter" } as const;
    const jobs = [
      job("one", { ncpus: 1 }, { ...scattered, nodeCount: 1 }),
      job("two", { ncpus: 2 }, { ...scattered, nodeCount: 2 }),
      job("small", { ncpus: 1, memgb: 1 }, { ...scattered, nodeCount: 2 }),
    ];
    const world = input({ cluster: cluster({ nodeArrays: arrays(), nodes: idle(1) }), jobs });
    const run = chooseRun({ ...world, overdueNodeIds: new Set() }, { planAgain, reuse: 100 });
    expect(run.allocations.map(({ granted }) => granted)).toEqual([1, 2, 2]);
    expect(run.allocations[0]?.placements.map(({ node: { name } }) => name)).toEqual([home]);
  });

  // The idle node has 64 cpus, new ones of the first array have 4.
  test.each([
    ["1,000, as many as are compared, reuse the idle node", 1000, 1000, 234],
    ["1,000, more than that, leave it out: it holds less than a tenth", 1000, 999, 250],
    ["600, more than that, reuse it: it holds more", 600, 100, 134],
  ])("jobs of shapes that all differ: %s", (_, count, reuse, created) => {
    const jobs = Array.from({ length: count }, (_, k) => job(`j${k}`, { ncpus: 1, memgb: 1 + k / 1000 }));
    const world = input({ cluster: cluster({ nodeArrays: arrays(), nodes: idle(1) }), jobs });
    const run = chooseRun({ ...world, overdueNodeIds: new Set() }, { planAgain: 0, reuse });
    expect(run.allocations.every(({ granted }) => granted === 1)).toBe(true);
    expect(boughtIn(run.opened.ledger)).toHaveLength(created);
  });

  test("a node that this plan makes is one on order for later jobs", () => {
    const jobs = [job("a", { ncpus: 1, "node.nodearray": "second" }), job("b", { ncpus: 1 })];
    const result = plan(input({ cluster: cluster({ nodeArrays: arrays() }), jobs }));
    expect([nodesOf(result, "a"), nodesOf(result, "b")]).toEqual([["second-1"], ["second-1"]]);
  });

  test("nodes on order are used like those that run", () => {
    const second = { actionId: "a", nodeArray: "second", vmSize: "Standard_E64", placementGroup: null };
    const pending = [{ ...second, names: ["second-1"], count: 1 }];
    const jobs = [job("j", { ncpus: 1 })];
    const result = plan(input({ cluster: cluster({ nodeArrays: arrays() }), jobs, pending }));
    expect([nodesOf(result, "j"), createdNames(result)]).toEqual([["second-1"], []]);
  });

  test.each<[string, object, readonly string[]]>([
    ["scattered", { nodeCount: 2 }, ["second-1", "second-2"]],
    ["exclusive", { iterations: 2, exclusive: true }, ["second-1", "second-2"]],
    ["packed", { iterations: 65 }, ["second-1", "second-2"]],
  ])("a %s job finds the idle nodes of the second array", (_kind, fields, expected) => {
    const jobs = [
      job("j", { ncpus: 1 }, { ...fields, ...("nodeCount" in fields ? { packingStrategy: "scatter" } : {}) }),
    ];
    const result = plan(input({ cluster: cluster({ nodeArrays: arrays(), nodes: idle(2) }), jobs }));
    expect([nodesOf(result, "j"), createdNames(result)]).toEqual([expected, []]);
  });

  test("a job that needs more nodes than are idle anywhere gets all from its first bucket", () => {
    const jobs = [job("j", { ncpus: 1 }, { nodeCount: 3, packingStrategy: "scatter" })];
    const result = plan(input({ cluster: cluster({ nodeArrays: arrays(), nodes: idle(2) }), jobs }));
    expect(nodesOf(result, "j")).toEqual(["first-1", "first-2", "first-3"]);
  });

  test.each<[string, Readonly<Record<string, PlacementPolicy>>, readonly string[]]>([
    ["before others buys before they are asked", { first: "order" }, ["first-1"]],
    ["behind others waits until they can get no more", { second: "order" }, ["first-1"]],
    ["leaves the others alone", { third: "order" }, ["second-1"]],
  ])("an array that is filled in order and stands %s", (_place, byNodeArray, expected) => {
    const world = cluster({ nodeArrays: arrays(), nodes: idle(1) });
    const settings = by("reuse", byNodeArray);
    const result = plan(input({ cluster: world, jobs: [job("j", { ncpus: 1 })], settings }));
    expect(nodesOf(result, "j")).toEqual(expected);
  });

  test("a job that only the idle node could take keeps its place when another one could buy", () => {
    const world = cluster({
      nodeArrays: [
        array({ name: "first", buckets: [f4] }),
        array({ name: "second", buckets: [bucket({ vmSize: "Standard_E64", vcpus: 64, available: 0 })] }),
      ],
      nodes: idle(1),
    });
    const jobs = [job("anywhere", { ncpus: 4 }), job("large", { ncpus: 64 })];
    const result = plan(input({ cluster: world, jobs }));
    expect(nodesOf(result, "large")).toEqual(["second-1"]);
    expect(nodesOf(result, "anywhere")).toEqual(["first-1"]);
  });

  test("the next plan of the same jobs buys nothing, although they would now look elsewhere first", () => {
    const jobs = [job("anywhere", { ncpus: 4 }), job("first", { ncpus: 4, "node.nodearray": "first" })];
    const before = input({ cluster: cluster({ nodeArrays: arrays(), nodes: idle(1) }), jobs });
    const result = plan(before);
    expect(plan(afterActions(before, result)).create).toEqual([]);
  });

  test.each<[string, number | null, readonly string[]]>([
    ["where it would cost a new GPU node", 3, ["first-1"]],
    ["unless no price is known", null, ["second-1"]],
  ])("a cpu job leaves a GPU node on order to the job that it was bought for, %s", (_when, usd, expected) => {
    const price = (pricePerHourUsd: number) => ({ pricePerHourUsd: usd === null ? null : pricePerHourUsd });
    const nc6 = { vmSize: "Standard_NC6", vcpus: 6, memoryGiB: 56, gpus: 1 };
    const nodeArrays = [
      array({ name: "first", buckets: [bucket({ vcpus: 8, fields: price(0.4) })] }),
      array({ name: "second", buckets: [bucket({ ...nc6, fields: price(3) })] }),
    ];
    const second = { actionId: "a", nodeArray: "second", vmSize: "Standard_NC6", placementGroup: null };
    const pending = [{ ...second, names: ["second-1"], count: 1 }];
    const jobs = [job("cpus", { ncpus: 6 }), job("gpu", { ncpus: 6, ngpus: 1 })];
    const result = plan(input({ cluster: cluster({ nodeArrays }), jobs, pending }));
    expect(nodesOf(result, "cpus")).toEqual(expected);
    expect(createdNames(result)).toEqual(usd === null ? ["second-2"] : ["first-1"]);
  });
});
