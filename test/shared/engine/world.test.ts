import { describe, expect, test } from "vitest";
import { type BucketUse, type Plan, plan } from "../../../shared/engine/index.ts";
import {
  array,
  bucket,
  cluster,
  codes,
  createdNames,
  deallocated,
  historyRow,
  input,
  job,
  node,
  nodesOf,
  nowSeconds,
  onOrder,
  plannedNode,
} from "./tiny.ts";

function withBucket(spec: Parameters<typeof bucket>[0], fields: Parameters<typeof array>[0] = {}) {
  return cluster({ nodeArrays: [array({ buckets: [bucket(spec)], ...fields })] });
}

function use(result: Plan): BucketUse | undefined {
  return result.buckets[0];
}

describe("existing nodes", () => {
  test("are filled in numeric name order before new ones are made", () => {
    const nodes = ["htc-10", "htc-9", "htc-1"].map((name) => node(name));
    const result = plan(
      input({ cluster: cluster({ nodes }), jobs: [job("j", { ncpus: 4 }, { iterations: 4 })] }),
    );
    expect(nodesOf(result, "j")).toEqual(["htc-1", "htc-9", "htc-10", "htc-2"]);
    expect(createdNames(result)).toEqual(["htc-2"]);
  });

  test("that are deallocated are started after those that run are full, and charged like new ones", () => {
    const nodes = [node("htc-1", { ...deallocated, hostname: null }), node("htc-2")];
    const jobs = [job("j", { ncpus: 4 }, { iterations: 2 })];
    const result = plan(input({ cluster: { ...withBucket({ available: 1 }), nodes }, jobs }));
    expect(nodesOf(result, "j")).toEqual(["htc-2", "htc-1"]);
    expect(result.start).toEqual([{ nodeId: "id-htc-1", name: "htc-1", nodeArray: "htc" }]);
    expect(plannedNode(result, "htc-1").origin).toBe("starting");
    expect(use(result)?.availableCount).toBe(0);
  });

  test("that are deallocated are started in their place when the array is filled in order", () => {
    const nodes = [node("htc-1", { ...deallocated, hostname: null }), node("htc-2")];
    const settings = { placement: { default: "reuse", byNodeArray: { htc: "order" } } } as const;
    const result = plan(input({ cluster: cluster({ nodes }), jobs: [job("j", { ncpus: 4 })], settings }));
    expect(result.start.map(({ name }) => name)).toEqual(["htc-1"]);
  });

  test("that are deallocated stay so when no limit allows a start", () => {
    const nodes = [node("htc-1", deallocated), node("htc-2")];
    const result = plan(
      input({ cluster: { ...withBucket({ available: 0 }), nodes }, jobs: [job("j", { ncpus: 4 })] }),
    );
    expect([result.start, nodesOf(result, "j")]).toEqual([[], ["htc-2"]]);
  });

  test("that terminate, or lack a target state, take no jobs, but keep their names", () => {
    const nodes = [
      node("htc-1", { status: "Terminating", targetState: "Terminated" }),
      node("htc-2", { targetState: null }),
    ];
    const result = plan(input({ cluster: cluster({ nodes }), jobs: [job("j", { ncpus: 1 })] }));
    expect(createdNames(result)).toEqual(["htc-3"]);
    expect(result.warnings).toMatchObject([{ code: "no-target-state", subject: "htc-2" }]);
  });

  test("that are on the ignore list take no jobs and are not deleted", () => {
    const settings = { ignoredNodes: ["htc-1", "host-htc-2", "id-htc-3*"] };
    const nodes = ["htc-1", "htc-2", "htc-3"].map((name) => node(name));
    const result = plan(input({ cluster: cluster({ nodes }), jobs: [job("j", { ncpus: 1 })], settings }));
    expect(nodesOf(result, "j")).toEqual(["htc-4"]);
  });

  test("of a disabled array are left alone", () => {
    const world = cluster({ nodeArrays: [array({ enabled: false })], nodes: [node("htc-1")] });
    const result = plan(input({ cluster: world, jobs: [job("j", { ncpus: 1 })] }));
    expect(result.nodes).toEqual([]);
    expect(codes(result, "j")).toEqual(["NoBucketsDefined"]);
  });

  test("that are leaving already take no jobs and are not deleted twice", () => {
    const history = [historyRow("htc-1", { lastMatchSeconds: nowSeconds - 9999 })];
    const world = cluster({ nodes: [node("htc-1")] });
    const result = plan(
      input({ cluster: world, history, leavingNodeIds: ["id-htc-1"], jobs: [job("j", { ncpus: 1 })] }),
    );
    expect([result.retire, nodesOf(result, "j")]).toEqual([[], ["htc-2"]]);
  });

  test("in a placement group that nobody reports still run jobs", () => {
    const world = cluster({ nodes: [node("htc-1", { placementGroup: "old" })] });
    const result = plan(input({ cluster: world, jobs: [job("j", { "node.placement_group": "old" })] }));
    expect(nodesOf(result, "j")).toEqual(["htc-1"]);
  });

  test("can be asked for by a property of their own", () => {
    const nodes = [node("htc-1"), node("htc-2", { keepAlive: true })];
    const jobs = [
      job("byHost", { "node.hostname": "host-htc-2" }),
      job("byState", { "node.state": "Ready", "node.keep_alive": false }),
    ];
    const result = plan(input({ cluster: cluster({ nodes }), jobs }));
    expect([nodesOf(result, "byHost"), nodesOf(result, "byState")]).toEqual([["htc-2"], ["htc-1"]]);
  });
});

