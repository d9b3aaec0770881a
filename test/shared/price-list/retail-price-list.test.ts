import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { UpstreamError } from "../../../shared/errors/errors.ts";
import { createRetailPriceList, type RetailPriceOptions } from "../../../shared/price-list/index.ts";
import { type ScriptedServer, startScriptedServer } from "../../support/scripted-server.ts";

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());

const nowSeconds = Date.parse("2026-11-22T00:00:00Z") / 1000;

/** A line of the list: Linux, regular, D4s v5 in westeurope, 0.23 an hour. */
function line(over: Readonly<Record<string, unknown>> = {}) {
  return {
    currencyCode: "USD",
    tierMinimumUnits: 0,
    retailPrice: 0.23,
    unitPrice: 0.23,
    armRegionName: "westeurope",
    location: "EU West",
    effectiveStartDate: "2023-01-01T00:00:00Z",
    meterName: "D4s v5",
    productName: "Virtual Machines Dsv5 Series",
    skuName: "Standard_D4s_v5",
    serviceName: "Virtual Machines",
    unitOfMeasure: "1 Hour",
    type: "Consumption",
    isPrimaryMeterRegion: true,
    armSkuName: "Standard_D4s_v5",
    ...over,
  };
}

const spot = { skuName: "D4s v5 Spot", meterName: "D4s v5 Spot", retailPrice: 0.04 };
const page = (items: readonly object[], NextPageLink: string | null = null) => ({
  status: 200,
  body: { BillingCurrency: "USD", Items: items, NextPageLink, Count: items.length },
});

function listOf(options: Partial<RetailPriceOptions> = {}) {
  return createRetailPriceList({
    address: `${server.url}/api/retail/prices`,
    clock: { nowSeconds: () => nowSeconds },
    retryDelayInMs: 1,
    maxRetries: 1,
    ...options,
  });
}

const read = (options: Partial<RetailPriceOptions> = {}, vmSizes: readonly string[] = ["Standard_D4s_v5"]) =>
  listOf(options).read({ location: "WestEurope", vmSizes });

async function problemOf(reading: Promise<unknown>): Promise<UpstreamError> {
  const error = await reading.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof UpstreamError)) throw new Error(`expected an UpstreamError, got ${error}`);
  return error;
}

const usual = { vmSize: "Standard_D4s_v5", regularUsd: 0.23, spotUsd: 0.04 };

describe("what counts as a price", () => {
  test.each([
    { name: "regular and spot", items: [line(), line(spot)], expected: [usual] },
    {
      name: "Windows, low priority, Cloud Services, reservations and other services do not",
      items: [
        line({ productName: "Virtual Machines Dsv5 Series Windows", retailPrice: 9 }),
        line({ skuName: "D4s v5 Windows", retailPrice: 0.1 }),
        line({ meterName: "D4s v5/D4ds v5 Windows", retailPrice: 0.1 }),
        line({ ...spot, skuName: "D4s v5 Spot Windows", retailPrice: 0.01 }),
        line({ skuName: "D4s v5 Low Priority", meterName: "D4s v5 Low Priority", retailPrice: 9 }),
        line({ productName: "Dsv5 Series Cloud Services", retailPrice: 9 }),
        line({ productName: "Dsv5 Series CloudServices", retailPrice: 9 }),
        line({ type: "Reservation", retailPrice: 9 }),
        line({ type: "DevTestConsumption", retailPrice: 9 }),
        line({ serviceName: "Virtual Machines Licenses", retailPrice: 9 }),
        line({ unitOfMeasure: "1/Month", retailPrice: 9 }),
        line(),
        line(spot),
      ],
      expected: [usual],
    },
    {
      name: "other regions and sizes do not",
      items: [line({ armRegionName: "eastus" }), line({ armSkuName: "Standard_D8s_v5" })],
      expected: [],
    },
    {
      name: "0 is a price that nobody set",
      items: [line({ retailPrice: 0 }), line(spot)],
      expected: [{ ...usual, regularUsd: null }],
    },
    {
      name: "the price that started last, not one that starts later",
      items: [
        line({ retailPrice: 0.5, effectiveStartDate: "2022-01-01T00:00:00Z" }),
        line(),
        line({ retailPrice: 0.9, effectiveStartDate: "2027-01-01T00:00:00Z" }),
        line(spot),
      ],
      expected: [usual],
    },
    {
      name: "the higher one of two of a meter that started together",
      items: [line(spot), line({ ...spot, retailPrice: 0.01 }), line({ retailPrice: 0.2 }), line()],
      expected: [usual],
    },
    {
      name: "not a price that ended",
      items: [
        line({ retailPrice: 0.1, meterName: "D4s v5 old", effectiveEndDate: "2026-01-01T00:00:00Z" }),
        line({ effectiveEndDate: "2027-01-01T00:00:00Z" }),
        line(spot),
      ],
      expected: [usual],
    },
    {
      name: "the lowest of two meters, whichever started last",
      items: [
        line({ meterName: "D4s v5/D4ds v5", retailPrice: 0.414, effectiveStartDate: "2025-01-01T00:00:00Z" }),
        line(),
        line({ ...spot, meterId: "b", retailPrice: 0.08 }),
        line({ ...spot, meterId: "a" }),
      ],
      expected: [usual],
    },
  ])("$name", async ({ items, expected }) => {
    server.answer(page(items));
    expect(await read()).toEqual(expected);
  });
});

