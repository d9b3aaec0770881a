import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chosen, PackedJobs, packed, type TraceJob, withTasksApart } from "../../../shared/backtest/index.ts";
import { JobPacking } from "../../../shared/backtest/workload/job-columns.ts";
import { hasOwnNames } from "../../../shared/backtest/workload/names.ts";

const positive = fc.integer({ min: 1, max: 1_000_000 });
/** Any job: each optional field is there or absent. */
const jobs: fc.Arbitrary<readonly TraceJob[]> = fc.array(
  fc.record(
    {
      name: fc.string({ unit: "binary", maxLength: 40 }).map((name) => name.toWellFormed()),
      submitSeconds: fc.double({ min: 0, max: 1e9, noNaN: true }).map((at) => at + 0),
      runSeconds: fc.double({ min: 0.001, max: 1e7, noNaN: true }),
      requestedSeconds: fc.option(positive),
      processors: positive,
      nodes: positive,
      memoryGiB: fc.double({ min: 0.1, max: 1e4, noNaN: true }),
      gpus: positive,
      exclusive: fc.boolean(),
      nodeArrays: fc.array(fc.string(), { maxLength: 2 }),
      user: fc.string(),
      queue: fc.string(),
      jobName: fc.string(),
    },
    { requiredKeys: ["name", "submitSeconds", "runSeconds", "requestedSeconds", "processors"] },
  ),
  { maxLength: 30 },
);

const job = (name: string, submitSeconds = 0): TraceJob => ({
  name,
  submitSeconds,
  runSeconds: 1,
  requestedSeconds: null,
  processors: 1,
});

describe("packed jobs", () => {
  test("are the same jobs, by the time of submission and else in their order", () => {
    fc.assert(
      fc.property(jobs, (all) => {
        const own = packed(all);
        expect([...own]).toEqual(all.toSorted((a, b) => a.submitSeconds - b.submitSeconds));
        expect(own).toHaveLength(all.length);
        expect(own.at(-1)).toEqual([...own].at(-1));
        expect(own.at(all.length)).toBeUndefined();
        // What a thread is sent.
        expect([...new PackedJobs(structuredClone(own.columns))]).toEqual([...own]);
      }),
    );
  });

  test("a job takes the place of an earlier one of its name", () => {
    const packing = new JobPacking();
    const place = packing.add(job("a", 5));
    packing.add(job("b", 1));
    packing.add({ ...job("a", 9), processors: 4 }, place);
    expect([...packing.inOrder()].map(({ name, processors }) => [name, processors])).toEqual([
      ["b", 1],
      ["a", 4],
    ]);
  });

  test("some of them, and tasks of arrays each by itself", () => {
    const all = [job("a"), { ...job("b"), tasks: 2, processors: 6, memoryGiB: 8 }, job("c", 3)];
    expect([...chosen(all, ({ name }) => name !== "b")].map(({ name }) => name)).toEqual(["a", "c"]);
    expect(
      [...withTasksApart(all)].map(({ name, processors, memoryGiB }) => [name, processors, memoryGiB]),
    ).toEqual([
      ["a", 1, undefined],
      ["b[0]", 3, 4],
      ["b[1]", 3, 4],
      ["c", 1, undefined],
    ]);
  });

  test("whether names are their own, as a set of them knows", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 2 }), { maxLength: 40 }), (names) => {
        expect(hasOwnNames(names.map((name) => job(name)))).toBe(new Set(names).size === names.length);
      }),
    );
  });
});
