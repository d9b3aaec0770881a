import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scheduleOnFleet, type TraceJob } from "../../../shared/backtest/index.ts";
import { shapeOf } from "../../../shared/backtest/queue/job-shape.ts";
import { QueueModel, type QueuePolicy } from "../../../shared/backtest/queue/queue-model.ts";
import { cases } from "../../support/cases.ts";

const host = (hostname: string, ncpus: number, more: object = {}) => ({
  hostname,
  nodeArray: "htc",
  placementGroup: null,
  capacity: { ncpus, memoryGiB: 64, gpus: 0 },
  ...more,
});

function job(place: number, processors: number, more: Partial<TraceJob> = {}): TraceJob {
  return { name: `${place}`, submitSeconds: 0, runSeconds: 100, requestedSeconds: null, processors, ...more };
}

function submit(model: QueueModel, jobs: readonly TraceJob[]): void {
  for (const [place, each] of jobs.entries())
    model.submit(place, {
      shape: shapeOf(each),
      estimateSeconds: Math.max(each.requestedSeconds ?? 0, each.runSeconds),
    });
}

const places = (model: QueueModel, now = 0, expected: Parameters<QueueModel["pass"]>[1] = () => []) =>
  model.pass(now, expected).map(({ place }) => place);

/** The model on one host for ever, moved from event to event as the back-test does. */
function startsOn(jobs: readonly TraceJob[], processors: number, policy: QueuePolicy): readonly number[] {
  const model = new QueueModel(policy);
  model.hostUp(host("h", processors, { capacity: { ncpus: processors, memoryGiB: 1, gpus: 0 } }));
  const starts = jobs.map(() => Number.NaN);
  const ends: { at: number; place: number }[] = [];
  let next = 0;
  for (;;) {
    const now = Math.min(jobs[next]?.submitSeconds ?? Infinity, ...ends.map(({ at }) => at));
    if (now === Infinity) return starts;
    for (const { place } of ends.filter(({ at }) => at <= now)) model.end(place);
    ends.splice(0, ends.length, ...ends.filter(({ at }) => at > now));
    for (let each = jobs[next]; each !== undefined && each.submitSeconds <= now; each = jobs[next]) {
      const estimateSeconds = Math.max(each.requestedSeconds ?? each.runSeconds, each.runSeconds);
      model.submit(next, { shape: shapeOf(each), estimateSeconds });
      next += 1;
    }
    for (const { place } of model.pass(now, () => [])) {
      starts[place] = now;
      ends.push({ at: now + (jobs[place]?.runSeconds ?? 0), place });
    }
  }
}

const workload = fc
  .array(
    fc.record({
      submitSeconds: fc.integer({ min: 0, max: 200 }),
      runSeconds: fc.integer({ min: 1, max: 60 }),
      requestedSeconds: fc.option(fc.integer({ min: 1, max: 90 })),
      processors: fc.integer({ min: 1, max: 8 }),
    }),
    { maxLength: 40 },
  )
  .map((jobs) => jobs.map((each, place) => ({ name: `${place}`, ...each })))
  .map((jobs) => jobs.toSorted((a, b) => a.submitSeconds - b.submitSeconds));

describe("on hosts that stay", () => {
  test.each(["fcfs", "easy"] as const)(
    "%s starts every job when the model of a fixed fleet does",
    (policy) => {
      fc.assert(
        fc.property(workload, (jobs) => {
          const wanted = [...scheduleOnFleet(jobs, { processors: 8, policy }).scheduled];
          expect(startsOn(jobs, 8, policy)).toEqual(wanted.map(({ startSeconds }) => startSeconds));
        }),
        cases(200),
      );
    },
  );
});