describe("pending nodes", () => {
  const pending = [onOrder(1, { names: ["htc-1"] })];

  test("take jobs, consume limits and keep their names", () => {
    const jobs = [job("first", { ncpus: 4 }), job("second", { ncpus: 4 }), job("third", { ncpus: 4 })];
    const result = plan(input({ cluster: withBucket({ available: 2 }), jobs, pending }));
    expect(nodesOf(result, "first")).toEqual(["htc-1"]);
    expect(createdNames(result)).toEqual(["htc-2"]);
    expect(codes(result, "third")).toEqual(["NoCapacity"]);
  });

  test("that the snapshot shows by now count once", () => {
    const world = { ...withBucket({ available: 1 }), nodes: [node("htc-1")] };
    const result = plan(
      input({ cluster: world, jobs: [job("j", { ncpus: 4 }, { iterations: 2 })], pending }),
    );
    expect(nodesOf(result, "j")).toEqual(["htc-1", "htc-2"]);
  });

  test("that are being started are not started twice", () => {
    const world = { ...withBucket({ available: 1 }), nodes: [node("htc-1", deallocated)] };
    const result = plan(input({ cluster: world, jobs: [job("j", { ncpus: 4 })], pending }));
    expect([result.start, nodesOf(result, "j")]).toEqual([[], ["htc-1"]]);
  });
});

