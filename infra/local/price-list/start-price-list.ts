import http from "node:http";
import type { AddressInfo } from "node:net";
import { linesFor } from "./price-lines.ts";

/** A stand-in for Azure's public price list. */
export interface LocalPriceList {
  /** For the app setting PRICE_LIST_URL. */
  readonly address: string;
  stop(): Promise<void>;
}

/** So few that a question about two sizes has pages already. */
const linesOfPage = 10;

/** Starts a price list on a free port of this machine, with the shipped prices as today's. */
export async function startPriceList(): Promise<LocalPriceList> {
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? "/", `http://${request.headers.host}`);
    const page = pageOf(url);
    response.writeHead(page === undefined ? 400 : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(page ?? { error: "no such filter" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}/api/retail/prices`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Knows the one form of filter that the service sends; undefined for any other. */
function pageOf(url: URL): object | undefined {
  const filter = url.searchParams.get("$filter") ?? "";
  const location = /armRegionName eq '([^']+)'/.exec(filter)?.[1];
  const vmSizes = [...filter.matchAll(/armSkuName eq '([^']+)'/g)].map(([, name = ""]) => name);
  if (location === undefined || vmSizes.length === 0) return undefined;
  const lines = vmSizes.flatMap((vmSize) => linesFor(vmSize, location));
  const skipped = Number(url.searchParams.get("$skip") ?? 0);
  const items = lines.slice(skipped, skipped + linesOfPage);
  const next = new URL(url);
  next.searchParams.set("$skip", String(skipped + linesOfPage));
  return {
    BillingCurrency: "USD",
    Items: items,
    NextPageLink: skipped + linesOfPage < lines.length ? next.href : null,
    Count: items.length,
  };
}
