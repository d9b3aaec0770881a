import { beforeEach, describe, expect, test } from "vitest";
import { refreshPrices } from "../../../../shared/cycle/index.ts";
import type { ListedPrice, PriceList } from "../../../../shared/ports/index.ts";
import { bucketOf, nodeArrayOf } from "../../../support/cluster.ts";
import { cluster, type World, worldWith } from "../../../support/world.ts";

const f4 = bucketOf();
const d8 = bucketOf({ bucketId: "bucket-d8", vmSize: "Standard_D8s_v5" });
const f4Price = { vmSize: "Standard_F4s_v2", regularUsd: 0.2, spotUsd: 0.04 };

let world: World;
let questions: { readonly location: string; readonly vmSizes: readonly string[] }[];

/** Answers with these prices, or fails. */
function listOf(answer: readonly ListedPrice[] | Error): PriceList {
  return {
    read: async (question) => {
      questions.push(question);
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

async function seen(nodeArrays = [nodeArrayOf({ buckets: [f4] })]): Promise<void> {
  world = worldWith({ nodeArrays });
  await world.snapshot();
}

const priceNow = async () => {
  await world.snapshot();
  const snapshot = (await world.ports.snapshots.load(cluster))?.value;
  return snapshot?.cluster.nodeArrays[0]?.buckets[0]?.prices?.regular;
};

beforeEach(async () => {
  questions = [];
  await seen();
});

describe("refreshPrices", () => {
  test("reads the sizes that clusters use, and the next snapshot has the prices", async () => {
    await refreshPrices(world.ports, listOf([f4Price]));
    expect(questions).toEqual([{ location: "westeurope", vmSizes: ["Standard_F4s_v2"] }]);
    expect(await priceNow()).toEqual({ usdPerHour: 0.2, source: "sheet", asOfSeconds: world.now() });
  });

  test("asks for sizes as Azure spells them, whatever the cluster's spelling", async () => {
    await seen([nodeArrayOf({ buckets: [bucketOf({ vmSize: "standard_f4S_V2" })] })]);
    await refreshPrices(world.ports, listOf([f4Price]));
    expect(questions).toEqual([{ location: "westeurope", vmSizes: ["Standard_F4s_v2"] }]);
    expect(await priceNow()).toMatchObject({ usdPerHour: 0.2, source: "sheet" });
  });

  test("reads nothing while the sheet is fresh, and everything once it is old, or of a clock that was ahead", async () => {
    await refreshPrices(world.ports, listOf([f4Price]));
    world.advance(20 * 3600 - 1);
    await refreshPrices(world.ports, listOf([f4Price]));
    expect(questions).toHaveLength(1);
    world.advance(1);
    await refreshPrices(world.ports, listOf([f4Price]));
    expect(questions).toHaveLength(2);
    world.advance(-1);
    await refreshPrices(world.ports, listOf([f4Price]));
    expect(questions).toHaveLength(3);
  });

  test("a size that the list does not have is asked for once a day too", async () => {
    await refreshPrices(world.ports, listOf([]));
    await refreshPrices(world.ports, listOf([]));
    expect(questions).toHaveLength(1);
  });

  test("reads at once when a cluster uses a new size", async () => {
    const before = world;
    await refreshPrices(before.ports, listOf([f4Price]));
    const sheet = await before.ports.priceSheets.load("westeurope");
    await seen([nodeArrayOf({ buckets: [f4, d8] })]);
    if (sheet !== undefined) await world.ports.priceSheets.save(sheet);
    await refreshPrices(world.ports, listOf([f4Price]));
    expect(questions.at(-1)?.vmSizes).toEqual(["Standard_F4s_v2", "Standard_D8s_v5"]);
  });

  test("a list that cannot be read leaves the last prices, with their age", async () => {
    await refreshPrices(world.ports, listOf([f4Price]));
    const readAtSeconds = world.now();
    world.advance(40 * 3600);
    await expect(refreshPrices(world.ports, listOf(new Error("no route")))).rejects.toThrow(
      "Cannot read prices of 1 locations",
    );
    expect(world.log.some((line) => line.includes("prices-not-read") && line.includes("no route"))).toBe(
      true,
    );
    expect(await priceNow()).toEqual({ usdPerHour: 0.2, source: "sheet", asOfSeconds: readAtSeconds });
  });

  test("an empty list leaves the last prices, with their age", async () => {
    await refreshPrices(world.ports, listOf([f4Price]));
    const readAtSeconds = world.now();
    world.advance(40 * 3600);
    await refreshPrices(world.ports, listOf([]));
    expect(await priceNow()).toEqual({ usdPerHour: 0.2, source: "sheet", asOfSeconds: readAtSeconds });
  });

  test("keeps sizes that are in use, and no others", async () => {
    await refreshPrices(world.ports, listOf([f4Price, { ...f4Price, vmSize: "Standard_D2s_v5" }]));
    const sheet = await world.ports.priceSheets.load("westeurope");
    expect(Object.keys(sheet?.prices ?? {})).toEqual(["standard_f4s_v2"]);
  });

  test("one location that cannot be read does not keep the others waiting", async () => {
    await seen([
      nodeArrayOf({ buckets: [f4], location: "moonbase1" }),
      nodeArrayOf({ name: "htc2", buckets: [f4] }),
    ]);
    const list: PriceList = {
      read: async ({ location }) => {
        if (location === "moonbase1") throw new Error("no such region");
        return [f4Price];
      },
    };
    await refreshPrices(world.ports, list);
    expect(await world.ports.priceSheets.load("moonbase1")).toBeUndefined();
    expect((await world.ports.priceSheets.load("westeurope"))?.prices.standard_f4s_v2?.regularUsd).toBe(0.2);
  });
});
