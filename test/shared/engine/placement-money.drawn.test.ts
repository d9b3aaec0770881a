import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PlacementPolicy, type Plan, type PlanInput, plan } from "../../../shared/engine/index.ts";
import { afterActions } from "./after-actions.ts";
import { placedBy, pricedWorlds, roomy, usdPerHourOf } from "./priced-worlds.ts";

const runs = { numRuns: 60 };

function grantedIn({ jobs }: Plan): readonly number[] {
  return jobs.map(({ granted }) => granted);
}

/** What is paid with a placement, and who is placed. */
function outcomeOf(world: PlanInput, placement: PlacementPolicy) {
  const result = plan(placedBy(world, placement));
  return { usd: usdPerHourOf(world, result) ?? Number.NaN, granted: grantedIn(result) };
}

describe("plan, where all prices are known", () => {
  test("costs no more than filling in order by another placement that places as much", () => {
    fc.assert(
      fc.property(pricedWorlds, (world) => {
        const [order, reuse, cost] = [
          outcomeOf(world, "order"),
          outcomeOf(world, "reuse"),
          outcomeOf(world, "cost"),
        ];
        for (const [dearer, cheaper] of [
          [reuse, order],
          [cost, order],
          [cost, reuse],
        ] as const) {
          for (const [index, granted] of dearer.granted.entries())
            expect(granted).toBeGreaterThanOrEqual(order.granted[index] ?? 0);
          if (dearer.granted.join() === cheaper.granted.join())
            expect(dearer.usd).toBeLessThanOrEqual(cheaper.usd + 1e-6);
        }
      }),
      runs,
    );
  });

  test.each(["reuse", "cost"] as const)(
    "%s: the next plan buys nothing and leaves nobody out",
    (placement) => {
      fc.assert(
        fc.property(pricedWorlds, (world) => {
          const input = placedBy(roomy(world), placement);
          const first = plan(input);
          const second = plan(afterActions(input, first));
          expect({ create: second.create, start: second.start }).toEqual({ create: [], start: [] });
          const granted = grantedIn(second);
          for (const [index, before] of grantedIn(first).entries())
            expect(granted[index]).toBeGreaterThanOrEqual(before);
        }),
        runs,
      );
    },
  );
});
