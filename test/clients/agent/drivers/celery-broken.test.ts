import { describe, expect, test } from "vitest";
import { checkReading } from "../../../../clients/agent/check-reading.ts";
import { celery } from "../../../../clients/agent/drivers/celery/celery.ts";
import type { Answers, Memory } from "../../../../clients/agent/drivers/driver.ts";

const configured = celery.configure({ app: "work", min_core_count: 0, warm_buffer: 0 });
if (!configured.ok) throw new Error(configured.problems.join("; "));
const { driver } = configured;

const nowSeconds = 1_795_300_000;
const worker = "celery@ip-1";
const task = (id: unknown, more: Readonly<Record<string, unknown>> = {}) => ({
  id,
  name: "work.sleep",
  delivery_info: { routing_key: "celery" },
  ...more,
});

/** What the workers and the broker say; empty but for what is given. */
function answers(
  replies: Readonly<Record<string, unknown>>,
  backlog: unknown = { queues: [], unacknowledged: [] },
): Answers {
  const said = {
    active: { [worker]: [] },
    reserved: { [worker]: [] },
    scheduled: { [worker]: [] },
    ...replies,
  };
  const texts = Object.entries({ ...said, backlog }).map(
    ([name, value]) => [name, { text: JSON.stringify(value), exitCode: 0 }] as const,
  );
  return Object.fromEntries(texts);
}

function read(said: Answers, memory: Memory = {}, atSeconds = nowSeconds) {
  const reading = driver.interpret(said, { nowSeconds: atSeconds, draining: new Map(), memory });
  if (!reading.known) throw new Error(reading.reason);
  const { jobs, nodes, setAside } = checkReading(reading);
  const running = jobs.filter(({ executingHostnames = [] }) => executingHostnames.length > 0);
  const waiting = jobs.filter(({ executingHostnames = [] }) => executingHostnames.length === 0);
  return {
    nodes,
    memory: reading.memory,
    notes: setAside.map(({ record }) => record),
    hosts: running.flatMap(({ executingHostnames = [] }) => executingHostnames),
    names: running.map(({ name }) => name),
    waiting: waiting.reduce((sum, { iterations = 1 }) => sum + iterations, 0),
  };
}

const brokenTasks = [
  ["an id of 257 characters", task("x".repeat(257))],
  ["an id of 65,000 characters", task("x".repeat(65_000))],
  ["an id with control characters", task("a\u0000\u001b[2J\nb|c")],
  ["no id", task(undefined)],
  ["an id that is a number", task(7)],
  ["an id that is a list", task([1])],
  ["an id of half a character", task("\ud83d")],
  ["no name", task("a", { name: null })],
  ["a name of bytes", task("a", { name: { type: "Buffer", data: [0, 255] } })],
  ["an id that cannot be compared", task({ length: { toString: 1, valueOf: 1 } })],
  ["a delivery that is no object", task("a", { delivery_info: "x" })],
  ["no object", "task"],
  ["null", null],
  ["a list", []],
] as const;

describe("a task that runs keeps its host", () => {
  test.each(brokenTasks)("with %s", (_, broken) => {
    expect(read(answers({ active: { [worker]: [broken] } })).hosts).toEqual(["ip-1"]);
  });

  test.each(brokenTasks)("with %s, also while its worker is silent", (_, broken) => {
    const { memory } = read(answers({ active: { [worker]: [broken] } }));
    const nobody = { active: {}, reserved: {}, scheduled: {} };
    expect(read(answers(nobody), JSON.parse(JSON.stringify(memory)), nowSeconds + 500).hosts).toEqual([
      "ip-1",
    ]);
  });

  test("when the ids of several begin alike for 256 characters, or are missing", () => {
    const start = "x".repeat(256);
    const active = {
      "celery@ip-1": [task(`${start}1`), task(undefined)],
      "celery@ip-2": [task(`${start}2`), task(undefined)],
    };
    const { hosts, names } = read(
      answers({
        active,
        reserved: { "celery@ip-1": [], "celery@ip-2": [] },
        scheduled: { "celery@ip-1": [], "celery@ip-2": [] },
      }),
    );
    expect(hosts.sort()).toEqual(["ip-1", "ip-1", "ip-2", "ip-2"]);
    expect(new Set(names).size).toBe(4);
  });

  test("when its worker answers with an error, for as long as it does", () => {
    const error = { error: "KeyError('x')" };
    const first = read(answers({ active: { [worker]: error } }));
    expect(first.hosts).toEqual(["ip-1"]);
    expect(read(answers({ active: { [worker]: error } }), first.memory, nowSeconds + 6_000).hosts).toEqual([
      "ip-1",
    ]);
    const well = read(answers({}), first.memory, nowSeconds + 6_000);
    expect(well.hosts).toEqual([]);
  });
});

