import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases } from "../../../../support/cases.ts";
import { contents, Inbox, lockMs, text, type World, world } from "./world.ts";

describe.each([
  { from: "the journal", records: ({ journal }: World) => [...journal] },
  { from: "a snapshot", records: ({ broker }: World) => [...broker.snapshot()] },
])("restart from $from", ({ records }) => {
  const restart = (bus: World) => bus.restarted(records(bus));

  test("restart: a schedule is kept, and what became due meanwhile appears at once", () => {
    const bus = world();
    bus.queue.send([100, 900].map((delay) => text(`${delay}`, { scheduledAt: bus.clock.now() + delay })));
    const kept = records(bus);
    bus.clock.advance(500);
    const next = bus.restarted(kept);
    next.queue.pump();
    expect(contents(next.queue)).toEqual(["900 scheduled", "100 ready"]);
    bus.clock.advance(400);
    expect(contents(next.queue)).toEqual(["100 ready", "900 ready"]);
  });

  test("restart: what expired meanwhile is dead-lettered", () => {
    const bus = world({ deadLetterExpired: true });
    bus.queue.send([text("a", { ttlMs: 100 })]);
    const kept = records(bus);
    bus.clock.advance(100);
    const next = bus.restarted(kept);
    expect(contents(next.queue)).toEqual([]);
    expect(contents(next.deadLetters)).toEqual(["a ready"]);
  });

  test("restart: the duplicate window goes on, also for completed messages", () => {
    const bus = world({ duplicateWindowMs: 100 });
    bus.queue.attach(new Inbox({ mode: "receive-and-delete" }));
    bus.queue.send([text("a")]);
    const next = restart(bus);
    bus.clock.advance(99);
    next.queue.send([text("a")]);
    expect(contents(next.queue)).toEqual([]);
    bus.clock.advance(1);
    next.queue.send([text("a")]);
    expect(contents(next.queue)).toEqual(["a ready"]);
  });

  test("restart: sequence numbers are never given twice", () => {
    const bus = world();
    bus.queue.attach(new Inbox({ mode: "receive-and-delete" }));
    bus.queue.send([text("a"), text("b")]);
    expect(restart(bus).queue.send([text("c")])).toEqual([3]);
  });
});

test("restart: whatever was done, journal and snapshot bring back the same queue", () => {
  const step = fc.oneof(
    fc.record({
      do: fc.constant("send" as const),
      id: fc.nat(5),
      delayMs: fc.nat(1500),
      ttlMs: fc.nat(4000),
    }),
    fc.record({ do: fc.constantFrom("complete", "abandon", "dead-letter", "receive"), at: fc.nat(9) }),
    fc.record({ do: fc.constant("wait" as const), ms: fc.nat(lockMs) }),
  );
  const property = fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
    const bus = world({ duplicateWindowMs: 700, deadLetterExpired: true, maxDeliveryCount: 2 });
    const inbox = new Inbox({ room: 0 });
    bus.queue.attach(inbox);
    for (const next of steps) run(next, { bus, inbox });
    // A restart frees every lock, so let them all run out first.
    inbox.room = 0;
    bus.clock.advance(lockMs);
    const views = [bus, bus.restarted(), bus.restarted([...bus.broker.snapshot()])].map(view);
    expect(views[1]).toEqual(views[0]);
    expect(views[2]).toEqual(views[0]);
  });
  fc.assert(property, cases(200));
});

type Step =
  | { readonly do: "send"; readonly id: number; readonly delayMs: number; readonly ttlMs: number }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: string; readonly at: number };

function run(step: Step, { bus, inbox }: { bus: World; inbox: Inbox }): void {
  if ("ms" in step) bus.clock.advance(step.ms);
  else if ("id" in step) {
    const scheduledAt = bus.clock.now() + step.delayMs;
    bus.queue.send([text(`m${step.id}`, { scheduledAt, ttlMs: step.ttlMs + 1 })]);
  } else if (step.do === "receive") {
    inbox.room = 1;
    bus.queue.pump();
  } else if (inbox.deliveries.length > 0) {
    const token = inbox.token(step.at % inbox.deliveries.length);
    if (step.do === "complete") bus.queue.settle(token, { kind: "complete" });
    else if (step.do === "abandon") bus.queue.settle(token, { kind: "abandon" });
    else bus.queue.settle(token, { kind: "dead-letter", edits: {} });
  }
}

/** Everything that a restart brings back. */
function view({ queue, deadLetters }: World) {
  return [queue, deadLetters].map((each) =>
    [...each.peek({ from: 0 })].map(({ message, phase }) => ({
      ...message,
      payload: Buffer.from(message.payload).toString(),
      scheduled: phase === "scheduled",
    })),
  );
}
