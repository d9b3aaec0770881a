import { expect, test } from "vitest";
import { keptSeconds, Retention } from "../../../shared/stores/azure/retention.ts";

/** A table of so many old rows. */
function oldRows(count: number) {
  const rows = new Set(
    Array.from({ length: count }, (_, index) => `r:${String(index).padStart(5, "0")}:old-${index}`),
  );
  return {
    rows,
    keys: async (_partition: string, { limit = count }: { readonly limit?: number } = {}) =>
      [...rows].slice(0, limit),
    delete: async (_partition: string, rowKey: string) => {
      rows.delete(rowKey);
    },
  };
}

test("retention: what one check does not get through goes with the next writes, then hourly again", async () => {
  const table = oldRows(2_500);
  const removed: string[] = [];
  const retention = new Retention({
    table,
    prefix: "r:",
    remove: async (_partition, name) => {
      removed.push(name);
    },
    log: undefined,
  });
  const left: number[] = [];
  for (let write = 0; write < 4; write += 1) {
    await retention.enforce("p", keptSeconds * 2 + write);
    left.push(table.rows.size);
  }
  expect(left).toEqual([1_500, 500, 0, 0]);
  expect(new Set(removed).size).toBe(2_500);
  table.rows.add("r:00000:late");
  await retention.enforce("p", keptSeconds * 2 + 10);
  expect(table.rows.size).toBe(1);
  await retention.enforce("p", keptSeconds * 2 + 3_700);
  expect(table.rows.size).toBe(0);
});
