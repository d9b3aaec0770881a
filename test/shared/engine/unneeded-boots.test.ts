import { describe, expect, test } from "vitest";
import { bootEnds, type NodeHistory, plan, type Target } from "../../../shared/engine/index.ts";
import { array, bucket, cluster, historyRow, input, job, node, nowSeconds } from "./tiny.ts";

type World = Parameters<typeof input>[0];

const booting = { status: "Preparing", hostname: null } as const;

/** One node that was bought for a job and boots; nothing has needed it for `seconds`. */
const bootRow = (seconds: number | null, fields: Partial<NodeHistory> = {}): NodeHistory =>
  historyRow("htc-1", {
    vmSize: "Standard_F4",
    createdSeconds: nowSeconds - 120,
    readySeconds: null,
    lastMatchSeconds: seconds === null ? null : nowSeconds - seconds,
    ...fields,
  });

const worldOf = (fields: World = {}): World => ({
  cluster: cluster({ nodes: [node("htc-1", booting)] }),
  history: [bootRow(61)],
  boughtNodeIds: ["id-htc-1"],
  lastPassSeconds: nowSeconds,
  ...fields,
});

const wanted: Target = {
  name: "htc",
  nodeArray: "htc",
  dynamicArray: null,
  wish: { kind: "nodes", count: 1 },
  vmSizes: [],
  coresPerNode: null,
  nodeAttributes: {},
  requestSet: "standard",
};

const causes = (fields: World) => plan(input(fields)).retire.map(({ cause }) => cause);

/** A node of the same kind that came up 200 s after it was bought, so many seconds ago. */
const boughtAgo = (secondsAgo: number): NodeHistory =>
  historyRow(`old-${secondsAgo}`, {
    vmSize: "Standard_F4",
    createdSeconds: nowSeconds - secondsAgo,
    readySeconds: nowSeconds - secondsAgo + 200,
    deletedSeconds: nowSeconds - 1,
  });

