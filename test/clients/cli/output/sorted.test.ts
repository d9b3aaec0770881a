import fc from "fast-check";
import { expect, test } from "vitest";
import { parseSort, sorted } from "../../../../clients/cli/output/sorted.ts";

function byKeys(text: string, records: readonly Record<string, number | string | null>[]) {
  const parsed = parseSort(text);
  if (!parsed.ok) throw new Error(parsed.problem);
  return sorted(records, parsed.keys, (record) => record).map(({ name }) => name);
}

const records = [
  { name: "htc-10", idle: 600, array: "htc" },
  { name: "htc-9", idle: 9, array: "htc" },
  { name: "viz-1", idle: null, array: "viz" },
  { name: "viz-2", idle: 9, array: "viz" },
];

test.each([
  ["name", ["htc-9", "htc-10", "viz-1", "viz-2"]],
  ["-name", ["viz-2", "viz-1", "htc-10", "htc-9"]],
  ["idle", ["htc-9", "viz-2", "htc-10", "viz-1"]],
  ["-idle", ["htc-10", "htc-9", "viz-2", "viz-1"]],
  ["-array,idle", ["viz-2", "viz-1", "htc-9", "htc-10"]],
])("by %s", (text, wanted) => expect(byKeys(text, records)).toEqual(wanted));

test("every record stays, and one without a value is never before one with", () => {
  const values = fc.array(fc.option(fc.integer({ min: -5, max: 5 })), { minLength: 1 });
  fc.assert(
    fc.property(values, fc.boolean(), (amounts, isDescending) => {
      const given = amounts.map((amount, at) => ({ name: String(at), amount }));
      const shown = byKeys(`${isDescending ? "-" : ""}amount`, given).map((name) => amounts[Number(name)]);
      const known = amounts.filter((amount) => amount !== null).toSorted((a, b) => a - b);
      const wanted = isDescending ? known.toReversed() : known;
      expect(shown).toEqual([...wanted, ...amounts.filter((amount) => amount === null)]);
    }),
  );
});

test("a text without columns is refused", () => {
  expect(parseSort(" ")).toEqual({ ok: false, problem: "no columns, expected at least one" });
});
