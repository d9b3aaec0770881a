import { describe, expect, test } from "vitest";
import { parseConstraints, parseDefaultResources, plan } from "../../../shared/engine/index.ts";
import { violationsOf } from "./plan-validity.ts";
import {
  array,
  bucket,
  cluster,
  codes,
  createdNames,
  historyRow,
  input,
  job,
  node,
  nodesOf,
  nowSeconds,
} from "./tiny.ts";

/** The smallest example of every deliberate difference from scalelib, by its number in the engine's README. */

const f16 = { vmSize: "Standard_F16s_v2", vcpus: 16, memoryGiB: 32 };

function oneBucket(spec: Parameters<typeof bucket>[0], fields: Partial<Parameters<typeof array>[0]> = {}) {
  return cluster({ nodeArrays: [array({ buckets: [bucket(spec)], ...fields })] });
}

describe("deliberate differences from scalelib", () => {
  test("1: a plain number on a memory resource is in that resource's unit: 16 jobs of 8 GiB need 4 nodes of 32 GiB", () => {
    const jobs = Array.from({ length: 16 }, (_, i) => job(`j${i}`, { ncpus: 1, memgb: 8 }));
    const result = plan(input({ cluster: oneBucket(f16), jobs }));
    expect(createdNames(result)).toHaveLength(4);
    expect(result.jobs.every((outcome) => outcome.allocated)).toBe(true);
  });

  test("2: a configured default resource wins over the system default of its name", () => {
    const parsed = parseDefaultResources([{ select: {}, name: "ncpus", value: "node.pcpu_count" }]);
    const defaultResources = parsed.ok ? parsed.defaultResources : [];
    const world = oneBucket({ ...f16, vm: { pcpuCount: 8 } });
    const result = plan(
      input({ cluster: world, jobs: [job("j", { ncpus: 9 })], settings: { defaultResources } }),
    );
    expect(codes(result, "j")).toEqual(["InsufficientResource"]);
  });

  test("3: in-a-placement-group: false keeps a job out of placement groups", () => {
    const world = oneBucket({ fields: { placementGroups: [{ name: "pg0", activeCount: 0 }] } });
    const jobs = [
      job("out", { ncpus: 1, "in-a-placement-group": false }),
      job("in", { ncpus: 1, "in-a-placement-group": true }),
    ];
    const result = plan(input({ cluster: world, jobs }));
    expect(result.create.map((set) => [set.placementGroup, set.names])).toEqual([
      [null, ["htc-1"]],
      ["pg0", ["htc-2"]],
    ]);
  });

  test("4: a node array with a higher priority comes first", () => {
    const nodeArrays = [array(), array({ name: "fast", priority: 10 })];
    const result = plan(input({ cluster: cluster({ nodeArrays }), jobs: [job("j", { ncpus: 1 })] }));
    expect(createdNames(result)).toEqual(["fast-1"]);
  });

  test("5: a colocated job sits in one placement group, or nowhere", () => {
    const groups = [
      { name: "pg0", activeCount: 0 },
      { name: "pg1", activeCount: 0 },
    ];
    const world = oneBucket({ fields: { placementGroups: groups }, limits: { maxPlacementGroupSize: 3 } });
    const jobs = [
      job("fits", { ncpus: 1 }, { nodeCount: 3, colocated: true }),
      job("not", { ncpus: 1 }, { nodeCount: 4, colocated: true }),
    ];
    const result = plan(input({ cluster: world, jobs }));
    expect(result.create.map((set) => [set.placementGroup, set.count])).toEqual([["pg0", 3]]);
    expect(codes(result, "not")).toEqual([
      "PlacementGroupTooSmall",
      "PlacementGroupTooSmall",
      "NotInAPlacementGroup",
    ]);
  });

  test("5: without a placement group a colocated job waits", () => {
    const result = plan(input({ jobs: [job("j", { ncpus: 1 }, { nodeCount: 2, colocated: true })] }));
    expect(createdNames(result)).toEqual([]);
    expect(codes(result, "j")).toEqual(["NotInAPlacementGroup"]);
  });

  test("6: a running job keeps its node, whatever its constraints say, and takes its resources", () => {
    const nodes = [node("htc-1"), node("htc-2")];
    const jobs = [
      job(
        "running",
        { ncpus: 3, "node.nodearray": "nowhere" },
        { executingHostnames: ["host-htc-1.internal"] },
      ),
      job("queued", { ncpus: 2 }),
    ];
    const result = plan(input({ cluster: cluster({ nodes }), jobs }));
    expect(nodesOf(result, "running")).toEqual(["htc-1"]);
    expect(nodesOf(result, "queued")).toEqual(["htc-2"]);
  });

  test("6: only the iterations that do not run yet are planned", () => {
    const jobs = [job("j", { ncpus: 4 }, { iterations: 3, executingHostnames: ["host-htc-1"] })];
    const result = plan(input({ cluster: cluster({ nodes: [node("htc-1")] }), jobs }));
    expect(createdNames(result)).toEqual(["htc-2", "htc-3"]);
    expect(result.jobs[0]?.granted).toBe(3);
  });

  test("7: a wildcard in a list of node property options matches", () => {
    const result = plan(
      input({ jobs: [job("j", { ncpus: 1, "node.vm_size": ["Standard_E*", "Standard_F?"] })] }),
    );
    expect(createdNames(result)).toEqual(["htc-1"]);
  });

  test("7: quotas that are used beyond their maximum make no plan impossible", () => {
    const world = oneBucket({ limits: { region: { maxCores: 10, usedCores: 900 } } });
    const jobs = [job("j", { ncpus: 1 })];
    const result = plan(input({ cluster: world, jobs }));
    expect(violationsOf(input({ cluster: world, jobs }), result)).toEqual([]);
    expect(result.jobs[0]?.reasons[0]).toMatchObject({ code: "NoCapacity", limit: "region", left: 0 });
  });

  test("8: back-quoted expressions are refused with what to write instead", () => {
    const parsed = parseDefaultResources([{ select: {}, name: "slots", value: "`node.vcpu_count * 2`" }]);
    expect(parsed.ok ? [] : parsed.problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      expect.stringMatching(/^\[0\]\.value: .*expressions are never run; write a reference .*multiply/),
    ]);
  });

  test("9: a constrained size is charged in full to the quotas: 20 cores hold two nodes of 8, not ten of 2", () => {
    const spec = { vmSize: "Standard_E8-2s_v3", vcpus: 2, vm: { vcpuQuotaCount: 8 }, available: 100 };
    const world = oneBucket({ ...spec, limits: { family: { maxCores: 20, usedCores: 0 } } });
    const result = plan(input({ cluster: world, jobs: [job("j", { ncpus: 2 }, { iterations: 10 })] }));
    expect(createdNames(result)).toHaveLength(2);
    expect(result.jobs[0]?.reasons[0]).toMatchObject({ code: "NoCapacity", limit: "family" });
  });

  test("10: an exclusive job gets a node per iteration; in scalelib compatibility they share", () => {
    const jobs = [job("j", { ncpus: 1, exclusive: true }, { iterations: 3 })];
    expect(createdNames(plan(input({ jobs })))).toHaveLength(3);
    expect(createdNames(plan(input({ jobs, settings: { exclusiveScope: "job" } })))).toHaveLength(1);
    expect(createdNames(plan(input({ jobs, settings: { compatibility: "scalelib" } })))).toHaveLength(1);
  });

  test("11: nodes of an invalid bucket still run jobs, and no new ones are made", () => {
    const world = {
      ...oneBucket({ fields: { valid: false, invalidReason: "NotActivated" } }),
      nodes: [node("htc-1")],
    };
    const jobs = [job("j", { ncpus: 2 }, { iterations: 3 })];
    const result = plan(input({ cluster: world, jobs }));
    expect(result.jobs[0]).toMatchObject({ granted: 2, reasons: [{ code: "InvalidBucket" }] });
    expect(createdNames(result)).toEqual([]);
    expect(plan(input({ cluster: world, jobs, settings: { compatibility: "scalelib" } })).nodes).toEqual([]);
  });

  test("12: a part-used node takes jobs as long as it has room, also when no node is untouched", () => {
    const world = { ...oneBucket({ available: 0 }), nodes: [node("htc-1")] };
    const jobs = [job("first", { ncpus: 1 }), job("second", { ncpus: 1 })];
    expect(nodesOf(plan(input({ cluster: world, jobs })), "second")).toEqual(["htc-1"]);
    const scalelib = plan(input({ cluster: world, jobs, settings: { compatibility: "scalelib" } }));
    expect(nodesOf(scalelib, "second")).toEqual([]);
  });

  test("13: what is used beyond a limit takes nothing from other nodes", () => {
    const nodes = [node("htc-1"), node("htc-2")];
    const world = { ...oneBucket({ available: 0 }, { maxCount: 1 }), nodes };
    const result = plan(input({ cluster: world, jobs: [job("j", { ncpus: 1 }, { nodeCount: 2 })] }));
    expect(nodesOf(result, "j")).toEqual(["htc-1", "htc-2"]);
    expect(result.buckets.map((use) => use.availableCount)).toEqual([0]);
  });

  test("14: a job that does not fit whole leaves nothing behind", () => {
    const world = {
      ...oneBucket({ available: 1 }),
      nodes: [node("htc-1", { resources: { ncpus: 1 } }), node("htc-2")],
    };
    const result = plan(input({ cluster: world, jobs: [job("j", { ncpus: 4 }, { nodeCount: 3 })] }));
    expect(result.nodes.map(({ name, jobs }) => [name, jobs])).toEqual([
      ["htc-1", []],
      ["htc-2", []],
    ]);
    expect(result.create).toEqual([]);
  });

  test("15: the host of a deleted node, which its scheduler still names, is no on-premise capacity", () => {
    const world = {
      cluster: oneBucket({}),
      schedulerNodes: [{ hostname: "host-htc-7", resources: { ncpus: 4 } }],
      history: [historyRow("htc-7", { deletedSeconds: nowSeconds - 60 })],
      jobs: [job("j", { ncpus: 1 })],
    };
    expect(nodesOf(plan(input(world)), "j")).toEqual(["htc-1"]);
    const scalelib = plan(input({ ...world, settings: { compatibility: "scalelib" } }));
    expect(nodesOf(scalelib, "j")).toEqual(["host-htc-7"]);
  });

  test("16: the cluster's most nodes hold for all its arrays together", () => {
    const world = { ...oneBucket({}), maxCount: 1 };
    const jobs = [job("j", { ncpus: 4 }, { iterations: 2 })];
    expect(nodesOf(plan(input({ cluster: world, jobs })), "j")).toEqual(["htc-1"]);
    const scalelib = plan(input({ cluster: world, jobs, settings: { compatibility: "scalelib" } }));
    expect(nodesOf(scalelib, "j")).toEqual(["htc-1", "htc-2"]);
  });

  test("nothing in a constraint is run as code", () => {
    expect(parseConstraints({ ncpus: "`1+1`" })).toMatchObject({ ok: true });
    const result = plan(input({ jobs: [job("j", { ncpus: "`1+1`" })] }));
    expect(codes(result, "j")).toEqual(["InvalidOption"]);
  });
});
