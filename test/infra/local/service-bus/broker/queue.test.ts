import { describe, expect, test } from "vitest";
import { contents, Inbox, lockMs, propertiesOf, text, world } from "./world.ts";

describe("delivery", () => {
  test("queue: a consumer never gets more than its credit", () => {
    const { queue } = world();
    const inbox = new Inbox({ room: 2 });
    queue.attach(inbox);
    queue.send([text("a"), text("b"), text("c")]);
    expect(inbox.texts).toEqual(["a", "b"]);
    inbox.room = 1;
    queue.pump();
    expect(inbox.texts).toEqual(["a", "b", "c"]);
  });

  test("queue: consumers share the messages in turns", () => {
    const { queue } = world();
    const inboxes = [new Inbox(), new Inbox()];
    for (const inbox of inboxes) queue.attach(inbox);
    queue.send(["a", "b", "c", "d"].map((value) => text(value)));
    expect(inboxes.map((inbox) => inbox.texts)).toEqual([
      ["a", "c"],
      ["b", "d"],
    ]);
  });

  test("queue: a name is found whatever its case", () => {
    const { broker, queue, deadLetters } = world();
    expect(broker.queue("WORK")).toBe(queue);
    expect(broker.queue("Work/$deadletterqueue")).toBe(deadLetters);
    expect(broker.queue("other")).toBeUndefined();
  });
});

describe("settling a locked message", () => {
  const rows = [
    { name: "complete removes it", outcome: { kind: "complete" }, texts: ["a"], counts: [0], dead: [] },
    {
      name: "abandon repeats it and counts",
      outcome: { kind: "abandon" },
      texts: ["a", "a"],
      counts: [0, 1],
      dead: [],
    },
    {
      name: "release repeats it without counting",
      outcome: { kind: "release" },
      texts: ["a", "a"],
      counts: [0, 0],
      dead: [],
    },
    {
      name: "dead-letter moves it",
      outcome: { kind: "dead-letter", edits: {} },
      texts: ["a"],
      counts: [0],
      dead: ["a ready"],
    },
  ] as const;

  test.each(rows)("queue: $name", ({ outcome, texts, counts, dead }) => {
    const { queue, deadLetters } = world();
    const inbox = new Inbox();
    queue.attach(inbox);
    queue.send([text("a")]);
    expect(queue.settle(inbox.token(), outcome)).toBeUndefined();
    expect(inbox.texts).toEqual(texts);
    expect(inbox.counts).toEqual(counts);
    expect(contents(deadLetters)).toEqual(dead);
  });

  test.each(rows)("queue: after its lock expired, $name is refused", ({ outcome }) => {
    const { queue, clock } = world();
    const inbox = new Inbox({ room: 1 });
    queue.attach(inbox);
    queue.send([text("a")]);
    clock.advance(lockMs);
    expect(queue.settle(inbox.token(), outcome)).toBe("message-lock-lost");
    expect(contents(queue)).toEqual(["a ready"]);
  });
});

describe("locks", () => {
  test("queue: a renewed lock lasts a whole duration from then on", () => {
    const { queue, clock } = world();
    const inbox = new Inbox();
    queue.attach(inbox);
    queue.send([text("a")]);
    clock.advance(lockMs - 1);
    expect(queue.renew([inbox.token()])).toEqual([clock.now() + lockMs]);
    clock.advance(lockMs - 1);
    expect(queue.settle(inbox.token(), { kind: "complete" })).toBeUndefined();
  });

  test("queue: a consumer that leaves keeps its locks until they expire", () => {
    const { queue, clock } = world();
    const gone = new Inbox();
    const { leave } = queue.attach(gone);
    queue.send([text("a")]);
    leave();
    const next = new Inbox();
    queue.attach(next);
    clock.advance(lockMs - 1);
    expect(next.texts).toEqual([]);
    clock.advance(1);
    expect(next.texts).toEqual(["a"]);
  });

  test("queue: an operation sees an expired lock even when no timer has fired", () => {
    const { queue, clock } = world();
    const inbox = new Inbox({ room: 1 });
    queue.attach(inbox);
    queue.send([text("a")]);
    // Time passes, but the wake-up is late.
    const late = clock.now() + lockMs;
    clock.now = () => late;
    expect(queue.settle(inbox.token(), { kind: "complete" })).toBe("message-lock-lost");
  });
});

