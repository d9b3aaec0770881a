import { describe, expect, test } from "vitest";
import {
  type ClusterNode,
  type NodeArray,
  type Plan,
  plan,
  type SpareWish,
  type Target,
  type TargetWish,
} from "../../../shared/engine/index.ts";
import { targetSentences } from "../../../shared/views/index.ts";
import { array, bucket, cluster, createdNames, deallocated, input, job, node, plannedNode } from "./tiny.ts";

/** An array "execute" of 4-core and 8-core nodes. */
const execute = (fields: Partial<NodeArray> = {}) =>
  array({
    name: "execute",
    buckets: [bucket({ available: 100 }), bucket({ vcpus: 8, available: 100 })],
    ...fields,
  });
const small = "Standard_F4";
const large = "Standard_F8";

function target(wish: TargetWish, fields: Partial<Target> = {}): Target {
  return {
    name: "execute",
    nodeArray: "execute",
    dynamicArray: null,
    wish,
    vmSizes: [],
    coresPerNode: null,
    nodeAttributes: {},
    requestSet: "standard",
    ...fields,
  };
}

const nodes = (count: number): TargetWish => ({ kind: "nodes", count });
const cores = (count: number): TargetWish => ({ kind: "cores", count });
const groupsOf = (count: number, size: number, kind: "cores" | "nodes" = "cores"): TargetWish => ({
  kind: "groups",
  count,
  size: { kind, count: size },
});
const grouped = (count: number, size: number, fields: Partial<Target> = {}): Target =>
  target(groupsOf(count, size), { name: `execute:${size}`, dynamicArray: `execute:${size}`, ...fields });
const dynamic = (wish: TargetWish, fields: Partial<Target> = {}): Target =>
  target(wish, { name: "special", dynamicArray: "special", ...fields });

const ready = (index: number, fields: Partial<ClusterNode> = {}) =>
  node(`execute-${index}`, { nodeArray: "execute", ...fields });
const readyNodes = (count: number, fields: Partial<ClusterNode> = {}) =>
  Array.from({ length: count }, (_, index) => ready(index + 1, fields));

function planFor(
  targets: readonly Target[],
  fields: Partial<Parameters<typeof input>[0]> & {
    readonly nodes?: readonly ClusterNode[];
    readonly arrays?: readonly NodeArray[];
  } = {},
): Plan {
  const { nodes: present = [], arrays = [execute()], ...rest } = fields;
  return plan(input({ cluster: cluster({ nodeArrays: arrays, nodes: present }), targets, ...rest }));
}

function sizesOf(result: Plan): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { vmSize, count } of result.create) counts[vmSize] = (counts[vmSize] ?? 0) + count;
  return counts;
}

