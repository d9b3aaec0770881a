import type { AnswerOf, Call, RouteId, Service } from "./service.ts";

/** Routes whose answers come in pages. */
type PagedId = { [Id in RouteId]: AnswerOf<Id> extends { next: string | null } ? Id : never }[RouteId];

/** Most items of a page. Lists that the service makes as a whole have larger ones. */
const pageSize = 1_000;
const largePageSize = 10_000;
/** A first page whose answer decides how to ask for the others; most lists have no others. */
const shortPageSize = 500;
const hasLargePages: ReadonlySet<PagedId> = new Set<PagedId>(["jobs", "nodes"]);

export interface AllPages<Answer, Item> {
  /** The answer's first page, for what it says beside its items. */
  readonly first: Answer;
  readonly items: readonly Item[];
  /** Whether there are more than were asked for. */
  readonly isCut: boolean;
}

/**
 * All pages of a route, one after the other, until there are `most` items. `pick` takes the items out of a page;
 * `onPage` is called with the count so far and the total. `rest` gives more of the query for the pages after the first, if that
 * is known only after an answer; the first page is short then.
 */
export async function askAll<Id extends PagedId, Item>(
  service: Service,
  route: Id,
  options: {
    readonly call?: Call;
    readonly pick: (answer: AnswerOf<Id>) => readonly Item[];
    readonly most?: number;
    readonly onPage?: (count: number, total: number | null) => void;
    readonly rest?: () => Call["query"];
    /** In a list by time: true of an item after which nothing is wanted. No page after it is asked for. */
    readonly until?: (item: Item) => boolean;
  },
): Promise<AllPages<AnswerOf<Id>, Item>> {
  const { call, pick, most = Number.POSITIVE_INFINITY, onPage, rest } = options;
  const largest = hasLargePages.has(route) ? largePageSize : pageSize;
  const items: Item[] = [];
  let first: AnswerOf<Id> | undefined;
  let cursor: string | undefined;
  for (;;) {
    const isShort = rest !== undefined && first === undefined;
    const limit = Math.min(isShort ? shortPageSize : largest, most - items.length);
    const query = { ...call?.query, ...(first && rest?.()), limit, cursor };
    const page: AnswerOf<Id> & { readonly next: string | null; readonly total: number | null } =
      (await service.ask(route, { ...call, query })) as never;
    first ??= page;
    items.push(...pick(page));
    onPage?.(items.length, page.total);
    const last = items.at(-1);
    const isOver = last !== undefined && options.until?.(last) === true;
    if (page.next === null || isOver) return { first, items, isCut: false };
    if (items.length >= most) return { first, items, isCut: true };
    cursor = page.next;
  }
}
