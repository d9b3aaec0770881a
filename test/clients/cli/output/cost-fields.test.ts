import fc from "fast-check";
import { expect, test } from "vitest";
import { addingUp, withSums } from "../../../../clients/cli/output/cost-fields.ts";
import type { CostRowView } from "../../../../shared/api/index.ts";

function rowOf(keys: CostRowView["keys"], usd: number): CostRowView {
  return {
    keys,
    isOverhead: false,
    usd,
    share: 0,
    nodeHours: 1,
    unpricedNodeHours: 0,
    coreHours: 1,
    busyNodeHours: 1,
    runs: 1,
    usdByPurpose: { job: 0, unused: 0, boot: usd, idle: 0, drained: 0, kept: 0, failed: 0, ending: 0 },
  };
}

const amounts = fc.array(fc.array(fc.integer({ min: 0, max: 5_000_000 }), { minLength: 1, maxLength: 5 }), {
  minLength: 1,
  maxLength: 5,
});

test("the cents of a table add up to the sum of each group and to the total, and none is off by a cent", () => {
  fc.assert(
    fc.property(amounts, (groups) => {
      const rows = groups.flatMap((group, user) =>
        group.map((amount, job) => rowOf({ user: `u${user}`, array: `a${job}` }, amount / 1e5)),
      );
      const all = rows.reduce((sum, { usd }) => sum + usd, 0);
      const about = {
        cluster: "hpc",
        atSeconds: 0,
        fromSeconds: 0,
        untilSeconds: 0,
        openedAtSeconds: 0,
        notInTotal: [],
      };
      const table = withSums({ ...about, by: ["user", "array"], rows, total: rowOf({}, all) });
      const shown = addingUp(table);
      const cents = (index: number) => Math.round(Number(shown[index]?.cost) * 100);
      let open: number[] = [];
      const ofGroups: number[] = [];
      for (const [index, { row, parts }] of table.entries()) {
        expect(Math.abs(cents(index) - row.usd * 100)).toBeLessThan(1.001);
        if (row.keys.user === "TOTAL") {
          expect([...ofGroups, ...open].reduce((sum, each) => sum + each, 0)).toBe(cents(index));
        } else if (parts > 0) {
          const own = open.splice(open.length - parts);
          expect(own.reduce((sum, each) => sum + each, 0)).toBe(cents(index));
          ofGroups.push(cents(index));
        } else open = [...open, cents(index)];
      }
    }),
  );
});
