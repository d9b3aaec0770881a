import { type AsideLine, mergeAside } from "./aside.ts";
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
  /** Absent: nothing, as in pages of older programs. */
  readonly aside?: readonly AsideLine[];
}

export function emptyPage(atSeconds: number, lengthSeconds: number): Page {
  return { fromSeconds: startOf(atSeconds, lengthSeconds), untilSeconds: atSeconds, lines: [] };
}

/** By the start of their hour. */
interface ByHour {
  readonly lines: ReadonlyMap<number, readonly Line[]>;
  readonly aside: ReadonlyMap<number, readonly AsideLine[]>;
}

/** The open page with its lines, and a page for each hour or day since: those that are over, and the one that is open now. */
export function turnPages(
  open: Page,
  { lines: linesByHour, aside: asideByHour }: ByHour,
  { untilSeconds, lengthSeconds }: { readonly untilSeconds: number; readonly lengthSeconds: number },
): { readonly closed: readonly Page[]; readonly open: Page } {
  const pageOf = ([hour]: readonly [number, unknown]) => startOf(hour, lengthSeconds);
  const [linesByPage, asideByPage] = [Map.groupBy(linesByHour, pageOf), Map.groupBy(asideByHour, pageOf)];
  const page = (fromSeconds: number, lines: readonly Line[], known?: readonly AsideLine[]): Page => {
    const aside = mergeAside(known, ...(asideByPage.get(fromSeconds) ?? []).map(([, more]) => more));
    return {
      fromSeconds,
      untilSeconds: Math.min(untilSeconds, fromSeconds + lengthSeconds),
      lines: mergeLines(lines, ...(linesByPage.get(fromSeconds) ?? []).map(([, more]) => more)),
      ...(aside.length > 0 && { aside }),
    };
  };
  const closed: Page[] = [];
  let last = page(open.fromSeconds, open.lines, open.aside);
  for (let at = open.fromSeconds + lengthSeconds; at <= untilSeconds; at += lengthSeconds) {
    closed.push(last);
    last = page(at, []);
  }
  return { closed, open: last };
}
