import { describe, expect, test } from "vitest";
import { bootsFailing } from "../../../../shared/cycle/plan/boots-failing.ts";
import { type ClusterNode, defaultSettings, type NodeHistory } from "../../../../shared/engine/index.ts";
import { clusterStatus } from "../../../../shared/views/index.ts";
import { bucketOf, nodeArrayOf, nodeOf } from "../../../support/cluster.ts";
import { cluster, headOf, jobFor, type World, worldWith } from "../../../support/world.ts";

const nowSeconds = 1_800_000_000;

describe("how long a size is closed", () => {
  const boot = (index: number, fields: Partial<NodeHistory>): NodeHistory => ({
    nodeId: `node-${index}`,
    name: `htc-${index}`,
    hostname: null,
    instanceId: null,
    nodeArray: "htc",
    vmSize: "F4",
    createdSeconds: nowSeconds - 600,
    readySeconds: null,
    lastMatchSeconds: null,
    deletedSeconds: nowSeconds - 10,
    ...fields,
  });
  const failed = (at: number): Partial<NodeHistory> => ({
    failure: { atSeconds: nowSeconds - at, message: null },
  });
  const ready = (at: number): Partial<NodeHistory> => ({ readySeconds: nowSeconds - at });
  const hung: Partial<NodeHistory> = { createdSeconds: nowSeconds - 2_000 };
  const left = (rows: readonly Partial<NodeHistory>[], failures = 3, nodes: readonly ClusterNode[] = []) =>
    bootsFailing({
      history: rows.map((fields, index) => boot(index, fields)),
      cluster: { nodes },
      settings: defaultSettings,
      failures,
      backoffSeconds: 1_800,
      nowSeconds,
    }).map(({ vmSize, untilSeconds }) => [vmSize, untilSeconds - nowSeconds]);

  test.each<[string, readonly Partial<NodeHistory>[], readonly (readonly [string, number])[]]>([
    ["one failure of four: not at all", [failed(0), ready(0), ready(0), ready(0)], []],
    ["two failures, and nothing came up: they are too few", [failed(0), failed(0)], []],
    [
      "three failures, and nothing came up: the whole time",
      [failed(0), failed(9), failed(9)],
      [["F4", 1_800]],
    ],
    ["three of four: half of it", [failed(0), failed(0), failed(0), ready(0)], [["F4", 900]]],
    ["three of six: not at all", [failed(0), failed(0), failed(0), ready(0), ready(0), ready(0)], []],
    ["from the last failure on", [failed(100), failed(200), failed(3_599)], [["F4", 1_700]]],
    ["failures of an hour ago do not count", [failed(0), failed(0), failed(3_600)], []],
    ["boots that hang past the boot time-out fail then", [failed(0), failed(0), hung], [["F4", 1_800]]],
    [
      "a node that failed and came up when retried is up",
      [failed(0), failed(0), { ...failed(50), ...ready(10) }],
      [],
    ],
    [
      "a node that is deleted at its boot time-out has not failed",
      [failed(0), failed(0), { createdSeconds: nowSeconds - 1_810 }],
      [],
    ],
    ["each size for itself", [failed(0), failed(0), { ...failed(0), vmSize: "F8" }], []],
    [
      "a node that ran for a while and failed then is no failed boot",
      [failed(0), failed(0), { ...ready(500), ...failed(0) }],
      [],
    ],
  ])("%s", (_, rows, expected) => {
    expect(left(rows)).toEqual(expected);
  });

  test.each<[string, Partial<NodeHistory>, number]>([
    ["while it boots", {}, 1],
    ["once, though its row has it already", failed(0), 1],
    ["not when it had come up", ready(50), 0],
  ])("a node that the snapshot shows as failed counts %s", (_, row, sizes) => {
    const nodes = [nodeOf({ name: "htc-2", nodeId: "node-2", vmSize: "F4", status: "Failed" })];
    expect(left([failed(0), failed(0), row], 3, nodes)).toHaveLength(sizes);
    expect(left([failed(0), failed(0), row], 4, nodes)).toEqual([]);
  });

  test("0 failures needed: never", () => {
    expect(left([failed(0), failed(0), failed(0), failed(0)], 0)).toEqual([]);
  });
});

