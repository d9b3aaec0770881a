import { startOf } from "./calendar.ts";
import type { Line } from "./lines.ts";
import { mergeLines } from "./tally.ts";

/** What one hour or one day cost, and whom. */
export interface Page {
  /** Start of the hour or day (UTC), Unix seconds. */
  readonly fromSeconds: number;
  /** Time until which it counts: the end of the hour or day once it is closed. */
  readonly untilSeconds: number;
  readonly lines: readonly Line[];
}

export function emptyPage(atSeconds: number, lengthSeconds: number): Page {
  return { fromSeconds: startOf(atSeconds, lengthSeconds), untilSeconds: atSeconds, lines: [] };
}

/** The open page with its lines, and a page for each hour or day since; the last one is open. Lines by the start of their hour. */
export function turnPages(
  open: Page,
  byHour: ReadonlyMap<number, readonly Line[]>,
  { untilSeconds, lengthSeconds }: { readonly untilSeconds: number; readonly lengthSeconds: number },
): readonly [...Page[], Page] {
  const byPage = Map.groupBy(byHour, ([hour]) => startOf(hour, lengthSeconds));
  const page = (fromSeconds: number, lines: readonly Line[]): Page => ({
    fromSeconds,
    untilSeconds: Math.min(untilSeconds, fromSeconds + lengthSeconds),
    lines: mergeLines(lines, ...(byPage.get(fromSeconds) ?? []).map(([, more]) => more)),
  });
  const closed: Page[] = [];
  let last = page(open.fromSeconds, open.lines);
  for (let at = open.fromSeconds + lengthSeconds; at <= untilSeconds; at += lengthSeconds) {
    closed.push(last);
    last = page(at, []);
  }
  return [...closed, last];
}
