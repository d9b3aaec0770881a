import { describe, expect, test } from "vitest";
import { served } from "../../fuzz/served-world.ts";
import { bucketOf, clusterOf, nodeArrayOf } from "../../support/cluster.ts";
import { FakeCycleCloud } from "../../support/fake-cyclecloud.ts";
import { cluster, createWorld } from "../../support/world.ts";
import { api, ask, refusalOf, useNodes, who } from "./asked-actions.ts";

useNodes();

describe("create-nodes", () => {
  test("makes new nodes, whatever existing ones have room", async () => {
    const { world } = served;
    const before = world.cycleCloud.nodes.length;
    const answer = await ask({ kind: "create-nodes", nodeArray: "htc", count: 3 });
    expect(answer).toMatchObject({
      outcome: "requested",
      actions: [{ create: [{ nodeArray: "htc", count: 3 }] }],
    });
    await world.execute();
    expect(world.cycleCloud.nodes).toHaveLength(before + 3);
  });

  test.each([
    [{ slots: 8 }, 2],
    [{ slots: 8, exclusive: true }, 8],
    [{ slots: 3, constraints: [{ ncpus: 2 }] }, 2],
    [{ count: 2, constraints: [{ ncpus: 1 }] }, 2],
    [{ count: 2, vmSize: "Standard_F4s_v2" }, 2],
  ])("%j means %i nodes", async (wanted, count) => {
    const { actions } = await ask({ kind: "create-nodes", ...wanted, dryRun: true });
    expect(actions[0]?.create.reduce((sum, set) => sum + set.count, 0)).toBe(count);
  });

  test("name format, keep-alive, attributes and placement group reach CycleCloud", async () => {
    await ask({
      kind: "create-nodes",
      nodeArray: "htc",
      count: 1,
      nameFormat: "login-%d",
      keepAlive: true,
      placementGroup: "pg0",
      nodeAttributes: { Comment: "for alice" },
    });
    const [operation] = await served.world.ports.operations.open(cluster);
    expect(operation?.value.action).toMatchObject({
      sets: [
        {
          names: ["login-1"],
          nameFormat: "login-%d",
          placementGroup: "pg0",
          nodeAttributes: { KeepAlive: true, Comment: "for alice" },
        },
      ],
    });
  });

  test("nodes of given names have exactly these, and the names that follow are not taken for others", async () => {
    const { world } = served;
    const before = world.cycleCloud.nodes.map(({ name }) => name);
    const names = ["htc-31", "htc-9", "htc-30", "gpu-node7"];
    expect(await ask({ kind: "create-nodes", nodeArray: "htc", names })).toMatchObject({
      outcome: "requested",
    });
    const [operation] = await world.ports.operations.open(cluster);
    expect(operation?.value.action).toMatchObject({
      sets: [
        { count: 1, names: ["gpu-node7"], nameFormat: "gpu-node%d", nameOffset: 7 },
        { count: 1, names: ["htc-9"], nameFormat: "htc-%d", nameOffset: 9 },
        { count: 2, names: ["htc-30", "htc-31"], nameFormat: "htc-%d", nameOffset: 30 },
      ],
    });
    await world.execute();
    const made = world.cycleCloud.nodes.map(({ name }) => name).filter((name) => !before.includes(name));
    expect(made.toSorted()).toEqual(names.toSorted());
  });

  test("a name that a node has, or that is on order, is refused, and no other comes in its place", async () => {
    const { world } = served;
    const before = world.cycleCloud.nodes.length;
    const [there = ""] = world.cycleCloud.nodes.map(({ name }) => name);
    const wanted = { kind: "create-nodes", nodeArray: "htc" };
    const refusal = async (names: readonly string[]) => JSON.parse(await refusalOf({ ...wanted, names }));
    const problem = (is: string) => `names: ${is}, expected a name that no node has`;
    expect(await refusal(["htc-40", there])).toMatchObject({
      problems: [problem(`"${there}" is Ready`)],
      takenNames: [there],
    });
    const many = Array.from({ length: 12 }, (_, index) => `htc-${index + 40}`);
    await ask({ ...wanted, names: many });
    expect((await refusal(many)).problems.slice(-2)).toEqual([
      problem('"htc-49" is on order'),
      "names: and 2 more",
    ]);
    await world.execute();
    expect(world.cycleCloud.nodes).toHaveLength(before + many.length);
  });

  test("of names that are too many for the limits none is made", async () => {
    const names = Array.from({ length: 21 }, (_, index) => `htc-${index + 50}`);
    const body = { kind: "create-nodes", nodeArray: "htc", names };
    expect(await refusalOf(body)).not.toContain("takenNames");
    expect(await refusalOf(body)).toContain("14 of 21 nodes can be had now");
    expect(await served.world.ports.operations.open(cluster)).toEqual([]);
  });

  test.each(["pack", "scatter"])("hosts on premise are no new nodes (%s)", async (strategy) => {
    const hosts = ["lab-1", "lab-2", "lab-3"].map((hostname) => ({ hostname, resources: { ncpus: 64 } }));
    await served.world.post([], { nodes: hosts });
    for (const wanted of [{ count: 2 }, { slots: 2, constraints: [{ ncpus: 4 }] }]) {
      const { actions } = await ask({ kind: "create-nodes", ...wanted, strategy, dryRun: true });
      expect(actions).toMatchObject([{ create: [{ count: 2 }] }]);
    }
  });

  test("nodes on order are left out of the count, and count against the limits", async () => {
    await ask({ kind: "create-nodes", count: 10 });
    expect(await refusalOf({ kind: "create-nodes", count: 5 })).toContain("4 of 5 nodes");
    expect(await ask({ kind: "create-nodes", count: 4 })).toMatchObject({ outcome: "requested" });
  });

  test.each([
    [{ count: 21 }, "14 of 21 nodes"],
    [{ count: 1, vmSize: "Standard_None" }, "Standard_None"],
    [{ count: 1, nodeArray: "none" }, "expected one of htc"],
    [{ count: 1, constraints: [{ ncpus: 64 }] }, "too small"],
  ])("%j is refused with numbers", async (wanted, problem) => {
    expect(await refusalOf({ kind: "create-nodes", ...wanted })).toContain(problem);
  });

  test.each([
    {},
    { count: 1, slots: 1 },
    { count: 0 },
    { count: 1, nameFormat: "a b" },
    { names: ["htc-30"] },
    { nodeArray: "htc", names: [] },
    { nodeArray: "htc", names: ["htc-30"], count: 1 },
    { nodeArray: "htc", names: ["htc-30"], nameFormat: "htc-%d" },
    { nodeArray: "htc", names: ["htc-30", "htc-30"] },
    { nodeArray: "htc", names: ["htc-030"] },
    { nodeArray: "htc", names: ["htc"] },
  ])("the body %j is refused", async (wanted) => {
    const body = { ...who, kind: "create-nodes", ...wanted };
    expect(await api.call("actions", { body })).toMatchObject({ status: 400 });
  });
});

