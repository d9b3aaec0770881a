import { describe, expect, test } from "vitest";
import {
  type Cluster,
  generatePlacementGroups,
  type Job,
  plan,
  type Target,
} from "../../../shared/engine/index.ts";
import { array, bucket, cluster, codes, createdNames, input, job, node, nodesOf } from "./tiny.ts";

describe("jobs", () => {
  test("have a slot for each time that their scheduler names a host, and the rest beside them", () => {
    const nodes = ["htc-1", "htc-2"].map((name) => node(name));
    const executingHostnames = ["host-htc-1", "host-htc-2", "host-htc-1"];
    const jobs = [job("runs", { ncpus: 1 }, { iterations: 4, executingHostnames })];
    expect(plan(input({ cluster: cluster({ nodes }), jobs })).jobs[0]).toMatchObject({
      granted: 4,
      placements: [
        { node: "htc-1", slots: 2 },
        { node: "htc-2", slots: 1 },
        { node: "htc-1", slots: 1 },
      ],
    });
  });

  test.each([
    [{ nodeCount: 3 }, 3],
    [{ nodeCount: 3, packingStrategy: "pack" }, 3],
    [{ iterations: 3, packingStrategy: "scatter" }, 3],
    [{ iterations: 3, packingStrategy: "pack" }, 1],
    [{ iterations: 5, nodeCount: 2 }, 2],
  ] as const)("with %j get so many nodes: %i", (asks, count) => {
    const result = plan(input({ jobs: [job("j", { ncpus: 1 }, asks)] }));
    expect(nodesOf(result, "j")).toHaveLength(count);
  });

  test("that were stored scattered, without a node count, get a node for each iteration", () => {
    const stored: Job = { ...job("j", { ncpus: 1 }), packingStrategy: "scatter", iterations: 3 };
    expect(nodesOf(plan(input({ jobs: [stored] })), "j")).toHaveLength(3);
  });

  test("are planned by priority, then in order of arrival", () => {
    const jobs = [
      job("low", { ncpus: 4 }),
      job("high", { ncpus: 4 }, { priority: 5 }),
      job("alsoHigh", { ncpus: 4 }, { priority: 5 }),
    ];
    const result = plan(input({ jobs }));
    expect(["high", "alsoHigh", "low"].map((name) => nodesOf(result, name))).toEqual([
      ["htc-1"],
      ["htc-2"],
      ["htc-3"],
    ]);
    expect(result.jobs.map(({ name }) => name)).toEqual(["low", "high", "alsoHigh"]);
  });

  test("with exclusive: true get nodes to themselves, as with the constraint", () => {
    const jobs = [job("j", { ncpus: 1 }, { exclusive: true, iterations: 2 }), job("k", { ncpus: 1 })];
    const result = plan(input({ jobs }));
    expect([nodesOf(result, "j"), nodesOf(result, "k")]).toEqual([["htc-1", "htc-2"], ["htc-3"]]);
  });

  test("that ask for an amount of 0 need the resource, but none of it", () => {
    const jobs = [job("j", { ncpus: 0 }, { iterations: 50 }), job("k", { licences: 0 })];
    const result = plan(input({ jobs }));
    expect([nodesOf(result, "j"), codes(result, "k")]).toEqual([["htc-1"], ["UndefinedResource"]]);
  });

  test("without constraints fit anywhere", () => {
    expect(nodesOf(plan(input({ jobs: [job("j", {}, { iterations: 9 })] })), "j")).toEqual(["htc-1"]);
  });

  test("that run on a host which the plan does not hold need no other place", () => {
    const jobs = [job("j", { ncpus: 1 }, { executingHostnames: ["elsewhere"] })];
    const result = plan(input({ jobs }));
    expect([createdNames(result), result.jobs[0]?.granted]).toEqual([[], 1]);
  });

  test("that run keep an exclusive node closed to others", () => {
    const jobs = [
      job("j", { exclusive: true }, { executingHostnames: ["host-htc-1"] }),
      job("k", { ncpus: 1 }),
    ];
    const result = plan(input({ cluster: cluster({ nodes: [node("htc-1")] }), jobs }));
    expect(nodesOf(result, "k")).toEqual(["htc-2"]);
  });

  test("draw on a pool of the settings, and once per job when they say so", () => {
    const settings = { sharedPools: [{ name: "lic", source: null, initial: 3, current: 3 }] };
    const draw = { "resource-name": "lic", requested: 2, "decrement-once": true };
    const asked = [{ ncpus: 1 }, { "shared-consumable-constraint": draw }];
    const result = plan(input({ jobs: [job("j", asked, { iterations: 3 }), job("k", asked)], settings }));
    expect([result.jobs[0]?.granted, codes(result, "k")]).toEqual([3, ["SharedLimitReached"]]);
  });

  test("have to satisfy several pools together", () => {
    const draw = {
      "resource-name": "lic",
      source: ["a", "b"],
      "initial-value": [9, 2],
      "current-value": [9, 2],
      requested: 1,
    };
    const asked = [{ ncpus: 1 }, { "shared-consumable-constraint": draw }];
    expect(plan(input({ jobs: [job("j", asked, { iterations: 5 })] })).jobs[0]?.granted).toBe(2);
  });

  test("of large arrays are placed in one go", () => {
    const world = cluster({
      nodeArrays: [array({ buckets: [bucket({ available: 50_000 })], maxCount: 50_000, maxCoreCount: 1e6 })],
      maxCount: 50_000,
      maxCoreCount: 1e6,
    });
    const big = {
      ...world,
      nodeArrays: world.nodeArrays.map((a) => ({
        ...a,
        buckets: a.buckets.map((b) => ({
          ...b,
          limits: {
            ...b.limits,
            region: { maxCores: 1e6, usedCores: 0 },
            family: { maxCores: 1e6, usedCores: 0 },
          },
        })),
      })),
    };
    const result = plan(input({ cluster: big, jobs: [job("j", { ncpus: 1 }, { iterations: 100_000 })] }));
    expect([result.jobs[0]?.granted, result.create[0]?.count]).toEqual([100_000, 25_000]);
  });
});

