import type { Entry } from "./attribute.ts";
import { type Line, Lines } from "./lines.ts";

/** What one hour or one day cost, and whom. */
export interface Page {
  /** Start of the hour or day (UTC), Unix seconds. */
  readonly fromSeconds: number;
  /** What is counted in it ends here: the end of the hour or day once it is closed. */
  readonly untilSeconds: number;
  readonly lines: readonly Line[];
}

export const hourSeconds = 3_600;
export const daySeconds = 86_400;

export function emptyPage(atSeconds: number, lengthSeconds: number): Page {
  const fromSeconds = Math.floor(atSeconds / lengthSeconds) * lengthSeconds;
  return { fromSeconds, untilSeconds: atSeconds, lines: [] };
}

/** The open page with the entries that belong to it, and a page for each hour or day since then; the last one is open. */
export function turnPages(
  open: Page,
  entries: readonly Entry[],
  { untilSeconds, lengthSeconds }: { readonly untilSeconds: number; readonly lengthSeconds: number },
): readonly [...Page[], Page] {
  const byPage = Map.groupBy(
    entries,
    ({ atMs }) => Math.floor(atMs / (lengthSeconds * 1_000)) * lengthSeconds,
  );
  const page = (fromSeconds: number, lines: readonly Line[]): Page => {
    const sums = new Lines(lines);
    for (const { of, amount } of byPage.get(fromSeconds) ?? []) sums.add(of, amount);
    return {
      fromSeconds,
      untilSeconds: Math.min(untilSeconds, fromSeconds + lengthSeconds),
      lines: sums.toArray(),
    };
  };
  const closed: Page[] = [];
  let last = page(open.fromSeconds, open.lines);
  for (let at = open.fromSeconds + lengthSeconds; at <= untilSeconds; at += lengthSeconds) {
    closed.push(last);
    last = page(at, []);
  }
  return [...closed, last];
}
