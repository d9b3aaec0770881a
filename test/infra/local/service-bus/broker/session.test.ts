import { describe, expect, test } from "vitest";
import type { SessionLease } from "../../../../../infra/local/service-bus/broker/session.ts";
import { contents, Inbox, lockMs, text, textOf, type World, world } from "./world.ts";

const inSession = (session: string, ...values: string[]) =>
  values.map((value) => text(value, { sessionId: session }));

function sessionsOf({ queue }: World) {
  if (queue.sessions === undefined) throw new Error("The queue has no sessions");
  return queue.sessions;
}

/** Accepts a session that nobody holds. */
function accept(bus: World, id: string, inbox = new Inbox()): SessionLease {
  const lease = sessionsOf(bus).accept(id, inbox);
  if (typeof lease === "string") throw new Error(`Refused: ${lease}`);
  return lease;
}

/** Asks for the next session and remembers what it was told. */
function waitForNext(bus: World, options: { waitMs?: number; inbox?: Inbox } = {}) {
  const answers: (SessionLease | undefined)[] = [];
  const cancel = sessionsOf(bus).acceptNext(options.inbox ?? new Inbox(), {
    waitMs: options.waitMs ?? 500,
    answer: (lease) => answers.push(lease),
  });
  return { answers, cancel };
}

const sessionWorld = () => world({ requiresSession: true });

describe("sending", () => {
  test("session: one message without a session id refuses the whole batch", () => {
    const { queue } = sessionWorld();
    expect(queue.send([...inSession("s", "a"), text("b")])).toBe("session-id-missing");
    expect(contents(queue)).toEqual([]);
  });

  test("session: the empty string is a session id", () => {
    const bus = sessionWorld();
    const inbox = new Inbox();
    bus.queue.send(inSession("", "a"));
    expect(accept(bus, "", inbox).sessionId).toBe("");
    expect(inbox.texts).toEqual(["a"]);
  });
});

describe("accepting", () => {
  test("session: only its own messages arrive, in order, also those sent later", () => {
    const bus = sessionWorld();
    const inbox = new Inbox();
    bus.queue.send([...inSession("s", "a"), ...inSession("t", "x"), ...inSession("s", "b")]);
    accept(bus, "s", inbox);
    bus.queue.send([...inSession("t", "y"), ...inSession("s", "c")]);
    expect(inbox.texts).toEqual(["a", "b", "c"]);
  });

  test("session: a second receiver is refused while the first one holds the lock", () => {
    const bus = sessionWorld();
    const lease = accept(bus, "s");
    expect(sessionsOf(bus).accept("s", new Inbox())).toBe("session-cannot-be-locked");
    lease.release();
    expect(accept(bus, "s").sessionId).toBe("s");
  });

  test("session: the next one is the free one with the oldest message", () => {
    const bus = sessionWorld();
    bus.queue.send([...inSession("held", "1"), ...inSession("old", "2"), ...inSession("new", "3")]);
    accept(bus, "held");
    expect(waitForNext(bus).answers.map((lease) => lease?.sessionId)).toEqual(["old"]);
    expect(waitForNext(bus).answers.map((lease) => lease?.sessionId)).toEqual(["new"]);
  });

  test("session: whoever waits longest gets the first session that appears", () => {
    const bus = sessionWorld();
    const waiters = [waitForNext(bus), waitForNext(bus)];
    bus.queue.send([...inSession("s", "a"), ...inSession("t", "b")]);
    expect(waiters.map(({ answers }) => answers[0]?.sessionId)).toEqual(["s", "t"]);
  });

  test("session: waiting ends with nothing when the time is over", () => {
    const bus = sessionWorld();
    const { answers } = waitForNext(bus, { waitMs: 500 });
    bus.clock.advance(499);
    expect(answers).toEqual([]);
    bus.clock.advance(1);
    expect(answers).toEqual([undefined]);
    bus.queue.send(inSession("s", "a"));
    expect(answers).toHaveLength(1);
  });

  test("session: who has given up waiting is not given a session", () => {
    const bus = sessionWorld();
    const gone = waitForNext(bus);
    const here = waitForNext(bus);
    gone.cancel();
    bus.queue.send(inSession("s", "a"));
    expect(gone.answers).toEqual([]);
    expect(here.answers.map((lease) => lease?.sessionId)).toEqual(["s"]);
  });

  test("session: a scheduled message wakes a waiter when its time comes", () => {
    const bus = sessionWorld();
    bus.queue.send([text("a", { sessionId: "s", scheduledAt: bus.clock.now() + 100 })]);
    const { answers } = waitForNext(bus);
    bus.clock.advance(99);
    expect(answers).toEqual([]);
    bus.clock.advance(1);
    expect(answers.map((lease) => lease?.sessionId)).toEqual(["s"]);
  });
});

