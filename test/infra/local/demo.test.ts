import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { inSimulatedTime } from "../../../infra/local/demo/costs.ts";
import { type Summary, summaryTable } from "../../../infra/local/demo/summary.ts";
import { render, type Scene } from "../../../infra/local/demo/view.ts";
import { sampleWorkload } from "../../../infra/local/scheduler/sample-workload.ts";
import { stopWords } from "../../../infra/local/start/demonstrate.ts";
import { localConfig } from "../../../infra/local/start/local-config.ts";
import type { ClusterStatus, OperationStatus } from "../../../shared/api/index.ts";
import { parseConfig } from "../../../shared/config/index.ts";

const byPurpose = {
  job: 2,
  unused: 0.5,
  boot: 0.25,
  idle: 1,
  drained: 0,
  kept: 0,
  failed: 0.1,
  ending: 0.05,
};
const summary: Summary = {
  tasks: 34,
  done: 34,
  requeued: 0,
  nodesCreated: 18,
  nodesDeleted: 18,
  reactionSeconds: [0.5, 1],
  costs: { usd: 3.9, byPurpose, nodeHours: 17, unpricedNodeHours: 0 },
  realSeconds: 60,
};

function operation(fields: Partial<OperationStatus>): OperationStatus {
  return {
    actionId: "a",
    state: "accepted",
    overtaken: false,
    messages: [],
    updatedAtSeconds: 0,
    kind: "create-nodes",
    reason: "jobs need 6 new nodes",
    nodes: 6,
    requestedBy: null,
    attempts: 0,
    ...fields,
  };
}

function scene(cluster: string, waiting: ClusterStatus["waiting"] = []): Scene {
  const operations = [
    operation({}),
    operation({
      kind: "shutdown-nodes",
      reason: "longer than the boot timeout (1800 s) of 123 nodes in htc",
      nodes: 123,
    }),
  ];
  const status = { nodes: { Ready: 1234, Terminating: 10 }, operations, waiting, rejections: [] };
  return {
    cluster,
    speed: 60,
    elapsedSeconds: 4_000,
    progress: { total: 10_000, waiting: 1_234, running: 1_234, done: 1_234, later: 6_298, requeued: 0 },
    // Only what is drawn.
    status: status as unknown as ClusterStatus,
    trouble: undefined,
  };
}

describe("render", () => {
  test("no line is wider than 80 columns, with figures of four digits and two runs beside it", () => {
    const screen = stripVTControlCharacters(
      render(scene("small-cpu"), [scene("small-cpu-order"), scene("small-cpu-cost")]),
    );
    expect(screen).toContain("1234/10000 done");
    expect(screen).toContain("small-cpu-cost: 1234/10000 done, nodes: 1244");
    expect(Math.max(...screen.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});

test("render: a job that waits has its name, how much of it, and its first reason", () => {
  const why = [
    'Job "1203" waits: it got none of 20 places.',
    "htc/Standard_F4s_v2: the limit leaves 0 new nodes.",
    "memory: wanted htc.",
  ];
  const screen = stripVTControlCharacters(
    render(scene("small-cpu", [{ job: "1203", granted: 0, asked: 20, why }])),
  );
  expect(screen.split("\n").at(-1)).toBe(
    'Job "1203" waits: it got none of 20 places. htc/Standard_F4s_v2: the limit leaves 0 new nodes.',
  );
});

describe("summaryTable", () => {
  test("has a column for each run, with money by purpose; what is not known is no zero", () => {
    const lost: Summary = { ...summary, costs: undefined };
    const cells = summaryTable([
      { name: "reuse", summary },
      { name: "order", summary: lost },
    ])
      .split("\n")
      .map((line) => line.split("│").map((cell) => cell.trim()));
    const row = (title: string) => cells.find((line) => line[1] === title)?.slice(2, 4);
    expect(row("placement")).toEqual(["reuse", "order"]);
    expect(row("USD")).toEqual(["3.90", "not known"]);
    expect(row("idle")).toEqual(["1.00", "not known"]);
    expect(row("drained, failed or ending")).toEqual(["0.15", "not known"]);
  });

  test("a node's real second counts as many as pass in the simulated world", () => {
    const total = { usd: 0.05, nodeHours: 0.2, unpricedNodeHours: 0.1, usdByPurpose: byPurpose };
    const costs = inSimulatedTime({ total } as Parameters<typeof inSimulatedTime>[0], 60);
    expect(costs).toMatchObject({ usd: 3, nodeHours: 12, unpricedNodeHours: 6 });
    expect(costs.byPurpose.idle).toBe(60);
  });
});

test("stopWords: Ctrl-C at 34 of 34 is not before the workload was done", () => {
  expect(stopWords([{ summary }, { summary }])).toMatch(/^Stopped when all tasks were done/);
  expect(stopWords([{ summary }, { summary: { ...summary, done: 33 } }])).toMatch(/^Stopped before/);
});

describe("localConfig", () => {
  const own = {
    idle_timeout: { default: 600, htc: 300 },
    spot: { pairs: [{ spot: "a", regular: "b" }], patience: 300, max_runtime: 3_600, max_share: 0.8 },
  };

  test("divides times by the speed, one by one and for each array, and leaves all else alone", () => {
    expect(localConfig(60, own)).toMatchObject({
      idle_timeout: { default: 10, htc: 5 },
      boot_timeout: 60,
      spot: { patience: 5, max_runtime: 60, max_share: 0.8 },
      demand_ttl: 60,
    });
  });

  test("a size whose boots failed is held for as short as the world is fast, also where nothing says how long", () => {
    expect(localConfig(60)).toMatchObject({ boot_failure_backoff: 30, failed_nodes_kept_for: 60 });
  });

  test("every key that is given counts, also those that the local environment sets by itself", () => {
    const given = {
      demand_ttl: 900,
      max_snapshot_age: 120,
      operation_timeout: 300,
      target_attributes: [],
      boot_timeout: 6_000,
    };
    expect(localConfig(60, given)).toMatchObject({ ...given, boot_timeout: 100 });
  });

  test("a configuration that holds is one at any speed", () => {
    const login = { cluster_name: "c", url: "http://127.0.0.1:1", username: "u" };
    for (const speed of [1, 60, 5_000])
      expect(parseConfig({ cluster: "c", json: { ...login, ...localConfig(speed, own) } })).toMatchObject({
        ok: true,
      });
  });
});

test("sampleWorkload: jobs run several times as long as a node takes to boot", () => {
  expect(Math.min(...sampleWorkload.map(({ runSeconds }) => runSeconds))).toBeGreaterThan(600);
});
