import { type Cursor, encodeCursor } from "../api/index.ts";

export interface PageQuery {
  readonly limit: number;
  readonly cursor?: Cursor | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** `cursor` of the page after this one; null: this is the last. */
  readonly next: string | null;
  readonly total: number | null;
}

export interface Paging<T> {
  readonly nameOf: (item: T) => string;
  /** For a list in the order of its names. */
  readonly compareNames?: (a: string, b: string) => number;
  /** The time of the outlook that the list was made from: the next page uses the same one while it is still held. */
  readonly madeAtSeconds?: number;
}

/**
 * A page of a list that is there as a whole. It goes on after the item that the page before ended with, wherever that is
 * now. When that is gone: in a list in the order of its names after where it would be, so that whatever came or went in between,
 * nothing is left out or repeated; in another list at its place.
 */
export function pageOf<T>(items: readonly T[], query: PageQuery, paging: Paging<T>): Page<T> {
  const { nameOf, madeAtSeconds } = paging;
  const from = query.cursor === undefined ? 0 : placeAfter(items, query.cursor, paging);
  const page = items.slice(from, from + query.limit);
  const last = page.at(-1);
  const end = from + page.length;
  if (last === undefined || end >= items.length) return { items: page, next: null, total: items.length };
  const place = [end - 1, nameOf(last)] as const;
  const cursor: Cursor = madeAtSeconds === undefined ? place : [...place, madeAtSeconds];
  return { items: page, next: encodeCursor(cursor), total: items.length };
}

function placeAfter<T>(items: readonly T[], [at, name]: Cursor, { nameOf, compareNames }: Paging<T>): number {
  const there = items[at];
  if (there !== undefined && nameOf(there) === name) return at + 1;
  if (compareNames !== undefined) {
    const after = items.findIndex((item) => compareNames(nameOf(item), name) > 0);
    return after < 0 ? items.length : after;
  }
  const moved = items.findIndex((item) => nameOf(item) === name);
  return moved < 0 ? Math.max(0, Math.floor(at)) : moved + 1;
}

/** A list of which only the start is loaded at a time, newest first: `load` gives what is not newer than a time. */
export interface Timeline<T> {
  readonly load: (limit: number, untilSeconds: number | undefined) => Promise<readonly T[]>;
  readonly atSecondsOf: (item: T) => number;
  readonly nameOf: (item: T) => string;
}

/** A page may end in the middle of items with the same time; this many of them are searched at first. */
const tiesExpected = 32;

export async function pageOfTimeline<T>(
  timeline: Timeline<T>,
  { limit, cursor }: PageQuery,
): Promise<Page<T>> {
  const { load, atSecondsOf, nameOf } = timeline;
  for (let extra = cursor === undefined ? 1 : tiesExpected; ; extra *= 8) {
    const loaded = await load(limit + extra, cursor?.[0]);
    const shownBefore = cursor === undefined ? -1 : loaded.findIndex((item) => nameOf(item) === cursor[1]);
    const items = loaded.slice(shownBefore + 1);
    // All that was loaded may be of the very second of the cursor, and what it names at its end or further down.
    const isMoment = cursor !== undefined && loaded.every((item) => atSecondsOf(item) === cursor[0]);
    const mayGoOn = loaded.length === limit + extra;
    if (mayGoOn && (items.length <= limit || (shownBefore < 0 && isMoment))) continue;
    const page = items.slice(0, limit);
    const last = page.at(-1);
    const next =
      last === undefined || items.length <= limit ? null : encodeCursor([atSecondsOf(last), nameOf(last)]);
    return { items: page, next, total: null };
  }
}