describe("spare nodes", () => {
  const spare = (count: number, fields: Partial<Target> & { readonly perCent?: number } = {}): Target => {
    const { perCent = 0, ...rest } = fields;
    return target({ kind: "spares", count, perCent }, { name: "execute:spare", vmSizes: [small], ...rest });
  };
  /** Runs on these nodes, a whole one each. */
  const runningOn = (...indices: readonly number[]) =>
    indices.map((index) => job(`r${index}`, { ncpus: 4 }, { executingHostnames: [`host-execute-${index}`] }));

  test("are those that no job uses: what runs and what is planned does not count", () => {
    const waiting = job("w", { ncpus: 4, "node.vm_size": small });
    const result = planFor([spare(2)], { nodes: readyNodes(3), jobs: [...runningOn(1), waiting] });
    expect(plannedNode(result, "execute-3").targets).toEqual([
      { name: "execute:spare", requestSet: "standard" },
    ]);
    expect(createdNames(result)).toEqual(["execute-4"]);
    expect(result.targets[0]).toMatchObject({ unit: "spares", asked: 2, granted: 2, nodes: 2, reasons: [] });
  });

  test("count free nodes that other targets hold, whatever their order", () => {
    const floor = target(nodes(4));
    for (const targets of [
      [floor, spare(2)],
      [spare(2), floor],
    ]) {
      const result = planFor(targets, { nodes: readyNodes(2), jobs: runningOn(1) });
      expect(createdNames(result)).toEqual(["execute-3", "execute-4"]);
      expect(result.targets.map(({ name }) => name)).toEqual(targets.map(({ name }) => name));
    }
  });

  test("may be a share of the nodes that jobs use, rounded up, and at least so many", () => {
    const asked = (perCent: number, used: number) =>
      planFor([spare(1, { perCent })], {
        nodes: readyNodes(used),
        jobs: runningOn(...Array.from({ length: used }, (_, index) => index + 1)),
      }).targets[0]?.asked;
    expect([asked(10, 0), asked(10, 10), asked(10, 11), asked(50, 7)]).toEqual([1, 1, 2, 4]);
  });

  const full = { maxCount: 3 };
  const large8 = { ncpus: 8, "node.vm_size": large };

  test("are let go where a job waits at a limit under which they count, and not made there", () => {
    const arrays = [execute(full)];
    const result = planFor([spare(1)], { arrays, nodes: readyNodes(3), jobs: [job("w", large8)] });
    expect(result.unmatched).toEqual(["execute-1", "execute-2", "execute-3"]);
    expect(result.targets[0]).toMatchObject({ granted: 0, reasons: [{ code: "LeftToOthers", asked: 1 }] });
    expect(result.targets[0] && targetSentences(result.targets[0])[1]).toBe(
      "execute/Standard_F4: jobs or other targets wait at one of its limits, and spare nodes come after them.",
    );
    // Two nodes at once find no room, and a spare one does not take what is left of it.
    const two = job("w", large8, { nodeCount: 2, packingStrategy: "scatter" });
    const wide = planFor([spare(1)], { arrays, nodes: readyNodes(2), jobs: [...runningOn(1, 2), two] });
    expect(createdNames(wide)).toEqual([]);
  });

  test("stay where a job waits for something else", () => {
    const arrays = [execute(full), array({ name: "other", buckets: [bucket({ available: 0 })] })];
    const jobs = [job("w", { ncpus: 4, "node.nodearray": "other" }), job("never", { ncpus: 400 })];
    const result = planFor([spare(1)], { arrays, nodes: readyNodes(1), jobs });
    expect(result.matched).toEqual(["execute-1"]);
  });

  test("stay where a job waits that no nodes which go would let run", () => {
    const arrays = [execute(full)];
    const jobs = [job("w", { ncpus: 4 }, { nodeCount: 4, packingStrategy: "scatter" }), ...runningOn(1)];
    const result = planFor([spare(1)], { arrays, nodes: readyNodes(2), jobs });
    expect(result.targets[0]).toMatchObject({ granted: 1, reasons: [] });
    // One that waits for running jobs to end finds their nodes, and the room that spare ones leave.
    const fits = [job("w", { ncpus: 4 }, { nodeCount: 3, packingStrategy: "scatter" }), ...runningOn(1)];
    expect(
      planFor([spare(1)], { arrays, nodes: readyNodes(2), jobs: fits }).targets[0]?.reasons[0]?.code,
    ).toBe("LeftToOthers");
  });

  describe("where others use the limit up at which somebody waits", () => {
    /** Of 16 cores, others use all but those that are left, and what execute-1 runs on. */
    const shared = (leftCores: number) => {
      const family = { maxCores: 16, usedCores: 16 - leftCores };
      const ofFamily = { fields: {}, limits: { family, availableCount: 100 }, vm: { family: "F" } };
      const buckets = [bucket(ofFamily), bucket({ ...ofFamily, vcpus: 8 })];
      return { arrays: [execute({ buckets })], nodes: readyNodes(1) };
    };
    const wide = job("w", large8, { nodeCount: 2, packingStrategy: "scatter" });
    const granted = (result: Plan) => result.targets.at(-1)?.granted;

    test("stay while that lets nobody run: it may be so for ever", () => {
      expect(granted(planFor([spare(1)], { ...shared(0), jobs: [job("w", large8)] }))).toBe(1);
      expect(granted(planFor([spare(2)], { ...shared(4), jobs: [wide] }))).toBe(2);
    });

    test("are let go once that lets somebody run", () => {
      expect(granted(planFor([spare(1)], { ...shared(4), jobs: [job("w", large8)] }))).toBe(0);
      expect(granted(planFor([spare(1)], { ...shared(12), jobs: [wide] }))).toBe(0);
    });

    test("the same counts for a floor that waits, but not what other floors hold", () => {
      const floor = target(nodes(3), { vmSizes: [large] });
      expect(granted(planFor([floor, spare(1)], shared(0)))).toBe(1);
      const other = target(nodes(2), { name: "other", nodeArray: "other", vmSizes: [large] });
      const { arrays, nodes: there } = shared(4);
      const both = [...arrays, { ...execute({ buckets: arrays[0]?.buckets ?? [] }), name: "other" }];
      expect(planFor([other, spare(1)], { arrays: both, nodes: there }).targets[1]?.reasons[0]?.code).toBe(
        "LeftToOthers",
      );
      const held = target(nodes(1));
      expect(granted(planFor([held, other, spare(1)], { arrays: both, nodes: there }))).toBe(1);
    });
  });

  describe("as slots of a shape", () => {
    const slots = (count: number, fields: Partial<SpareWish> = {}, slot = { ncpus: 2 }): Target =>
      target({ kind: "slots", count, perCent: 0, slot, ...fields } as SpareWish, {
        name: "execute:spare",
        vmSizes: [small],
      });
    const beside = (index: number, ncpus: number) =>
      job(`r${index}`, { ncpus }, { executingHostnames: [`host-execute-${index}`] });

    test.each([
      ["a node holds two, and the third needs another", 3, [], 1, 2],
      ["what a job leaves of its node counts", 3, [beside(1, 2)], 1, 1],
      [
        "a node that a job has for itself has none left",
        2,
        [job("x", { ncpus: 1 }, { exclusive: true, executingHostnames: ["host-execute-1"] })],
        1,
        1,
      ],
    ] as const)("%s", (_, count, jobs, made, kept) => {
      const result = planFor([slots(count)], { nodes: readyNodes(1), jobs });
      expect(result.create.reduce((sum, set) => sum + set.count, 0)).toBe(made);
      expect(result.targets[0]).toMatchObject({ unit: "slots", asked: count, granted: count });
      expect(result.targets[0]?.kept?.nodes).toBe(kept);
    });

    test("may be a share of the slots that jobs use", () => {
      const jobs = [beside(1, 4), beside(2, 2)];
      const result = planFor([slots(0, { perCent: 50 })], { nodes: readyNodes(2), jobs });
      expect(result.targets[0]).toMatchObject({ asked: 2, granted: 2 });
    });

    test("fit on no node that is too small, which is a reason", () => {
      const result = planFor([slots(1, {}, { ncpus: 64 })], { nodes: readyNodes(1) });
      expect(result.targets[0]).toMatchObject({ granted: 0, reasons: [{ code: "SlotTooLarge", left: 0 }] });
    });
  });

  describe("that may cost so much an hour", () => {
    const priced = (pricePerHourUsd: number | null) =>
      execute({ buckets: [{ ...bucket({ available: 100 }), pricePerHourUsd }] });
    const most = (mostUsdPerHour: number) =>
      target(
        { kind: "spares", count: 5, perCent: 0, mostUsdPerHour },
        { name: "execute:spare", vmSizes: [small] },
      );

    test("are as many as that pays for, those that are there included", () => {
      const result = planFor([most(1)], { arrays: [priced(0.3)], nodes: readyNodes(1) });
      expect(createdNames(result)).toEqual(["execute-2", "execute-3"]);
      expect(result.targets[0]).toMatchObject({
        granted: 3,
        kept: { nodes: 3, usdPerHour: 0.3 * 3 },
        reasons: [{ code: "SpareCost", asked: 1.5, left: 1 }],
      });
      expect(planFor([most(0.5)], { arrays: [priced(0.3)], nodes: readyNodes(3) }).unmatched).toHaveLength(2);
    });

    test("are none at a price that is not known", () => {
      const result = planFor([most(100)], { arrays: [priced(null)], nodes: readyNodes(1) });
      expect(result.targets[0]).toMatchObject({
        granted: 0,
        reasons: [{ code: "SpareCost", asked: null, left: 100 }],
      });
    });

    test("cost nobody knows what where one that is kept has no known price", () => {
      const result = planFor([spare(2)], { arrays: [priced(null)], nodes: readyNodes(1) });
      expect(result.targets[0]?.kept).toEqual({ nodes: 2, usdPerHour: null });
    });

    test("cost nothing where another target keeps them", () => {
      const result = planFor([most(0.3), target(nodes(3))], { arrays: [priced(0.3)], nodes: readyNodes(3) });
      expect(result.targets[0]).toMatchObject({ granted: 4, kept: { nodes: 1, usdPerHour: 0.3 } });
    });

    test("cost the first of two spare targets of one name that keep them", () => {
      const scheduled = target(
        { kind: "spares", count: 2, perCent: 0 },
        { name: "execute:spare", vmSizes: [small], requestSet: "schedule/day" },
      );
      const arrays = [priced(0.3)];
      const { targets } = planFor([scheduled, most(0.6)], { arrays, nodes: readyNodes(2) });
      expect(targets[1]).toMatchObject({ granted: 4, kept: { nodes: 2, usdPerHour: 0.6 } });
      const other = { ...most(0.6), requestSet: "other" };
      const both = planFor([most(0.9), other], { arrays, nodes: readyNodes(1) }).targets;
      expect(both).toMatchObject([
        { granted: 5, kept: { nodes: 3 } },
        { granted: 5, kept: { nodes: 2 } },
      ]);
      const wide = {
        ...most(0.9),
        wish: { kind: "spares", count: 10, perCent: 0, mostUsdPerHour: 0.9 },
      } as const;
      // The first pays for its three again when it is met anew.
      expect(createdNames(planFor([wide, other], { arrays }))).toHaveLength(5);
    });
  });

  test("are as many as the limits allow", () => {
    const result = planFor([spare(5)], { arrays: [execute(full)], nodes: readyNodes(1) });
    expect(createdNames(result)).toEqual(["execute-2", "execute-3"]);
    expect(result.targets[0]).toMatchObject({ asked: 5, granted: 3, reasons: [{ code: "NoCapacity" }] });
  });
});

