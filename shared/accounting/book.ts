import { type AsideLine, asideIn, mergeAside } from "./aside.ts";
import { daySeconds, hourSeconds, monthStart, startOf } from "./calendar.ts";
import { type HourUse, lastHours } from "./day-use.ts";
import {
  isSameOwner,
  type JobTotal,
  onTheirNodes,
  type RankedJobs,
  rank,
  runningNow,
  withSettled,
} from "./job-totals.ts";
import { type Line, nothing } from "./lines.ts";
import { NodeTally, type NodeTotal, named, withMore } from "./node-totals.ts";
import { emptyPage, type Page, turnPages } from "./pages.ts";
import type { SeenAside, SeenJob, SeenNode, Sight } from "./sight.ts";
import { noSums, type Sums, withLines } from "./sums.ts";
import { mergeLines, Tally } from "./tally.ts";

export interface DayPage extends Page {
  /** The dearest jobs that ended on this day, and the sum of the others. */
  readonly jobs: RankedJobs;
  /** Nodes with what each cost, the dearest first; of the open day all that are there. */
  readonly nodes: readonly NodeTotal[];
}

/** Complete: the same page or job written twice overwrites itself. */
export interface Closed {
  readonly hours: readonly Page[];
  readonly days: readonly DayPage[];
  readonly jobs: readonly JobTotal[];
}

interface MonthPage extends Pick<Page, "fromSeconds"> {
  readonly sums: Sums;
}

interface DayCost extends Pick<Page, "fromSeconds"> {
  readonly nanoUsd: number;
  readonly nodeArrays: readonly { readonly name: string; readonly nanoUsd: number }[];
}

/** A node with its use since some moment. What it had before is in the pages; the time since then is in none. */
export interface BookNode extends SeenNode {
  readonly sinceMs: number;
}

/**
 * The open accounts of a cluster: the nodes as they were seen last, the hour and the day that are not over, the jobs that run.
 * It is one record, saved as a whole: a run that dies before the save has counted nothing, and a repeated run starts from
 * the same record. A node's time is counted when its use changes, and at full hours.
 */
export interface Book {
  /** When the nodes were seen last. Unix seconds. */
  readonly asOfSeconds: number;
  readonly nodes: readonly BookNode[];
  readonly hour: Page;
  readonly day: DayPage;
  /** The month that is not over: what its days cost together, to the last unit. */
  readonly month: MonthPage;
  /** The last whole days, the oldest first: the forecast is made from them. */
  readonly lastDays: readonly DayCost[];
  /** The last whole hours, the oldest first: what nodes were used for. */
  readonly lastHours: readonly HourUse[];
  /** When the first nodes were seen. The day of that moment is not whole. */
  readonly openedAtSeconds: number;
  /** Totals of the running jobs, without the time since `sinceMs` of their nodes. */
  readonly running: readonly JobTotal[];
  /** What was paid beside nodes when they were seen last. The time until then is in the pages. Absent: nothing. */
  readonly aside?: readonly SeenAside[];
  /** Closed with this record. They are written to their places before a later record leaves them out. */
  readonly closed: Closed;
}

/** Pages of this month that earlier records closed. */
export interface EarlierPages {
  readonly hours: readonly Page[];
  readonly days: readonly DayPage[];
}

const neverKept: EarlierPages = { hours: [], days: [] };

/**
 * The first record: nothing was seen before, so nothing is counted. If there were records before and the open one was lost, the
 * pages that they closed still count: a month that begins anew would let a spent budget be spent again.
 */