describe("too many deliveries", () => {
  test.each([
    { name: "by abandoning", fail: "abandon" },
    { name: "by lock expiry", fail: "expire" },
  ])("queue: after MaxDeliveryCount failures $name a message is dead-lettered with a reason", ({ fail }) => {
    const { queue, deadLetters, clock } = world({ maxDeliveryCount: 2 });
    const inbox = new Inbox();
    queue.attach(inbox);
    queue.send([text("a")]);
    for (let attempt = 1; attempt <= 2; attempt++) {
      if (fail === "abandon") queue.settle(inbox.token(), { kind: "abandon" });
      else clock.advance(lockMs);
    }
    const [dead] = [...deadLetters.peek({ from: 0 })];
    expect(inbox.counts).toEqual([0, 1]);
    expect(dead?.message.deliveryCount).toBe(2);
    expect(dead && propertiesOf(dead)).toEqual({
      DeadLetterReason: "MaxDeliveryCountExceeded",
      DeadLetterErrorDescription: "Message could not be consumed after 2 delivery attempts.",
    });
  });

  test("queue: in a dead-letter queue deliveries are not limited, and nothing can be dead-lettered again", () => {
    const { queue, deadLetters } = world({ maxDeliveryCount: 1 });
    const inbox = new Inbox();
    queue.attach(inbox);
    queue.send([text("a")]);
    queue.settle(inbox.token(), { kind: "abandon" });
    const reader = new Inbox();
    deadLetters.attach(reader);
    deadLetters.pump();
    for (let attempt = 1; attempt <= 5; attempt++) deadLetters.settle(reader.token(), { kind: "abandon" });
    expect(reader.counts).toEqual([1, 2, 3, 4, 5, 6]);
    expect(deadLetters.settle(reader.token(), { kind: "dead-letter", edits: {} })).toBe(
      "dead-letter-not-supported",
    );
  });
});

describe("time to live", () => {
  test.each([
    { name: "its own, when shorter", ttlMs: 100, defaultTtlMs: 500, livesMs: 100 },
    { name: "the queue's, when its own is longer", ttlMs: 900, defaultTtlMs: 500, livesMs: 500 },
    { name: "the queue's, when it has none", ttlMs: undefined, defaultTtlMs: 500, livesMs: 500 },
  ])("queue: a message lives as long as $name", ({ ttlMs, defaultTtlMs, livesMs }) => {
    const { queue, clock } = world({ defaultTtlMs });
    queue.send([text("a", ttlMs === undefined ? {} : { ttlMs })]);
    clock.advance(livesMs - 1);
    expect(contents(queue)).toEqual(["a ready"]);
    clock.advance(1);
    expect(contents(queue)).toEqual([]);
  });

  test("queue: a locked message does not expire before it comes back", () => {
    const { queue, clock } = world();
    const inbox = new Inbox();
    queue.attach(inbox);
    queue.send([text("a", { ttlMs: 10 }), text("b", { ttlMs: 10 })]);
    clock.advance(20);
    expect(queue.settle(inbox.token(0), { kind: "complete" })).toBeUndefined();
    queue.settle(inbox.token(1), { kind: "abandon" });
    expect(inbox.texts).toEqual(["a", "b"]);
    expect(contents(queue)).toEqual([]);
  });

  test("queue: what is in the dead-letter queue never expires", () => {
    const { queue, deadLetters, clock } = world({ deadLetterExpired: true });
    queue.send([text("a", { ttlMs: 10 })]);
    clock.advance(10 * 24 * 3_600_000);
    expect(contents(deadLetters)).toEqual(["a ready"]);
  });
});

describe("schedules", () => {
  test("queue: a schedule in the past means now", () => {
    const { queue, clock } = world();
    queue.send([text("a", { scheduledAt: clock.now() })]);
    expect(contents(queue)).toEqual(["a ready"]);
  });

  test("queue: a scheduled message lives its time to live from its activation", () => {
    const { queue, clock } = world();
    queue.send([text("a", { scheduledAt: clock.now() + 100, ttlMs: 50 })]);
    clock.advance(149);
    expect(contents(queue)).toEqual(["a ready"]);
    clock.advance(1);
    expect(contents(queue)).toEqual([]);
  });
});

describe("duplicates", () => {
  test("queue: a repetition does not lengthen the window", () => {
    const { queue, clock } = world({ duplicateWindowMs: 100 });
    for (const wait of [0, 60, 40]) {
      clock.advance(wait);
      queue.send([text("a")]);
    }
    expect(contents(queue)).toEqual(["a ready", "a ready"]);
  });

  test("queue: a scheduled message counts from when it is sent, and a completed one still counts", () => {
    const { queue, clock } = world({ duplicateWindowMs: 100 });
    const inbox = new Inbox();
    queue.attach(inbox);
    queue.send([text("a", { scheduledAt: clock.now() + 10 })]);
    queue.send([text("a", { scheduledAt: clock.now() + 20 })]);
    clock.advance(30);
    queue.settle(inbox.token(), { kind: "complete" });
    queue.send([text("a")]);
    expect(inbox.texts).toEqual(["a"]);
  });
});

test("deadlines: ten thousand locks that are completed leave one timer and no heap behind", () => {
  const { queue, clock } = world();
  const inbox = new Inbox({ room: 10_000 });
  queue.attach(inbox);
  for (let index = 0; index < 10_000; index++) {
    queue.send([text(`m${index}`)]);
    queue.settle(inbox.token(), { kind: "complete" });
  }
  expect(contents(queue)).toEqual([]);
  expect(clock.armed).toBe(1);
});