describe("on hosts that come and go", () => {
  test("a job that fits nowhere blocks those behind it: always, unless it is delayed, or never", () => {
    const jobs = [job(0, 8), job(1, 2, { runSeconds: 50 }), job(2, 2, { runSeconds: 500 })];
    const started = (policy: QueuePolicy) => {
      const model = new QueueModel(policy);
      model.hostUp(host("a", 4));
      submit(model, jobs);
      // A second host, which is on its way, is what the first job waits for.
      return places(model, 0, () => [{ host: host("b", 4), atSeconds: 100 }]);
    };
    expect(started("fcfs")).toEqual([]);
    expect(started("easy")).toEqual([1]);
    expect(started("fill")).toEqual([1, 2]);
  });

  test("the slots of a job may be on several hosts, its nodes are on different ones", () => {
    const model = new QueueModel("fill");
    model.hostUp(host("a", 3));
    model.hostUp(host("b", 3));
    submit(model, [job(0, 5), job(1, 2, { nodes: 2 })]);
    expect(places(model)).toEqual([0]);
    expect(model.runOf(0)?.allocation.parts.map(({ count }) => count)).toEqual([3, 2]);
    model.end(0);
    expect(places(model)).toEqual([1]);
    expect([...model.jobsOn("a"), ...model.jobsOn("b")]).toEqual([1, 1]);
  });

  test("a host that is closed starts nothing, runs on what it has, and is used again when it is open", () => {
    const model = new QueueModel("easy");
    model.hostUp(host("a", 8));
    submit(model, [job(0, 4), job(1, 4)]);
    expect(places(model)).toEqual([0, 1]);
    model.close("a", true);
    model.end(0);
    model.submit(2, { shape: shapeOf(job(2, 1)), estimateSeconds: 100 });
    expect(places(model, 10)).toEqual([]);
    expect([...model.jobsOn("a")]).toEqual([1]);
    model.close("a", false);
    expect(places(model, 20)).toEqual([2]);
  });

  test("jobs of a host that goes are over on all of their hosts, and keep their place when they come back", () => {
    const model = new QueueModel("fcfs");
    model.hostUp(host("a", 4));
    model.hostUp(host("b", 4));
    submit(model, [job(0, 8), job(1, 4)]);
    expect(places(model)).toEqual([0]);
    expect(model.hostGone("b")).toEqual([0]);
    expect(model.jobsOn("a").size).toBe(0);
    model.submit(0, { shape: shapeOf(job(0, 8)), estimateSeconds: 100 });
    expect(model.waitingPlaces()).toEqual([0, 1]);
    expect(places(model)).toEqual([]);
    model.hostUp(host("b", 4));
    expect(places(model)).toEqual([0]);
  });

  test("on whole nodes no two jobs share one, and the parts of a job share as few as hold them", () => {
    const model = new QueueModel("fill");
    for (const name of ["a", "b", "c"]) model.hostUp(host(name, 4));
    submit(model, [job(0, 6, { wholeNodes: true }), job(1, 1, { nodes: 1, wholeNodes: true }), job(2, 1)]);
    expect(places(model)).toEqual([0, 1]);
    expect(model.runOf(0)?.allocation.parts.map(({ count }) => count)).toEqual([4, 2]);
    model.end(1);
    expect(places(model)).toEqual([2]);
    // A node that somebody else uses already is not its own.
    submit(model, [job(0, 1, { wholeNodes: true })]);
    expect(places(model)).toEqual([]);
  });

  test("a job that wants its nodes to itself, memory, one group, or certain arrays", () => {
    const model = new QueueModel("fill");
    model.hostUp(host("a", 8));
    model.hostUp(host("g1", 8, { placementGroup: "g" }));
    model.hostUp(host("g2", 8, { placementGroup: "g", nodeArray: "hpc" }));
    submit(model, [
      job(0, 2, { nodes: 2, colocated: true, exclusive: true }),
      job(1, 1, { memoryGiB: 60 }),
      job(2, 1, { memoryGiB: 60 }),
      job(3, 1, { nodeArrays: ["hpc"] }),
    ]);
    expect(places(model)).toEqual([0, 1]);
    expect([...model.jobsOn("g1"), ...model.jobsOn("g2"), ...model.jobsOn("a")]).toEqual([0, 0, 1]);
    model.end(0);
    expect(places(model)).toEqual([2, 3]);
    expect([...model.jobsOn("g2")]).toEqual([3]);
  });
});
