import { addressOf, type Called } from "./call.ts";
import { type Ask, askAgain, type Polled, type PollOptions, usePolled } from "./polled.ts";

/** Enough to fill a screen: it is there while the whole list is drawn up. */
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
}

/** Polls a whole list. Its first items are shown while the others are loaded; later all of it changes at once. */
export function useAllPages<P extends Paged, T>(
  path: string,
  query: Readonly<Record<string, string>>,
  itemsOf: (page: P) => readonly T[],
  options: Pick<PollOptions<unknown>, "everyMs"> = {},
): Polled<AllPages<P, T>> {
  const address = addressOf(path, query);
  const whole = (pages: AllPages<P, T>["pages"], isWhole: boolean): AllPages<P, T> => {
    const [first] = pages;
    return {
      atSeconds: first?.answer.atSeconds ?? 0,
      total: first?.answer.total ?? null,
      items: pages.flatMap(({ answer }) => itemsOf(answer)),
      isWhole,
      pages,
    };
  };
  const ask: Ask<AllPages<P, T>> = async ({ answer: before }, { signal, show }) => {
    const pages: { answer: P; etag: string | undefined }[] = [];
    let isSame = before?.isWhole === true;
    const loadAll = async () => {
      let next: string | null = "";
      while (next !== null) {
        const pageBefore: AllPages<P, T>["pages"][number] | undefined = before?.pages[pages.length];
        const cursor: string = next === "" ? "" : `&cursor=${encodeURIComponent(next)}`;
        const called: Called<P> = await askAgain<P>(
          `${address}&limit=${pageSize}${cursor}`,
          before?.isWhole === true ? (pageBefore ?? {}) : {},
          signal,
        );
        if (called.answer !== undefined) isSame = false;
        const answer: P | undefined = called.answer ?? pageBefore?.answer;
        if (answer === undefined) break;
        pages.push({ answer, etag: called.etag ?? pageBefore?.etag });
        next = answer.next;
      }
    };
    const showFirst = async () => {
      const { answer } = await askAgain<P>(`${address}&limit=${firstSize}`, {}, signal);
      if (answer !== undefined && pages.length === 0)
        show(whole([{ answer, etag: undefined }], answer.next === null));
    };
    // Both at once: the service reads what there is for each of them.
    await Promise.all([before === undefined ? showFirst() : undefined, loadAll()]);
    return { answer: isSame ? undefined : whole(pages, true), etag: undefined };
  };
  return usePolled(address, { ...options, ask });
}
