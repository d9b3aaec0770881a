import { expect, test } from "vitest";
import { listPrices, lookAhead } from "../../../shared/views/index.ts";
import { bucketOf, nodeArrayOf, nodeOf } from "../../support/cluster.ts";
import { cluster, worldWith } from "../../support/world.ts";

const d8 = bucketOf({ bucketId: "bucket-d8", vmSize: "Standard_Odd" });
const nodeArrays = [
  nodeArrayOf({ buckets: [bucketOf(), d8] }),
  nodeArrayOf({ name: "htc-spot", spot: true }),
];

async function pricesOf(query: Parameters<typeof listPrices>[1] = {}) {
  const world = worldWith({ nodeArrays, nodes: [nodeOf({ name: "htc-1" })] });
  const price = { regularUsd: 0.2, spotUsd: null, asOfSeconds: world.now() };
  const sheet = { location: "westeurope", readAtSeconds: world.now(), prices: { standard_f4s_v2: price } };
  await world.ports.priceSheets.save(sheet);
  world.configure({ priceRules: [{ name: "three years", select: [], reservedNodes: 4 }] });
  await world.snapshot();
  const outlook = await lookAhead(world.ports, cluster);
  if (outlook === undefined) throw new Error("no outlook");
  const listed = listPrices(outlook, query);
  if (!listed.ok) throw new Error("not selected");
  return { now: world.now(), prices: listed.answer.prices };
}

test("every size of every array, with the source and the date of its price", async () => {
  const { now, prices } = await pricesOf();
  const regular = { usdPerHour: 0.2, source: "sheet", asOfSeconds: now };
  const bound = { ...regular, isUpperBound: true };
  const reservation = { name: "three years", nodes: 4, running: 1 };
  expect(prices).toMatchObject([
    {
      nodeArray: "htc",
      vmSize: "Standard_F4s_v2",
      usdPerHour: 0.2,
      usdPerCoreHour: 0.05,
      regular,
      reservation,
    },
    {
      nodeArray: "htc",
      vmSize: "Standard_Odd",
      usdPerHour: null,
      usdPerCoreHour: null,
      regular: null,
      spotPrice: null,
    },
    { nodeArray: "htc-spot", spot: true, usdPerHour: 0.2, spotPrice: bound, reservation: null },
  ]);
});

test("only the sizes that are selected", async () => {
  const { prices } = await pricesOf({ nodeArray: ["htc-spot"] } as Parameters<typeof listPrices>[1]);
  expect(prices.map(({ nodeArray }) => nodeArray)).toEqual(["htc-spot"]);
});
