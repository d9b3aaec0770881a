import { attribute, type Entry } from "./attribute.ts";
import { type JobTotal, type RankedJobs, rank, totalsOf } from "./job-totals.ts";
import { nothing } from "./lines.ts";
import { daySeconds, emptyPage, hourSeconds, type Page, turnPages } from "./pages.ts";
import type { Sight } from "./sight.ts";

export interface DayPage extends Page {
  /** The dearest jobs whose last moment was on this day, and the sum of the others. */
  readonly jobs: RankedJobs;
}

/** Complete: the same page or job written twice overwrites itself. */
export interface Closed {
  readonly hours: readonly Page[];
  readonly days: readonly DayPage[];
  readonly jobs: readonly JobTotal[];
}

/**
 * The open accounts of a cluster: what was seen last, the hour and the day that are not over, the jobs that run. One record,
 * written as a whole: a run that dies before that has counted nothing, and a repeated one starts from the same record.
 */
export interface Book {
  /** What was seen last. Everything until then is counted. */
  readonly seen: Sight;
  readonly hour: Page;
  readonly day: DayPage;
  /** Of the jobs that run. */
  readonly running: readonly JobTotal[];
  /** Closed with this record. They are written to their places before a later record leaves them out. */
  readonly closed: Closed;
}

/** The first record: nothing was seen before, so nothing is counted. */
export function openBook(sight: Sight): Book {
  const { takenAtSeconds } = sight;
  return {
    seen: sight,
    hour: emptyPage(takenAtSeconds, hourSeconds),
    day: { ...emptyPage(takenAtSeconds, daySeconds), jobs: rank([]) },
    running: totalsOf([], [], sight),
    closed: { hours: [], days: [], jobs: [] },
  };
}

/** The record after one more sight; the same record for a sight that is not newer. */
export function accountFor(book: Book, sight: Sight): Book {
  if (sight.takenAtSeconds <= book.seen.takenAtSeconds) return book;
  const spent = attribute(book.seen, sight);
  const totals = totalsOf(book.running, spent, sight);
  const isRunning = new Set(sight.jobs.map(({ key }) => key));
  const ended = totals.filter(({ key }) => !isRunning.has(key)).map((total) => ({ ...total, runs: 1 }));
  const entries = [...spent, ...ended.map((run) => endOf(run))];
  const untilSeconds = sight.takenAtSeconds;
  const hours = turnPages(book.hour, entries, { untilSeconds, lengthSeconds: hourSeconds });
  const days = turnPages(book.day, entries, { untilSeconds, lengthSeconds: daySeconds });
  const [hour, closedHours] = lastAndOthers(hours);
  // All that ended was seen last on the day of the record before.
  const [day, closedDays] = lastAndOthers(
    days.map(
      (page, index): DayPage => ({ ...page, jobs: index === 0 ? rank(ended, book.day.jobs) : rank([]) }),
    ),
  );
  return {
    seen: sight,
    hour: hour ?? book.hour,
    day: day ?? book.day,
    running: totals.filter(({ key }) => isRunning.has(key)),
    closed: { hours: closedHours, days: closedDays, jobs: ended },
  };
}

/** Counts a run in the hour in which it was seen last. */
function endOf({ lastSeconds, nodeArray, vmSize, spot, user, account, queue }: JobTotal): Entry {
  const of = { purpose: "job", nodeArray, vmSize, spot, user, account, queue } as const;
  return { atMs: Math.round(lastSeconds * 1_000), of, job: null, amount: { ...nothing, runs: 1 } };
}

function lastAndOthers<T>(pages: readonly T[]): readonly [T | undefined, readonly T[]] {
  return [pages.at(-1), pages.slice(0, -1)];
}
