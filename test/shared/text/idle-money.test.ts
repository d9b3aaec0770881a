import { expect, test } from "vitest";
import { idleMoneyWords } from "../../../shared/text/idle-money.ts";

test("money in no sum is named for what there is of it, with its price if that is known", () => {
  const words = (reserved: number, deallocated: number) =>
    idleMoneyWords(
      {
        unusedReservations: { nodes: reserved, usdPerHour: 1.5 },
        deallocatedNodes: { nodes: deallocated, usdPerHour: null },
      },
      (usd) => `${usd} USD`,
    );
  expect(words(0, 0)).toEqual([]);
  expect(words(1, 2)).toEqual([
    "Reserved and not used, in no sum: 1 node, 1.5 USD an hour",
    "Deallocated, their disks in no sum: 2 nodes, price not known",
  ]);
});