describe("a target of nodes or cores", () => {
  test("makes 32 nodes of 4 cores for 128 cores", () => {
    const result = planFor([target(cores(128))]);
    expect(sizesOf(result)).toEqual({ [small]: 32 });
    expect(result.targets[0]).toMatchObject({ asked: 128, granted: 128, nodes: 32, reasons: [] });
  });

  test("makes one node more when the cores do not come out even", () => {
    expect(sizesOf(planFor([target(cores(9), { vmSizes: [large] })]))).toEqual({ [large]: 2 });
  });

  test("counts cores as the definition says, when it says so", () => {
    expect(createdNames(planFor([target(cores(8), { coresPerNode: 2 })]))).toHaveLength(4);
  });

  test("holds nodes that are there, the ready ones first, and makes the rest", () => {
    const booting = ready(1, { status: "Preparing", hostname: null });
    const result = planFor([target(nodes(2))], { nodes: [booting, ready(2), ready(3)] });
    expect(result.matched).toEqual(["execute-2", "execute-3"]);
    expect(result.unmatched).toEqual(["execute-1"]);
    expect(createdNames(planFor([target(nodes(4))], { nodes: readyNodes(3) }))).toEqual(["execute-4"]);
  });

  test("starts deallocated nodes before it makes new ones", () => {
    const result = planFor([target(nodes(3))], { nodes: [ready(1, deallocated), ready(2)] });
    expect(result.start.map(({ name }) => name)).toEqual(["execute-1"]);
    expect(createdNames(result)).toEqual(["execute-3"]);
  });

  test("counts nodes on order, and none that is leaving", () => {
    const order = { actionId: "a", nodeArray: "execute", vmSize: small, placementGroup: null, count: 2 };
    const names = ["execute-2", "execute-3"];
    const given = { nodes: [ready(1)], pending: [{ ...order, names }], leavingNodeIds: ["id-execute-1"] };
    expect(createdNames(planFor([target(nodes(3))], given))).toEqual(["execute-4"]);
  });

  test("counts no node that takes no jobs", () => {
    const result = planFor([target(nodes(2))], { nodes: readyNodes(2), closedNodeIds: ["id-execute-1"] });
    expect(createdNames(result)).toEqual(["execute-3"]);
    expect(plannedNode(result, "execute-1").targets ?? []).toEqual([]);
  });

  test("takes the next VM size when a limit refuses the first", () => {
    const arrays = [execute({ buckets: [bucket({ available: 3 }), bucket({ vcpus: 8, available: 9 })] })];
    const result = planFor([target(cores(30), { vmSizes: [small, large] })], { arrays });
    expect(sizesOf(result)).toEqual({ [small]: 3, [large]: 3 });
    expect(result.targets[0]?.granted).toBe(30);
  });

  test("counts nodes of any size that are there: a machine type is for new ones", () => {
    expect(createdNames(planFor([target(cores(8), { vmSizes: [large] })], { nodes: readyNodes(2) }))).toEqual(
      [],
    );
  });

  test("tells what was in the way, per VM size", () => {
    const arrays = [
      execute({
        maxCount: 5,
        buckets: [bucket({ available: 3 }), bucket({ vcpus: 8, fields: { valid: false } })],
      }),
    ];
    const [outcome] = planFor([target(nodes(9), { vmSizes: [large, "Standard_X", small] })], {
      arrays,
    }).targets;
    expect(outcome && targetSentences(outcome)).toEqual([
      'Target "execute" of request set "standard" has 3 of 9 nodes.',
      "execute/Standard_F8: CycleCloud marks the VM size as not usable, so that no new nodes are made.",
      "execute/Standard_X: the node array has no such VM size.",
      "execute/Standard_F4: 6 more nodes are wanted, and what CycleCloud still offers of the VM size leaves 0.",
    ]);
  });

  test.each([
    ["an array that is not there", { nodeArray: "nowhere" }, "UnknownNodeArray"],
    ["one that is switched off", { nodeArray: "off" }, "NodeArrayDisabled"],
  ])("on %s is not met, with that reason", (_case, fields, code) => {
    const arrays = [execute(), array({ name: "off", enabled: false })];
    const [outcome] = planFor([target(nodes(2), fields)], { arrays }).targets;
    expect(outcome).toMatchObject({ granted: 0, reasons: [{ code }] });
    expect(outcome && targetSentences(outcome)[1]).toContain(fields.nodeArray);
  });

  test("is named by each node that it keeps, with who wants it and until when", () => {
    const until = { untilSeconds: 2_000_000_000 };
    const asked = [target(nodes(1), { requestSet: "a", ...until }), target(nodes(2), { requestSet: "b" })];
    const result = planFor(asked, { nodes: readyNodes(3) });
    expect(result.nodes.map(({ targets }) => targets)).toEqual([
      [
        { name: "execute", requestSet: "a", ...until },
        { name: "execute", requestSet: "b" },
      ],
      [{ name: "execute", requestSet: "b" }],
      [],
    ]);
  });

  test("keeps its nodes from the idle time-out, and no more", () => {
    const idle = (index: number) => ({
      nodeId: `id-execute-${index}`,
      name: `execute-${index}`,
      hostname: `host-execute-${index}`,
      instanceId: `vm-execute-${index}`,
      nodeArray: "execute",
      vmSize: "Standard_F4s_v2",
      createdSeconds: 0,
      readySeconds: 1,
      lastMatchSeconds: 2,
      deletedSeconds: null,
    });
    const history = [1, 2, 3].map(idle);
    const result = planFor([target(nodes(2))], { nodes: readyNodes(3), history });
    expect(result.retire.map(({ name }) => name)).toEqual(["execute-3"]);
  });
});

