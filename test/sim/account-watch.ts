import {
  type Amount,
  type Book,
  type Closed,
  type Line,
  type Page,
  settled,
  totalOf,
} from "../../shared/accounting/index.ts";

/**
 * Costs are counted once, whatever dies: all pages together are what the nodes of the stored sights ran, which is reckoned
 * here in another way; what jobs had is what their runs had; a page that is written again is the same; what a record closed
 * is kept before the next forgets it.
 */
export class AccountWatch {
  readonly #report: (violation: string) => void;
  #book: Book | undefined;
  readonly #hours = new Map<number, Page>();
  readonly #days = new Map<number, Page>();
  readonly #keptHours = new Set<number>();
  readonly #keptDays = new Set<number>();
  readonly #keptRuns = new Set<string>();
  #nodeMs = 0;
  #usd = 0;
  #pieces = 0;
  #endedRuns: Amount = totalOf([]);
  /** Ids of the nodes that any stored record shows. */
  readonly seen = new Set<string>();
  records = 0;

  constructor(report: (violation: string) => void) {
    this.#report = report;
  }

  /** Until when. */
  get asOfSeconds(): number {
    return this.#book?.asOfSeconds ?? 0;
  }

  /** All that has been counted. */
  get lines(): readonly Line[] {
    return linesOf([...this.#hours.values(), ...(this.#book === undefined ? [] : [this.#book.hour])]);
  }

  onSaved(saved: Book): void {
    const before = this.#book;
    const book = settled(saved);
    this.#book = book;
    this.records += 1;
    for (const { nodeId } of book.nodes) this.seen.add(nodeId);
    if (before === undefined) return;
    if (book.asOfSeconds <= before.asOfSeconds)
      this.#report(`accounts went back from ${before.asOfSeconds} to ${book.asOfSeconds}`);
    this.#checkKept(before.closed);
    this.#close(this.#hours, book.closed.hours);
    this.#close(this.#days, book.closed.days);
    this.#reckon(before, book);
    const hours = totalOf(this.lines);
    const days = totalOf(linesOf([...this.#days.values(), book.day]));
    if (hours.nodeMs !== this.#nodeMs)
      this.#report(`accounts have ${hours.nodeMs} node-ms by hour, and the nodes ran ${this.#nodeMs}`);
    if (JSON.stringify(hours) !== JSON.stringify(days))
      this.#report(`accounts have ${JSON.stringify(hours)} by hour and ${JSON.stringify(days)} by day`);
    this.#checkJobs(book);
    // Each node, half and hour is rounded once, to a thousand-millionth of a dollar.
    if (Math.abs(hours.nanoUsd / 1e9 - this.#usd) > this.#pieces * 1e-9 + 1e-9)
      this.#report(`accounts have ${hours.nanoUsd / 1e9} USD, and the nodes cost ${this.#usd}`);
  }

  /** By job and by line, jobs have the same. */
  #checkJobs({ closed, running }: Book): void {
    this.#endedRuns = totalOf([this.#endedRuns, ...closed.jobs]);
    const runs = totalOf([this.#endedRuns, ...running]);
    const lines = totalOf(this.lines.filter(({ purpose }) => purpose === "job"));
    if (JSON.stringify(runs) !== JSON.stringify(lines))
      this.#report(`runs of jobs had ${JSON.stringify(runs)}, and jobs by line ${JSON.stringify(lines)}`);
  }

  onKept({ hours, days, jobs }: Closed): void {
    for (const { fromSeconds } of hours) this.#keptHours.add(fromSeconds);
    for (const { fromSeconds } of days) this.#keptDays.add(fromSeconds);
    for (const { key, firstSeconds } of jobs) this.#keptRuns.add(`${key} ${firstSeconds}`);
  }

  #checkKept({ hours, days, jobs }: Closed): void {
    for (const { fromSeconds } of hours)
      if (!this.#keptHours.has(fromSeconds)) this.#report(`hour ${fromSeconds} of the accounts was lost`);
    for (const { fromSeconds } of days)
      if (!this.#keptDays.has(fromSeconds)) this.#report(`day ${fromSeconds} of the accounts was lost`);
    for (const { key, firstSeconds } of jobs)
      if (!this.#keptRuns.has(`${key} ${firstSeconds}`)) this.#report(`run of ${key} was lost`);
  }

  #close(pages: Map<number, Page>, closed: readonly Page[]): void {
    for (const page of closed) {
      const known = pages.get(page.fromSeconds);
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(page))
        this.#report(`page ${page.fromSeconds} of the accounts was closed twice, and differs`);
      pages.set(page.fromSeconds, page);
    }
  }

  /** The mean of what two sights show, times the time between them. */
  #reckon(before: Book, after: Book): void {
    const [from, to] = [Math.round(before.asOfSeconds * 1_000), Math.round(after.asOfSeconds * 1_000)];
    const middle = Math.floor((from + to) / 2);
    for (const [book, half] of [
      [before, middle - from],
      [after, to - middle],
    ] as const)
      for (const { usdPerHour } of book.nodes) {
        this.#nodeMs += half;
        this.#usd += ((usdPerHour ?? 0) * half) / 3_600_000;
        this.#pieces += 1 + Math.ceil(half / 3_600_000);
      }
  }
}

function linesOf(pages: readonly Page[]): readonly Line[] {
  return pages.flatMap(({ lines }) => lines);
}
