import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readGridEngine } from "./read-whole.ts";

interface Given {
  readonly job?: number | string;
  readonly task?: number;
  readonly submitted?: number | string;
  readonly started?: number;
  readonly ended?: number;
  readonly failed?: number;
  readonly slots?: number | string;
  readonly project?: string;
  readonly account?: string;
  readonly category?: string;
  readonly part?: string;
  readonly name?: string;
}

/** A record with the 45 fields of release 6.2 and 8.1. */
function record(given: Given = {}): string {
  const usage = Array.from({ length: 18 }, () => "0");
  return [
    ...[
      "all.q",
      "exec1",
      "users",
      "ada",
      given.name ?? "relax.sh",
      given.job ?? 7,
      given.account ?? "sge",
      0,
    ],
    ...[given.submitted ?? 1_800_000_000, given.started ?? 1_800_000_100, given.ended ?? 1_800_003_700],
    ...[given.failed ?? 0, 0, 3600, ...usage.slice(0, 17)],
    ...[given.project ?? "NONE", "defaultdepartment", "NONE", given.slots ?? 1, given.task ?? 0],
    ...[3599.1, 12.5, 0.25, given.category ?? "NONE", "0.000", given.part ?? "NONE", 104857600, 0, 0],
  ].join(":");
}

const first = (given: Given) => readGridEngine(record(given)).jobs[0];

describe("readGridEngine", () => {
  test("a record", () => {
    const category = "-u ada -l h_rt=86400,mem_free=4G -pe mpi 16";
    const text = `# Version: 8.1.9\n#\n\n${record({ slots: 16, category, project: "chem" })}\n`;
    expect(readGridEngine(text)).toEqual({
      jobs: [
        {
          name: "7",
          submitSeconds: 1_800_000_000,
          runSeconds: 3600,
          requestedSeconds: 86_400,
          processors: 16,
          user: "ada",
          account: "chem",
          queue: "all.q",
          jobName: "relax.sh",
        },
      ],
      leftOut: [],
    });
  });

  test("a task of an array is a job", () => {
    const text = [record({ task: 10 }), record({ task: 9 })].join("\n");
    expect(readGridEngine(text).jobs.map(({ name }) => name)).toEqual(["7.9", "7.10"]);
  });

  test("parts of a parallel job are passed over", () => {
    const text = [record({ part: "1.exec2", submitted: 0 }), record({ slots: 8 })].join("\n");
    expect(readGridEngine(text)).toMatchObject({ jobs: [{ name: "7", processors: 8 }], leftOut: [] });
  });

  test("a file with nothing but parts is not an empty one", () => {
    expect(readGridEngine(`\n${record({ part: "1.exec2" })}`)).toEqual({
      jobs: [],
      leftOut: [{ why: "a part of a parallel job, and no record of any job", count: 1, where: ["line 2"] }],
    });
  });

  test("colons in the category move what is behind it, and nothing else", () => {
    const category = "-l h_rt=24:00:00,h_vmem=2G -q all.q@@a:1";
    expect(first({ category })?.requestedSeconds).toBe(86_400);
    expect(readGridEngine(record({ category, part: "1.exec2" })).jobs).toEqual([]);
  });

  test.each([
    ["-l h_rt=3600", 3_600],
    ["-l h_rt=10:30 -pe mpi 2", 630],
    ["-l h_rt=0", null],
    ["-l h_rt=INFINITY", null],
    ["-l xh_rt=5", null],
    ["NONE", null],
  ])("requested time of category %j", (category, expected) => {
    expect(first({ category })?.requestedSeconds).toBe(expected);
  });

  test("times in milliseconds, as Univa Grid Engine writes them", () => {
    const times = { submitted: 1_800_000_000_123, started: 1_800_000_100_456, ended: 1_800_003_700_456 };
    expect(first(times)).toMatchObject({ submitSeconds: 1_800_000_000, runSeconds: 3600 });
  });

  test("the account is the project, or what was given to qsub -A", () => {
    expect(first({ project: "chem", account: "x" })?.account).toBe("chem");
    expect(first({ account: "x" })?.account).toBe("x");
    expect(first({})).not.toHaveProperty("account");
  });

  test("of a job that was started again the last run counts", () => {
    const text = [
      record({ failed: 25, ended: 1_800_000_200 }),
      record({ ended: 1_800_000_300 }),
      record({ ended: 1_800_000_400 }),
    ].join("\n");
    const { jobs, leftOut } = readGridEngine(text);
    expect(jobs.map(({ runSeconds }) => runSeconds)).toEqual([300]);
    expect(leftOut).toEqual([
      { why: "an earlier run of a job that was started again", count: 2, where: ["line 1", "line 2"] },
    ]);
  });

  test.each([
    ["it never started", record({ started: 0, ended: 0 })],
    ["no run time above 0", record({ started: 5, ended: 5 })],
    ["no slots", record({ slots: "x" })],
    ["no slots", record({ slots: 0 })],
    ["a time is not a whole number", record({ submitted: "now" })],
    ["no job number", record({ job: "x" })],
    ["fewer than 36 fields between colons", "qname        all.q"],
    ["JSON, as release 9 writes it: set old_accounting=true in its reporting_params", '{"job_number":1}'],
  ])("left out: %s", (why, line) => {
    expect(readGridEngine(line)).toEqual({ jobs: [], leftOut: [{ why, count: 1, where: ["line 1"] }] });
  });

  test("an empty file has no jobs", () => {
    expect(readGridEngine("")).toEqual({ jobs: [], leftOut: [] });
  });

  test("what is written is read, in the order of submission", () => {
    const given = fc.record({
      job: fc.integer({ min: 1, max: 99_999 }),
      submitted: fc.integer({ min: 1, max: 2_000_000_000 }),
      slots: fc.integer({ min: 1, max: 10_000 }),
      name: fc.stringMatching(/^[a-z<>&"' ]{1,9}$/),
    });
    fc.assert(
      fc.property(fc.uniqueArray(given, { selector: ({ job }) => job }), (all) => {
        const { jobs, leftOut } = readGridEngine(all.map(record).join("\n"));
        expect(leftOut).toEqual([]);
        const expected = all.toSorted((a, b) => a.submitted - b.submitted || a.job - b.job);
        expect(
          jobs.map(({ name, submitSeconds, processors, jobName }) => [
            name,
            submitSeconds,
            processors,
            jobName,
          ]),
        ).toEqual(expected.map(({ job, submitted, slots, name }) => [String(job), submitted, slots, name]));
      }),
      { seed: 19 },
    );
  });
});