describe("targets in GPUs", () => {
  const gpus = (count: number, fields: Partial<Target> = {}) => target({ kind: "gpus", count }, fields);
  const [none, one, four] = ["Standard_F4", "Standard_NC1", "Standard_NC4"];
  const sized = [
    bucket({ available: 9 }),
    bucket({ vmSize: one, gpus: 1, available: 2 }),
    bucket({ vmSize: four, gpus: 4, available: 9 }),
  ];
  const arrays = [execute({ buckets: sized })];

  test("count those of the sizes, pass over sizes without any, and go on to the next at a limit", () => {
    const result = planFor([gpus(7)], { arrays });
    expect(sizesOf(result)).toEqual({ [one]: 2, [four]: 2 });
    expect(result.targets[0]).toMatchObject({ unit: "gpus", asked: 7, granted: 7, nodes: 4, reasons: [] });
  });

  test("count busy nodes first, then idle ones, and hold none without GPUs", () => {
    const present = [ready(1, { vmSize: none }), ...[2, 3, 4].map((index) => ready(index, { vmSize: four }))];
    const running = job("r", { ngpus: 1 }, { executingHostnames: ["host-execute-4"] });
    const result = planFor([gpus(5)], { arrays, nodes: present, jobs: [running] });
    expect(result.matched).toEqual(["execute-2", "execute-4"]);
    expect(createdNames(result)).toEqual([]);
  });

  test.each([
    ["an array without GPUs", bucket(), 0, "the VM size has no GPUs."],
    [
      "one whose GPUs nobody knows",
      bucket({ vm: { gpuCountIsUnknown: true } }),
      null,
      "how many GPUs the VM size has is not known.",
    ],
  ])("on %s are not met, with that reason", (_case, only, left, text) => {
    const [outcome] = planFor([gpus(2)], { arrays: [execute({ buckets: [only] })] }).targets;
    expect(outcome).toMatchObject({ granted: 0, reasons: [{ code: "NoGpus", asked: 2, left }] });
    expect(outcome && targetSentences(outcome)).toEqual([
      'Target "execute" of request set "standard" has 0 of 2 gpus.',
      `execute/Standard_F4: ${text}`,
    ]);
  });

  test("may be spare ones: slots of one GPU", () => {
    const wish: TargetWish = { kind: "slots", slot: { ngpus: 1 }, count: 3, perCent: 0 };
    const [running] = [job("r", { ngpus: 2 }, { executingHostnames: ["host-execute-1"] })];
    const present = [ready(1, { vmSize: four })];
    const result = planFor([target(wish, { name: "execute:spare" })], {
      arrays,
      nodes: present,
      jobs: [running],
    });
    expect(sizesOf(result)).toEqual({ [one]: 1 });
    expect(result.targets[0]).toMatchObject({ asked: 3, granted: 3 });
  });
});

