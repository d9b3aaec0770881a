import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  differences,
  onFront,
  settingsText,
  summaries,
  type TraceJob,
} from "../../../shared/backtest/index.ts";
import { figuresOf } from "./figures-of.ts";

const jobsNamed = (...names: readonly string[]): readonly TraceJob[] =>
  names.map((name) => ({ name, submitSeconds: 0, runSeconds: 60, requestedSeconds: null, processors: 1 }));
const hour = 3_600_000;
const run = (nodeHours: number, wait: number) =>
  figuresOf({ nodeMs: { job: [nodeHours * hour] }, waits: [wait] });
const beside = (kind: "deallocated" | "reserved", nanoUsd: number) => ({
  kind,
  name: "htc",
  nodeMs: hour,
  nanoUsd,
  unpricedNodeMs: 0,
});
const indexes = (front: ReadonlySet<number>) => [...front].toSorted();

describe("onFront", () => {
  test.each([
    ["the cheapest and the quickest", [run(1, 9), run(2, 5), run(3, 6)], [0, 1]],
    ["the same twice", [run(1, 9), run(1, 9)], [0, 1]],
    ["one run", [run(1, 9)], [0]],
    ["none", [], []],
    [
      "without prices, time on nodes",
      [1, 2].map((h) => figuresOf({ nodeMs: { job: [h] }, nanoUsdPerMs: null, waits: [1] })),
      [0],
    ],
    [
      "jobs that never ran cost nothing, and that is no advantage",
      [run(2, 5), figuresOf({ waits: [null] })],
      [0, 1],
    ],
    [
      "what has no price does not win by it",
      [run(2, 5), figuresOf({ nodeMs: { job: [hour] }, nanoUsdPerMs: null, waits: [5] })],
      [0],
    ],
    [
      "disks of deallocated nodes count, reserved nodes that nobody ran do not",
      [
        run(10, 5),
        figuresOf({ nodeMs: { job: [9 * hour] }, waits: [5], aside: [beside("deallocated", 2 * hour)] }),
        figuresOf({ nodeMs: { job: [9 * hour] }, waits: [5], aside: [beside("reserved", 9 * hour)] }),
      ],
      [2],
    ],
  ])("%s", (_, runs, front) => {
    expect(indexes(onFront(runs))).toEqual(front);
  });

  test("what is not on it is beaten by a run on it; what is on it, by none", () => {
    const points = fc.array(fc.tuple(fc.nat(8), fc.nat(8)), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(points, (all) => {
        const front = onFront(all.map(([cost, wait]) => run(cost, wait)));
        const beaten = (index: number, by: number) => {
          const [[cost = 0, wait = 0] = [], [otherCost = 0, otherWait = 0] = []] = [all[index], all[by]];
          return otherCost <= cost && otherWait <= wait && (otherCost < cost || otherWait < wait);
        };
        for (const index of all.keys()) {
          const isBeaten = all.some((__, by) => beaten(index, by));
          expect(front.has(index)).toBe(!isBeaten);
          if (isBeaten) expect([...front].some((by) => beaten(index, by))).toBe(true);
        }
      }),
      { seed: 19 },
    );
  });
});

describe("summaries", () => {
  test("a run on one line", () => {
    const figures = figuresOf({
      varied: { idle_timeout: 300 },
      nodeMs: { job: [hour, hour], idle: [hour / 2], boot: [hour / 4], kept: [hour], ending: [hour] },
      nanoUsdPerMs: 1_000,
      waits: [10, 20, null, 90],
    });
    expect(summaries([figures])).toEqual([
      {
        run: 1,
        varied: { idle_timeout: 300 },
        isOnFront: true,
        costUsd: 17.1,
        disksUsd: 0,
        reservedUsd: 0,
        unpricedNodeHours: 0,
        nodeHours: 4.75,
        meanWaitSeconds: 40,
        medianWaitSeconds: 20,
        p95WaitSeconds: 90,
        maxWaitSeconds: 90,
        meanSlowdown: 1,
        utilisation: 1,
        idleNodeHours: 0.5,
        bootNodeHours: 0.25,
        unusedNodeHours: 0,
        otherNodeHours: 2,
        nodesBought: 1,
        savedUsd: 0,
        evicted: 0,
        reruns: 0,
        ended: 3,
        neverRan: 1,
      },
    ]);
  });

  test("without prices the cost is not known, and never 0", () => {
    expect(summaries([figuresOf({ nodeMs: { job: [hour] }, nanoUsdPerMs: null })])).toMatchObject([
      { costUsd: null, nodeHours: 1, unpricedNodeHours: 1 },
    ]);
    expect(summaries([figuresOf()])).toMatchObject([{ costUsd: 0, nodeHours: 0, meanWaitSeconds: null }]);
  });

  test("settings as people write them", () => {
    expect(settingsText({ idle_timeout: 300, placement: "cost", "spot.pairs": [{ spot: "a" }] })).toBe(
      'idle_timeout 300, placement cost, spot.pairs [{"spot":"a"}]',
    );
    expect(settingsText({})).toBe("as configured");
  });
});

describe("differences", () => {
  test("hours by cost, and jobs by wait; what never ran in one of them first", () => {
    const first = figuresOf({ nodeMs: { job: [hour, hour, hour] }, waits: [10, 20, 30, null] });
    const second = figuresOf({
      nodeMs: { job: [hour, 3 * hour, 0], idle: [0, 0, 0.5 * hour] },
      waits: [10, 5, 90, 40],
    });
    const found = differences(jobsNamed("a", "b", "c", "d"), [first, second]);
    expect(found.times).toEqual([
      { fromSeconds: 3600, untilSeconds: 7200, nanoUsd: 2 * hour, nodeMs: 2 * hour, waitingJobMs: 0 },
      { fromSeconds: 7200, untilSeconds: 10800, nanoUsd: -0.5 * hour, nodeMs: -0.5 * hour, waitingJobMs: 0 },
    ]);
    expect(
      found.jobs.map(({ job, firstWaitSeconds, secondWaitSeconds }) => [
        job.name,
        firstWaitSeconds,
        secondWaitSeconds,
      ]),
    ).toEqual([
      ["d", null, 40],
      ["c", 30, 90],
      ["b", 20, 5],
    ]);
    expect(found).toMatchObject({ jobsSooner: 2, jobsLater: 1 });
  });

  test("two equal runs do not differ", () => {
    const same = figuresOf({ nodeMs: { job: [hour] }, waits: [1, null] });
    expect(differences(jobsNamed("a", "b"), [same, same])).toEqual({
      times: [],
      jobs: [],
      jobsSooner: 0,
      jobsLater: 0,
    });
  });

  test("runs whose steps are of different lengths: the sums stay", () => {
    const columns = fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(columns, columns, (a, b) => {
        const first = figuresOf({ nodeMs: { job: a }, stepSeconds: 1_800 });
        const second = figuresOf({ nodeMs: { job: b }, stepSeconds: 3_600 });
        const { times } = differences([], [first, second]);
        const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
        const off = total(times.map(({ nodeMs }) => nodeMs)) - (total(b) - total(a));
        // Each of the hours is rounded.
        expect(Math.abs(off)).toBeLessThanOrEqual(10);
      }),
      { seed: 19 },
    );
  });
});
