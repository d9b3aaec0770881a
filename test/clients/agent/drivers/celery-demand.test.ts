import { describe, expect, test } from "vitest";
import { type CeleryWork, celeryDemand } from "../../../../clients/agent/drivers/celery/celery-demand.ts";
import { celerySettingsSchema } from "../../../../clients/agent/drivers/celery/celery-settings.ts";
import type { Backlog, WaitingMessage } from "../../../../clients/agent/drivers/driver.ts";

const nowSeconds = 1_795_300_000;

function settings(more: Readonly<Record<string, unknown>> = {}) {
  return celerySettingsSchema.parse({ app: "work", min_core_count: 0, warm_buffer: 0, ...more });
}

function message(id: string, headers: Readonly<Record<string, unknown>> = {}): WaitingMessage {
  return { queue: "celery", headers: { id, task: "work.sleep", ...headers } };
}

function backlog(messages: readonly WaitingMessage[], length = messages.length): Backlog {
  return { queues: [{ name: "celery", length, messages }], unacknowledged: [] };
}

function demand(
  work: Partial<CeleryWork>,
  more: Readonly<Record<string, unknown>> = {},
  remembered: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {},
) {
  const all = { active: [], held: [], backlog: backlog([]), ...work };
  const known = { nowSeconds, remembered: new Map(Object.entries(remembered)) };
  const { jobs, remembered: after } = celeryDemand(all, settings(more), known);
  return { jobs, remembered: Object.fromEntries(after) };
}

const waiting = (count: number) => backlog(Array.from({ length: count }, (_, index) => message(`t${index}`)));

describe("the reserve", () => {
  test.each([
    { tasks: 0, minimum: 4, buffer: 2, reserve: 4, why: "an idle cluster keeps its minimum" },
    { tasks: 1, minimum: 4, buffer: 2, reserve: 3, why: "below the minimum tasks use it up" },
    { tasks: 2, minimum: 4, buffer: 2, reserve: 2, why: "tasks and buffer are just the minimum" },
    { tasks: 10, minimum: 4, buffer: 2, reserve: 2, why: "above it the buffer comes on top" },
    { tasks: 10, minimum: 0, buffer: 0, reserve: 0, why: "no reserve was asked for" },
  ])("$why: $tasks tasks, minimum $minimum, buffer $buffer", ({ tasks, minimum, buffer, reserve }) => {
    const { jobs } = demand({ backlog: waiting(tasks) }, { min_core_count: minimum, warm_buffer: buffer });
    expect(jobs.find(({ name }) => name === "reserve")?.iterations ?? 0).toBe(reserve);
    const total = jobs.reduce((sum, job) => sum + (job.iterations ?? 1), 0);
    expect(total).toBe(Math.max(tasks + buffer, minimum));
  });

  test("counts cores, not tasks, and comes last", () => {
    const more = { rules: [{ task: "work.sleep", constraints: { ncpus: 8 } }], min_core_count: 20 };
    const { jobs } = demand({ backlog: waiting(2) }, more);
    expect(jobs.at(-1)).toEqual({
      name: "reserve",
      constraints: { ncpus: 1 },
      iterations: 4,
      priority: -1,
      behindOthers: true,
    });
  });
});

describe("a task counts once, where it is furthest", () => {
  const task = { id: "t1", name: "work.sleep", queue: "celery" };
  const told = { jobName: "work.sleep", queue: "celery" };

  test("seen in the queue, held and running: it runs", () => {
    const active = [{ task, hostname: "ip-1" }];
    const { jobs } = demand({ active, held: [task], backlog: backlog([message("t1")]) });
    expect(jobs).toEqual([{ name: "t1", constraints: { ncpus: 1 }, ...told, executingHostnames: ["ip-1"] }]);
  });

  test("running on two workers at once, after it was delivered again: one job, and both hosts are busy", () => {
    const active = ["ip-1", "ip-2"].map((hostname) => ({ task, hostname }));
    expect(demand({ active }).jobs).toEqual([
      { name: "t1", constraints: { ncpus: 1 }, ...told, iterations: 2, executingHostnames: ["ip-1", "ip-2"] },
    ]);
  });

  test("taken by a worker that is dead: it still waits", () => {
    const { jobs } = demand({ backlog: { queues: [], unacknowledged: [message("t1")] } });
    expect(jobs).toMatchObject([{ name: "work.sleep (default)", iterations: 1 }]);
  });
});

describe("times", () => {
  const iso = (seconds: number) => new Date((nowSeconds + seconds) * 1000).toISOString();

  test.each([
    { headers: { eta: iso(500) }, counts: 1, why: "due before a node would be up" },
    { headers: { eta: iso(700) }, counts: 0, why: "due later" },
    { headers: { eta: iso(500).replace("Z", "") }, counts: 1, why: "a time without offset is UTC" },
    { headers: { eta: "soon" }, counts: 1, why: "a time that cannot be read is now" },
    { headers: { expires: iso(-1) }, counts: 0, why: "expired" },
    { headers: { expires: iso(60) }, counts: 1, why: "not expired yet" },
  ])("$why: $counts of one", ({ headers, counts }) => {
    const { jobs } = demand({ backlog: backlog([message("t1", headers)]) });
    expect(jobs.reduce((sum, job) => sum + (job.iterations ?? 0), 0)).toBe(counts);
  });

  test("held by a worker for later: no demand now, and not counted again from the broker", () => {
    const held = [{ id: "t1", name: "work.sleep", queue: "celery", etaSeconds: nowSeconds + 9_999 }];
    const unacknowledged = [message("t1")];
    expect(demand({ held, backlog: { queues: [], unacknowledged } }).jobs).toEqual([]);
  });
});