describe("scheduler nodes", () => {
  test("replace the resources of the node of that host name", () => {
    const schedulerNodes = [{ hostname: "HOST-htc-1.domain", resources: { ncpus: 2, memgb: 4 } }];
    const result = plan(input({ cluster: cluster({ nodes: [node("htc-1")] }), schedulerNodes }));
    expect(plannedNode(result, "htc-1").resources).toMatchObject({
      ncpus: 2,
      memgb: { bytes: 4 * 1024 ** 3 },
    });
  });

  test("leave them alone when they say so", () => {
    const schedulerNodes = [{ hostname: "host-htc-1", resources: { ncpus: 2 }, overrideResources: false }];
    const result = plan(input({ cluster: cluster({ nodes: [node("htc-1")] }), schedulerNodes }));
    expect(plannedNode(result, "htc-1").resources.ncpus).toBe(4);
  });

  test("that CycleCloud does not have are on premise: used first, never created, started or deleted", () => {
    const schedulerNodes = [
      { hostname: "old-1", resources: { ncpus: 2 } },
      { hostname: "old-2", resources: { ncpus: 8 } },
    ];
    const result = plan(input({ schedulerNodes, jobs: [job("j", { ncpus: 4 }, { iterations: 3 })] }));
    expect(nodesOf(result, "j")).toEqual(["old-2", "htc-1"]);
    expect(plannedNode(result, "old-2")).toMatchObject({ origin: "on-premise", nodeId: null });
    expect(result.unmatched).toEqual(["old-1"]);
    expect(result.retire).toEqual([]);
  });

  describe("that have the name of a node, which CycleCloud gives another host", () => {
    const jobs = [job("r", { ncpus: 4 }, { executingHostnames: ["HTC-1.domain"] })];
    const schedulerNodes = [{ hostname: "htc-1", resources: { ncpus: 8 }, takesNoJobs: true } as const];
    const homes: [string, Partial<Parameters<typeof input>[0]>][] = [
      ["that is up", { cluster: cluster({ nodes: [node("htc-1")] }) }],
      ["whose host nobody knows yet", { cluster: cluster({ nodes: [node("htc-1", { hostname: null })] }) }],
      ["that is on order", { pending: [onOrder(1, { names: ["htc-1"] })] }],
    ];

    test.each(homes)("are that node %s: it has their job, and no second one is called so", (_, world) => {
      const result = plan(input({ jobs, schedulerNodes, ...world }));
      expect(result.nodes.map(({ name }) => name)).toEqual(["htc-1"]);
      expect(result.nodes[0]?.origin).not.toBe("on-premise");
      expect(result.matched).toEqual(["htc-1"]);
      expect(result.nodes[0]?.jobs).toEqual([{ job: "r", slots: 1 }]);
    });

    test.each(homes)("close it to other jobs %s", (_, world) => {
      const other = job("j", { ncpus: 1 });
      const result = plan(input({ jobs: [other], schedulerNodes, ...world }));
      expect(nodesOf(result, "j")).toEqual(["htc-2"]);
    });
  });

  test("with a ccnodeid that CycleCloud does not know are reported and not used", () => {
    const schedulerNodes = [{ hostname: "zombie", resources: { ncpus: 64, ccnodeid: "gone" } }];
    const result = plan(input({ schedulerNodes, jobs: [job("j", { ncpus: 4 })] }));
    expect(nodesOf(result, "j")).toEqual(["htc-1"]);
    expect(result.warnings).toMatchObject([{ code: "unknown-node-id", subject: "zombie" }]);
  });

  describe("that were hosts of nodes", () => {
    const jobs = [job("j", { ncpus: 1 })];
    const schedulerNodes = [{ hostname: "HOST-htc-1.domain", resources: { ncpus: 8 } }];
    const gone: [string, Partial<Parameters<typeof input>[0]>][] = [
      ["since long ago", { history: [historyRow("htc-1", { deletedSeconds: nowSeconds - 60 })] }],
      ["since this pass", { history: [historyRow("htc-1")] }],
      [
        "with a new node of their name, whose host nobody knows yet",
        {
          cluster: cluster({ nodes: [node("htc-1", { nodeId: "id-new", hostname: null, status: "Off" })] }),
          history: [historyRow("htc-1", { deletedSeconds: nowSeconds - 60 })],
        },
      ],
    ];

    test.each(gone)("and are gone %s, are reported and not used", (_, known) => {
      const result = plan(input({ schedulerNodes, jobs, ...known }));
      expect(nodesOf(result, "j")).toEqual(["htc-1"]);
      expect(result.nodes.filter(({ origin }) => origin === "on-premise")).toEqual([]);
      expect(result.warnings).toMatchObject([{ code: "gone-host", subject: "HOST-htc-1.domain" }]);
    });

    test("are reported by one warning, however many there are", () => {
      const names = ["htc-1", "htc-2", "htc-3"];
      const hosts = names.map((name) => ({ hostname: `host-${name}`, resources: {} }));
      const history = names.map((name) => historyRow(name, { deletedSeconds: nowSeconds - 60 }));
      const { warnings } = plan(input({ schedulerNodes: hosts, history }));
      expect(warnings).toEqual([
        {
          code: "gone-host",
          subject: "host-htc-1",
          message: expect.stringContaining('was node "htc-1", which is gone, and 2 more like it:'),
        },
      ]);
    });

    test("count on for what runs there, which needs no other place", () => {
      const running = [job("j", { ncpus: 1 }, { executingHostnames: ["host-htc-1"] })];
      const history = [historyRow("htc-1", { deletedSeconds: nowSeconds - 60 })];
      const result = plan(input({ schedulerNodes, jobs: running, history }));
      expect(result.jobs[0]).toMatchObject({ asked: 1, granted: 1 });
      expect(result.create).toEqual([]);
    });

    test("take nothing from hosts that never were", () => {
      const history = [historyRow("htc-1", { deletedSeconds: nowSeconds - 60 })];
      const own = { hostname: "old-1", resources: { ncpus: 8 } };
      const result = plan(input({ schedulerNodes: [...schedulerNodes, own], jobs, history }));
      expect(nodesOf(result, "j")).toEqual(["old-1"]);
    });
  });
});

