import fc from "fast-check";
import { expect, test } from "vitest";
import type { LedgerNode } from "../../../shared/engine/ledger/ledger-bucket.ts";
import { looseSlotsOf } from "../../../shared/engine/place/loose-slots.ts";
import { packThere } from "../../../shared/engine/place/packing/portfolio.ts";
import { repackProblem } from "../../../shared/engine/place/repack-problem.ts";
import { surelyHasNoRoom } from "../../../shared/engine/place/room-there.ts";
import { firstFit } from "../../../shared/engine/place/run.ts";
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
      if (!surelyHasNoRoom(ledger, loose, bought)) return;
      told += 1;
      const terms = { ledger, reservedLeft: new Map(), vanishing: bought, usesThere: true, hours: undefined };
      expect(packThere(repackProblem(loose, terms))).toBeNull();
    }),
    { numRuns: 300 },
  );
  expect(told).toBeGreaterThan(asked / 20);
});

function isBought({ origin }: LedgerNode): boolean {
  return origin === "new" || origin === "starting";
}