describe("losing and giving up the lock", () => {
  test("session: released messages are free at once and were not counted", () => {
    const bus = sessionWorld();
    bus.queue.send(inSession("s", "a", "b"));
    accept(bus, "s").release();
    const inbox = new Inbox();
    accept(bus, "s", inbox);
    expect(inbox.texts).toEqual(["a", "b"]);
    expect(inbox.counts).toEqual([0, 0]);
  });

  test("session: when the lock expires its holder is told, and what it held counts as failed", () => {
    const bus = sessionWorld();
    const inbox = new Inbox();
    bus.queue.send(inSession("s", "a", "b"));
    const lease = accept(bus, "s", inbox);
    bus.clock.advance(lockMs);
    expect(inbox.lostSessions).toBe(1);
    expect(bus.queue.settle(inbox.token(), { kind: "complete" })).toBe("session-lock-lost");
    expect(lease.renew()).toBe("session-lock-lost");
    const next = new Inbox();
    accept(bus, "s", next);
    expect(next.texts).toEqual(["a", "b"]);
    expect(next.counts).toEqual([1, 1]);
  });

  test("session: an expired lock goes to whoever waits", () => {
    const bus = sessionWorld();
    bus.queue.send(inSession("s", "a"));
    accept(bus, "s");
    const { answers } = waitForNext(bus, { waitMs: lockMs * 2 });
    bus.clock.advance(lockMs);
    expect(answers.map((lease) => lease?.sessionId)).toEqual(["s"]);
  });

  test("session: renewing keeps the lock, and with it the locks of its messages", () => {
    const bus = sessionWorld();
    const inbox = new Inbox();
    bus.queue.send(inSession("s", "a"));
    const lease = accept(bus, "s", inbox);
    bus.clock.advance(lockMs - 1);
    expect(lease.renew()).toBe(bus.clock.now() + lockMs);
    bus.clock.advance(lockMs - 1);
    expect(bus.queue.settle(inbox.token(), { kind: "complete" })).toBeUndefined();
    expect(inbox.lostSessions).toBe(0);
  });

  test("session: releasing a lease that was lost does not take the session from its next holder", () => {
    const bus = sessionWorld();
    const lost = accept(bus, "s");
    bus.clock.advance(lockMs);
    const held = accept(bus, "s");
    lost.release();
    expect(held.renew()).toBeTypeOf("number");
  });

  test("session: after MaxDeliveryCount lost locks a message is dead-lettered and the next one leads", () => {
    const bus = world({ requiresSession: true, maxDeliveryCount: 2 });
    bus.queue.send(inSession("s", "a"));
    for (let attempt = 1; attempt <= 2; attempt++) {
      accept(bus, "s", new Inbox({ room: 1 }));
      bus.clock.advance(lockMs);
    }
    bus.queue.send(inSession("s", "b"));
    expect(contents(bus.deadLetters)).toEqual(["a ready"]);
    expect(contents(bus.queue)).toEqual(["b ready"]);
  });
});

describe("order", () => {
  test("session: an abandoned message comes before those that were not delivered yet", () => {
    const bus = sessionWorld();
    const inbox = new Inbox({ room: 1 });
    bus.queue.send(inSession("s", "a", "b"));
    accept(bus, "s", inbox);
    bus.queue.settle(inbox.token(), { kind: "abandon" });
    inbox.room = 2;
    bus.queue.pump("s");
    expect(inbox.texts).toEqual(["a", "a", "b"]);
  });

  test("session: messages given back out of order are in order for the next holder", () => {
    const bus = sessionWorld();
    const inbox = new Inbox({ room: 3 });
    bus.queue.send(inSession("s", "a", "b", "c"));
    const lease = accept(bus, "s", inbox);
    inbox.room = 1;
    bus.queue.settle(inbox.token(0), { kind: "abandon" });
    const waiting = new Inbox();
    waitForNext(bus, { inbox: waiting });
    lease.release();
    expect(waiting.texts).toEqual(["a", "b", "c"]);
  });
});

test("session: peek can be narrowed to one session", () => {
  const { queue } = sessionWorld();
  queue.send([...inSession("s", "a"), ...inSession("t", "b")]);
  const seen = [...queue.peek({ from: 0, sessionId: "t" })].map(({ message }) => textOf(message.payload));
  expect(seen).toEqual(["b"]);
});

test("session: dead letters are read without sessions", () => {
  const bus = sessionWorld();
  const inbox = new Inbox();
  bus.queue.send(inSession("s", "a"));
  accept(bus, "s", inbox);
  bus.queue.settle(inbox.token(), { kind: "dead-letter", edits: {} });
  const reader = new Inbox();
  bus.deadLetters.attach(reader);
  bus.deadLetters.pump();
  expect(reader.texts).toEqual(["a"]);
});