describe("nodes that take no jobs", () => {
  const closed = { takesNoJobs: true, resources: {} } as const;
  const world = cluster({ nodes: [node("htc-1"), node("htc-2")] });
  const ways: [string, Partial<Parameters<typeof input>[0]>][] = [
    ["by a scheduler's word", { schedulerNodes: [{ ...closed, hostname: "HOST-htc-1.domain" }] }],
    [
      "by the word of one of several",
      {
        schedulerNodes: [
          { ...closed, hostname: "host-htc-1" },
          { hostname: "host-htc-1", resources: {} },
        ],
      },
    ],
    ["by their id", { closedNodeIds: ["id-htc-1"] }],
  ];

  test.each(ways)("%s leave them to the others, and to new ones", (_, out) => {
    for (const json of [{ ncpus: 4 }, { ncpus: 1, exclusive: true }, { or: [{ ncpus: 4 }, { ncpus: 3 }] }]) {
      const jobs = [job("j", json, { iterations: 2 })];
      const result = plan(input({ cluster: world, jobs, ...out }));
      expect([nodesOf(result, "j"), createdNames(result)]).toEqual([["htc-2", "htc-3"], ["htc-3"]]);
    }
  });

  test.each(ways)("%s keep what runs there, and get nothing beside it", (_, out) => {
    const running = job("r", { ncpus: 1 }, { iterations: 3, executingHostnames: ["host-htc-1"] });
    const result = plan(input({ cluster: world, jobs: [running], ...out }));
    expect(plannedNode(result, "htc-1").jobs).toEqual([{ job: "r", slots: 1 }]);
    expect(plannedNode(result, "htc-2").jobs).toEqual([{ job: "r", slots: 2 }]);
    expect(result.matched).toContain("htc-1");
  });

  test.each(ways)("%s go when they have been idle for long enough", (_, out) => {
    const history = [historyRow("htc-1", { lastMatchSeconds: nowSeconds - 9_999 })];
    const jobs = [job("j", { ncpus: 4 })];
    const result = plan(input({ cluster: world, history, lastPassSeconds: nowSeconds - 1, jobs, ...out }));
    expect(result.retire).toMatchObject([{ name: "htc-1", cause: "idle-timeout" }]);
  });

  test.each(ways)("%s are not started", (_, out) => {
    const stopped = cluster({ nodes: [node("htc-1", deallocated)] });
    const result = plan(input({ cluster: stopped, jobs: [job("j", { ncpus: 4 })], ...out }));
    expect([result.start, createdNames(result)]).toEqual([[], ["htc-2"]]);
  });

  test("may be on premise", () => {
    const schedulerNodes = [{ hostname: "old-1", resources: { ncpus: 8 }, takesNoJobs: true } as const];
    const result = plan(input({ schedulerNodes, jobs: [job("j", { ncpus: 4 })] }));
    expect(nodesOf(result, "j")).toEqual(["htc-1"]);
    expect(result.unmatched).toEqual(["old-1"]);
  });
});