describe("a task that a worker holds", () => {
  test.each(brokenTasks.slice(0, 3))("counts with %s", (_, broken) => {
    expect(read(answers({ reserved: { [worker]: [broken] } })).waiting).toBe(1);
  });

  test.each(brokenTasks.slice(3, 6))(
    "is left out and told with %s, and costs the others nothing",
    (_, broken) => {
      const reserved = { [worker]: [broken, task("good")] };
      const scheduled = {
        [worker]: [
          { eta: null, request: broken },
          { eta: null, request: task("also good") },
        ],
      };
      const { waiting, notes } = read(answers({ reserved, scheduled }));
      expect(waiting).toBe(2);
      expect(notes).toHaveLength(2);
    },
  );

  test.each(["soon", "+999999-01-01", 7, ""])(
    "for %j, which is no time: it is due now, or left out",
    (eta) => {
      const scheduled = { [worker]: [{ eta, request: task("a") }] };
      expect(read(answers({ scheduled })).waiting).toBeLessThanOrEqual(1);
    },
  );

  test("seen in the broker too, with the same long id: counts once", () => {
    const id = "x".repeat(300);
    const unacknowledged = [{ queue: "celery", headers: { id, task: "work.sleep" } }];
    const said = answers({ active: { [worker]: [task(id)] } }, { queues: [], unacknowledged });
    expect(read(said)).toMatchObject({ hosts: ["ip-1"], waiting: 0 });
  });
});

describe("a worker of no possible host", () => {
  test.each(["celery@", "celery@ ", `celery@${"h".repeat(256)}`])(
    "%.20s is set aside, and costs the others nothing",
    (name) => {
      const both = (tasks: readonly unknown[]) => ({ [name]: tasks, [worker]: tasks });
      const said = answers({ active: both([task(undefined)]), reserved: both([]), scheduled: both([]) });
      const { hosts, nodes, notes, waiting } = read(said);
      expect(hosts).toEqual(["ip-1"]);
      expect(nodes.map(({ hostname }) => hostname)).toEqual(["ip-1"]);
      expect(waiting).toBe(0);
      expect(notes.filter((note) => note.startsWith("worker"))).toHaveLength(1);
    },
  );
});

describe("what the broker shows", () => {
  const backlogOf = (length: number, headers: readonly unknown[]) => ({
    queues: [
      { name: "celery", length, messages: headers.map((each) => ({ queue: "celery", headers: each })) },
    ],
    unacknowledged: [],
  });

  test("messages that nobody can read are counted: they wait", () => {
    expect(
      read(answers({}, backlogOf(3, [{}, { id: 7, task: [] }, { id: null, eta: 7, expires: {} }]))).waiting,
    ).toBe(3);
  });

  test("a queue of a thousand million messages is as many as a message can say", () => {
    expect(read(answers({}, backlogOf(1_000_000_000, [{}]))).waiting).toBe(10_000_000);
  });

  test.each([
    ["HTML", "<html><body>502 Bad Gateway</body></html>"],
    ["half of it", '{"queues":[{"name":"celery","length":3,"mess'],
    ["null", "null"],
    ["a length that is no number", '{"queues":[{"name":"celery","length":"3","messages":[]}]}'],
    ["a length below zero", '{"queues":[{"name":"celery","length":-3,"messages":[]}]}'],
    ["no queues", '{"unacknowledged":[]}'],
    ["messages that are no list", '{"queues":[{"name":"celery","length":3,"messages":{}}]}'],
  ])("%s is unknown", (_, text) => {
    const said = { ...answers({}), backlog: { text, exitCode: 0 } };
    expect(driver.interpret(said, { nowSeconds, draining: new Map(), memory: {} }).known).toBe(false);
  });
});
