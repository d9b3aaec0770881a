import { describe, expect, test } from "vitest";
import { SimulatedScheduler } from "../../../../infra/local/scheduler/scheduler.ts";
import { toDemand } from "../../../../infra/local/scheduler/to-demand.ts";
import type { Need, WorkloadJob } from "../../../../infra/local/scheduler/workload.ts";
import type { Host } from "../../../../shared/backtest/index.ts";

const need: Need = { ncpus: 1, memoryGiB: 1, ngpus: 0, exclusive: false, nodeArrays: [] };

function job(fields: Partial<WorkloadJob> & { readonly name: string }): WorkloadJob {
  return { submitSeconds: 0, runSeconds: 100, shape: { kind: "slots", slots: 1 }, need, ...fields };
}

function host(hostname: string, fields: Partial<Host> = {}): Host {
  const capacity = { ncpus: 4, memoryGiB: 8, gpus: 0 };
  return { hostname, nodeArray: "htc", placementGroup: null, capacity, ...fields };
}

describe("SimulatedScheduler", () => {
  test("runs what fits, and the rest when it is done", () => {
    const scheduler = new SimulatedScheduler([job({ name: "array", shape: { kind: "slots", slots: 6 } })]);
    scheduler.step(0, [host("a")]);
    expect(scheduler.progress()).toMatchObject({ running: 4, waiting: 2, done: 0 });
    scheduler.step(100, [host("a")]);
    expect(scheduler.progress()).toMatchObject({ running: 2, waiting: 0, done: 4 });
    scheduler.step(200, [host("a")]);
    expect(scheduler.progress()).toMatchObject({ running: 0, done: 6, total: 6 });
  });

  test("tells of each task that ended where it ran, and when", () => {
    const scheduler = new SimulatedScheduler([job({ name: "late", submitSeconds: 50 })]);
    scheduler.step(60, [host("a")]);
    expect(scheduler.runs).toEqual([]);
    // Its end is noticed late.
    scheduler.step(170, [host("a")]);
    expect(scheduler.runs).toEqual([
      { hostnames: ["a"], submitSeconds: 50, startSeconds: 60, endSeconds: 160 },
    ]);
  });

  test("a job is not there before it is submitted", () => {
    const scheduler = new SimulatedScheduler([job({ name: "late", submitSeconds: 50 })]);
    expect(scheduler.step(49, [host("a")]).changed).toBe(false);
    expect(scheduler.progress().later).toBe(1);
    expect(scheduler.step(50, [host("a")])).toEqual({ changed: true, submitted: 1 });
  });

  test("jobs may be submitted while it runs; their times count from then", () => {
    const scheduler = new SimulatedScheduler([job({ name: "first" })]);
    scheduler.step(500, [host("a")]);
    scheduler.submit([job({ name: "now" }), job({ name: "soon", submitSeconds: 20 })], 500);
    expect(scheduler.progress()).toMatchObject({ total: 3, running: 1, later: 2 });
    scheduler.step(510, [host("a")]);
    expect(scheduler.followed).toEqual([
      { name: "now", waiting: 0, running: 1, done: 0, lost: 0 },
      { name: "soon", waiting: 1, running: 0, done: 0, lost: 0 },
    ]);
    scheduler.step(520, []);
    scheduler.step(530, [host("b")]);
    scheduler.step(700, [host("b")]);
    expect(scheduler.followed).toEqual([
      { name: "now", waiting: 0, running: 0, done: 1, lost: 1 },
      { name: "soon", waiting: 0, running: 0, done: 1, lost: 0 },
    ]);
  });

  test("a canceled job leaves its host to others, wherever it was", () => {
    const wide = { shape: { kind: "slots", slots: 6 } } as const;
    const scheduler = new SimulatedScheduler([job({ name: "drop-1", ...wide }), job({ name: "keep" })]);
    scheduler.submit([job({ name: "drop-2", submitSeconds: 900 })], 0);
    scheduler.step(0, [host("a")]);
    expect(scheduler.progress()).toMatchObject({ total: 8, running: 4, waiting: 3, later: 1 });
    expect(scheduler.cancel((name) => name.startsWith("drop"))).toBe(true);
    expect(scheduler.progress()).toMatchObject({ total: 1, running: 0, waiting: 1, later: 0 });
    expect([scheduler.followed, scheduler.cancel(() => false)]).toEqual([[], false]);
    scheduler.step(1, [host("a")]);
    expect(scheduler.runningTasks.map((task) => task.job.name)).toEqual(["keep"]);
  });

  test("a multi-node job starts on all its hosts or not at all", () => {
    const mpi = job({ name: "mpi", shape: { kind: "nodes", nodes: 2, colocated: false } });
    const scheduler = new SimulatedScheduler([mpi]);
    scheduler.step(0, [host("a")]);
    expect(scheduler.progress().running).toBe(0);
    scheduler.step(1, [host("a"), host("b")]);
    expect(scheduler.runningTasks[0]?.hostnames).toEqual(["a", "b"]);
  });

  test("a colocated job wants one placement group", () => {
    const mpi = job({ name: "mpi", shape: { kind: "nodes", nodes: 2, colocated: true } });
    const scheduler = new SimulatedScheduler([mpi]);
    scheduler.step(0, [host("a", { placementGroup: "x" }), host("b", { placementGroup: "y" }), host("c")]);
    expect(scheduler.progress().running).toBe(0);
    scheduler.step(1, [host("a", { placementGroup: "x" }), host("d", { placementGroup: "x" })]);
    expect(scheduler.runningTasks[0]?.hostnames).toEqual(["a", "d"]);
  });

  test("an exclusive job shares with nobody", () => {
    const alone = job({ name: "alone", need: { ...need, exclusive: true } });
    const scheduler = new SimulatedScheduler([alone, job({ name: "other" })]);
    scheduler.step(0, [host("a")]);
    expect(scheduler.runningTasks.map((task) => task.job.name)).toEqual(["alone"]);
  });

  test("a task whose host vanished is queued again, and counted", () => {
    const scheduler = new SimulatedScheduler([job({ name: "unlucky" })]);
    scheduler.step(0, [host("a")]);
    scheduler.step(10, []);
    expect(scheduler.progress()).toMatchObject({ running: 0, waiting: 1, requeued: 1 });
    scheduler.step(20, [host("b")]);
    scheduler.step(120, [host("b")]);
    expect(scheduler.progress()).toMatchObject({ done: 1, requeued: 1 });
  });
});