describe("a node that boots and was bought for jobs", () => {
  test("goes once nothing has needed it for a minute, and says since when", () => {
    expect(plan(input(worldOf())).retire).toMatchObject([
      { name: "htc-1", cause: "unwanted", sinceSeconds: nowSeconds - 61 },
    ]);
  });

  test.each<readonly [string, World]>([
    ["within the minute", { history: [bootRow(60)] }],
    ["while a job is planned on it", { jobs: [job("j", { ncpus: 1 })] }],
    ["that was not bought for jobs", { boughtNodeIds: [], history: [bootRow(null)] }],
    ["that is kept alive", { cluster: cluster({ nodes: [node("htc-1", { ...booting, keepAlive: true })] }) }],
    ["that an operator drained", { closedNodeIds: ["id-htc-1"] }],
    ["that is ignored", { settings: { ignoredNodes: ["htc-1"] } }],
    [
      "of an array that is left alone",
      { cluster: cluster({ nodeArrays: [array({ enabled: false })], nodes: [node("htc-1", booting)] }) },
    ],
    ["that is asked to go already", { leavingNodeIds: ["id-htc-1"] }],
    [
      "that a reservation pays",
      {
        cluster: cluster({
          nodeArrays: [
            array({
              buckets: [bucket({ fields: { pricePerHourUsd: 1, reservation: { name: "r", nodes: 1 } } })],
            }),
          ],
          nodes: [node("htc-1", booting)],
        }),
      },
    ],
    ["that a target counts", { targets: [wanted] }],
    ["while a job waits that could use it", { jobs: [job("big", { ncpus: 4 }, { nodeCount: 50 })] }],
    [
      "while a job waits that is planned on a node which is up, and has not started there",
      {
        cluster: cluster({ nodes: [node("htc-1", booting), node("htc-2")] }),
        jobs: [job("late", { ncpus: 1 })],
      },
    ],
    [
      "while a job runs on a host that CycleCloud does not list",
      { jobs: [job("j", { ncpus: 1 }, { executingHostnames: ["ip-0a000004"] })] },
    ],
    [
      "while a job is held that may want it",
      { jobs: [job("held", { ncpus: 1 }, { hold: { name: "b", spentUsd: 2, maxUsd: 1 } })] },
    ],
  ])("stays %s", (_, fields) => {
    expect(causes(worldOf(fields))).toEqual([]);
  });

  test("goes while another job runs on a node that is up", () => {
    const nodes = [node("htc-1", booting), node("htc-2")];
    const jobs = [job("j", { ncpus: 1 }, { executingHostnames: ["host-htc-2"] })];
    expect(causes(worldOf({ cluster: cluster({ nodes }), jobs }))).toEqual(["unwanted"]);
  });

  test("goes although a job waits that no node of its kind can hold", () => {
    expect(causes(worldOf({ jobs: [job("huge", { ncpus: 64 })] }))).toEqual(["unwanted"]);
  });

  test("goes although a job waits whose priority is too low to get anything", () => {
    const settings = { demandCaps: { minPriority: 10 } };
    const jobs = [job("low", { ncpus: 1 }, { priority: 9 })];
    expect(causes(worldOf({ settings, jobs }))).toEqual(["unwanted"]);
  });

  test("stays where one of its kind is usually bought within a boot, and not where that is rare", () => {
    const every = (seconds: number) =>
      Array.from({ length: Math.floor(3_500 / seconds) }, (_, index) => boughtAgo((index + 1) * seconds));
    // 200 s to boot: 13 purchases in an hour make another one within a boot more likely than not.
    expect(causes(worldOf({ history: [bootRow(61), ...every(260)] }))).toEqual([]);
    expect(causes(worldOf({ history: [bootRow(61), ...every(320)] }))).toEqual(["unwanted"]);
    const burst = Array.from({ length: 50 }, (_, index) => ({ ...boughtAgo(900), nodeId: `burst-${index}` }));
    expect(causes(worldOf({ history: [bootRow(61), ...burst] }))).toEqual(["unwanted"]);
  });

  test("has its idle clock started when the last demand went, not when it is up", () => {
    const left = plan(input(worldOf({ history: [bootRow(null)] })));
    expect(left.history).toMatchObject([{ lastMatchSeconds: nowSeconds }]);
    const up = { cluster: cluster({ nodes: [node("htc-1")] }), boughtNodeIds: [] };
    const late = plan(input(worldOf({ ...up, history: [bootRow(301)] })));
    expect(late.retire).toMatchObject([{ cause: "idle-timeout", sinceSeconds: nowSeconds - 301 }]);
    expect(causes(worldOf({ ...up, history: [bootRow(299)] }))).toEqual([]);
  });

  test("is remembered when its purchase is too old to be read", () => {
    expect(causes(worldOf({ boughtNodeIds: [] }))).toEqual(["unwanted"]);
  });

  test("stays while it is not known what jobs want, and its clock starts anew after that", () => {
    const { boughtNodeIds: _, ...unknown } = worldOf();
    const { retire, history } = plan(input(unknown));
    expect(retire).toEqual([]);
    expect(history).toMatchObject([{ lastMatchSeconds: null }]);
  });

  test("is needed again as soon as a job is planned on it", () => {
    const again = plan(input(worldOf({ jobs: [job("j", { ncpus: 1 })] })));
    expect(again.history).toMatchObject([{ lastMatchSeconds: null }]);
  });
});

test.each([
  [300, 60],
  [60, 60],
  [30, 30],
  [0, 0],
  [3_600, 720],
])("with an idle time-out of %d s it is held for %d s", (idle, hold) => {
  const idleTimeoutSeconds = { default: idle, byNodeArray: {} };
  const settings = { idleTimeoutSeconds, bootTimeoutSeconds: { default: 1_800, byNodeArray: {} } };
  expect(bootEnds([], settings)(bootRow(0))).toBe(nowSeconds + hold);
});
