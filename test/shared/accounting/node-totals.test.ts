import { expect, test } from "vitest";
import {
  accountFor,
  type Book,
  type DayPage,
  linesByNode,
  openBook,
  type SeenNode,
  type Sight,
  totalOf,
} from "../../../shared/accounting/index.ts";

const noon = Date.UTC(2026, 10, 22, 12) / 1_000;

const nodeOf = (index: number, use: SeenNode["use"], usdPerHour: number | null = 1): SeenNode => ({
  nodeId: `id-${index}`,
  name: `htc-${index}`,
  nodeArray: "htc",
  vmSize: "F2s",
  spot: false,
  usdPerHour,
  use,
  jobs: use === "jobs" ? [{ key: "slurm:1", share: 0.25 }] : [],
});

const sightAt = (takenAtSeconds: number, nodes: readonly SeenNode[]) => ({ takenAtSeconds, jobs: [], nodes });

function booksAfter(first: Book, sights: readonly Sight[]): readonly Book[] {
  let book = first;
  return sights.map((sight) => {
    book = accountFor(book, sight);
    return book;
  });
}

/** Purpose and hours of a node. */
function hoursOf(page: Parameters<typeof linesByNode>[0], node: string | null) {
  return linesByNode(page)
    .filter((line) => line.node === node)
    .map(({ purpose, nodeMs }) => [purpose, nodeMs / 3_600_000]);
}

test("a day has what each node was for, the node that idled for longest first", () => {
  const nodes = [nodeOf(1, "jobs"), nodeOf(2, "idle", 3), nodeOf(3, "idle", null)];
  const later = [...nodes, nodeOf(0, "idle", null)];
  const { day } = accountFor(openBook(sightAt(noon, nodes)), sightAt(noon + 4 * 3_600, later));
  expect(day.nodes.map(({ node }) => node)).toEqual(["htc-2", "htc-1", "htc-3", "htc-0"]);
  expect(hoursOf(day, "htc-1")).toEqual([
    ["unused", 3],
    ["job", 1],
  ]);
  expect(hoursOf(day, "htc-2")).toEqual([["idle", 4]]);
  expect(linesByNode(day).find(({ node }) => node === "htc-3")).toMatchObject({
    nanoUsd: 0,
    unpricedNodeMs: 4 * 3_600_000,
  });
  expect(hoursOf(day, null)).toEqual([]);
});

test("each day begins anew, and a closed day keeps its nodes", () => {
  const nodes = [nodeOf(1, "idle")];
  const book = accountFor(openBook(sightAt(noon, nodes)), sightAt(noon + 14 * 3_600, nodes));
  expect(book.closed.days.map((page) => hoursOf(page, "htc-1"))).toEqual([[["idle", 12]]]);
  expect(hoursOf(book.day, "htc-1")).toEqual([["idle", 2]]);
});

test("a job that ended stays with its day, whatever comes after it; the next day begins without", () => {
  const job = { key: "slurm:1", source: "slurm", name: "1", user: "ada", account: null, queue: null };
  const busy = [nodeOf(1, "jobs")];
  const idle = [nodeOf(1, "idle")];
  const seen = (seconds: number) => ({ ...sightAt(noon + seconds, busy), jobs: [job] });
  const [running = openBook(seen(0))] = booksAfter(openBook(seen(0)), [seen(600), seen(1_200)]).slice(-1);
  const after = booksAfter(
    running,
    [1, 2, 14].map((hours) => sightAt(noon + hours * 3_600, idle)),
  );
  const endedIn = ({ jobs }: DayPage) => jobs.dearest.map(({ key, runs }) => `${key}, ${runs} run`);
  expect(after.map(({ day }) => endedIn(day))).toEqual([["slurm:1, 1 run"], ["slurm:1, 1 run"], []]);
  expect(after.flatMap(({ closed }) => closed.days.map(endedIn))).toEqual([["slurm:1, 1 run"]]);
  expect(after.flatMap(({ closed }) => closed.days.map(({ lines }) => totalOf(lines).runs))).toEqual([1]);
});

test("a node's use begins anew when its size changes, and not while nothing changes", () => {
  const sizes = ["F2s", "F2s", "F4s"];
  const sights = sizes.map((vmSize, minute) =>
    sightAt(noon + 60 * minute, [{ ...nodeOf(1, "idle"), vmSize }]),
  );
  const [first = sightAt(noon, []), ...later] = sights;
  const books = booksAfter(openBook(first), later);
  expect(books.map(({ nodes }) => nodes[0]?.sinceMs)).toEqual([noon * 1_000, (noon + 90) * 1_000]);
});

/** The sums that lines by node share with the lines of their page. */
function sumOf(lines: Parameters<typeof totalOf>[0]) {
  const { nodeMs, nanoUsd, unpricedNodeMs } = totalOf(lines);
  return { nodeMs, nanoUsd, unpricedNodeMs };
}

test("of more nodes than a day names, the dearest stay, then those that cost most without a job; the others are a rest", () => {
  const nodes = Array.from({ length: 1_300 }, (_, index) =>
    nodeOf(index, index < 300 ? "idle" : "jobs", index < 300 ? 1 + index / 10_000 : 2),
  );
  const book = openBook(sightAt(noon, nodes));
  const { closed } = accountFor(book, sightAt(noon + 13 * 3_600, nodes));
  const [day] = closed.days;
  if (day === undefined) throw new Error("no day is closed");
  expect(day.nodes).toHaveLength(1_200);
  const idle = day.nodes.flatMap(({ node }) => (Number(node.slice(4)) < 300 ? [node] : [])) ?? [];
  expect([idle.length, idle[0], idle.at(-1)]).toEqual([200, "htc-299", "htc-100"]);
  expect(totalOf(linesByNode(day)).runs).toBe(0);
  expect(sumOf(linesByNode(day))).toEqual(sumOf(day.lines));
});

test("a node that came late is among the dearest, however many cost more when it came", () => {
  const early = Array.from({ length: 1_500 }, (_, index) => nodeOf(index, "jobs", 1));
  const late = nodeOf(9_999, "jobs", 3);
  let book = openBook(sightAt(noon, early));
  for (let hour = 1; hour <= 12; hour += 1)
    book = accountFor(book, sightAt(noon + hour * 3_600, hour < 4 ? early : [...early, late]));
  const [day] = book.closed.days;
  expect(day?.nodes?.[0]?.node).toBe("htc-9999");
  expect(hoursOf(day ?? book.day, "htc-9999").reduce((all, [, hours]) => all + Number(hours), 0)).toBe(8.5);
  expect(sumOf(linesByNode(day ?? book.day))).toEqual(sumOf(day?.lines ?? []));
});

test("of nodes that are gone only as many are kept as the day will name: a record does not grow with their number", () => {
  let book = openBook(sightAt(noon, []));
  for (let hour = 0; hour < 6; hour += 1) {
    const nodes = Array.from({ length: 900 }, (_, index) => nodeOf(hour * 1_000 + index, "idle", 1 + hour));
    book = accountFor(book, sightAt(noon + hour * 3_600 + 60, nodes));
    book = accountFor(book, sightAt(noon + hour * 3_600 + 3_000, []));
  }
  const { day } = book;
  expect(day.nodes.length).toBeLessThanOrEqual(1_200);
  expect(day.nodes[0]?.node).toBe("htc-5000");
  expect(sumOf(linesByNode(day))).toEqual(sumOf(day.lines));
});
