import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chooseIdleTimeouts } from "../../../shared/cycle/idle-timeouts.ts";
import {
  defaultSettings,
  type EngineSettings,
  type NodeHistory,
  recordMatches,
} from "../../../shared/engine/index.ts";
import { clusterStatus } from "../../../shared/views/index.ts";
import { cases } from "../../support/cases.ts";
import { bucketOf, nodeArrayOf } from "../../support/cluster.ts";
import { cluster, createWorld, jobFor } from "../../support/world.ts";
import { historyRow } from "../engine/tiny.ts";

const nowSeconds = 10_000_000;
const day = 86_400;
const bounds = { leastSeconds: 60, mostSeconds: 3_600 };
const auto: EngineSettings = {
  ...defaultSettings,
  idleTimeoutSeconds: {
    default: 300,
    byNodeArray: {},
    auto: { default: bounds, byNodeArray: { own: null } },
  },
};
const arrays = { nodeArrays: ["htc", "own"].map((name) => nodeArrayOf({ name, buckets: [bucketOf()] })) };

function chosenOf(history: readonly NodeHistory[], atSeconds = nowSeconds) {
  return chooseIdleTimeouts(auto, { history, cluster: arrays, nowSeconds: atSeconds });
}

let count = 0;

/** A node that was asked for so long ago, was up 200 s later, and works. */
function node(agoSeconds: number, fields: Partial<NodeHistory> = {}): NodeHistory {
  count += 1;
  const createdSeconds = nowSeconds - agoSeconds;
  return historyRow(`htc-${count}`, { createdSeconds, readySeconds: createdSeconds + 200, ...fields });
}

/** One that was idle from then on, and went 400 s later. */
function went(idleAgoSeconds: number): NodeHistory {
  const lastMatchSeconds = nowSeconds - idleAgoSeconds;
  return node(20 * day, { lastMatchSeconds, deletedSeconds: lastMatchSeconds + 400 });
}

const idleFor = (seconds: number, endedAgoSeconds = 1_000) => ({
  endedSeconds: nowSeconds - endedAgoSeconds,
  seconds,
});

describe("the idle time-out that is left to us", () => {
  test("is the default until three boots are known, and other arrays keep theirs", () => {
    const { settings, chosen } = chosenOf([node(3_000), node(3_000)]);
    expect(settings.idleTimeoutSeconds).toEqual({ default: 300, byNodeArray: { htc: 300 } });
    expect(chosen).toEqual([
      { nodeArray: "htc", seconds: 300, by: "no-boots", bootSeconds: null, knownGaps: 0 },
    ]);
  });

  test("is twice a boot until five gaps are known: the node costs, and a job waits", () => {
    const rows = [node(9_000), node(9_000), node(9_000, { idle: [idleFor(100)] })];
    expect(chosenOf(rows).chosen).toMatchObject([
      { seconds: 400, by: "bound", bootSeconds: 200, knownGaps: 1 },
    ]);
  });

  test("is learned from nodes that were needed again, and from new nodes in place of those that went", () => {
    // Each new node comes 450 s after the one that went became idle: to have kept that one costs less than a boot.
    const rows = Array.from({ length: 30 }, (_, index) => went(day + 2_000 * index + 450));
    const made = rows.map((_, index) => node(day + 2_000 * index));
    const used = node(2 * day, { idle: Array.from({ length: 30 }, () => idleFor(150)) });
    expect(chosenOf([...rows, ...made, used]).chosen).toMatchObject([
      { seconds: 450, by: "learned", knownGaps: 60 },
    ]);
  });

  test("is short where nodes are not needed again for long", () => {
    const rows = Array.from({ length: 8 }, (_, index) => went(day + 20_000 * index));
    const used = node(2 * day, { idle: [idleFor(380), idleFor(380), idleFor(380)] });
    expect(chosenOf([...rows, used]).chosen).toMatchObject([{ seconds: 60, by: "learned", knownGaps: 11 }]);
  });

  test("a new node stands for the one of its size that went last", () => {
    // The gap of the one ends after 500 s; that of the other has lasted for more than an hour, and is long enough.
    const rows = [went(3_800), went(1_200)];
    const boots = [node(20 * day), node(20 * day)];
    expect(chosenOf([...rows, ...boots, node(700)]).chosen).toMatchObject([{ knownGaps: 2 }]);
    const other = node(700, { vmSize: "Standard_F8s_v2" });
    expect(chosenOf([...rows, ...boots, other]).chosen).toMatchObject([{ knownGaps: 1 }]);
  });

  test("what was a week ago, and what came before the oldest that a node remembers, is not learned from", () => {
    const boots = [node(20 * day), node(20 * day)];
    const old = Array.from({ length: 8 }, (_, index) => went(8 * day + 2_000 * index));
    expect(chosenOf([...boots, ...old, went(6 * 3_600)]).chosen).toMatchObject([{ knownGaps: 1 }]);
    const idle = Array.from({ length: 32 }, (_, index) => idleFor(70, 3_200 - index * 100));
    const full = [...boots, ...old, went(6 * 3_600), node(20 * day, { idle })];
    expect(chosenOf(full).chosen).toMatchObject([{ knownGaps: 31 }]);
  });
});

