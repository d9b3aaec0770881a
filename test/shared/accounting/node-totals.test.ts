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
  const { day } = accountFor(openBook(sightAt(noon, nodes)), sightAt(noon + 4 * 3_600, nodes));
  expect(day.nodes?.map(({ node }) => node)).toEqual(["htc-2", "htc-1", "htc-3"]);
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
  const running = openBook({ ...sightAt(noon, busy), jobs: [job] });
  const after = booksAfter(
    running,
    [1, 2, 14].map((hours) => sightAt(noon + hours * 3_600, idle)),
  );
  const endedIn = ({ jobs }: DayPage) => jobs.dearest.map(({ key }) => key);
  expect(after.map(({ day }) => endedIn(day))).toEqual([["slurm:1"], ["slurm:1"], []]);
  expect(after.flatMap(({ closed }) => closed.days.map(endedIn))).toEqual([["slurm:1"]]);
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

test("of more nodes than a day names, those that cost most without a job stay, and the others are a rest", () => {
  const nodes = Array.from({ length: 1_200 }, (_, index) =>
    nodeOf(index, index < 1_100 ? "idle" : "jobs", index % 7 === 0 ? 5 : 1 + index / 10_000),
  );
  const { day } = accountFor(openBook(sightAt(noon, nodes)), sightAt(noon + 3_600, nodes));
  expect(day.nodes).toHaveLength(1_000);
  const dear = nodes.filter(({ usdPerHour, use }) => usdPerHour === 5 && use === "idle");
  expect(new Set(day.nodes?.slice(0, dear.length).map(({ node }) => node))).toEqual(
    new Set(dear.map(({ name }) => name)),
  );
  const sum = ({ nodeMs, nanoUsd, unpricedNodeMs }: ReturnType<typeof totalOf>) => ({
    nodeMs,
    nanoUsd,
    unpricedNodeMs,
  });
  expect(sum(totalOf(linesByNode(day)))).toEqual(sum(totalOf(day.lines)));
  expect(hoursOf(day, null).reduce((all, [, hours]) => all + Number(hours), 0)).toBeCloseTo(200, 6);
});

test("of a day that an older program closed, everything is the rest", () => {
  const nodes = [nodeOf(1, "idle")];
  const { day } = accountFor(openBook(sightAt(noon, nodes)), sightAt(noon + 3_600, nodes));
  const { nodes: _, ...older } = day;
  expect(hoursOf(older, null)).toEqual([["idle", 1]]);
});
