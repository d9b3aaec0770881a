import { describe, expect, test } from "vitest";
import { isMissing } from "../../../clients/agent/broker/read-rabbitmq.ts";
import { backlogOf } from "../../../clients/agent/broker/read-redis.ts";

/** Four lists a queue, one for each priority step: lengths, then contents, then what is unacknowledged. */
const empty = [0, 0, 0, 0, [], [], [], [], []];

describe("what Redis answers", () => {
  test("empty lists are an empty queue", () => {
    expect(backlogOf(empty, ["celery"], 10)).toEqual({
      queues: [{ name: "celery", length: 0, messages: [] }],
      unacknowledged: [],
    });
  });

  test.each([
    ["nothing", []],
    ["one answer too few", empty.slice(1)],
    ["one too many", [...empty, []]],
    ["an error in place of a length", [new Error("WRONGTYPE"), ...empty.slice(1)]],
    ["a length that is a text", ["0", ...empty.slice(1)]],
    ["a length below zero", [-1, ...empty.slice(1)]],
    ["no length", [null, ...empty.slice(1)]],
    ["no contents", [...empty.slice(0, 4), null, ...empty.slice(5)]],
    ["an error in place of what is unacknowledged", [...empty.slice(0, 8), new Error("WRONGTYPE")]],
    ["a hash in place of its values", [...empty.slice(0, 8), { tag: "[]" }]],
  ])("%s is an error, and never an empty queue", (_, answers) => {
    expect(() => backlogOf(answers, ["celery"], 10)).toThrow();
  });

  test("messages that nobody can decode are counted: the queue is as long as it is", () => {
    const junk = ["", "}{", "null", "[]", '{"headers":7}', "<html>", "\u0000"];
    const { queues } = backlogOf([100_000, 0, 0, 0, junk, [], [], [], []], ["celery"], 10);
    expect(queues).toEqual([
      { name: "celery", length: 100_000, messages: junk.map(() => ({ queue: "celery", headers: {} })) },
    ]);
  });

  test("of what is unacknowledged, entries that nobody can decode are told by number", () => {
    const entries = [
      "",
      "}{",
      "null",
      "{}",
      "[1,2]",
      '[{"headers":{"id":"a"}},"","celery"]',
      '[{},"","another"]',
    ];
    const read = backlogOf([...empty.slice(0, 8), entries], ["celery"], 10);
    expect(read.unacknowledged).toEqual([{ queue: "celery", headers: { id: "a" } }]);
    expect(read.unreadable).toBe(5);
  });
});

describe("a queue of RabbitMQ is empty because it is not there", () => {
  const refusal = (code: number, text: string) =>
    Object.assign(new Error(`Operation failed: QueueDeclare; ${code} with message "${text}"`), { code });

  test.each([
    [refusal(404, "NOT_FOUND - no queue 'celery' in vhost '/'"), true],
    [
      refusal(
        404,
        "NOT_FOUND - home node 'rabbit@b' of durable queue 'celery' in vhost '/' is down or inaccessible",
      ),
      false,
    ],
    [refusal(403, "ACCESS_REFUSED - access to queue 'celery' in vhost '/' refused"), false],
    [refusal(405, "RESOURCE_LOCKED - cannot obtain exclusive access to locked queue 'celery'"), false],
    [new Error("Channel ended, no reply will be forthcoming"), false],
    [undefined, false],
  ])("%s: %s", (error, missing) => {
    expect(isMissing(error)).toBe(missing);
  });
});
