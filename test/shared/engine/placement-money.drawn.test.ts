import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PlacementPolicy, type Plan, type PlanInput, plan } from "../../../shared/engine/index.ts";
import { afterActions } from "./after-actions.ts";
import { violationsOf } from "./plan-validity.ts";
import { wholeWorlds } from "./priced-wholes.ts";
import { placedBy, pricedWorlds, roomy, usdPerHourOf } from "./priced-worlds.ts";

function grantedIn({ jobs }: Plan): readonly number[] {
  return jobs.map(({ granted }) => granted);
}

/**
 * The nodes of each array numbered from 1. A new node takes the first free number: in a gap it would come before nodes that are
 * there, and the next plan might put jobs elsewhere.
 */
function withoutGaps(world: PlanInput): PlanInput {
  const numbers = new Map<string, number>();
  const nodes = world.cluster.nodes.map((node) => {
    const number = (numbers.get(node.nodeArray) ?? 0) + 1;
    numbers.set(node.nodeArray, number);
    return { ...node, name: `${node.nodeArray}-${number}` };
  });
  return { ...world, cluster: { ...world.cluster, nodes } };
}

/** What is paid with a placement, and who is placed. */
function outcomeOf(world: PlanInput, placement: PlacementPolicy) {
  const input = placedBy(world, placement);
  const result = plan(input);
  return {
    usd: usdPerHourOf(world, result) ?? Number.NaN,
    granted: grantedIn(result),
    violations: violationsOf(input, result),
  };
}

describe.each([
  { what: "slots", worlds: pricedWorlds, numRuns: 12 },
  { what: "slots and jobs that are placed whole", worlds: wholeWorlds, numRuns: 5 },
])("plan of $what, where all prices are known", ({ worlds, numRuns }) => {
  test("breaks no rule, leaves nobody out, and costs no more than another placement that places as much", () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const [order, reuse, cost] = [
          outcomeOf(world, "order"),
          outcomeOf(world, "reuse"),
          outcomeOf(world, "cost"),
        ];
        for (const { violations } of [order, reuse, cost]) expect(violations).toEqual([]);
        for (const [dearer, cheaper] of [
          [reuse, order],
          [cost, order],
          [cost, reuse],
        ] as const) {
          for (const [index, granted] of dearer.granted.entries())
            expect(granted, `job ${index}`).toBeGreaterThanOrEqual(cheaper.granted[index] ?? 0);
          if (dearer.granted.join() === cheaper.granted.join())
            expect(dearer.usd).toBeLessThanOrEqual(cheaper.usd + 1e-6);
        }
      }),
      { numRuns },
    );
  });

  test.each(["reuse", "cost"] as const)(
    "%s: the next plan buys nothing and leaves nobody out",
    (placement) => {
      fc.assert(
        fc.property(worlds, (world) => {
          const input = placedBy(withoutGaps(roomy(world)), placement);
          const first = plan(input);
          const second = plan(afterActions(input, first));
          expect({ create: second.create, start: second.start }).toEqual({ create: [], start: [] });
          const granted = grantedIn(second);
          for (const [index, before] of grantedIn(first).entries())
            expect(granted[index]).toBeGreaterThanOrEqual(before);
        }),
        { numRuns },
      );
    },
  );
});
