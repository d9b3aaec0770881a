import fc from "fast-check";
import { expect, test } from "vitest";
import { looseSlotsOf, mayMove } from "../../../shared/engine/place/loose-slots.ts";
import { packThere } from "../../../shared/engine/place/packing/portfolio.ts";
import { repackProblem } from "../../../shared/engine/place/repack-problem.ts";
import { surelyHasNoRoom } from "../../../shared/engine/place/room-there.ts";
import { boughtIn, firstFit, isBought } from "../../../shared/engine/place/run.ts";
import { cases } from "../../support/cases.ts";
import { planInputs } from "./arbitraries.ts";

test("where there is surely no room, no packing finds any; and it is told often enough", () => {
  let asked = 0;
  let told = 0;
  fc.assert(
    fc.property(planInputs, (input) => {
      const { opened, queue } = firstFit({ ...input, overdueNodeIds: new Set() });
      const { ledger } = opened;
      const loose = looseSlotsOf(queue);
      const bought = new Set(loose.map(({ node }) => node).filter(isBought));
      if (bought.size === 0) return;
      asked += 1;
      if (!surelyHasNoRoom(ledger, queue.filter(mayMove), (node) => bought.has(node))) return;
      told += 1;
      const terms = { ledger, reservedLeft: new Map(), vanishing: bought, usesThere: true, hours: undefined };
      expect(packThere(repackProblem(loose, terms))).toBeNull();
    }),
    cases(300),
  );
  expect(told).toBeGreaterThan(asked / 20);
});

test("where all jobs surely have no room, those that are placed as a whole too, filling in order buys as well or places less", () => {
  let told = 0;
  fc.assert(
    fc.property(planInputs, (input) => {
      const { opened, queue } = firstFit({ ...input, overdueNodeIds: new Set() });
      if (queue.some(({ shape }) => shape.profile.alternatives.length > 0)) return;
      if (!queue.some((allocation) => !mayMove(allocation) && allocation.granted > 0)) return;
      if (!surelyHasNoRoom(opened.ledger, queue, isBought)) return;
      told += 1;
      const placement = { default: "order", byNodeArray: {} } as const;
      const settings = { ...input.settings, placement };
      const ordered = firstFit({ ...input, settings, overdueNodeIds: new Set() });
      const placesLess = ordered.queue.some(({ granted }, index) => granted < (queue[index]?.granted ?? 0));
      expect(placesLess || boughtIn(ordered.opened.ledger).length > 0).toBe(true);
    }),
    cases(2_000),
  );
  expect(told).toBeGreaterThan(5);
});
