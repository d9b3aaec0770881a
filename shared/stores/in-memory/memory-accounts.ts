import {
  type Book,
  type Closed,
  type DayPage,
  type JobTotal,
  monthStart,
  type Page,
} from "../../accounting/index.ts";
import type { AccountStore, IfMatch, JobRuns, Period, Stored } from "../../ports/index.ts";
import { newestRunFirst } from "../order.ts";
import { Records, recordKey } from "./memory-records.ts";

/** Open records, closed pages and ended jobs of every cluster. */
export class MemoryAccountStore implements AccountStore {
  readonly #books = new Records<Book>("accounts");
  readonly #hours = new Records<{ readonly cluster: string; readonly page: Page }>("hour");
  readonly #days = new Records<{ readonly cluster: string; readonly page: DayPage }>("day");
  readonly #runs = new Records<{ readonly cluster: string; readonly run: JobTotal }>("run", { isRow: true });

  async load(cluster: string): Promise<Stored<Book> | undefined> {
    return this.#books.get(recordKey(cluster));
  }

  async save(cluster: string, book: Book, ifMatch: IfMatch): Promise<void> {
    this.#books.save(recordKey(cluster), book, ifMatch);
  }

  async keep(cluster: string, { hours, days, jobs }: Closed): Promise<void> {
    for (const page of hours) this.#hours.put(recordKey(cluster, `${page.fromSeconds}`), { cluster, page });
    for (const page of days) this.#days.put(recordKey(cluster, `${page.fromSeconds}`), { cluster, page });
    for (const run of jobs)
      this.#runs.put(recordKey(cluster, run.source, run.name, `${run.firstSeconds}`), { cluster, run });
  }

  async hours(cluster: string, period: Period): Promise<readonly Page[]> {
    return pagesIn(this.#hours, cluster, period);
  }

  async days(cluster: string, period: Period): Promise<readonly DayPage[]> {
    return pagesIn(this.#days, cluster, period);
  }

  async runs(cluster: string, { source, name }: JobRuns, limit: number): Promise<readonly JobTotal[]> {
    return this.#runs
      .which((each) => each.cluster === cluster && each.run.source === source && each.run.name === name)
      .map(({ value }) => value.run)
      .toSorted(newestRunFirst)
      .slice(0, limit);
  }

  async forget(cluster: string, before: { readonly hours: number; readonly days: number }): Promise<void> {
    forgetPages(this.#hours, cluster, before.hours);
    forgetPages(this.#days, cluster, before.days);
    const fromSeconds = monthStart(before.days);
    for (const { key, stored } of this.#runs.entries()) {
      const { value } = stored;
      if (value.cluster === cluster && value.run.lastSeconds < fromSeconds) this.#runs.delete(key);
    }
  }
}

type PageRecords<T extends Page> = Records<{ readonly cluster: string; readonly page: T }>;

function pagesIn<T extends Page>(records: PageRecords<T>, cluster: string, period: Period): readonly T[] {
  const { fromSeconds, untilSeconds } = period;
  return records
    .which(
      ({ cluster: of, page }) =>
        of === cluster && page.fromSeconds >= fromSeconds && page.fromSeconds < untilSeconds,
    )
    .map(({ value }) => value.page)
    .toSorted((a, b) => a.fromSeconds - b.fromSeconds);
}

function forgetPages<T extends Page>(records: PageRecords<T>, cluster: string, beforeSeconds: number): void {
  for (const { key, stored } of records.entries()) {
    const { value } = stored;
    if (value.cluster === cluster && value.page.untilSeconds <= beforeSeconds) records.delete(key);
  }
}