describe("targets and jobs", () => {
  const busy = job("j", { ncpus: 4 }, { iterations: 3 });

  test("nodes that jobs need count towards the floor", () => {
    const result = planFor([target(nodes(5))], { jobs: [busy], nodes: readyNodes(1) });
    expect(createdNames(result)).toHaveLength(4);
    expect(result.nodes.filter(({ jobs }) => jobs.length > 0)).toHaveLength(3);
  });

  test("a floor below what jobs need adds nothing", () => {
    expect(createdNames(planFor([target(nodes(2))], { jobs: [busy] }))).toHaveLength(3);
  });

  test("a running job's node counts first, wherever it stands", () => {
    const running = job("r", { ncpus: 4 }, { executingHostnames: ["host-execute-3"] });
    const result = planFor([target(nodes(1))], { jobs: [running], nodes: readyNodes(3) });
    expect(result.matched).toEqual(["execute-3"]);
  });
});

describe("targets on an array with placement groups", () => {
  test("make nodes where jobs of the array look first, so that these use them instead of buying others", () => {
    const placementGroups = [{ name: "pg0", activeCount: 0 }];
    const arrays = [
      execute({
        buckets: [
          bucket({ available: 9, limits: { maxPlacementGroupSize: 3 }, fields: { placementGroups } }),
        ],
      }),
    ];
    const result = planFor([target(nodes(4))], { arrays });
    expect(result.create.map(({ placementGroup, count }) => [placementGroup, count])).toEqual([
      ["pg0", 3],
      [null, 1],
    ]);
    const present = [1, 2, 3].map((index) => ready(index, { placementGroup: "pg0" })).concat(ready(4));
    const jobs = [job("j", { ncpus: 4 }, { iterations: 4 })];
    expect(createdNames(planFor([target(nodes(4))], { arrays, nodes: present, jobs }))).toEqual([]);
  });
});