export function openBook(sight: Sight, earlier: EarlierPages = neverKept): Book {
  const { takenAtSeconds } = sight;
  const sinceMs = msOf(takenAtSeconds);
  const today = startOf(takenAtSeconds, daySeconds);
  const monthSeconds = monthStart(takenAtSeconds);
  const hours = earlier.hours.filter(({ fromSeconds }) => fromSeconds >= today);
  const days = earlier.days.filter(({ fromSeconds }) => fromSeconds >= monthSeconds && fromSeconds < today);
  const ofToday = mergeLines([], ...hours.map(({ lines }) => lines));
  const aside = mergeAside(...hours.map((hour) => hour.aside));
  const ofMonth = [...days.flatMap(({ lines }) => lines), ...ofToday];
  return {
    asOfSeconds: takenAtSeconds,
    nodes: sight.nodes.map((node) => ({ ...node, sinceMs })),
    hour: emptyPage(takenAtSeconds, hourSeconds),
    day: {
      ...emptyPage(takenAtSeconds, daySeconds),
      lines: ofToday,
      jobs: rank([]),
      nodes: [],
      ...(aside.length > 0 && { aside }),
    },
    month: { fromSeconds: monthSeconds, sums: withLines(noSums, ofMonth) },
    lastDays: [],
    lastHours: lastHours([], earlier.hours),
    openedAtSeconds: takenAtSeconds,
    running: runningNow(new Map(), sight),
    ...(sight.aside && { aside: sight.aside }),
    closed: noneClosed,
  };
}

/**
 * The record after one more sight; the same record for a sight that is not newer. When a node's use changed between two
 * sights, half of the time goes to the earlier use and half to the later. A node that only one of them shows existed for
 * half of the time.
 */
export function accountFor(book: Book, sight: Sight): Book {
  const { takenAtSeconds: untilSeconds } = sight;
  if (untilSeconds <= book.asOfSeconds) return book;
  const [fromMs, untilMs] = [msOf(book.asOfSeconds), msOf(untilSeconds)];
  const middleMs = Math.floor((fromMs + untilMs) / 2);
  // Usually the same jobs run on in the same order, and no lookup is needed.
  const hasSameJobs = isSameList(book.running, sight.jobs);
  const runningBefore = once(() => byKey(book.running));
  const running = hasSameJobs ? book.running : runningNow(runningBefore(), sight);
  const current = hasSameJobs ? runningBefore : once(() => byKey(running));
  const byNode = new NodeTally();
  const [tally, after] = [new Tally(runningBefore, { nodes: byNode }), new Tally(current, { nodes: byNode })];
  const hourMs = startOf(untilSeconds, hourSeconds) * 1_000;
  const renamed = hasSameJobs ? noKeys : renamedIn(running, runningBefore());
  const nodes = changedNodes(book.nodes, sight.nodes, {
    middleMs,
    isOther: ({ jobs }) => jobs.some(({ key }) => renamed.has(key)),
    end: (node) => tally.add(node, node.sinceMs, middleMs),
  });
  // A closed page has all of its time, so nodes that run on count from the full hour.
  const settled = nodes.map((node) => {
    if (node.sinceMs >= hourMs) return node;
    after.add(node, node.sinceMs, hourMs);
    return { ...node, sinceMs: hourMs };
  });
  const gone = hasSameJobs ? [] : book.running.filter(({ key }) => !current().has(key));
  const aside = asideIn([
    { seen: book.aside ?? [], fromMs, untilMs: middleMs },
    { seen: sight.aside ?? [], fromMs: middleMs, untilMs },
  ]);
  const next = close(book, {
    untilSeconds,
    nodes: settled,
    running,
    gone,
    tallies: [tally, after],
    byNode,
    aside,
  });
  return { ...next, ...(sight.aside && { aside: sight.aside }) };
}

const noKeys: ReadonlySet<string> = new Set();

function isSameList(running: readonly JobTotal[], jobs: readonly SeenJob[]): boolean {
  return (
    running.length === jobs.length &&
    running.every((run, index) => {
      const job = jobs[index];
      return job !== undefined && job.key === run.key && isSameOwner(run, job);
    })
  );
}