describe("the questions", () => {
  test("name the region, the sizes and nothing secret", async () => {
    server.answer(page([]));
    await read({}, ["Standard_D4s_v5", "Standard_O'Neill"]);
    const url = new URL(server.calls[0]?.path ?? "", server.url);
    expect(url.searchParams.get("$filter")).toBe(
      "serviceName eq 'Virtual Machines' and priceType eq 'Consumption' and armRegionName eq 'westeurope' and (armSkuName eq 'Standard_D4s_v5' or armSkuName eq 'Standard_O''Neill')",
    );
    expect([...url.searchParams.keys()]).toEqual(["$filter"]);
    expect(server.calls[0]?.headers.authorization).toBeUndefined();
  });

  test("are of twenty sizes each", async () => {
    server.answer(page([]));
    await read(
      {},
      Array.from({ length: 45 }, (_, n) => `Standard_D${n}`),
    );
    expect(server.calls).toHaveLength(3);
  });

  test("follow the pages", async () => {
    server.answer(page([line()], `${server.url}/api/retail/prices?$skip=1`), page([line(spot)]));
    expect(await read()).toEqual([usual]);
    expect(server.calls.map(({ path }) => path.includes("$skip"))).toEqual([false, true]);
  });
});

describe("what is refused whole", () => {
  test.each([
    { name: "another status", answer: { status: 404 }, says: "HTTP 404, expected 200" },
    {
      name: "no JSON",
      answer: { status: 200, body: "<html>" },
      says: "a page that cannot be read: it is not JSON",
    },
    {
      name: "no list",
      answer: { status: 200, body: { Count: 0 } },
      says: "Items: missing, expected a list of prices",
    },
    {
      name: "a Windows price that no name mentions",
      answer: page([
        line({ armSkuName: "Standard_D4as_v5", retailPrice: 0.208 }),
        line({ armSkuName: "Standard_D16as_v5", retailPrice: 1.568 }),
      ]),
      sizes: ["Standard_D4as_v5", "Standard_D16as_v5"],
      says: "Standard_D16as_v5 costs 1.568 USD an hour, a Windows licence more per vCPU than Standard_D4as_v5 at 0.208 USD; expected the Linux price",
    },
    {
      name: "another currency",
      answer: page([line({ currencyCode: "EUR" })]),
      says: 'Items[0].currencyCode: "EUR", expected USD',
    },
    {
      name: "a negative price",
      answer: page([line({ retailPrice: -1 })]),
      says: "Items[0].retailPrice: -1, expected a number, 0 or more",
    },
    {
      name: "a price that is no number",
      answer: page([line({ retailPrice: "0.2" })]),
      says: 'Items[0].retailPrice: "0.2", expected a number',
    },
    {
      name: "a redirect",
      answer: { status: 302, headers: { location: "https://elsewhere.example/" } },
      says: "HTTP 302, expected 200",
    },
    {
      name: "a next page elsewhere",
      answer: page([line()], "https://elsewhere.example/"),
      says: "a next page at another address",
    },
  ])("$name", async ({ answer, says, sizes }) => {
    server.answer(answer);
    const { message } = await problemOf(read({}, sizes));
    expect(message).toContain(`Cannot read the price list: `);
    expect(message).toContain(says);
  });

  test("pages without an end", async () => {
    server.answer(page([line()], `${server.url}/api/retail/prices`));
    expect((await problemOf(read({ mostPages: 3 }))).message).toContain("more than 3 pages");
    expect(server.calls).toHaveLength(3);
  });

  test("a page that is too large", async () => {
    server.answer(page([line()]));
    expect((await problemOf(read({ mostPageBytes: 100 }))).message).toContain(
      "a page of more than 100 bytes",
    );
  });

  test("an answer that never ends", async () => {
    server.answer((response) => response.writeHead(200).write("{"));
    const problem = await problemOf(read({ timeoutMs: 50 }));
    expect(problem.message).toContain("no whole answer in time");
    expect(problem.retryable).toBe(true);
  });
});

test("an answer of 503 is tried again", async () => {
  server.answer({ status: 503 }, page([line(), line(spot)]));
  expect(await read()).toEqual([usual]);
});