describe("several targets on one array", () => {
  test("come to the larger, not to the sum", () => {
    const targets = [target(nodes(3)), target(cores(20), { requestSet: "other" })];
    expect(createdNames(planFor(targets))).toHaveLength(5);
    expect(createdNames(planFor(targets.toReversed()))).toHaveLength(5);
  });

  test("are met by each other's nodes", () => {
    const targets = [
      target(nodes(1), { vmSizes: ["Standard_X"] }),
      target(nodes(1), { requestSet: "other" }),
    ];
    expect(planFor(targets).targets.map(({ granted }) => granted)).toEqual([1, 1]);
  });
});

describe("attributes of new nodes", () => {
  test("come from the settings, the array's targets and a dynamic array's own, in that order", () => {
    const settings = {
      nodeAttributes: { default: { Configuration: { a: 1, b: { c: 1 } }, Tags: "x" }, byNodeArray: {} },
    };
    const targets = [
      target(nodes(1), { nodeAttributes: { Configuration: { b: { d: 2 } } } }),
      dynamic(nodes(1), { nodeAttributes: { Configuration: { a: 3 }, Tags: "y" } }),
    ];
    const [plain, own] = planFor(targets, { settings }).create;
    expect(plain?.nodeAttributes).toEqual({ Configuration: { a: 1, b: { c: 1, d: 2 } }, Tags: "x" });
    expect(own?.nodeAttributes).toEqual({
      Configuration: { a: 3, b: { c: 1, d: 2 }, autoscale: { dynamic_array: "special" } },
      Tags: "y",
    });
  });

  test("are given to nodes that jobs need too, while the target holds", () => {
    const nodeAttributes = { ImageId: "i" };
    const result = planFor([target(nodes(0), { nodeAttributes })], { jobs: [job("j", { ncpus: 4 })] });
    expect(result.create.map((set) => set.nodeAttributes)).toEqual([nodeAttributes]);
  });

  test("are plain data, whatever they are called", () => {
    const nodeAttributes = JSON.parse('{"__proto__": {"polluted": 1}}');
    const [set] = planFor([target(nodes(1), { nodeAttributes })]).create;
    expect(JSON.stringify(set?.nodeAttributes)).toBe('{"__proto__":{"polluted":1}}');
    expect("polluted" in {}).toBe(false);
  });
});

