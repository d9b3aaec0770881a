import { describe, expect, test } from "vitest";
import type { SessionLease } from "../../../../../infra/local/service-bus/broker/session.ts";
import { contents, Inbox, lockMs, text, type World, world } from "./world.ts";

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
  test("session: the empty string is a session id", () => {
    const bus = sessionWorld();
    const inbox = new Inbox();
    bus.queue.send(inSession("", "a"));
    expect(accept(bus, "", inbox).sessionId).toBe("");
    expect(inbox.texts).toEqual(["a"]);
  });
});

describe("accepting", () => {
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
});

describe("losing and giving up the lock", () => {
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
