import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeCursor } from "../../../shared/api/answer.ts";
import { compareNodeNames, sortByNodeName } from "../../../shared/engine/index.ts";
import { pageOf } from "../../../shared/views/page.ts";

const nameOf = (name: string) => name;
const inOrder = { nameOf, compareNames: compareNodeNames };

function cursorOf(next: string) {
  const cursor = decodeCursor(next);
  if (cursor === undefined) throw new Error(`${next} is no cursor`);
  return cursor;
}

/** Every page of a list that is another one at each page. */
function allPages(lists: readonly (readonly string[])[], limit: number): readonly string[] {
  const seen: string[] = [];
  let cursor: ReturnType<typeof cursorOf> | undefined;
  for (let page = 0; ; page += 1) {
    const list = lists[Math.min(page, lists.length - 1)] ?? [];
    const { items, next } = pageOf(list, { limit, cursor }, inOrder);
    seen.push(...items);
    if (next === null) return seen;
    cursor = cursorOf(next);
  }
}

const nodeNames = fc.uniqueArray(
  fc.tuple(fc.constantFrom("htc", "mpi", "a-b"), fc.nat(30)).map(([array, index]) => `${array}-${index}`),
  { maxLength: 40 },
);

describe("pageOf", () => {
  test("of a list in the order of its names, nothing is left out or told twice, whatever comes and goes between pages", () => {
    fc.assert(
      fc.property(
        nodeNames,
        fc.array(nodeNames, { maxLength: 6 }),
        fc.integer({ min: 1, max: 9 }),
        (stay, others, limit) => {
          const lists = [[], ...others].map((some) =>
            sortByNodeName([...new Set([...stay, ...some])], nameOf),
          );
          const seen = allPages(lists, limit);
          expect(new Set(seen).size).toBe(seen.length);
          expect(seen).toEqual(expect.arrayContaining(stay));
          expect(seen).toEqual(sortByNodeName(seen, nameOf));
        },
      ),
    );
  });

  test("a page goes on after a name that is gone, also when all before it are gone too", () => {
    const { next } = pageOf(["htc-1", "htc-2", "htc-3", "htc-10"], { limit: 3 }, inOrder);
    const cursor = cursorOf(next ?? "");
    expect(pageOf(["htc-4", "htc-10"], { limit: 3, cursor }, inOrder).items).toEqual(["htc-4", "htc-10"]);
    expect(pageOf(["htc-1"], { limit: 3, cursor }, inOrder)).toMatchObject({ items: [], next: null });
  });

  test("of two things of one name, at the end of a page, the second begins the next", () => {
    const list = ["a-1", "a-1", "a-2"];
    const { next } = pageOf(list, { limit: 1 }, inOrder);
    expect(pageOf(list, { limit: 1, cursor: cursorOf(next ?? "") }, inOrder).items).toEqual(["a-1"]);
  });

  test("a cursor says which look its page is of, where there is one", () => {
    const { next } = pageOf(["a-1", "a-2"], { limit: 1 }, { ...inOrder, madeAtSeconds: 12.5 });
    expect(cursorOf(next ?? "")).toEqual([0, "a-1", 12.5]);
    expect(cursorOf(pageOf(["a-1", "a-2"], { limit: 1 }, inOrder).next ?? "")).toEqual([0, "a-1"]);
  });

  test.each(['[1,"a",null]', '[1,"a","b"]', '[1,"a",2,3]', "[1]"])("%s is no cursor", (text) => {
    expect(decodeCursor(Buffer.from(text).toString("base64url"))).toBeUndefined();
  });
});
