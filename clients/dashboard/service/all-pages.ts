import { addressOf, type Called } from "./call.ts";
import { type Ask, askAgain, type Polled, type PollOptions, usePolled } from "./polled.ts";

/** Enough to fill a screen, and all of a short list, which is then asked for once. */
const firstSize = 200;
/** The most that the service gives at once: one call costs it less than many, and its ETag is that of the whole list. */
const pageSize = 10_000;

interface Paged {
  readonly atSeconds: number;
  readonly next: string | null;
  readonly total: number | null;
}

/** All items of a list, as far as they are known. */
export interface AllPages<P, T> {
  readonly atSeconds: number;
  readonly total: number | null;
  readonly items: readonly T[];
  /** False: the others are being loaded. */
  readonly isWhole: boolean;
  readonly pages: readonly { readonly answer: P; readonly etag: string | undefined }[];
  /** With which they were asked for: the ETag is that of the list and the limit. */
  readonly limit: number;
}

/** Polls a whole list. The first items of a long one are shown while all are loaded; later all of it changes at once. */
export function useAllPages<P extends Paged, T>(
  path: string,
  query: Readonly<Record<string, string>>,
  itemsOf: (page: P) => readonly T[],
  options: Pick<PollOptions<unknown>, "everyMs"> = {},
): Polled<AllPages<P, T>> {
  const address = addressOf(path, query);
  const listOf = (pages: AllPages<P, T>["pages"], limit: number, isWhole: boolean): AllPages<P, T> => ({
    atSeconds: pages[0]?.answer.atSeconds ?? 0,
    total: pages[0]?.answer.total ?? null,
    items: pages.flatMap(({ answer }) => itemsOf(answer)),
    isWhole,
    pages,
    limit,
  });
  const ask: Ask<AllPages<P, T>> = async ({ answer: before }, { signal, show }) => {
    let { limit = firstSize, pages: known = [], isWhole: isSame = false } = before ?? {};
    const pages: { answer: P; etag: string | undefined }[] = [];
    let showFirst: ReturnType<typeof setTimeout> | undefined;
    let next: string | null = "";
    while (next !== null) {
      const page: Partial<AllPages<P, T>["pages"][number]> = known[pages.length] ?? {};
      const cursor: string = next === "" ? "" : `&cursor=${encodeURIComponent(next)}`;
      const called: Called<P> = await askAgain<P>(`${address}&limit=${limit}${cursor}`, page, signal);
      clearTimeout(showFirst);
      if (called.answer !== undefined) isSame = false;
      const answer: P | undefined = called.answer ?? page.answer;
      if (answer === undefined) break;
      pages.push({ answer, etag: called.etag ?? page.etag });
      next = answer.next;
      if (next === null || limit !== firstSize) continue;
      const part = listOf([...pages], limit, false);
      // Drawn while the service works on the others.
      if (before === undefined) showFirst = setTimeout(() => show(part));
      [limit, known, next] = [pageSize, [], ""];
      pages.length = 0;
    }
    return { answer: isSame ? undefined : listOf(pages, limit, true), etag: undefined };
  };
  return usePolled(address, { ...options, ask });
}
