import { describe, expect, test } from "vitest";
import { sendersAfter } from "../../../../shared/cycle/demand/senders.ts";
import type { Senders } from "../../../../shared/ports/index.ts";

const start = Date.parse("2026-11-21T10:00:00Z") / 1000;

/** After messages of these senders, half a minute apart; `A-100` was sent 100 seconds earlier and came late. */
function sentBy(...messages: readonly string[]): Senders | undefined {
  let senders: Senders | undefined;
  for (const [index, text] of messages.entries()) {
    const [sender = "", late = "0"] = text.split("-");
    const nowSeconds = start + index * 30;
    const sentAt = new Date((nowSeconds - Number(late)) * 1000).toISOString();
    const message = sender === "" ? { sentAt } : { sender, sentAt };
    senders = sendersAfter(senders, message, { nowSeconds, ttlSeconds: 300 });
  }
  return senders;
}

describe("who sends the messages of a source", () => {
  test.each([
    ["one sender", ["A", "A", "A"]],
    ["a sender that was started again, twice", ["A", "A", "B", "B", "C"]],
    ["the last message of the old one, which a queue delivers late", ["A", "A", "B", "A-70", "B"]],
    ["senders that do not say who they are", ["", "", ""]],
    ["an unnamed message in between", ["A", "", "A"]],
  ])("no turns: %s", (_, messages) => {
    expect(sentBy(...messages)?.turns).toBeUndefined();
  });

  test("two that take turns are counted, from the first that came back", () => {
    const senders = sentBy("A", "B", "A", "A", "B", "A");
    expect(senders?.turns).toEqual({ count: 3, sinceSeconds: start + 60, untilSeconds: start + 150 + 300 });
    expect(senders?.known.map(({ id }) => id)).toEqual(["A", "B"]);
  });

  test("turns are forgotten after a time to live without any", () => {
    const turnsAfter = (messages: number) =>
      sentBy("A", "B", "A", ...Array.from({ length: messages }, () => "A"))?.turns;
    expect([turnsAfter(9)?.count, turnsAfter(10)]).toEqual([1, undefined]);
  });

  test("remembers only the last few senders", () => {
    expect(sentBy("A", "B", "C", "D", "E", "F")?.known.map(({ id }) => id)).toEqual(["F", "E", "D", "C"]);
  });
});
