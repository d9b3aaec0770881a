import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scheduleOnFleet, schedulerPolicies, type TraceJob } from "../../../shared/backtest/index.ts";
import { cases } from "../../support/cases.ts";
import { scheduleNaively } from "./naive-scheduler.ts";

type Row = readonly [submit: number, processors: number, run: number, requested: number | null];

function jobsOf(rows: readonly Row[]): readonly TraceJob[] {
  return rows.map(([submitSeconds, processors, runSeconds, requestedSeconds], index) => ({
    name: String(index + 1),
    submitSeconds,
    runSeconds,
    requestedSeconds,
    processors,
  }));
}

function startsOf(rows: readonly Row[], policy: "fcfs" | "easy", processors = 4): readonly number[] {
  const { scheduled } = scheduleOnFleet(jobsOf(rows), { processors, policy });
  return [...scheduled].map(({ startSeconds }) => startSeconds);
}

/** Three processors for ten seconds, then all four, one for five, one for fifteen. */
const byHand: readonly Row[] = [
  [0, 3, 10, 20],
  [0, 4, 10, 20],
  [0, 1, 5, 5],
  [0, 1, 15, 30],
];

describe("worked out by hand", () => {
  const cases: readonly {
    readonly name: string;
    readonly rows: readonly Row[];
    readonly fcfs: readonly number[];
    readonly easy: readonly number[];
  }[] = [
    { name: "no jobs", rows: [], fcfs: [], easy: [] },
    { name: "one job", rows: [[7, 4, 3, null]], fcfs: [7], easy: [7] },
    {
      name: "a job may start beside the reservation only if it is over by then",
      rows: byHand,
      fcfs: [0, 10, 20, 20],
      easy: [0, 10, 0, 20],
    },
    {
      name: "a job that ends at the reservation is over by then",
      rows: [
        [0, 3, 10, 10],
        [0, 4, 1, 1],
        [0, 1, 10, 10],
      ],
      fcfs: [0, 10, 11],
      easy: [0, 10, 0],
    },
    {
      name: "what the reserved job leaves may be used for longer, and only once",
      rows: [
        [0, 3, 10, 10],
        [1, 2, 5, 5],
        [1, 1, 99, 99],
        [1, 1, 99, 99],
      ],
      fcfs: [0, 10, 10, 10],
      easy: [0, 10, 1, 10],
    },
    {
      name: "all estimated ends of a moment count for what is left",
      rows: [
        [0, 2, 10, 10],
        [0, 1, 10, 10],
        [1, 2, 5, 5],
        [1, 1, 50, 50],
      ],
      fcfs: [0, 0, 10, 10],
      easy: [0, 0, 10, 1],
    },
    {
      name: "a processor that is freed at a moment is used at that moment",
      rows: [
        [0, 4, 10, 10],
        [10, 4, 5, 5],
      ],
      fcfs: [0, 10],
      easy: [0, 10],
    },
    {
      name: "a request below the run time counts as the run time",
      rows: [
        [0, 3, 10, 1],
        [0, 4, 1, 1],
        [0, 1, 10, 1],
      ],
      fcfs: [0, 10, 11],
      easy: [0, 10, 0],
    },
    {
      name: "a job that ends early lets the blocked one start early",
      rows: [
        [0, 3, 2, 100],
        [1, 4, 1, 1],
        [1, 1, 50, 50],
      ],
      fcfs: [0, 2, 3],
      easy: [0, 51, 1],
    },
  ];

  test.each(cases)("$name", ({ rows, fcfs, easy }) => {
    expect(startsOf(rows, "fcfs")).toEqual(fcfs);
    expect(startsOf(rows, "easy")).toEqual(easy);
  });

  test("a job that is larger than the fleet blocks nobody", () => {
    const rows: readonly Row[] = [
      [0, 5, 10, 10],
      [0, 4, 10, 10],
    ];
    const { scheduled, tooLarge } = scheduleOnFleet(jobsOf(rows), { processors: 4, policy: "fcfs" });
    expect([...tooLarge].map(({ name }) => name)).toEqual(["1"]);
    expect(
      [...scheduled].map(({ job, startSeconds, endSeconds }) => [job.name, startSeconds, endSeconds]),
    ).toEqual([["2", 0, 10]]);
  });
});

const workloads = fc
  .array(
    fc.tuple(
      fc.nat(30),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 20 }),
      fc.option(fc.integer({ min: 1, max: 40 })),
    ),
    { maxLength: 40 },
  )
  .map((rows) => rows.toSorted(([a], [b]) => a - b));

describe.each(schedulerPolicies)("%s", (policy) => {
  test("starts every job when a naive scheduler starts it", () => {
    fc.assert(
      fc.property(workloads, (rows) => {
        const naive = scheduleNaively(jobsOf(rows), { processors: 8, policy });
        expect(startsOf(rows, policy, 8)).toEqual(naive);
      }),
      cases(500),
    );
  });

  test("never uses more processors than there are", () => {
    fc.assert(
      fc.property(workloads, (rows) => {
        const scheduled = [...scheduleOnFleet(jobsOf(rows), { processors: 8, policy }).scheduled];
        for (const { startSeconds: at } of scheduled) {
          const used = scheduled
            .filter(({ startSeconds, endSeconds }) => startSeconds <= at && at < endSeconds)
            .reduce((sum, { job }) => sum + job.processors, 0);
          expect(used).toBeLessThanOrEqual(8);
        }
      }),
      cases(200),
    );
  });
});
