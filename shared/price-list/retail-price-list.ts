import {
  createDefaultHttpClient,
  createHttpHeaders,
  createPipelineFromOptions,
  createPipelineRequest,
  type Pipeline,
} from "@azure/core-rest-pipeline";
import { chunksOf } from "../collections/batches.ts";
import { messageOf, UpstreamError } from "../errors/errors.ts";
import { licenceJumps } from "../facts/index.ts";
import { parseJson } from "../json/json.ts";
import { readAtMost } from "../json/read-at-most.ts";
import { isHttpToLoopback } from "../machine/loopback.ts";
import type { Clock, ListedPrice, PriceList } from "../ports/index.ts";
import { describeIssues } from "../text/describe-issues.ts";
import { PriceGatherer, pageSchema } from "./price-page.ts";

export interface RetailPriceOptions {
  /** Where the list is, such as https://prices.azure.com/api/retail/prices. */
  readonly address: string;
  readonly clock: Clock;
  /** For one reading, all pages and retries. Default 60 s. */
  readonly timeoutMs?: number;
  readonly maxRetries?: number;
  readonly retryDelayInMs?: number;
  readonly mostPages?: number;
  readonly mostPageBytes?: number;
}

/** Names of sizes in one question: its address stays far below what servers take. */
const sizesPerQuestion = 20;
/** Twenty sizes have a few hundred prices: regular, spot, reservations, Windows. */
const usualMostPages = 50;
const usualMostPageBytes = 8 * 1024 * 1024;
const usualTimeoutMs = 60_000;

/** Azure's public price list. It takes no login, so nothing secret is sent. */
export function createRetailPriceList(options: RetailPriceOptions): PriceList {
  const { timeoutMs = usualTimeoutMs, mostPageBytes = usualMostPageBytes } = options;
  const send = sender(options, mostPageBytes);
  return {
    async read({ location, vmSizes }) {
      const wanted = location.toLowerCase();
      const gatherer = new PriceGatherer({
        location: wanted,
        vmSizes: new Set(vmSizes.map((name) => name.toLowerCase())),
        nowSeconds: options.clock.nowSeconds(),
      });
      const signal = AbortSignal.timeout(timeoutMs);
      for (const sizes of chunksOf(vmSizes, sizesPerQuestion)) {
        const pages = readPages(send, {
          options,
          address: questionOf(options.address, wanted, sizes),
          signal,
        });
        for await (const items of pages) for (const item of items) gatherer.add(item);
      }
      return withoutLicences(gatherer.prices());
    },
  };
}

/** Throws when a price looks like that of Windows: which other prices of such a list are wrong cannot be told. */
function withoutLicences(prices: readonly ListedPrice[]): readonly ListedPrice[] {
  const [jump] = licenceJumps(
    prices.flatMap(({ vmSize, regularUsd }) => (regularUsd === null ? [] : [{ vmSize, usd: regularUsd }])),
  );
  if (jump === undefined) return prices;
  const { vmSize, usd, comparedWith } = jump;
  throw unusable(
    `${vmSize} costs ${usd} USD an hour, a Windows licence more per vCPU than ${comparedWith.vmSize} at ${comparedWith.usd} USD; expected the Linux price`,
  );
}

type Send = (address: URL, signal: AbortSignal) => Promise<string>;

function questionOf(address: string, location: string, vmSizes: readonly string[]): URL {
  const sizes = vmSizes.map((name) => `armSkuName eq ${quoted(name)}`).join(" or ");
  const url = new URL(address);
  // US dollars are the default, and each line says its currency.
  url.searchParams.set(
    "$filter",
    `serviceName eq 'Virtual Machines' and priceType eq 'Consumption' and armRegionName eq ${quoted(location)} and (${sizes})`,
  );
  return url;
}

/** As OData writes a text. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

async function* readPages(
  send: Send,
  asked: { readonly options: RetailPriceOptions; readonly address: URL; readonly signal: AbortSignal },
) {
  const { options, address, signal } = asked;
  const { mostPages = usualMostPages } = options;
  let next: URL | undefined = address;
  for (let page = 1; next !== undefined; page += 1) {
    if (page > mostPages) throw unusable(`more than ${mostPages} pages, expected fewer`);
    const { Items, NextPageLink } = parsePage(await send(next, signal));
    yield Items;
    next = nextOf(NextPageLink, address);
  }
}

/** A link to another server is not followed: nobody but the configured address is asked. */
function nextOf(link: string | null | undefined, address: URL): URL | undefined {
  if (link === null || link === undefined || link === "") return undefined;
  const next = URL.parse(link);
  if (next === null || next.origin !== address.origin)
    throw unusable(`a next page at another address, expected it at ${address.origin}`);
  return next;
}

function parsePage(text: string) {
  const parsed = pageSchema.safeParse(jsonOf(text), { reportInput: true });
  if (parsed.success) return parsed.data;
  throw unusable(`an odd page: ${describeIssues(parsed.error).slice(0, 3).join("; ")}`);
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw unusable(`a page that cannot be read: ${messageOf(error)}`);
  }
}

function unusable(why: string): UpstreamError {
  return new UpstreamError(`Cannot read the price list: ${why}`, { retryable: false });
}

function sender(options: RetailPriceOptions, mostBytes: number): Send {
  const client = createDefaultHttpClient();
  const pipeline = pipelineOf(options);
  return async (address, signal) => {
    const request = createPipelineRequest({
      url: address.href,
      method: "GET",
      headers: createHttpHeaders({ Accept: "application/json" }),
      abortSignal: signal,
      allowInsecureConnection: isHttpToLoopback(address),
      streamResponseStatusCodes: new Set([200]),
    });
    try {
      const { status, readableStreamBody } = await pipeline.sendRequest(client, request);
      if (status !== 200 || readableStreamBody === undefined)
        throw new UpstreamError(`Cannot read the price list: HTTP ${status}, expected 200`, {
          status,
          retryable: status === 408 || status === 429 || status >= 500,
        });
      const body = await readAtMost(readableStreamBody as AsyncIterable<Uint8Array>, mostBytes);
      if (body === undefined) throw unusable(`a page of more than ${mostBytes} bytes, expected fewer`);
      return body.toString("utf8");
    } catch (error) {
      if (error instanceof UpstreamError) throw error;
      const why = signal.aborted ? "no whole answer in time" : messageOf(error);
      throw new UpstreamError(`Cannot read the price list: ${why}`, { retryable: true });
    }
  };
}

function pipelineOf({ maxRetries = 3, retryDelayInMs = 1000 }: RetailPriceOptions): Pipeline {
  return createPipelineFromOptions({
    retryOptions: { maxRetries, retryDelayInMs, maxRetryDelayInMs: 20_000 },
    // Like links to other pages: only the configured address is asked.
    redirectOptions: { maxRetries: 0 },
    userAgentOptions: { userAgentPrefix: "cyclecloud-autoscale/0.1.0" },
  });
}