describe("a dynamic array", () => {
  test("has nodes of its own name, made from the array that it extends, beside that array's own", () => {
    const result = planFor([target(cores(8)), dynamic(nodes(3))]);
    expect(result.create).toMatchObject([
      { nodeArray: "execute", names: ["execute-1", "execute-2"], nameFormat: null },
      { nodeArray: "execute", dynamicArray: "special", nameFormat: "special-%d", nameOffset: 1, count: 3 },
    ]);
    expect(result.create[1]?.names).toEqual(["special-1", "special-2", "special-3"]);
  });

  const own = node("special-1", { nodeArray: "execute", dynamicArray: "special" });

  test("and the array that it extends do not count each other's nodes", () => {
    expect(createdNames(planFor([target(nodes(1))], { nodes: [own] }))).toEqual(["execute-1"]);
    expect(createdNames(planFor([dynamic(nodes(2))], { nodes: [own, ready(1)] }))).toEqual(["special-2"]);
  });

  test("needs a name that no node array of the cluster has", () => {
    const arrays = [execute(), array({ name: "special" })];
    const [outcome] = planFor([dynamic(nodes(1))], { arrays }).targets;
    expect(outcome).toMatchObject({ granted: 0, reasons: [{ code: "NameOfANodeArray" }] });
    expect(outcome && targetSentences(outcome)[1]).toContain('"special" is the name of a node array');
  });

  test("shares the limits of the array that it extends", () => {
    const arrays = [execute({ maxCount: 4 })];
    const result = planFor([target(nodes(3)), dynamic(nodes(3))], { arrays });
    expect(result.targets.map(({ granted }) => granted)).toEqual([3, 1]);
  });

  test("leaves its nodes to idle once no target names it", () => {
    expect(planFor([], { nodes: [own] }).unmatched).toEqual(["special-1"]);
  });

  test.each<[string, unknown, string]>([
    [
      "that asks for the array that it extends does not go there",
      { ncpus: 4, "node.nodearray": "execute" },
      "execute-1",
    ],
    ["that asks for it goes there", { ncpus: 4, "node.nodearray": "special" }, "special-1"],
    ["that names no array goes there before a node is made elsewhere", { ncpus: 4 }, "special-1"],
  ])("a job %s", (_case, constraints, place) => {
    const result = planFor([], { nodes: [own], jobs: [job("j", constraints)] });
    expect(plannedNode(result, place).jobs).toEqual([{ job: "j", slots: 1 }]);
  });

  test("takes a job that names no array when there is room nowhere else, but no new node is made for it", () => {
    const jobs = [job("j", { ncpus: 4 }, { iterations: 2 })];
    const arrays = [execute({ buckets: [bucket({ available: 0 })] })];
    const result = planFor([], { nodes: [own], jobs, arrays });
    expect(plannedNode(result, "special-1").jobs).toHaveLength(1);
    expect(result.jobs[0]).toMatchObject({ granted: 1 });
    const named = [job("j", { ncpus: 4, "node.nodearray": "special" }, { iterations: 2 })];
    expect(createdNames(planFor([], { nodes: [own], jobs: named }))).toEqual([]);
  });
});