describe("limits", () => {
  const quota = (maxCores: number, usedCores = 0) => ({ maxCores, usedCores });

  test.each([
    ["bucket", withBucket({ available: 2 }), 2],
    ["region", withBucket({ limits: { region: quota(11, 2) } }), 2],
    ["cluster", { ...withBucket({}), maxCoreCount: 9 }, 2],
    ["cluster", { ...withBucket({}), maxCount: 2 }, 2],
    ["node-array", withBucket({}, { maxCoreCount: 11 }), 2],
    ["node-array", withBucket({}, { maxCount: 2 }), 2],
    ["family", withBucket({ limits: { family: quota(8) } }), 2],
    [
      "placement-group",
      withBucket({
        fields: { placementGroups: [{ name: "pg", activeCount: 1 }] },
        limits: { maxPlacementGroupSize: 3 },
      }),
      2,
    ],
  ] as const)("%s limits new nodes", (limit, world, count) => {
    const asked = limit === "placement-group" ? { ncpus: 4, "node.placement_group": "pg" } : { ncpus: 4 };
    const result = plan(input({ cluster: world, jobs: [job("j", asked, { iterations: 5 })] }));
    expect(createdNames(result)).toHaveLength(count);
    expect(result.jobs[0]?.reasons.find((reason) => reason.code === "NoCapacity")).toMatchObject({
      limit,
      left: 0,
    });
    expect(use(result)).toMatchObject({ binding: limit, availableCount: 0 });
  });

  test.each([
    ["region", withBucket({ available: 2, limits: { region: quota(8) } })],
    ["cluster", { ...withBucket({ available: 2 }), maxCoreCount: 9 }],
    ["node-array", withBucket({ available: 2 }, { maxCount: 2 })],
    ["family", withBucket({ available: 2, limits: { family: quota(8) } })],
    ["bucket", withBucket({ available: 2 }, { maxCount: 3 })],
  ] as const)("what CycleCloud offers is told by the limit that it comes from: %s", (limit, world) => {
    const result = plan(input({ cluster: world, jobs: [job("j", { ncpus: 4 }, { iterations: 5 })] }));
    expect(use(result)).toMatchObject({ binding: limit, availableCount: 0 });
    expect(result.jobs[0]?.reasons).toMatchObject([{ code: "NoCapacity", limit, left: 0 }]);
  });

  test("the cluster's most nodes hold for all arrays together, with the nodes that exist and not head nodes", () => {
    const nodeArrays = ["a", "b", "c"].map((name) => array({ name, buckets: [bucket({ available: 4 })] }));
    const there = [node("a-1", { nodeArray: "a" }), node("head", { nodeArray: "scheduler" })];
    const world = cluster({ nodeArrays, nodes: there, maxCount: 5 });
    const jobs = ["a", "b", "c"].map((name) =>
      job(name, { "node.nodearray": name, exclusive: true }, { iterations: 4 }),
    );
    const held = plan(input({ cluster: world, jobs }));
    expect(createdNames(held)).toHaveLength(4);
    const reason = held.jobs[2]?.reasons.find(({ code }) => code === "NoCapacity");
    expect(reason).toMatchObject({ limit: "cluster", left: 0 });
  });

  test("are shared: what one bucket takes of the region is gone for the others", () => {
    const limits = { region: quota(8) };
    const nodeArrays = [
      array({ buckets: [bucket({ limits })] }),
      array({ name: "hpc", buckets: [bucket({ limits })] }),
    ];
    const jobs = [
      job("a", { ncpus: 4, "node.nodearray": "hpc" }),
      job("b", { ncpus: 4, "node.nodearray": "htc" }, { iterations: 2 }),
    ];
    const result = plan(input({ cluster: cluster({ nodeArrays }), jobs }));
    expect(createdNames(result)).toEqual(["htc-1", "hpc-1"]);
  });

  test("of a spot array are the region's spot quota, and its family figures are ignored", () => {
    const limits = { region: quota(8), family: quota(0) };
    const result = plan(
      input({
        cluster: withBucket({ limits }, { spot: true }),
        jobs: [job("j", { ncpus: 4 }, { iterations: 5 })],
      }),
    );
    expect(createdNames(result)).toHaveLength(2);
  });

  test("count terminating nodes to the array", () => {
    const nodes = [node("htc-1", { status: "Terminating", targetState: "Terminated" })];
    const result = plan(
      input({ cluster: { ...withBucket({}, { maxCount: 1 }), nodes }, jobs: [job("j", { ncpus: 1 })] }),
    );
    expect(createdNames(result)).toEqual([]);
  });
});