describe("the strategy of a creation", () => {
  /** Two sizes of an array, the first one preferred; so many nodes can be had of each. */
  function twoSizes(first: number, second: number): void {
    const large = 1_000_000;
    const limits = {
      activeCount: 0,
      region: { maxCores: large, usedCores: 0 },
      family: { maxCores: large, usedCores: 0 },
      maxPlacementGroupSize: 100,
    };
    const sizeOf = (vmSize: string, availableCount: number) =>
      bucketOf({ bucketId: vmSize, vmSize, limits: { ...limits, maxCount: availableCount, availableCount } });
    const buckets = [sizeOf("first", first), sizeOf("second", second)];
    const array = nodeArrayOf({ buckets, maxCount: large, maxCoreCount: large });
    const all = clusterOf({ nodeArrays: [array], maxCount: large, maxCoreCount: large });
    served.world = createWorld(new FakeCycleCloud(all));
  }

  const nodesBySize = async (wanted: Record<string, unknown>, dryRun = true) => {
    await served.world.snapshot();
    const { actions } = await ask({ kind: "create-nodes", ...wanted, dryRun });
    return actions.flatMap(({ create }) => create.map(({ vmSize, count }) => `${count} ${vmSize}`));
  };

  test.each([
    [{ count: 4 }, ["3 first", "1 second"]],
    [{ count: 4, strategy: "pack" }, ["3 first", "1 second"]],
    [{ count: 3, strategy: "scatter" }, ["3 first"]],
    [{ count: 4, strategy: "scatter" }, ["4 second"]],
    [{ slots: 4, constraints: [{ ncpus: 2 }] }, ["2 first"]],
    [{ slots: 3, constraints: [{ ncpus: 2 }], strategy: "scatter" }, ["3 first"]],
    [{ slots: 4, constraints: [{ ncpus: 2 }], strategy: "scatter" }, ["4 second"]],
    [{ slots: 8, strategy: "pack" }, ["2 first"]],
    [{ slots: 5, strategy: "scatter", exclusive: true }, ["5 second"]],
  ])("%j makes %j", async (wanted, made) => {
    twoSizes(3, 5);
    expect(await nodesBySize(wanted)).toEqual(made);
  });

  test("scattered nodes that no bucket has are refused, and none is made", async () => {
    twoSizes(3, 5);
    expect(await nodesBySize({ count: 6 })).toEqual(["3 first", "3 second"]);
    const refused = await refusalOf({ kind: "create-nodes", count: 6, strategy: "scatter" });
    expect(refused).toContain("no bucket can give 6 nodes now");
    expect(await served.world.ports.operations.open(cluster)).toEqual([]);
  });

  test.each([
    [
      "scatter",
      "stays in one bucket, though another is preferred for the rest",
      ["1000 second", "150 second"],
    ],
    ["pack", "takes what is preferred, then another", ["999 first", "101 first", "50 second"]],
  ])("what takes several requests with %s %s", async (strategy, _, made) => {
    twoSizes(1_100, 2_000);
    expect(await nodesBySize({ count: 1_150, strategy }, false)).toEqual(made);
  });

  test("any other is refused", async () => {
    const body = { ...who, kind: "create-nodes", count: 1, strategy: "spread" };
    expect(await api.call("actions", { body })).toMatchObject({
      status: 400,
      jsonBody: { problems: [expect.stringContaining("strategy")] },
    });
  });
});
