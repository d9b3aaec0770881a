import { describe, expect, test } from "vitest";
import { plan } from "../../../shared/engine/index.ts";
import { array, bucket, cluster, codes, input, job, node, nodesOf } from "./tiny.ts";

/** Room for two nodes of four cpus, beside those that are there. */
const roomForTwo = (fields: Parameters<typeof cluster>[0] = {}) =>
  cluster({ nodeArrays: [array({ buckets: [bucket({ available: 2 })] })], ...fields });

describe("a gang gets all that it asks for, or nothing", () => {
  test("a job that wants its slots at once buys nothing where only some of them fit, and leaves the room to others", () => {
    const jobs = [job("mpi", { ncpus: 1 }, { iterations: 12, gangSize: 12 }), job("next", { ncpus: 4 })];
    const result = plan(input({ cluster: roomForTwo(), jobs }));
    expect(nodesOf(result, "mpi")).toEqual([]);
    expect(codes(result, "mpi")).toEqual(["NoCapacity"]);
    expect(nodesOf(result, "next")).toEqual(["htc-1"]);
    const alone = [job("slots", { ncpus: 1 }, { iterations: 12 })];
    expect(plan(input({ cluster: roomForTwo(), jobs: alone })).create).toMatchObject([{ count: 2 }]);
  });

  test("its slots fill what is there, and new nodes of several sizes", () => {
    const buckets = [bucket({ available: 1 }), bucket({ vcpus: 8, available: 1 })];
    const nodes = [node("htc-1")];
    const jobs = [job("mpi", { ncpus: 1 }, { iterations: 16, gangSize: 16 })];
    const result = plan(input({ cluster: cluster({ nodeArrays: [array({ buckets })], nodes }), jobs }));
    expect(result.jobs[0]).toMatchObject({ granted: 16 });
    expect(result.create.map(({ count }) => count)).toEqual([1, 1]);
  });

  test("of an array of such jobs, as many get their slots as there is room for", () => {
    const jobs = [job("array", { ncpus: 1 }, { iterations: 12, gangSize: 3 })];
    const result = plan(input({ cluster: roomForTwo(), jobs }));
    expect(result.jobs[0]).toMatchObject({ asked: 12, granted: 6 });
    expect(result.create).toMatchObject([{ count: 2 }]);
    expect(codes(result, "array")).toEqual(["NoCapacity"]);
  });

  test("parts of one job get nothing while one of them finds no room, wherever it stands in the queue", () => {
    const parts = (order: readonly string[]) =>
      order.map((name) =>
        name === "large"
          ? job(name, { ncpus: 4 }, { nodeCount: 3, packingStrategy: "scatter", gang: "17" })
          : job(name, { ncpus: 1 }, name === "other" ? {} : { gang: "17" }),
      );
    for (const order of [
      ["small", "large", "other"],
      ["small", "other", "large"],
      ["large", "other", "small"],
    ]) {
      const result = plan(input({ cluster: roomForTwo(), jobs: parts(order) }));
      expect(result.create).toMatchObject([{ count: 1 }]);
      expect(nodesOf(result, "other")).toEqual(["htc-1"]);
      expect(codes(result, "small")).toEqual(["GangIncomplete"]);
      expect(codes(result, "large")).toEqual(["NoCapacity"]);
    }
  });

  test("parts that lie apart share no node with each other, and do with other jobs", () => {
    const scattered = (name: string, ncpus: number, nodeCount: number) =>
      job(
        name,
        { ncpus },
        { nodeCount, packingStrategy: "scatter", gang: name.slice(0, 1), gangApart: true },
      );
    const jobs = ["a", "b"].flatMap((name) => [scattered(`${name}1`, 2, 1), scattered(`${name}2`, 1, 1)]);
    const result = plan(input({ cluster: roomForTwo(), jobs }));
    expect(result.create).toMatchObject([{ count: 2 }]);
    for (const name of ["a", "b"]) {
      expect(nodesOf(result, `${name}1`)).toEqual(["htc-1"]);
      expect(nodesOf(result, `${name}2`)).toEqual(["htc-2"]);
    }
    const slots = ["c1", "c2"].map((name) =>
      job(name, { ncpus: 1 }, { iterations: 3, gang: "c", gangApart: true }),
    );
    const packed = plan(
      input({ cluster: roomForTwo(), jobs: [...slots, job("next", { ncpus: 1 }, { iterations: 2 })] }),
    );
    expect(slots.map(({ name }) => nodesOf(packed, name))).toEqual([["htc-1"], ["htc-2"]]);
    expect(packed.jobs.map(({ granted }) => granted)).toEqual([3, 3, 2]);
    const three = ["d1", "d2", "d3"].map((name) => job(name, { ncpus: 1 }, { gang: "d", gangApart: true }));
    const lacks = plan(input({ cluster: roomForTwo(), jobs: three }));
    expect(lacks.create).toEqual([]);
    expect(codes(lacks, "d3")).toEqual(["NoCapacity"]);
  });

  test("the nodes of a part that lies apart come from several buckets, those that are there first", () => {
    const buckets = [bucket({ available: 1 }), bucket({ vcpus: 8, available: 2 })];
    const nodes = [node("htc-1")];
    const apart = (nodeCount: number, fields = {}) =>
      job("mpi", { ncpus: 2 }, { nodeCount, packingStrategy: "scatter", ...fields });
    const planned = (jobs: readonly ReturnType<typeof job>[]) =>
      plan(input({ cluster: cluster({ nodeArrays: [array({ buckets })], nodes }), jobs }));
    const gang = { gang: "mpi", gangApart: true };
    expect(planned([apart(4, gang)]).create.map(({ count }) => count)).toEqual([1, 2]);
    expect(nodesOf(planned([apart(4, gang)]), "mpi")).toHaveLength(4);
    expect(planned([apart(5, gang)]).create).toEqual([]);
    // Without a gang nothing promises all of them: they come from one bucket.
    for (const alone of [{}, { gangApart: true }, { mayDivide: true }])
      expect(planned([apart(4, alone)]).create).toEqual([]);
  });

  describe("colocated parts of a gang that is not divided are in one placement group", () => {
    const groups = { placementGroups: ["pg0", "pg1"].map((name) => ({ name, activeCount: 0 })) };
    const part = (name: string, nodeCount: number, fields = {}) =>
      job(
        name,
        { ncpus: 4 },
        { nodeCount, packingStrategy: "scatter", colocated: true, gang: "mpi", mayDivide: false, ...fields },
      );
    const there = [node("htc-1", { placementGroup: "pg0" }), node("htc-2", { placementGroup: "pg0" })];
    const busy = job("other", { ncpus: 4 }, { executingHostnames: ["host-htc-2"] });
    const planned = (most: number, parts: readonly ReturnType<typeof job>[], nodes = there) => {
      const buckets = [bucket({ fields: groups, limits: { maxPlacementGroupSize: most } })];
      const jobs = [...(nodes.length > 0 ? [busy] : []), ...parts];
      return plan(input({ cluster: cluster({ nodeArrays: [array({ buckets })], nodes }), jobs }));
    };
    const created = (result: ReturnType<typeof plan>) =>
      result.create.map(({ placementGroup, count }) => [placementGroup, count]);
    const apart = { gangApart: true };
    test.each([
      ["in the one of the first, which has room for all", 4, [1, 2], {}, [["pg0", 2]]],
      ["in another, where the first has room for one alone", 3, [1, 2], apart, [["pg1", 3]]],
      ["in none that is too small for all", 2, [1, 2], apart, []],
    ])("%s", (_, most, counts, fields, expected) => {
      const parts = counts.map((count, index) => part(`mpi.${index}`, count, fields));
      expect(created(planned(most, parts))).toEqual(expected);
    });

    test("the one in which a part of them runs", () => {
      const runs = part("mpi.0", 1, { executingHostnames: ["host-htc-3"] });
      const nodes = [...there, node("htc-3", { placementGroup: "pg1" })];
      expect(created(planned(4, [runs, part("mpi.1", 2)], nodes))).toEqual([["pg1", 2]]);
    });

    test("one that nodes fill which take no jobs is not taken for an empty one", () => {
      const going = ["htc-1", "htc-2"].map((name) =>
        node(name, { placementGroup: "pg0", status: "Terminating", targetState: "Terminated" }),
      );
      const buckets = [
        bucket({
          fields: {
            placementGroups: [
              { name: "pg0", activeCount: 2 },
              { name: "pg1", activeCount: 0 },
            ],
          },
          limits: { maxPlacementGroupSize: 3 },
        }),
      ];
      const jobs = [part("mpi.0", 1), part("mpi.1", 2, apart)];
      const nodeArrays = [array({ buckets })];
      const result = plan(input({ cluster: cluster({ nodeArrays, nodes: going }), jobs }));
      expect(created(result)).toEqual([["pg1", 3]]);
    });

    test("each has one of its own where nothing is said of dividing them", () => {
      const parts = [1, 2].map((count) => part(`mpi.${count}`, count, { ...apart, mayDivide: undefined }));
      expect(created(planned(2, parts, []))).toEqual([
        ["pg0", 1],
        ["pg1", 2],
      ]);
    });

    test("what they lack is said of the group that could hold the most of them", () => {
      const result = planned(2, [part("mpi.0", 1, apart), part("mpi.1", 2, apart)], []);
      expect(codes(result, "mpi.0")).toEqual(["GangIncomplete"]);
      expect(result.jobs.at(-1)?.reasons).toMatchObject([
        { code: "NoCapacity", limit: "placement-group", asked: 2, left: 1 },
        { code: "NoCapacity", limit: "placement-group", asked: 2, left: 2 },
        { code: "NotInAPlacementGroup" },
      ]);
    });

    test("those that may be divided are, where no group could ever hold all of them", () => {
      const parts = [1, 2].map((count) => part(`mpi.${count}`, count, { ...apart, mayDivide: true }));
      expect(created(planned(3, parts, []))).toEqual([["pg0", 3]]);
      expect(created(planned(2, parts, []))).toEqual([
        ["pg0", 2],
        ["pg1", 1],
      ]);
    });
  });

  describe("a job that may be divided, where no bucket could ever hold it, is", () => {
    const colocating = { placementGroups: [{ name: "pg0", activeCount: 0 }] };
    const small = { maxPlacementGroupSize: 2 };
    const divided = { gang: "mpi", mayDivide: true };
    const scattered = (nodeCount: number) => ({ nodeCount, packingStrategy: "scatter" as const, ...divided });
    const colocated = { colocated: true };
    test.each([
      ["scattered over two sizes", scattered(5), {}, {}, [3, 2]],
      ["scattered, and too large for all", scattered(7), {}, {}, []],
      ["scattered, and one size has enough", scattered(3), {}, {}, [3]],
      ["scattered, and one size has enough while no other job runs", scattered(3), {}, {}, [3], 1],
      ["scattered, and one size had enough if no other job ran", scattered(3), {}, {}, [], 1, 2],
      ["colocated, in a group that is large enough", { ...scattered(3), ...colocated }, {}, colocating, [3]],
      ["colocated, too large for any group", { ...scattered(3), ...colocated }, small, colocating, [2, 1]],
      [
        "slots, too large for any group",
        { iterations: 30, ...colocated, ...divided },
        {},
        colocating,
        [3, 3],
      ],
    ])("%s", (_, wish, limits, fields, counts, busy = 0, second = 3) => {
      const buckets = [3 - busy, second].map((available, index) =>
        bucket({ vcpus: 4 * (index + 1), available, limits, fields }),
      );
      const nodes = Array.from({ length: busy }, (_, index) => node(`htc-${index + 1}`));
      const others = nodes.map(({ hostname }) =>
        job("other", { ncpus: 4 }, { executingHostnames: hostname === null ? [] : [hostname] }),
      );
      const jobs = [...others, job("mpi", { ncpus: 1 }, wish)];
      const nodeArrays = [array({ buckets })];
      const { create } = plan(input({ cluster: cluster({ nodeArrays, nodes }), jobs }));
      expect(create.map(({ count }) => count)).toEqual(counts);
    });
  });

  test("what has room for one gang and not for two goes to the first", () => {
    const jobs = ["a", "b"].map((name) => job(name, { ncpus: 1 }, { iterations: 5, gangSize: 5 }));
    const result = plan(input({ cluster: roomForTwo(), jobs }));
    expect(result.jobs.map(({ granted }) => granted)).toEqual([5, 0]);
  });
});
