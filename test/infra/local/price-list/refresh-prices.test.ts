import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually, type LocalStack, startStack } from "../../../support/local-stack.ts";

let stack: LocalStack;
beforeAll(async () => {
  stack = await startStack({ pricesSchedule: "*/1 * * * * *" });
});
afterAll(() => stack?.stop());

interface Prices {
  readonly prices: readonly {
    readonly regular: { readonly source: string } | null;
    readonly spotPrice: { readonly source: string; readonly isUpperBound?: true } | null;
  }[];
}

async function readPrices(): Promise<Prices["prices"]> {
  const { environment, cluster } = stack;
  const response = await fetch(`${environment.functionsUrl}/api/clusters/${cluster}/prices`);
  // Before the first snapshot there is nothing to show.
  return response.ok ? ((await response.json()) as Prices).prices : [];
}

test("the service reads the local price list, and the next snapshot has its prices", async () => {
  const isRead = (prices: Prices["prices"]) =>
    prices.length > 0 && prices.every(({ regular }) => regular?.source === "sheet");
  const prices = await eventually(readPrices, isRead);
  expect(prices).not.toEqual([]);
  for (const { regular, spotPrice } of prices) {
    expect(regular?.source).toBe("sheet");
    expect(spotPrice).toMatchObject({ source: "sheet" });
    expect(spotPrice).not.toHaveProperty("isUpperBound");
  }
});
