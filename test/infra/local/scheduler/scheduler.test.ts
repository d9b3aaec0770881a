import { describe, expect, test } from "vitest";
import type { Host } from "../../../../infra/local/scheduler/hosts.ts";
import { SimulatedScheduler } from "../../../../infra/local/scheduler/scheduler.ts";
import { toDemand } from "../../../../infra/local/scheduler/to-demand.ts";
import type { Need, WorkloadJob } from "../../../../infra/local/scheduler/workload.ts";

const need: Need = { ncpus: 1, memoryGiB: 1, ngpus: 0, exclusive: false, nodeArrays: [] };

function job(fields: Partial<WorkloadJob> & { readonly name: string }): WorkloadJob {
  return { submitSeconds: 0, runSeconds: 100, shape: { kind: "slots", slots: 1 }, need, ...fields };
}

function host(hostname: string, fields: Partial<Host> = {}): Host {
  return { hostname, nodeArray: "htc", placementGroup: null, ncpus: 4, memoryGiB: 8, ngpus: 0, ...fields };
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
    expect(scheduler.busySeconds).toBe(200);
  });

  test("a job is not there before it is submitted", () => {
    const scheduler = new SimulatedScheduler([job({ name: "late", submitSeconds: 50 })]);
    expect(scheduler.step(49, [host("a")]).changed).toBe(false);
    expect(scheduler.progress().later).toBe(1);
    expect(scheduler.step(50, [host("a")])).toEqual({ changed: true, submitted: 1 });
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