describe("SimulatedScheduler: draining", () => {
  const event = (kind: string, atSeconds: number, ...hostnames: readonly string[]) => ({
    kind,
    atSeconds,
    nodes: hostnames.map((hostname) => ({ hostname })),
  });

  test("a host that drains finishes what it runs and gets nothing more, until it is taken back", () => {
    const long = job({ name: "long", runSeconds: 100 });
    const late = job({ name: "late", submitSeconds: 10 });
    const scheduler = new SimulatedScheduler([long, late]);
    scheduler.step(0, [host("a")]);
    expect(scheduler.obey(event("drain", 5, "a"))).toBe(true);
    scheduler.step(10, [host("a")]);
    expect(scheduler.progress()).toMatchObject({ running: 1, waiting: 1 });
    expect(scheduler.hostStates).toEqual([{ hostname: "a", state: "draining", eventAtSeconds: 5 }]);
    scheduler.step(100, [host("a")]);
    expect(scheduler.hostStates).toEqual([{ hostname: "a", state: "drained", eventAtSeconds: 5 }]);
    scheduler.obey(event("undrain", 101, "a"));
    scheduler.step(102, [host("a")]);
    expect(scheduler.progress()).toMatchObject({ running: 1, waiting: 0 });
    expect(scheduler.hostStates).toEqual([{ hostname: "a", state: "up", eventAtSeconds: 101 }]);
  });

  test("of two events about a host the later one counts, in whatever order they come", () => {
    const scheduler = new SimulatedScheduler([]);
    scheduler.step(0, [host("a")]);
    scheduler.obey(event("undrain", 7, "a"));
    expect(scheduler.obey(event("drain", 6, "a"))).toBe(false);
    expect(scheduler.obey(event("undrain", 7, "a"))).toBe(false);
    expect(scheduler.hostStates).toMatchObject([{ state: "up", eventAtSeconds: 7 }]);
  });

  test("other events, and events about hosts that are not there, change nothing", () => {
    const scheduler = new SimulatedScheduler([]);
    scheduler.step(0, [host("a")]);
    expect(scheduler.obey(event("drain", 5, "b"))).toBe(false);
    expect(scheduler.obey(event("node-joined", 5, "a"))).toBe(false);
    expect(scheduler.hostStates).toEqual([{ hostname: "a", state: "up" }]);
  });

  test("a host that comes back is a new one", () => {
    const scheduler = new SimulatedScheduler([]);
    scheduler.step(0, [host("a")]);
    scheduler.obey(event("drain", 5, "a"));
    scheduler.step(10, []);
    scheduler.step(20, [host("a")]);
    expect(scheduler.hostStates).toEqual([{ hostname: "a", state: "up" }]);
  });
});

test("toDemand: running tasks name their hosts, what waits is one array", () => {
  const scheduler = new SimulatedScheduler([job({ name: "array", shape: { kind: "slots", slots: 5 } })]);
  scheduler.step(0, [host("a")]);
  const jobs = toDemand(scheduler);
  expect(jobs.map((each) => [each.name, each.iterations, each.executingHostnames])).toEqual([
    ["array[0]", 1, ["a"]],
    ["array[1]", 1, ["a"]],
    ["array[2]", 1, ["a"]],
    ["array[3]", 1, ["a"]],
    ["array", 1, undefined],
  ]);
});
