import { describe, expect, test } from "vitest";
import {
  accountFor,
  type Book,
  lastDayUse,
  openBook,
  type SeenNode,
  type Sight,
} from "../../../shared/accounting/index.ts";
import { rank } from "../../../shared/accounting/job-totals.ts";

const hour = 3_600;
const start = Date.UTC(2026, 10, 20) / 1_000;

function node(nodeId: string, use: SeenNode["use"]): SeenNode {
  const of = { nodeId, nodeArray: "htc", vmSize: "F4s", spot: false, usdPerHour: 1 };
  return { ...of, use, jobs: use === "jobs" ? [{ key: "pbs:1", share: 0.25 }] : [] };
}

function sight(hours: number, nodes: readonly SeenNode[]): Sight {
  const job = { key: "pbs:1", source: "pbs", name: "1", user: null, account: null, queue: null };
  const runs = nodes.some(({ use }) => use === "jobs");
  return { takenAtSeconds: start + hours * hour, nodes, jobs: runs ? [job] : [] };
}

function bookAfter([first, ...rest]: readonly Sight[]): Book {
  if (first === undefined) throw new Error("no sights");
  return rest.reduce(accountFor, openBook(first));
}

const inHours = (book: Book) =>
  Object.fromEntries(
    Object.entries(lastDayUse(book).nodeMs).map(([time, ms]) => [time, ms / (hour * 1_000)]),
  );

describe("lastDayUse", () => {
  test("each kind of use has its time, what jobs leave of a node included", () => {
    const nodes = [
      node("a", "jobs"),
      node("b", "idle"),
      node("c", "boot"),
      node("d", "failed"),
      node("e", "kept"),
    ];
    const book = bookAfter([sight(0, nodes), sight(0.5, nodes), sight(2.25, nodes)]);
    expect(inHours(book)).toEqual({ busy: 2.25, idle: 2.25, boot: 2.25, failed: 2.25, other: 2.25 });
    expect(lastDayUse(book)).toMatchObject({ fromSeconds: start, untilSeconds: start + 2.25 * hour });
  });

  test("no hour that began more than a day ago counts", () => {
    const sights = Array.from({ length: 40 }, (_, index) => sight(index + 0.5, [node("a", "idle")]));
    const book = bookAfter(sights);
    const { fromSeconds, untilSeconds } = lastDayUse(book);
    expect((untilSeconds - fromSeconds) / hour).toBe(23.5);
    expect(inHours(book).idle).toBe(23.5);
  });

  test("time before the accounts were opened is not claimed", () => {
    const book = bookAfter([sight(0.25, [node("a", "idle")]), sight(0.75, [node("a", "idle")])]);
    expect(lastDayUse(book).fromSeconds).toBe(start + 0.25 * hour);
    expect(inHours(book).idle).toBe(0.5);
  });

  test("a record that was lost goes on with the hours that were kept", () => {
    const before = bookAfter([sight(0, [node("a", "idle")]), sight(1.5, [node("a", "idle")])]);
    const { hours, days } = before.closed;
    const [first] = hours;
    if (first === undefined) throw new Error("no hour is closed");
    const yesterday = { ...first, fromSeconds: start - hour, untilSeconds: start };
    const opened = openBook(sight(2, [node("a", "idle")]), { hours: [yesterday, first], days });
    expect(opened.day.lines).toEqual(first.lines);
    expect(inHours(accountFor(opened, sight(2.5, [node("a", "idle")]))).idle).toBe(2.5);
  });

  test("a record that was lost goes on with the days of this month before today, and no others", () => {
    const of = { purpose: "idle", nodeArray: "htc", vmSize: "F4s", spot: false } as const;
    const nobody = { user: null, account: null, queue: null };
    const day = (date: number, nanoUsd: number) => {
      const fromSeconds = Date.UTC(2026, 10, date) / 1_000;
      const lines = [{ ...of, ...nobody, nodeMs: 1, nanoUsd, unpricedNodeMs: 0, runs: 0 }];
      return { fromSeconds, untilSeconds: fromSeconds + 24 * hour, lines, jobs: rank([]), nodes: [] };
    };
    const days = [day(0, 1), day(1, 10), day(19, 100), day(20, 1_000)];
    const { month } = openBook(sight(2, []), { hours: [], days });
    expect(month.sums.total.nanoUsd).toBe(110);
  });
});
