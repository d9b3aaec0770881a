import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PlansWorkload, type SeenPlan } from "../../../shared/backtest/index.ts";
import { defineJob, type Job, parseConstraints } from "../../../shared/engine/index.ts";
import { type ListedWorkload, listed } from "./read-whole.ts";

function job(name: string, wish: object = {}, { constraints = { ncpus: 2 } as object } = {}): Job {
  const parsed = parseConstraints(constraints);
  if (!parsed.ok) throw new Error("constraints");
  return defineJob({ name, constraints: parsed.constraints, ...wish });
}

function workloadOf(...plans: readonly SeenPlan[]): ListedWorkload {
  const reader = new PlansWorkload();
  for (const plan of plans) reader.see(plan);
  return listed(reader.workload());
}

const at = (nowSeconds: number, ...jobs: readonly Job[]): SeenPlan => ({ nowSeconds, jobs });
const on = (...executingHostnames: readonly string[]) => ({ executingHostnames });

describe("PlansWorkload", () => {
  test("a job that waits, runs and is gone", () => {
    const { jobs, leftOut } = workloadOf(
      at(60, job("a")),
      at(120, job("a", { ...on("h1"), runtimeSeconds: 900 })),
      at(180, job("a", on("h1"))),
      at(240),
    );
    expect(jobs).toEqual([
      { name: "a", submitSeconds: 60, runSeconds: 120, requestedSeconds: null, processors: 2, nodes: 1 },
    ]);
    expect(leftOut).toEqual([]);
  });

  test("a run of more than ten years is counted and left out: its start is no moment", () => {
    const { jobs, leftOut } = workloadOf(
      at(1_800_000_000, job("a", { ...on("h1"), startedAtSeconds: 1 })),
      at(1_800_000_060),
    );
    expect(jobs).toEqual([]);
    expect(leftOut).toEqual([{ why: "a run time of more than ten years", count: 1, where: ["a"] }]);
  });

  test("what the scheduler says of its times comes first", () => {
    const wish = { submittedAtSeconds: 10, startedAtSeconds: 70, runtimeSeconds: 900 };
    const { jobs } = workloadOf(at(120, job("a", { ...wish, ...on("h1") })), at(240));
    expect(jobs).toMatchObject([{ submitSeconds: 10, runSeconds: 170, requestedSeconds: 900 }]);
  });

  test("tasks of an array start and end one by one", () => {
    const array = (...hosts: readonly string[]) => job("a", { iterations: 3, ...on(...hosts) });
    const { jobs } = workloadOf(
      at(0, array()),
      at(60, array("h1", "h2")),
      at(120, array("h2", "h3")),
      at(180, array("h3")),
      at(240),
    );
    expect(jobs.map(({ name, runSeconds }) => [name, runSeconds])).toEqual([
      ["a.1", 60],
      ["a.2", 120],
      ["a.3", 120],
    ]);
  });

  test("what a job asks of its nodes", () => {
    const constraints = {
      ncpus: 8,
      memgb: 32,
      ngpus: 1,
      exclusive: true,
      "node.nodearray": ["hpc", "htc"],
    };
    const wish = { nodeCount: 2, colocated: true };
    const { jobs, remarks } = workloadOf(
      at(0, job("a", wish, { constraints })),
      at(60, job("a", { ...wish, ...on("h1", "h2") }, { constraints })),
      at(120),
    );
    expect(jobs).toMatchObject([
      {
        processors: 16,
        nodes: 2,
        memoryGiB: 64,
        gpus: 2,
        exclusive: true,
        colocated: true,
        nodeArrays: ["hpc", "htc"],
      },
    ]);
    expect(remarks).toEqual([]);
  });

  test("sizes, and what a workload cannot say", () => {
    const constraints = { ncpus: 1, memory: "memory::512m", licenses: 1 };
    const { jobs, remarks } = workloadOf(
      at(0, job("a", {}, { constraints })),
      at(60, job("a", on("h"), { constraints })),
      at(90),
    );
    expect(jobs).toMatchObject([{ memoryGiB: 0.5 }]);
    expect(remarks).toEqual([
      { why: "it asks for more than a workload can say; that is passed over", count: 1, where: ["a"] },
    ]);
  });

  test.each([
    ["it ran already when the archive begins", [at(0, job("a", on("h"))), at(60)]],
    ["it still runs when the archive ends", [at(0, job("a")), at(60, job("a", on("h")))]],
    ["it still waits when the archive ends", [at(0, job("a"))]],
    ["it was gone before any plan saw it run", [at(0, job("a")), at(60)]],
  ])("left out: %s", (why, plans) => {
    expect(workloadOf(...plans)).toEqual({
      jobs: [],
      leftOut: [{ why, count: 1, where: ["a"] }],
      remarks: [],
    });
  });

  test("jobs of one name from two schedulers are two", () => {
    const [a, b] = [job("1", { source: "x" }), job("1", { source: "y" })];
    const running = [job("1", { source: "x", ...on("h") }), job("1", { source: "y", ...on("h") })];
    expect(workloadOf(at(0, a, b), at(60, ...running), at(90)).jobs.length).toBe(2);
  });

  test("no archive, no jobs", () => {
    expect(workloadOf()).toEqual({ jobs: [], leftOut: [], remarks: [] });
  });

  test("any workload that is seen often enough is read as it was", () => {
    const runs = fc.array(
      fc.record({ submit: fc.nat(50), wait: fc.nat(20), run: fc.integer({ min: 1, max: 30 }) }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(runs, (all) => {
        const plans = Array.from({ length: 110 }, (_, now) => {
          const there = all.flatMap(({ submit, wait, run }, index) => {
            const start = submit + 1 + wait;
            if (now < submit || now >= start + run) return [];
            return [job(`${index}`, now < start ? {} : on("h"))];
          });
          return at(now, ...there);
        });
        const { jobs, leftOut } = workloadOf(...plans);
        expect(leftOut).toEqual([]);
        const read = jobs.map(({ name, submitSeconds, runSeconds }) => [name, submitSeconds, runSeconds]);
        const given = all.map(({ submit, run }, index) => [`${index}`, submit, run]);
        expect(read.toSorted()).toEqual(given.toSorted());
      }),
      { seed: 19, numRuns: 40 },
    );
  });
});