/** Computes a value at its first use. */
function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function byKey(totals: readonly JobTotal[]): ReadonlyMap<string, JobTotal> {
  const map = new Map<string, JobTotal>();
  for (const total of totals) map.set(total.key, total);
  return map;
}

/** Jobs that run on and belong to somebody else now. */
function renamedIn(
  running: readonly JobTotal[],
  runningBefore: ReadonlyMap<string, JobTotal>,
): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const run of running) {
    const before = runningBefore.get(run.key);
    if (before !== undefined && before !== run) keys.add(run.key);
  }
  return keys;
}

/** The nodes as they are now. `end` is called with each use that ended at the middle of the interval. */
function changedNodes(
  before: readonly BookNode[],
  now: readonly SeenNode[],
  {
    middleMs,
    isOther,
    end,
  }: {
    readonly middleMs: number;
    /** Whether a node has other owners although its use looks the same. */
    readonly isOther: (node: SeenNode) => boolean;
    readonly end: (node: BookNode) => void;
  },
): readonly BookNode[] {
  const nodesBefore = new Map(before.map((node) => [node.nodeId, node]));
  const nodes = now.map((node): BookNode => {
    const old = nodesBefore.get(node.nodeId);
    nodesBefore.delete(node.nodeId);
    if (old !== undefined && isSameUse(old, node) && !isOther(node)) return old;
    if (old !== undefined) end(old);
    return { ...node, sinceMs: middleMs };
  });
  for (const gone of nodesBefore.values()) end(gone);
  return nodes;
}

function isSameUse(a: SeenNode, b: SeenNode): boolean {
  return (
    a.use === b.use &&
    a.usdPerHour === b.usdPerHour &&
    a.vmSize === b.vmSize &&
    a.nodeArray === b.nodeArray &&
    a.spot === b.spot &&
    a.jobs.length === b.jobs.length &&
    a.jobs.every((job, index) => job.key === b.jobs[index]?.key && job.share === b.jobs[index]?.share)
  );
}

function close(
  book: Book,
  now: {
    readonly untilSeconds: number;
    readonly nodes: readonly BookNode[];
    readonly running: readonly JobTotal[];
    readonly gone: readonly JobTotal[];
    readonly tallies: readonly Tally[];
    readonly byNode: NodeTally;
    readonly aside: ReadonlyMap<number, readonly AsideLine[]>;
  },
): Book {
  const { untilSeconds, nodes, tallies, aside } = now;
  const settle = (totals: readonly JobTotal[]) =>
    tallies.reduce((sums, { byJob }) => withSettled(sums, byJob), totals);
  const ended = onTheirNodes(settle(now.gone), book.nodes).map((total) => ({
    ...total,
    lastSeconds: book.asOfSeconds,
    runs: 1,
  }));
  const byHour = linesByHour([...tallies.map((tally) => tally.lines()), endsOf(ended)]);
  const hours = turnPages(book.hour, { lines: byHour, aside }, { untilSeconds, lengthSeconds: hourSeconds });
  const days = turnPages(book.day, { lines: byHour, aside }, { untilSeconds, lengthSeconds: daySeconds });
  const there = once(() => new Set(nodes.map(({ nodeId, name = nodeId }) => name)));
  const isThere = (node: string) => there().has(node);
  const dayOf = (page: Page): DayPage => {
    // Jobs that ended were last seen on the day of the record before.
    const isSame = page.fromSeconds === book.day.fromSeconds;
    return {
      ...page,
      jobs: isSame ? rank(ended, book.day.jobs) : rank([]),
      nodes: withMore(isSame ? book.day.nodes : [], now.byNode.of(page.fromSeconds), isThere),
    };
  };
  const closedDays = days.closed.map(dayOf);
  return {
    asOfSeconds: untilSeconds,
    nodes,
    hour: hours.open,
    day: dayOf(days.open),
    month: monthWith(book.month, byHour, untilSeconds),
    lastDays: lastDays(book, closedDays),
    lastHours: lastHours(book.lastHours, hours.closed),
    openedAtSeconds: book.openedAtSeconds,
    running: settle(now.running),
    closed: {
      hours: hours.closed,
      days: closedDays.map((page) => ({ ...page, nodes: named(page.nodes) })),
      jobs: ended,
    },
  };
}

