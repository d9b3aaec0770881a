import type { Book, BookNode } from "./book.ts";
import { type Amount, msPerHour, plus } from "./lines.ts";
import { noSums, type SumDimension, type Sums, sumOf, withLines } from "./sums.ts";
import { Tally } from "./tally.ts";

/** A subject of costs: a node array, or the jobs of a user, account or queue. Null: jobs that name none. */
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

/**
 * The sums of a record. Nodes are added up whole, which gives the same total as splitting them among jobs in a hundredth of
 * the time. The owners' parts since the last count are split in fractions and rounded once: off by less than a millionth
 * of a dollar until the hour is closed.
 */
export function standOf(book: Book, subjects: readonly Subject[]): Stand {
  const closed = { hour: withLines(noSums, book.hour.lines), day: withLines(noSums, book.day.lines) };
  const untilMs = Math.round(book.asOfSeconds * 1_000);
  const open = wholeLines(book.nodes, ({ sinceMs }) => [sinceMs, untilMs]);
  const sums = {
    hour: withLines(closed.hour, open),
    day: withLines(closed.day, open),
    month: withLines(book.month.sums, open),
    hourly: withLines(
      noSums,
      wholeLines(book.nodes, () => [0, msPerHour]),
    ),
  };
  const spent = (pick: (sums: Sums) => Amount): Spent => ({
    hour: pick(sums.hour),
    day: pick(sums.day),
    month: pick(sums.month),
    hourly: pick(sums.hourly),
  });
  const ofPeople = peopleIn(book, subjects, untilMs);
  const arrays = [sums.month, sums.hourly].flatMap(({ by }) => by.nodeArray.map(({ name }) => name ?? ""));
  return {
    total: spent(({ total }) => total),
    nodeArrays: [...new Set(arrays)].map((name) => ({
      name,
      ...spent((each) => sumOf(each, "nodeArray", [name])),
    })),
    subjects: subjects.map((subject) => {
      const { dimension, names } = subject;
      const now = ofPeople.get(subject);
      if (now === undefined) return spent((each) => sumOf(each, dimension, names));
      const and = (each: Sums) => plus(sumOf(each, dimension, names), now.open);
      const { hour, day } = closed;
      return { hour: and(hour), day: and(day), month: and(book.month.sums), hourly: now.hourly };
    }),
  };
}

/** The time and money of nodes, not split by owner. */
function wholeLines(
  nodes: readonly BookNode[],
  spanOf: (node: BookNode) => readonly [fromMs: number, toMs: number],
) {
  const tally = new Tally(() => new Map());
  for (const node of nodes) tally.add({ ...node, use: "idle", jobs: [] }, ...spanOf(node));
  return [...tally.lines().values()].flat();
}

/** Fractional sums, changed in place because a node may have many jobs. */
interface Fractions {
  nodeHours: number;
  nanoUsd: number;
  unpricedHours: number;
}

interface Share {
  readonly subject: Subject;
  readonly open: Fractions;
  readonly hourly: Fractions;
}

/** The owners' parts of the nodes since the last count, and their rates per hour. */
function peopleIn(
  { nodes, running }: Book,
  subjects: readonly Subject[],
  untilMs: number,
): ReadonlyMap<Subject, { readonly open: Amount; readonly hourly: Amount }> {
  const shares = subjects
    .filter(({ dimension }) => dimension !== "nodeArray")
    .map((subject): Share => ({ subject, open: noFractions(), hourly: noFractions() }));
  if (shares.length === 0) return new Map();
  const byJob = sharesByJob(running, shares);
  for (const { jobs, usdPerHour, sinceMs } of nodes) {
    if (jobs.length === 0) continue;
    let taken = 0;
    for (const { share } of jobs) taken += share;
    const openHours = (untilMs - sinceMs) / msPerHour;
    for (const { key, share } of jobs)
      for (const { open, hourly } of byJob.get(key) ?? []) {
        const part = share / Math.max(1, taken);
        addHours(open, openHours * part, usdPerHour);
        addHours(hourly, part, usdPerHour);
      }
  }
  return new Map(
    shares.map(({ subject, open, hourly }) => [subject, { open: amountOf(open), hourly: amountOf(hourly) }]),
  );
}

/** The requested subjects that each job belongs to. Most jobs share one list. */
function sharesByJob(
  running: Book["running"],
  shares: readonly Share[],
): ReadonlyMap<string, readonly Share[]> {
  const byJob = new Map<string, readonly Share[]>();
  for (const dimension of ["user", "account", "queue"] as const) {
    const byName = new Map<string | null, Share[]>();
    for (const share of shares)
      if (share.subject.dimension === dimension)
        for (const name of share.subject.names) byName.set(name, [...(byName.get(name) ?? []), share]);
    if (byName.size === 0) continue;
    for (const run of running) {
      const more = byName.get(run[dimension]);
      if (more === undefined) continue;
      const othersOfJob = byJob.get(run.key);
      byJob.set(run.key, othersOfJob === undefined ? more : [...othersOfJob, ...more]);
    }
  }
  return byJob;
}

function noFractions(): Fractions {
  return { nodeHours: 0, nanoUsd: 0, unpricedHours: 0 };
}

function addHours(sum: Fractions, nodeHours: number, usdPerHour: number | null): void {
  sum.nodeHours += nodeHours;
  if (usdPerHour === null) sum.unpricedHours += nodeHours;
  else sum.nanoUsd += usdPerHour * 1e9 * nodeHours;
}

function amountOf({ nodeHours, nanoUsd, unpricedHours }: Fractions): Amount {
  return {
    nodeMs: Math.round(nodeHours * msPerHour),
    nanoUsd: Math.round(nanoUsd),
    unpricedNodeMs: Math.round(unpricedHours * msPerHour),
    runs: 0,
  };
}