describe("new nodes", () => {
  test("get the smallest free indexes and are grouped by bucket in index order", () => {
    const buckets = [bucket({ available: 2 }), bucket({ vcpus: 8 })];
    const world = cluster({
      nodeArrays: [array({ buckets })],
      nodes: [node("htc-2", { status: "Failed", targetState: "Terminated" })],
    });
    const result = plan(input({ cluster: world, jobs: [job("j", { ncpus: 4 }, { iterations: 4 })] }));
    expect(
      result.create.map(({ vmSize, names, nameOffset, count }) => ({ vmSize, names, nameOffset, count })),
    ).toEqual([
      { vmSize: "Standard_F4", names: ["htc-1"], nameOffset: 1, count: 1 },
      { vmSize: "Standard_F4", names: ["htc-3"], nameOffset: 3, count: 1 },
      { vmSize: "Standard_F8", names: ["htc-4"], nameOffset: 4, count: 1 },
    ]);
  });

  test("are named, tagged and kept alive as the settings say", () => {
    const settings = {
      nameFormat: { default: null, byNodeArray: { htc: "node%d-x" } },
      nodeAttributes: { default: { Team: "a" }, byNodeArray: {} },
      keepAlive: { default: true, byNodeArray: {} },
    };
    const result = plan(input({ jobs: [job("j", { ncpus: 1 })], settings }));
    expect(result.create).toMatchObject([
      { names: ["node1-x"], nameFormat: "node%d-x", nodeAttributes: { Team: "a" }, keepAlive: true },
    ]);
  });
});