describe("groups", () => {
  test("4 groups of 64 cores are 4 placement groups of 16 nodes, with the group's id in their configuration", () => {
    const result = planFor([grouped(4, 64)]);
    expect(
      result.create.map(({ placementGroup, count, names }) => [placementGroup, count, names[0]]),
    ).toEqual([
      ["execute-64-group1", 16, "execute-64-1"],
      ["execute-64-group2", 16, "execute-64-17"],
      ["execute-64-group3", 16, "execute-64-33"],
      ["execute-64-group4", 16, "execute-64-49"],
    ]);
    expect(result.create[3]?.nodeAttributes).toEqual({
      Configuration: {
        autoscale: { dynamic_array: "execute:64" },
        cyclecloud: { node: { group_id: "execute-64-group4" } },
      },
    });
    expect(result.targets[0]).toMatchObject({ unit: "groups", granted: 4, nodes: 64 });
    expect(result.targets[0]?.groups[0]).toEqual({ id: "execute-64-group1", vmSize: small, nodes: 16 });
  });

  test("are of one VM size each, the next one when the first has no room for a whole group", () => {
    const arrays = [execute({ buckets: [bucket({ available: 40 }), bucket({ vcpus: 8, available: 12 })] })];
    const result = planFor([grouped(4, 64, { vmSizes: [small, large] })], { arrays });
    expect(result.targets[0]?.groups.map(({ vmSize, nodes: size }) => [vmSize, size])).toEqual([
      [small, 16],
      [small, 16],
      [large, 8],
    ]);
    expect(result.targets[0]).toMatchObject({ granted: 3, asked: 4 });
    expect(createdNames(result)).toHaveLength(40);
    expect(result.targets[0] && targetSentences(result.targets[0])).toEqual([
      'Target "execute:64" of request set "standard" has 3 of 4 groups.',
      "execute:64/Standard_F4/execute-64-group4: 16 more nodes are wanted, and what CycleCloud still offers of the VM size leaves 8.",
      "execute:64/Standard_F8/execute-64-group4: 8 more nodes are wanted, and what CycleCloud still offers of the VM size leaves 4.",
    ]);
  });

  test("may be counted in instances", () => {
    const result = planFor([grouped(2, 3, { wish: groupsOf(2, 3, "nodes") })]);
    expect(result.create.map(({ count }) => count)).toEqual([3, 3]);
  });

  test("that do not fit a placement group are not made", () => {
    const arrays = [execute({ buckets: [bucket({ available: 99, limits: { maxPlacementGroupSize: 10 } })] })];
    const result = planFor([grouped(1, 64)], { arrays });
    expect(createdNames(result)).toEqual([]);
    expect(result.targets[0]?.reasons).toMatchObject([
      { code: "PlacementGroupTooSmall", asked: 16, left: 10 },
    ]);
  });

  const member = (group: number, index: number, fields: Partial<ClusterNode> = {}) =>
    node(`execute-8-${index}`, {
      nodeArray: "execute",
      dynamicArray: "execute:8",
      placementGroup: `execute-8-group${group}`,
      ...fields,
    });

  test("that are complete count; those that lack least are completed before new ones are made", () => {
    const present = [member(1, 1), member(2, 2), member(2, 3), member(7, 4)];
    const result = planFor([grouped(3, 8)], { nodes: present });
    expect(result.create.map(({ placementGroup, count }) => [placementGroup, count])).toEqual([
      ["execute-8-group1", 1],
      ["execute-8-group7", 1],
    ]);
    expect(createdNames(planFor([grouped(4, 8)], { nodes: present }))).toHaveLength(4);
  });

  test("are given up, whole, from the end, but never those that jobs run in", () => {
    const present = [1, 2, 3].flatMap((group) => [member(group, 2 * group), member(group, 2 * group + 1)]);
    const running = job(
      "mpi",
      { ncpus: 4 },
      { executingHostnames: ["host-execute-8-6", "host-execute-8-7"], iterations: 2 },
    );
    expect(planFor([grouped(2, 8)], { nodes: present }).unmatched).toEqual(["execute-8-6", "execute-8-7"]);
    expect(planFor([grouped(2, 8)], { nodes: present, jobs: [running] }).unmatched).toEqual([
      "execute-8-4",
      "execute-8-5",
    ]);
  });

  test("that cannot be completed are left alone, and another is made of the next size", () => {
    const arrays = [execute({ buckets: [bucket({ available: 0 }), bucket({ vcpus: 8, available: 9 })] })];
    const result = planFor([grouped(1, 8)], { nodes: [member(1, 1)], arrays });
    expect(result.unmatched).toEqual(["execute-8-1"]);
    expect(result.create).toMatchObject([{ vmSize: large, count: 1, placementGroup: "execute-8-group2" }]);
  });

  test("use the id of no node that is still there", () => {
    const going = member(1, 1, { status: "Terminating", targetState: "Terminated" });
    expect(planFor([grouped(1, 8)], { nodes: [going] }).create[0]?.placementGroup).toBe("execute-8-group2");
  });

  test("are no place for colocated jobs of the array", () => {
    const reported = { name: "execute-8-group1", activeCount: 2 };
    const arrays = [
      execute({ buckets: [bucket({ available: 9, fields: { placementGroups: [reported] } })] }),
    ];
    const colocated = job(
      "mpi",
      { ncpus: 4, "node.nodearray": "execute" },
      { nodeCount: 2, packingStrategy: "scatter", colocated: true },
    );
    const result = planFor([], { nodes: [member(1, 1), member(1, 2)], jobs: [colocated], arrays });
    expect(createdNames(result)).toEqual([]);
    expect(result.jobs[0]?.granted).toBe(0);
  });

  test("of two sizes on one array are two targets", () => {
    const result = planFor([grouped(1, 8), grouped(1, 16)]);
    expect(result.create.map(({ dynamicArray, count }) => [dynamicArray, count])).toEqual([
      ["execute:8", 2],
      ["execute:16", 4],
    ]);
  });
});
