import { describe, expect, test } from "vitest";
import { type ClusterNode, type EngineSettings, plan } from "../../../shared/engine/index.ts";
import { array, bucket, cluster, historyRow, input, job, node, nodesOf, nowSeconds } from "./tiny.ts";

const failed = (name: string, fields: Partial<ClusterNode> = {}) =>
  node(name, { status: "Failed", ...fields });
const failedAgo = (name: string, seconds: number, fields = {}) =>
  historyRow(name, {
    failure: { atSeconds: nowSeconds - seconds, message: null },
    lastMatchSeconds: null,
    ...fields,
  });
const keeping = { failedNodes: "keep", keptFailedNodes: { most: 2, seconds: 600 } } as const;

describe("a failed node", () => {
  test.each<Partial<EngineSettings>>([
    {},
    { failedNodes: "keep" },
    { failedNodes: "delete" },
    { failedNodes: "retry" },
  ])("takes no job, whatever becomes of it: %o", (settings) => {
    const nodes = [failed("htc-1")];
    const result = plan(input({ cluster: cluster({ nodes }), jobs: [job("j", { ncpus: 1 })], settings }));
    expect(nodesOf(result, "j")).toEqual(["htc-2"]);
  });

  test("goes by default, though it ran jobs before: what was requeued from it is planned anew", () => {
    const nodes = [failed("htc-1")];
    const history = [failedAgo("htc-1", 30, { readySeconds: nowSeconds - 500, ranJob: true })];
    const result = plan(input({ cluster: cluster({ nodes }), history, jobs: [job("j", { ncpus: 1 })] }));
    expect(nodesOf(result, "j")).toEqual(["htc-2"]);
    expect(result.retire).toMatchObject([{ name: "htc-1", cause: "failed" }]);
  });

  test("on which a scheduler runs a job keeps that job, takes no other, and stays", () => {
    const jobs = [
      job("runs", { ncpus: 1 }, { executingHostnames: ["host-htc-1"] }),
      job("waits", { ncpus: 1 }),
    ];
    const nodes = [failed("htc-1")];
    for (const failedNodes of ["delete", "keep", "retry"] as const) {
      const result = plan(input({ cluster: cluster({ nodes }), jobs, settings: { failedNodes } }));
      expect([nodesOf(result, "runs"), nodesOf(result, "waits")]).toEqual([["htc-1"], ["htc-2"]]);
      expect([result.retire, result.retry]).toEqual([[], []]);
    }
  });

  test("is not said to be drained when the job beside it finds no room", () => {
    const jobs = [
      job("runs", { ncpus: 1 }, { executingHostnames: ["host-htc-1"] }),
      job("waits", { ncpus: 1 }),
    ];
    const nodeArrays = [array({ buckets: [bucket({ available: 0 })] })];
    const result = plan(input({ cluster: cluster({ nodeArrays, nodes: [failed("htc-1")] }), jobs }));
    expect(result.jobs[1]?.reasons.map(({ code }) => code)).toEqual(["NoCapacity"]);
  });

  test("takes jobs in scalelib compatibility, unless failed nodes are deleted", () => {
    const nodes = [failed("htc-1")];
    const jobs = [job("j", { ncpus: 1 })];
    const under = (settings: Partial<EngineSettings>) =>
      plan(
        input({ cluster: cluster({ nodes }), jobs, settings: { compatibility: "scalelib", ...settings } }),
      );
    expect(nodesOf(under({}), "j")).toEqual(["htc-1"]);
    expect(under({}).retire).toEqual([]);
    expect(nodesOf(under({ failedNodes: "delete" }), "j")).toEqual(["htc-2"]);
  });
});

describe("failed nodes that are kept", () => {
  const nodes = ["htc-1", "htc-2", "htc-3", "htc-4"].map((name) => failed(name));
  const history = [
    failedAgo("htc-1", 100),
    failedAgo("htc-2", 700),
    failedAgo("htc-3", 300),
    failedAgo("htc-4", 200),
  ];

  test("are those that failed first, and no more than so many; the others go, and each after its time", () => {
    const result = plan(input({ cluster: cluster({ nodes }), history, settings: keeping }));
    expect(result.keptFailed).toEqual([
      { nodeId: "id-htc-3", name: "htc-3", untilSeconds: nowSeconds + 300 },
      { nodeId: "id-htc-4", name: "htc-4", untilSeconds: nowSeconds + 400 },
    ]);
    expect(result.retire.map(({ name, cause }) => [name, cause])).toEqual([
      ["htc-1", "failed"],
      ["htc-2", "failed"],
    ]);
  });

  test("are not those that are keep-alive: nobody deletes these", () => {
    const kept = nodes.map((each) => ({ ...each, keepAlive: true }));
    const result = plan(input({ cluster: cluster({ nodes: kept }), history, settings: keeping }));
    expect([result.keptFailed, result.retire]).toEqual([undefined, []]);
  });

  test("do not outlive their time because of their boot time-out, nor end before", () => {
    const [first] = history;
    const old = [{ ...first, readySeconds: null, createdSeconds: nowSeconds - 9_999 }] as typeof history;
    const result = plan(
      input({ cluster: cluster({ nodes: nodes.slice(0, 1) }), history: old, settings: keeping }),
    );
    expect(result.retire).toEqual([]);
    expect(result.keptFailed).toHaveLength(1);
  });

  test("go at once when a job waits for room that they hold", () => {
    const nodeArrays = [array({ maxCount: 4, buckets: [bucket()] })];
    const jobs = [job("j", { ncpus: 1 })];
    const result = plan(input({ cluster: cluster({ nodeArrays, nodes }), history, jobs, settings: keeping }));
    expect(result.jobs[0]?.granted).toBe(0);
    expect([result.keptFailed, result.retire.length]).toEqual([undefined, 4]);
  });

  test.each<[string, { array: number; cluster: number }, string[]]>([
    ["of its array alone", { array: 2, cluster: 100 }, ["gpu-1", "gpu-2"]],
    ["of the cluster", { array: 100, cluster: 4 }, []],
  ])("go at once only where they hold the room that a job waits for: a limit %s", (_, most, stay) => {
    const nodeArrays = [
      array({ maxCount: most.array, buckets: [bucket()] }),
      array({ name: "gpu", maxCount: 100, buckets: [bucket()] }),
    ];
    const both = ["htc-1", "htc-2", "gpu-1", "gpu-2"];
    const world = cluster({
      nodeArrays,
      nodes: both.map((name) => failed(name, { nodeArray: name.split("-")[0] ?? "" })),
      maxCount: most.cluster,
    });
    const result = plan(
      input({
        cluster: world,
        history: both.map((name) => failedAgo(name, 100)),
        jobs: [job("j", { ncpus: 1, "node.nodearray": "htc" })],
        settings: keeping,
      }),
    );
    expect(result.jobs[0]?.granted).toBe(0);
    expect((result.keptFailed ?? []).map(({ name }) => name)).toEqual(stay);
  });

  test("stay when a job waits for what no room gives it", () => {
    const jobs = [job("j", { ncpus: 400 })];
    const result = plan(input({ cluster: cluster({ nodes }), history, jobs, settings: keeping }));
    expect(result.keptFailed).toHaveLength(2);
  });
});
