import { useEffect, useState } from "preact/hooks";
import { CallError, call } from "./call.ts";
import { type Polled, usePolled } from "./polled.ts";

/** Small enough that the page answers while one is read, large enough that few are needed. */
const pageSize = 1_000;

interface Paged {
  readonly atSeconds: number;
  readonly next: string | null;
  readonly total: number | null;
}

/** All items of a list, as far as they are known. */
export interface AllPages<P, T> {
  readonly first: P;
  readonly items: readonly T[];
  /** False: more pages are being loaded. */
  readonly isWhole: boolean;
}

/** Polls the first page of a list; when it has changed, the others are loaded one after the other. */
export function useAllPages<P extends Paged, T>(
  path: string,
  query: Readonly<Record<string, string>>,
  itemsOf: (page: P) => readonly T[],
): Polled<AllPages<P, T>> {
  const params = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ""));
  params.set("limit", String(pageSize));
  const address = `${path}?${params}`;
  const polled = usePolled<P>(address);
  const first = polled.answer;
  const [loaded, setLoaded] = useState<{ readonly of: string; readonly all: AllPages<P, T> }>();

  // Loads again when the first page is another.
  useEffect(() => {
    if (first === undefined) return undefined;
    const ended = new AbortController();
    const { signal } = ended;
    const load = async () => {
      let items = itemsOf(first);
      let next = first.next;
      // What was known stays until all of the new list is there.
      const known = loaded?.of === address && loaded.all.isWhole;
      const show = (isWhole: boolean) => setLoaded({ of: address, all: { first, items, isWhole } });
      if (!known || next === null) show(next === null);
      while (next !== null) {
        const { answer } = await call<P>(`${address}&cursor=${encodeURIComponent(next)}`, { signal });
        if (answer === undefined || signal.aborted) return;
        items = [...items, ...itemsOf(answer)];
        next = answer.next;
        if (!known || next === null) show(next === null);
      }
    };
    load().catch((error: unknown) => {
      // The next change of the first page tries again.
      if (!signal.aborted && !(error instanceof CallError)) throw error;
    });
    return () => ended.abort();
  }, [first, address]);

  return { ...polled, answer: loaded?.of === address ? loaded.all : undefined };
}