describe("generatePlacementGroups", () => {
  const generated = { buffer: { default: 2, byNodeArray: {} }, max: { default: 3, byNodeArray: {} } };

  function groupsOf(
    world: Cluster,
    settings: Parameters<typeof input>[0]["settings"] = {},
  ): readonly string[] {
    const { settings: all } = input({ settings: { generatedPlacementGroups: generated, ...settings } });
    const [first] = generatePlacementGroups(world, all).nodeArrays;
    return first?.buckets[0]?.placementGroups.map(({ name }) => name) ?? [];
  }

  const withGroup = (activeCount: number) =>
    cluster({
      nodeArrays: [
        array({
          buckets: [bucket({ fields: { placementGroups: [{ name: "Standard_F4_pg0", activeCount }] } })],
        }),
      ],
    });

  test("keeps as many spare groups as the buffer says", () => {
    expect(groupsOf(cluster())).toEqual(["Standard_F4_pg0", "Standard_F4_pg1"]);
    expect(groupsOf(withGroup(0))).toEqual(["Standard_F4_pg0", "Standard_F4_pg1"]);
    expect(groupsOf(withGroup(3))).toEqual(["Standard_F4_pg0", "Standard_F4_pg1", "Standard_F4_pg2"]);
  });

  test("stops at the maximum", () => {
    const settings = { generatedPlacementGroups: { ...generated, max: { default: 1, byNodeArray: {} } } };
    expect(groupsOf(withGroup(3), settings)).toEqual(["Standard_F4_pg0"]);
  });

  test("makes none where a group is predefined, or the array does not allow colocation", () => {
    expect(groupsOf(cluster(), { placementGroups: { default: [], byNodeArray: { hpc: ["pg"] } } })).toEqual(
      [],
    );
    expect(groupsOf(cluster({ nodeArrays: [array({ allowsColocation: false })] }))).toEqual([]);
    expect(groupsOf(cluster(), { generatedPlacementGroups: null })).toEqual([]);
  });
});

