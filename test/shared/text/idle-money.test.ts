import { expect, test } from "vitest";
import { besideWords, idleMoneyWords } from "../../../shared/text/idle-money.ts";

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

test.each([
  [
    { kind: "deallocated", name: "htc", usd: 1.2, nodeHours: 60, unpricedNodeHours: 0 },
    "1.2 USD, 60.0 node-hours",
  ],
  [
    { kind: "deallocated", name: "htc", usd: 1, nodeHours: 60, unpricedNodeHours: 10 },
    "1 USD, 60.0 node-hours, 10.0 of them without a price",
  ],
  [
    { kind: "deallocated", name: "htc", usd: 0, nodeHours: 60, unpricedNodeHours: 60 },
    "price not known, 60.0 node-hours",
  ],
] as const)("what was paid beside nodes that ran: %o", (paid, words) => {
  const half = { ...paid, usd: paid.usd / 2, nodeHours: 30, unpricedNodeHours: paid.unpricedNodeHours / 2 };
  for (const times of [[paid], [half, half]])
    expect(besideWords(times, (usd) => `${usd} USD`)).toEqual([
      `Disks of deallocated nodes of "htc", in no sum: ${words}`,
    ]);
});