test("a node remembers its newest idle times of a minute or more", () => {
  let [row] = [node(9_000)];
  const matched = (atSeconds: number, is: boolean) => {
    const matchedNodeIds = new Set(is ? [row.nodeId] : []);
    [row = row] = recordMatches([row], { nowSeconds: atSeconds, lastPassSeconds: atSeconds, matchedNodeIds });
  };
  for (let gap = 0; gap < 40; gap += 1) {
    matched(gap * 1_000, false);
    matched(gap * 1_000 + 50 + gap, true);
  }
  expect(row.idle).toHaveLength(30);
  expect(row.idle?.[0]).toEqual({ endedSeconds: 10_060, seconds: 60 });
  for (let gap = 40; gap < 60; gap += 1) {
    matched(gap * 1_000, false);
    matched(gap * 1_000 + 50 + gap, true);
  }
  expect(row.idle?.map(({ seconds }) => seconds)).toEqual(Array.from({ length: 32 }, (_, at) => 78 + at));
});

test("whatever one node does, kept and replaced, costs at most twice what the best fixed time-out would have cost", () => {
  const phase = fc.record({
    count: fc.integer({ min: 1, max: 30 }),
    firstSeconds: fc.oneof(fc.integer({ min: 61, max: 150 }), fc.integer({ min: 61, max: 5_000 })),
    stepSeconds: fc.integer({ min: 0, max: 4 }),
  });
  fc.assert(
    fc.property(
      fc.array(phase, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 10, max: 1_000 }),
      (phases, bootSeconds) => {
        const gaps = phases.flatMap(({ count: length, firstSeconds, stepSeconds }) =>
          Array.from({ length }, (_, index) => firstSeconds + index * stepSeconds),
        );
        const rows = new Map<string, NodeHistory>();
        const put = (row: NodeHistory): NodeHistory => {
          rows.set(row.nodeId, row);
          return row;
        };
        const make = (atSeconds: number): NodeHistory => {
          count += 1;
          const times = { createdSeconds: atSeconds, readySeconds: atSeconds + bootSeconds };
          return put(historyRow(`htc-${count}`, times));
        };
        // Boots that are known from elsewhere.
        for (const _ of [1, 2, 3]) put({ ...make(nowSeconds - bootSeconds), vmSize: "Standard_F8s_v2" });
        let atSeconds = nowSeconds;
        let row = make(atSeconds);
        let paid = 0;
        for (const gap of gaps) {
          atSeconds += bootSeconds + 30;
          row = put({ ...row, lastMatchSeconds: atSeconds });
          const seconds = chosenOf([...rows.values()], atSeconds).chosen[0]?.seconds ?? 0;
          const isKept = gap <= seconds;
          paid += isKept ? gap : seconds + 2 * bootSeconds;
          if (isKept) {
            const matching = { nowSeconds: atSeconds + gap, lastPassSeconds: atSeconds + gap };
            const [matched = row] = recordMatches([row], {
              ...matching,
              matchedNodeIds: new Set([row.nodeId]),
            });
            row = put(matched);
          } else {
            put({ ...row, deletedSeconds: atSeconds + seconds });
            row = make(atSeconds + gap);
          }
          atSeconds += gap;
        }
        const fixed = [60, 3_600, ...gaps.filter((gap) => gap <= 3_600)].map((timeout) =>
          gaps.reduce((sum, gap) => sum + (gap <= timeout ? gap : timeout + 2 * bootSeconds), 0),
        );
        expect(paid).toBeLessThanOrEqual(2 * Math.min(...fixed));
      },
    ),
    cases(150),
  );
});

test("it is in force with the next plan, and the status says why it is so", async () => {
  const world = createWorld();
  world.configure({ engine: auto });
  await world.post([jobFor(3)]);
  await world.round();
  await world.round();
  world.advance(240);
  world.cycleCloud.settle();
  await world.post([]);
  await world.round();
  const inForce = async () => (await clusterStatus(world.ports, cluster))?.idleTimeouts;
  expect(await inForce()).toEqual([
    { nodeArray: "htc", seconds: 300, why: "fewer than three boots are known" },
  ]);
  await world.post([]);
  await world.round();
  expect(await inForce()).toEqual([
    {
      nodeArray: "htc",
      seconds: 482,
      why: "nodes boot in 4m1s; 0 idle times of the last week are too few to learn from",
    },
  ]);
  world.advance(400);
  await world.round();
  expect(world.cycleCloud.nodes.filter(({ targetState }) => targetState === "Started")).toHaveLength(3);
  world.advance(100);
  await world.round();
  expect(world.cycleCloud.nodes.filter(({ targetState }) => targetState === "Started")).toHaveLength(0);
});
