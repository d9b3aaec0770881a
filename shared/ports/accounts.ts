import type { Book, Closed, DayPage, JobTotal, Page } from "../accounting/index.ts";
import type { IfMatch, Stored } from "./stored.ts";

/** Unix seconds; the end is not part of it. */
export interface Period {
  readonly fromSeconds: number;
  readonly untilSeconds: number;
}

/** Which runs of jobs are asked for. */
export interface JobRuns {
  readonly source: string;
  readonly name: string;
}

/**
 * What nodes cost and whom: the open record of a cluster, and what it closed.
 *
 * - Called by: only snapshots write, pages first and the open record last; views read.
 * - Twice: yes: pages and rows are complete, so the same again changes nothing.
 * - Gone: `load` gives undefined: the record starts from the closed pages of the month. `forget` of what is gone does
 *   nothing.
 * - Retries: the SDK; then the next snapshot, which counts the time since the last one.
 */
export interface AccountStore {
  load(cluster: string): Promise<Stored<Book> | undefined>;
  /** Throws ConflictError when the record was saved by somebody else since `ifMatch` was read. */
  save(cluster: string, book: Book, ifMatch: IfMatch): Promise<void>;
  /** Keeps what a record closed; the same again changes nothing. */
  keep(cluster: string, closed: Closed): Promise<void>;
  /** Closed hours that begin in the period, in order. */
  hours(cluster: string, period: Period): Promise<readonly Page[]>;
  /** Closed days that begin in the period, in order. */
  days(cluster: string, period: Period): Promise<readonly DayPage[]>;
  /** Runs that ended, the newest first, at most `limit`. */
  runs(cluster: string, job: JobRuns, limit: number): Promise<readonly JobTotal[]>;
  /** Forgets hours and days that ended before, and runs of whole months before that of `days`. Costs little when there is nothing to forget. */
  forget(cluster: string, before: { readonly hours: number; readonly days: number }): Promise<void>;
}