describe("details", () => {
  test.each([
    { limits: [[60, 50]], runtimeSeconds: 60, why: "the hard limit" },
    { limits: [[null, 50]], runtimeSeconds: 50, why: "the soft one where there is no other" },
    {
      limits: [
        [60, null],
        [90, null],
      ],
      runtimeSeconds: 90,
      why: "of several tasks the longest",
    },
    {
      limits: [
        [60, null],
        [null, null],
      ],
      runtimeSeconds: undefined,
      why: "of none when one may run for ever",
    },
    { limits: [[0, -1]], runtimeSeconds: undefined, why: "zero is no limit" },
    { limits: ["60"], runtimeSeconds: undefined, why: "nothing when it cannot be read" },
  ])("run time: $why", ({ limits, runtimeSeconds }) => {
    const messages = limits.map((timelimit, index) => message(`t${index}`, { timelimit }));
    const [job] = demand({ backlog: backlog(messages) }).jobs;
    expect(job).toMatchObject({ jobName: "work.sleep", queue: "celery", iterations: limits.length });
    expect(job?.runtimeSeconds).toBe(runtimeSeconds);
  });

  test("tasks of two queues that need the same are one job, of no queue", () => {
    const other = { queue: "night", headers: { id: "t2", task: "work.sleep" } };
    const { jobs } = demand({ backlog: backlog([message("t1"), other]) });
    expect(jobs).toHaveLength(1);
    expect(jobs[0]).not.toHaveProperty("queue");
  });

  test("a task that runs has the limit of its message, and its start", () => {
    const active = [{ task: { id: "t1", startedAtSeconds: nowSeconds - 9 }, hostname: "ip-1" }];
    const unacknowledged = [message("t1", { timelimit: [60, null] })];
    const { jobs } = demand({ active, backlog: { queues: [], unacknowledged } });
    expect(jobs).toMatchObject([{ name: "t1", runtimeSeconds: 60, startedAtSeconds: nowSeconds - 9 }]);
  });
});

describe("rules", () => {
  const rules = [
    { headers: { pool: "a100" }, constraints: { ngpus: 1 } },
    { task: "video.*", queue: "celery", constraints: { ncpus: 4, memgb: 16 } },
    { task: "video.cut", constraints: { ncpus: 2 } },
  ];

  test.each([
    [{ task: "video.cut" }, { ncpus: 4, memgb: 16 }],
    [{ task: "video.cut", pool: "a100" }, { ngpus: 1 }],
    [{ task: "audio.cut", pool: "v100" }, { ncpus: 1 }],
    [{ task: "video" }, { ncpus: 1 }],
  ])("%j needs %j", (headers, constraints) => {
    const { jobs } = demand({ backlog: backlog([message("t1", headers)]) }, { rules });
    expect(jobs).toMatchObject([{ constraints }]);
  });

  test("what a header decided is remembered while the task runs, and forgotten afterwards", () => {
    const first = demand({ backlog: backlog([message("t1", { pool: "a100" }), message("t2")]) }, { rules });
    expect(first.remembered).toEqual({ t1: { ngpus: 1 } });
    const active = [{ task: { id: "t1", name: "work.sleep" }, hostname: "ip-1" }];
    const second = demand({ active }, { rules }, { t1: { ngpus: 1 } });
    expect(second.jobs).toMatchObject([{ name: "t1", constraints: { ngpus: 1 } }]);
    expect(second.remembered).toEqual({ t1: { ngpus: 1 } });
    expect(demand({}, { rules }, second.remembered as never).remembered).toEqual({});
  });
});

describe("a backlog longer than what is shown of it", () => {
  test("the rest is taken to be alike", () => {
    const messages = [message("t1"), message("t2"), message("t3", { task: "video.cut" })];
    const { jobs } = demand({ backlog: backlog(messages, 300) });
    expect(jobs.map(({ name, iterations }) => [name, iterations])).toEqual([
      ["work.sleep (default)", 200],
      ["video.cut (default)", 100],
    ]);
  });

  test("shown not at all, it is counted by queue", () => {
    const { jobs } = demand(
      { backlog: backlog([], 7) },
      { rules: [{ queue: "celery", constraints: { ngpus: 2 } }] },
    );
    expect(jobs).toEqual([
      {
        name: "any task of queue celery (rule 1)",
        constraints: { ngpus: 2 },
        queue: "celery",
        iterations: 7,
      },
    ]);
  });
});

test("tasks are called as they are, and long names that begin alike are told apart", () => {
  const long = "x".repeat(1_000);
  const names = ["../évil/<b>", `${long}1`, `${long}2`];
  const { jobs } = demand({ backlog: backlog(names.map((task, index) => message(`t${index}`, { task }))) });
  expect(jobs[0]?.name).toBe("../évil/<b> (default)");
  expect(new Set(jobs.map(({ name }) => name)).size).toBe(3);
  expect(Math.max(...jobs.map(({ name }) => name.length))).toBe(256);
});