describe("jobs where placement groups are generated", () => {
  const generated = { buffer: { default: 2, byNodeArray: {} }, max: { default: 10, byNodeArray: {} } };
  const groupsOfNodes = (
    jobs: readonly ReturnType<typeof job>[],
    settings: Parameters<typeof input>[0]["settings"] = {},
    placementGroups: readonly { readonly name: string; readonly activeCount: number }[] = [],
  ) => {
    const fields = { placementGroups, maxPlacementGroupSize: 100, availableCount: 300, maxCount: 300 };
    const world = input({
      cluster: cluster({ nodeArrays: [array({ buckets: [bucket({ available: 300, fields })] })] }),
      settings: { generatedPlacementGroups: generated, ...settings },
      jobs,
    });
    const { create } = plan({ ...world, cluster: generatePlacementGroups(world.cluster, world.settings) });
    return Object.fromEntries(create.map(({ placementGroup, count }) => [placementGroup, count]));
  };

  test("250 plain jobs stay outside of every group", () => {
    expect(groupsOfNodes([job("plain", { ncpus: 4 }, { iterations: 250 })])).toEqual({ null: 250 });
  });

  test("also where CycleCloud reports a group that was generated once", () => {
    const reported = [{ name: "Standard_F4_pg0", activeCount: 3 }];
    expect(groupsOfNodes([job("plain", { ncpus: 4 }, { iterations: 5 })], {}, reported)).toEqual({ null: 5 });
  });

  test("a colocated job, and one that asks for a group, are in one", () => {
    const colocated = job("mpi", { ncpus: 4 }, { iterations: 3, colocated: true });
    expect(groupsOfNodes([colocated])).toEqual({ Standard_F4_pg0: 3 });
    const member = job("member", { ncpus: 4, "in-a-placement-group": true }, { iterations: 2 });
    expect(groupsOfNodes([member])).toEqual({ Standard_F4_pg0: 2 });
  });

  test("plain nodes of a target stay outside too", () => {
    const world = input({
      cluster: cluster({ nodeArrays: [array({ buckets: [bucket({ available: 300 })] })] }),
      settings: { generatedPlacementGroups: generated },
      jobs: [],
    });
    const target: Target = {
      name: "htc",
      nodeArray: "htc",
      dynamicArray: null,
      requestSet: "standard",
      wish: { kind: "nodes", count: 20 } as const,
      vmSizes: [],
      coresPerNode: null,
      nodeAttributes: {},
    };
    const grouped = generatePlacementGroups(world.cluster, world.settings);
    const { create } = plan({ ...world, cluster: grouped, targets: [target] });
    expect(create.map(({ placementGroup, count }) => [placementGroup, count])).toEqual([[null, 20]]);
  });

  test("a predefined group is somebody's choice, so plain jobs go there first", () => {
    const settings = { placementGroups: { default: ["chosen"], byNodeArray: {} } };
    expect(groupsOfNodes([job("plain", { ncpus: 4 }, { iterations: 5 })], settings)).toEqual({ chosen: 5 });
  });
});

describe("running jobs", () => {
  test("that scatter further take other nodes than they hold, and leave the held ones to jobs of their shape", () => {
    const nodes = ["htc-1", "htc-2"].map((name) => node(name));
    const jobs = [
      job("running", { ncpus: 1 }, { nodeCount: 2, executingHostnames: ["host-htc-1"] }),
      job("queued", { ncpus: 1 }, { nodeCount: 2 }),
    ];
    const result = plan(input({ cluster: cluster({ nodes }), jobs }));
    expect([nodesOf(result, "running"), nodesOf(result, "queued")]).toEqual([
      ["htc-1", "htc-2"],
      ["htc-1", "htc-2"],
    ]);
  });
});
