import { describe, expect, test } from "vitest";
import { readJobList, readSwf } from "./read-whole.ts";

/** A line of a trace: job, submit, run, allocated, requested processors, requested time. */
function line(
  job: number,
  submit: number,
  rest: readonly [run: number, used: number, asked: number, seconds: number],
) {
  const [run, used, asked, seconds] = rest;
  return `  ${job} ${submit} 77 ${run} ${used} -1 -1 ${asked} ${seconds} -1 1 12 12 -1 -1 -1 -1 -1`;
}

const processorsOf = (text: string) => readSwf(text).jobs.map(({ processors }) => processors);

describe("readSwf", () => {
  test("a job on the trace's own clock", () => {
    const text = [
      "; a comment",
      ";   UnixStartTime: 843480031",
      "",
      line(15, 599850, [3477, 4, 4, 53940]),
    ].join("\n");
    expect(readSwf(text)).toEqual({
      clockStartSeconds: 843480031,
      jobs: [
        {
          name: "15",
          submitSeconds: 599850,
          runSeconds: 3477,
          requestedSeconds: 53940,
          processors: 4,
          user: "user-12",
          account: "account-12",
        },
      ],
      leftOut: [],
    });
  });

  test("memory for each processor, and whose a job is", () => {
    const text = "7 0 -1 60 4 -1 -1 4 120 2097152 1 3 5 2 1 -1 -1 -1";
    expect(readSwf(text).jobs[0]).toMatchObject({
      memoryGiB: 8,
      user: "user-3",
      account: "account-5",
      queue: "queue-1",
    });
  });

  test.each([
    ["8:ppn=8:x86_64#excl", { nodes: 8, memoryGiB: 8, exclusive: true }],
    ["2:ppn=32", { nodes: 2, memoryGiB: 2 }],
    ["doom7.example", { nodes: 1, memoryGiB: 1 }],
    ["9999999999:ppn=1", { nodes: 1 }],
  ])("the node specification %s of a PBS cluster", (specification, wanted) => {
    const text = `7 0 -1 60 64 -1 -1 64 120 1073741824 1 3 5 2 1 -1 -1 -1 nodes queue ${specification}`;
    expect(readSwf(text).jobs[0]).toMatchObject(wanted);
  });

  test("requested processors come before those that were used", () => {
    expect(processorsOf(line(1, 0, [10, 8, 4, 20]))).toEqual([4]);
    expect(processorsOf(line(1, 0, [10, 8, -1, 20]))).toEqual([8]);
    expect(processorsOf(line(1, 0, [10, 8, 0, 20]))).toEqual([8]);
  });

  test("an unknown request is not known, whatever the run time", () => {
    expect(readSwf(line(1, 0, [10, 8, 4, -1])).jobs[0]?.requestedSeconds).toBeNull();
  });

  test("jobs come by submission, those of one second as in the trace", () => {
    const text = [line(3, 9, [1, 1, 1, 1]), line(2, 5, [1, 1, 1, 1]), line(1, 5, [1, 1, 1, 1])].join("\r\n");
    expect(readSwf(text).jobs.map(({ name }) => name)).toEqual(["2", "1", "3"]);
  });

  test("a run time that is a moment, such as an end without a start, is left out", () => {
    const { jobs, leftOut } = readSwf(
      [line(1, 0, [1_700_000_000, 1, 1, 1]), line(2, 0, [86_400, 1, 1, 1])].join("\n"),
    );
    expect(jobs.map(({ name }) => name)).toEqual(["2"]);
    expect(leftOut).toEqual([{ why: "a run time of more than ten years", count: 1, where: ["line 1"] }]);
  });

  test("what cannot be used is counted by its reason, and the first places are named", () => {
    const odd = [
      ...Array.from({ length: 7 }, (_, index) => line(index, 0, [0, 1, 1, 1])),
      line(8, 0, [5, -1, -1, 5]),
      "9 0 -1 x 1 -1 -1 1 1",
      "10 0 -1",
      "11 0.5 -1 3 1",
      line(12, 0, [5, 1, 1, 5]),
    ];
    const { jobs, leftOut } = readSwf(odd.join("\n"));
    expect(jobs.map(({ name }) => name)).toEqual(["12"]);
    expect(leftOut).toEqual([
      { why: "no run time above 0", count: 7, where: ["line 1", "line 2", "line 3", "line 4", "line 5"] },
      { why: "no processors", count: 1, where: ["line 8"] },
      { why: "a column is not a whole number", count: 2, where: ["line 9", "line 11"] },
      { why: "fewer than 5 columns", count: 1, where: ["line 10"] },
    ]);
  });

  test("an empty trace has no jobs", () => {
    expect(readSwf("; MaxProcs: 4\n")).toEqual({ jobs: [], leftOut: [] });
  });
});

describe("readJobList", () => {
  test("slots, or nodes, times what each of them takes", () => {
    const list = [
      { name: "b", submitSeconds: 5, runSeconds: 60, constraints: { ncpus: 4, memgb: 2 }, iterations: 3 },
      { name: "a", runSeconds: 30, constraints: { ncpus: 16 }, nodeCount: 2, requestedSeconds: 90 },
      { name: 7, submitSeconds: 5, runSeconds: 1.5 },
    ];
    expect(readJobList(list)).toEqual({
      jobs: [
        { name: "a", submitSeconds: 0, runSeconds: 30, requestedSeconds: 90, processors: 32, nodes: 2 },
        {
          name: "b",
          submitSeconds: 5,
          runSeconds: 60,
          requestedSeconds: null,
          processors: 12,
          nodes: 1,
          tasks: 3,
          memoryGiB: 6,
        },
        { name: "7", submitSeconds: 5, runSeconds: 1.5, requestedSeconds: null, processors: 1, nodes: 1 },
      ],
      leftOut: [],
    });
  });

  test("an item that does not check out is counted and left out", () => {
    const list = [{ name: "a", runSeconds: 0 }, { name: "b", runSeconds: 1 }, null];
    expect(readJobList(list)).toMatchObject({
      jobs: [{ name: "b" }],
      leftOut: [
        { why: "runSeconds: expected a number of seconds above 0", count: 1, where: ["[0]"] },
        { count: 1, where: ["[2]"] },
      ],
    });
  });

  test("a run time of more than ten years is counted and left out: it is a moment in place of a length", () => {
    const list = [
      { name: "a", runSeconds: 1_800_000_000 },
      { name: "b", runSeconds: 60 },
    ];
    expect(readJobList(list)).toMatchObject({
      jobs: [{ name: "b" }],
      leftOut: [{ why: "a run time of more than ten years", count: 1, where: ["[0]"] }],
    });
  });
});