describe("time-outs", () => {
  const world = (fields: Parameters<typeof node>[1]) => cluster({ nodes: [node("htc-1", fields)] });

  test.each([
    [
      "a node unmatched for longer than the idle time-out is retired",
      {},
      { lastMatchSeconds: nowSeconds - 301 },
      ["idle-timeout"],
    ],
    ["at the idle time-out it is not retired yet", {}, { lastMatchSeconds: nowSeconds - 300 }, []],
    ["a keep-alive node is never retired", { keepAlive: true }, { lastMatchSeconds: nowSeconds - 9999 }, []],
    [
      "a node that never got ready is retired after the boot time-out",
      { status: "Preparing" },
      { readySeconds: null, createdSeconds: nowSeconds - 1801 },
      ["boot-timeout"],
    ],
    [
      "at the boot time-out it is not retired yet",
      { status: "Preparing" },
      { readySeconds: null, createdSeconds: nowSeconds - 1800 },
      [],
    ],
    [
      "a node that was ready before is not booting",
      { status: "Preparing" },
      { createdSeconds: nowSeconds - 9999 },
      [],
    ],
    [
      "a node that is terminating is not retired again",
      { targetState: "Terminated" },
      { lastMatchSeconds: nowSeconds - 9999 },
      [],
    ],
  ])("%s", (_, fields, row, expected) => {
    const result = plan(
      input({
        cluster: world(fields),
        history: [historyRow("htc-1", row)],
        lastPassSeconds: nowSeconds - 60,
      }),
    );
    expect(result.retire.map(({ cause }) => cause)).toEqual(expected);
  });

  test("a node with a job is never retired", () => {
    const history = [historyRow("htc-1", { lastMatchSeconds: nowSeconds - 9999 })];
    const result = plan(input({ cluster: world({}), history, jobs: [job("j", { ncpus: 1 })] }));
    expect(result.retire).toEqual([]);
    expect(result.history).toMatchObject([{ lastMatchSeconds: null }]);
  });

  test("a node on which the scheduler runs a job counts as ready", () => {
    const history = [
      historyRow("htc-1", { readySeconds: null, createdSeconds: nowSeconds - 9999, lastMatchSeconds: null }),
    ];
    const jobs = [job("j", { ncpus: 1 }, { executingHostnames: ["host-htc-1"] })];
    const result = plan(
      input({ cluster: world({ status: "Preparing" }), history, jobs, lastPassSeconds: nowSeconds - 60 }),
    );
    expect([result.retire, result.timedOut]).toEqual([[], []]);
    expect(result.history).toMatchObject([{ readySeconds: nowSeconds }]);
  });

  test("a node's first job is noted once, and forgotten when the node starts anew", () => {
    const jobs = [job("j", { ncpus: 1 }, { executingHostnames: ["host-htc-1"] })];
    const waiting = plan(input({ cluster: world({}), history: [], jobs: [job("j", { ncpus: 1 })] }));
    expect(waiting.history).not.toMatchObject([{ ranJob: true }]);
    const first = plan(
      input({ cluster: world({}), history: waiting.history, jobs, lastPassSeconds: nowSeconds }),
    );
    expect(first.history).toMatchObject([{ ranJob: true }]);
    const history = first.history;
    expect(plan(input({ cluster: world({}), history, jobs, lastPassSeconds: nowSeconds })).history).toEqual(
      [],
    );
    const asleep = plan(input({ cluster: world(deallocated), history }));
    const back = plan(input({ cluster: world({ status: "Preparing" }), history: asleep.history }));
    expect(back.history).toHaveLength(1);
    expect(back.history[0]).not.toHaveProperty("ranJob");
  });

  test("a node that stays matched writes nothing; the pass that loses it writes when it was matched last", () => {
    const history = [historyRow("htc-1", { lastMatchSeconds: null })];
    const busy = plan(
      input({
        cluster: world({}),
        history,
        jobs: [job("j", { ncpus: 1 })],
        lastPassSeconds: nowSeconds - 60,
      }),
    );
    const idle = plan(input({ cluster: world({}), history, lastPassSeconds: nowSeconds - 60 }));
    expect(busy.history).toEqual([]);
    expect(idle.history).toMatchObject([{ lastMatchSeconds: nowSeconds - 60 }]);
  });

  test("a booting node past its time-out in two passes gets no more jobs, so that it can go", () => {
    const history = [
      historyRow("htc-1", { readySeconds: null, createdSeconds: nowSeconds - 1900, lastMatchSeconds: null }),
    ];
    const jobs = [job("j", { ncpus: 1 })];
    const first = plan(
      input({ cluster: world({ status: "Preparing" }), history, jobs, lastPassSeconds: nowSeconds - 200 }),
    );
    expect([nodesOf(first, "j"), first.retire.length, first.timedOut.length]).toEqual([["htc-1"], 0, 1]);
    const second = plan(
      input({ cluster: world({ status: "Preparing" }), history, jobs, lastPassSeconds: nowSeconds - 20 }),
    );
    expect([nodesOf(second, "j"), second.retire.map(({ cause }) => cause)]).toEqual([
      ["htc-2"],
      ["boot-timeout"],
    ]);
  });

  test("a vanished node is marked deleted, and a deallocated one starts a new life when it comes back", () => {
    const history = [
      historyRow("htc-1", { readySeconds: nowSeconds - 5000, createdSeconds: nowSeconds - 9999 }),
    ];
    const asleep = plan(input({ cluster: world(deallocated), history }));
    expect(asleep.history).toMatchObject([{ deletedSeconds: nowSeconds }]);
    const back = plan(input({ cluster: world({ status: "Preparing" }), history: asleep.history }));
    expect(back.history).toMatchObject([
      { createdSeconds: nowSeconds, readySeconds: null, deletedSeconds: null },
    ]);
  });

  test.each([
    ["keep", [], []],
    ["delete", ["failed"], []],
    ["retry", [], ["htc-1"]],
  ] as const)("failed nodes: %s", (failedNodes, causes, retried) => {
    const jobs = [job("j", { ncpus: 1 })];
    const result = plan(input({ cluster: world({ status: "Failed" }), jobs, settings: { failedNodes } }));
    expect(result.failed).toEqual(["htc-1"]);
    expect(result.retire.map(({ cause }) => cause)).toEqual(causes);
    expect(result.retry.map(({ name }) => name)).toEqual(retried);
  });
});