const failedNode = (name: string, fields: Partial<ClusterNode> = {}) =>
  nodeOf({ name, status: "Failed", ...fields });

function worldOf(nodes: readonly ClusterNode[]): World {
  const nodeArrays = [
    nodeArrayOf({ name: "htc", buckets: [bucketOf()] }),
    nodeArrayOf({ name: "other", buckets: [bucketOf({ bucketId: "other-f4" })] }),
  ];
  return worldWith({ nodeArrays, nodes });
}

describe("boots that keep failing", () => {
  const failed = (count: number) =>
    Array.from({ length: count }, (_, index) => failedNode(`htc-${index + 1}`));
  const errors = (world: World) => world.log.filter((line) => line.startsWith("error boots-failing"));
  const arrays = (world: World) => world.cycleCloud.nodes.map((node) => node.nodeArray);

  test("two failures within an hour are nothing special: the size is asked again", async () => {
    const world = worldOf(failed(2));
    await world.post([jobFor(2)], { ttlSeconds: 10_000 });
    await world.round();
    world.cycleCloud.settle();
    expect(arrays(world)).toEqual(["htc", "htc"]);
    expect(errors(world)).toEqual([]);
  });

  test("the third sends jobs to another size or array in the very plan that deletes it, loudly", async () => {
    const world = worldOf(failed(3));
    await world.post([jobFor(2)], { ttlSeconds: 10_000 });
    await world.round();
    world.cycleCloud.settle();
    expect(arrays(world)).toEqual(["other", "other"]);
    expect(errors(world)).toHaveLength(1);
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.bootsFailing).toMatchObject([
      { nodeArray: "htc", vmSize: "Standard_F4s_v2", failures: 3, boots: 3 },
    ]);
    expect(status?.problems.filter(({ text }) => text.includes("No new nodes"))).toMatchObject([
      {
        kind: "boots-failing",
        text: "No new nodes are asked of htc/Standard_F4s_v2 for 30m: 3 of 3 boots of htc/Standard_F4s_v2 failed within an hour.",
      },
    ]);
  });

  test("is told once per failure, not once per plan", async () => {
    const world = worldOf(failed(3));
    await world.round();
    for (let round = 1; round <= 4; round += 1) {
      await world.post([jobFor(round)]);
      world.advance(1);
      await world.plan();
    }
    expect(errors(world)).toHaveLength(1);
  });

  test("waiting jobs say why, and after the back-off the size is tried again", async () => {
    const world = worldOf(failed(3));
    const needsHtc = { constraints: [{ ncpus: 4, "node.nodearray": "htc" }] };
    await world.post([jobFor(1, needsHtc)], { ttlSeconds: 10_000 });
    await world.round();
    world.cycleCloud.settle();
    world.advance(1_790);
    await world.round();
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.waiting[0]?.why.at(-1)).toMatch(
      /^No new nodes are asked of htc\/\S+ for \d+s: 3 of 3 boots of htc\/\S+ failed within an hour\.$/,
    );
    expect(world.cycleCloud.nodes).toEqual([]);
    world.advance(60);
    await world.round();
    expect(arrays(world)).toEqual(["htc"]);
  });

  test("nodes that never boot count like those that failed", async () => {
    const world = worldOf([1, 2, 3].map((index) => nodeOf({ name: `htc-${index}`, status: "Preparing" })));
    await world.round();
    world.advance(1_801);
    await world.round();
    expect((await headOf(world))?.bootsFailing).toMatchObject([{ nodeArray: "htc", failures: 3 }]);
  });

  test("a job whose node fails right after its boot gets another one at once", async () => {
    const world = worldOf([]);
    await world.post([jobFor(1)], { ttlSeconds: 10_000 });
    await world.round();
    expect(world.cycleCloud.nodes).toHaveLength(1);
    const [first] = world.cycleCloud.nodes;
    world.cycleCloud.change(first?.name ?? "", { status: "Failed" });
    world.advance(10);
    await world.round();
    world.cycleCloud.settle();
    expect(world.cycleCloud.nodes.map(({ nodeId, status }) => [nodeId === first?.nodeId, status])).toEqual([
      [false, "Ready"],
    ]);
  });
});