/** The open month with lines that belong to it, by the start of their hour; or the month that has begun since. */
function monthWith(
  open: MonthPage,
  byHour: ReadonlyMap<number, readonly Line[]>,
  untilSeconds: number,
): MonthPage {
  const fromSeconds = monthStart(untilSeconds);
  const lines = [...byHour].flatMap(([hour, more]) => (hour >= fromSeconds ? more : []));
  if (fromSeconds === open.fromSeconds && lines.length === 0) return open;
  return { fromSeconds, sums: withLines(fromSeconds === open.fromSeconds ? open.sums : noSums, lines) };
}

/** Each day of the week once. */
const daysLookedAt = 7;

function lastDays({ lastDays, openedAtSeconds }: Book, closed: readonly DayPage[]): readonly DayCost[] {
  const whole = closed.filter(({ fromSeconds }) => fromSeconds >= openedAtSeconds);
  const added = whole.map(({ fromSeconds, lines }): DayCost => {
    const { total, by } = withLines(noSums, lines);
    const nodeArrays = by.nodeArray.map(({ name, nanoUsd }) => ({ name: name ?? "", nanoUsd }));
    return { fromSeconds, nanoUsd: total.nanoUsd, nodeArrays };
  });
  return [...lastDays, ...added].slice(-daysLookedAt);
}

/** The record with the time of all nodes until they were last seen, for readers that add it up. */
export function settled(book: Book): Book {
  const untilMs = msOf(book.asOfSeconds);
  const byNode = new NodeTally();
  const tally = new Tally(
    once(() => byKey(book.running)),
    { nodes: byNode },
  );
  for (const node of book.nodes) tally.add(node, node.sinceMs, untilMs);
  const byHour = tally.lines();
  const merge = <T extends Page>(page: T): T => ({
    ...page,
    untilSeconds: book.asOfSeconds,
    lines: mergeLines(page.lines, ...byHour.values()),
  });
  return {
    ...book,
    nodes: book.nodes.map((node) => ({ ...node, sinceMs: untilMs })),
    hour: merge(book.hour),
    day: {
      ...merge(book.day),
      nodes: named(withMore(book.day.nodes, byNode.of(book.day.fromSeconds), () => true)),
    },
    month: monthWith(book.month, byHour, book.asOfSeconds),
    running: withSettled(book.running, tally.byJob).map((run) => ({ ...run, lastSeconds: book.asOfSeconds })),
  };
}

const noneClosed: Closed = { hours: [], days: [], jobs: [] };

function linesByHour(
  all: readonly ReadonlyMap<number, readonly Line[]>[],
): ReadonlyMap<number, readonly Line[]> {
  const byHour = new Map<number, readonly Line[]>();
  for (const lines of all)
    for (const [hour, more] of lines) byHour.set(hour, [...(byHour.get(hour) ?? []), ...more]);
  return byHour;
}

/** Counts a run in the hour in which it was seen last. */
function endsOf(ended: readonly JobTotal[]): ReadonlyMap<number, readonly Line[]> {
  return Map.groupBy(
    ended.map(({ nodeArray, vmSize, spot, user, account, queue, lastSeconds }) => {
      const of = { purpose: "job", nodeArray, vmSize, spot, user, account, queue } as const;
      return { ...of, ...nothing, runs: 1, lastSeconds };
    }),
    ({ lastSeconds }) => startOf(lastSeconds, hourSeconds),
  );
}

/** Times may have fractions; amounts are whole numbers. */
function msOf(seconds: number): number {
  return Math.round(seconds * 1_000);
}
