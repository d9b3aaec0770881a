import type { Book, BookNode } from "./book.ts";
import type { Amount, Line } from "./lines.ts";
import type { SeenJob } from "./sight.ts";
import { noSums, type SumDimension, type Sums, sumOf, withLines } from "./sums.ts";
import { Tally } from "./tally.ts";

/** Somebody whose costs are asked for: a node array, or the jobs of a user, account or queue. Null: jobs that name none. */
export interface Subject {
  readonly dimension: SumDimension;
  readonly names: readonly (string | null)[];
}

/** What the open hour, day and month cost until the nodes were seen last, and what an hour costs as they are used now. */
export interface Spent {
  readonly hour: Amount;
  readonly day: Amount;
  readonly month: Amount;
  readonly hourly: Amount;
}

export interface Stand {
  readonly total: Spent;
  readonly nodeArrays: readonly (Spent & { readonly name: string })[];
  /** One for each subject, in their order. */
  readonly subjects: readonly Spent[];
}

const msPerHour = 3_600_000;

/**
 * How a record stands. Nodes are split among their jobs only if somebody asks for people: with a hundred thousand jobs that
 * takes long, and a node costs the same split or whole.
 */
export function standOf(book: Book, subjects: readonly Subject[]): Stand {
  const asksForPeople = subjects.some(({ dimension }) => dimension !== "nodeArray");
  const linesOf = asksForPeople ? splitting(book) : wholeLines;
  const untilMs = Math.round(book.asOfSeconds * 1_000);
  const open = linesOf(book.nodes.map((node) => [node, node.sinceMs, untilMs]));
  const hour = withLines(withLines(noSums, book.hour.lines), open);
  const day = withLines(withLines(noSums, book.day.lines), open);
  const month = withLines(book.month.sums, open);
  const hourly = withLines(noSums, linesOf(book.nodes.map((node) => [node, 0, msPerHour])));
  const spent = (pick: (sums: Sums) => Amount): Spent => ({
    hour: pick(hour),
    day: pick(day),
    month: pick(month),
    hourly: pick(hourly),
  });
  const names = new Set([month, hourly].flatMap(({ by }) => by.nodeArray.map(({ name }) => name ?? "")));
  return {
    total: spent(({ total }) => total),
    nodeArrays: [...names].map((name) => ({
      name,
      ...spent((sums) => sumOf(sums, "nodeArray", [name])),
    })),
    subjects: subjects.map(({ dimension, names: wanted }) => spent((sums) => sumOf(sums, dimension, wanted))),
  };
}

type Stay = readonly [node: BookNode, fromMs: number, toMs: number];

function splitting({ running }: Book): (stays: readonly Stay[]) => Iterable<Line> {
  let jobs: ReadonlyMap<string, SeenJob> | undefined;
  const byKey = () => {
    jobs ??= new Map(running.map((run) => [run.key, run]));
    return jobs;
  };
  return (stays) => {
    const tally = new Tally(byKey);
    for (const [node, fromMs, toMs] of stays) tally.add(node, fromMs, toMs);
    return [...tally.lines().values()].flat();
  };
}

/** The same time and money, without saying whose. */
function wholeLines(stays: readonly Stay[]): Iterable<Line> {
  const tally = new Tally(() => new Map());
  for (const [node, fromMs, toMs] of stays) tally.add({ ...node, use: "idle", jobs: [] }, fromMs, toMs);
  return [...tally.lines().values()].flat();
}
