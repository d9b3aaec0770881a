import { promisify } from "node:util";
import { constants, gunzip, gunzipSync, gzip } from "node:zlib";
import type { BlobServiceClient } from "@azure/storage-blob";
import {
  type Book,
  type Closed,
  type DayPage,
  type JobTotal,
  monthOf,
  monthStart,
  type Page,
} from "../../accounting/index.ts";
import { concurrently } from "../../collections/batches.ts";
import { messageOf, UpstreamError } from "../../errors/errors.ts";
import type { AccountStore, IfMatch, JobRuns, Period, Stored } from "../../ports/index.ts";
import { newestRunFirst } from "../order.ts";
import { type BlobContent, Container, fromJson } from "./container.ts";
import { escapeName, reverseTime } from "./keys.ts";
import { packBook, unpackBook } from "./packed-book.ts";
import { RememberedBlobs } from "./remembered-blobs.ts";
import type { Change, Table } from "./table.ts";

const zip = promisify(gzip);
const unzip = promisify(gunzip);

/** How far back to look for months to forget: earlier calls removed older ones. */
const monthsLookedAt = 3;
/** The most that one call deletes. The next one deletes the rest, so that no call waits for all of them. */
const mostForgotten = 1_000;
/** Months to search for a run: the thirteen that are kept, and the open month. */
const monthsKept = 14;

/**
 * Container `accounts`: `<cluster>/open.json.gz`, `<cluster>/hours/<time>.json.gz` and `<cluster>/days/<time>.json.gz`: pages
 * are read whole, and a row of a table holds 1 MiB at most. Table `JobCosts`: partition `<cluster>:<month of the end>`, row
 * `<source>:<name>:<reverse start>`, so that months are found and forgotten without an index.
 */
export class AzureAccountStore implements AccountStore {
  readonly #container: Container;
  readonly #runs: Table;
  readonly #books: RememberedBlobs<Book>;

  constructor(service: BlobServiceClient, runs: Table) {
    this.#container = new Container(service, "accounts");
    this.#books = new RememberedBlobs(this.#container, bookIn);
    this.#runs = runs;
  }

  async load(cluster: string): Promise<Stored<Book> | undefined> {
    return this.#books.read(`${escapeName(cluster)}/open.json.gz`);
  }

  async save(cluster: string, book: Book, ifMatch: IfMatch): Promise<void> {
    const name = `${escapeName(cluster)}/open.json.gz`;
    const content = await zipped(packBook(book));
    const guard = { ifMatch, record: `accounts of cluster "${cluster}"` };
    const etag = await this.#container.save(name, content, guard);
    this.#books.remember(name, { value: book, etag }, content.bytes.length);
  }

  async keep(cluster: string, { hours, days, jobs }: Closed): Promise<void> {
    const pages = [
      ...hours.map((page) => ({ folder: folderOf(cluster, "hours"), page })),
      ...days.map((page) => ({ folder: folderOf(cluster, "days"), page })),
    ];
    await concurrently(pages, async ({ folder, page }) =>
      this.#container.put(nameOf(folder, page.fromSeconds), await zipped(page)),
    );
    for (const [month, runs] of Map.groupBy(jobs, ({ lastSeconds }) => monthOf(lastSeconds))) {
      const changes = [...new Map(runs.map((run) => [rowOf(run), run]))].map(
        ([row, run]): Change => ({ kind: "put", row, value: run, columns: { job: run.name } }),
      );
      await this.#runs.submitAll(partitionOf(cluster, month), changes, recordOf(cluster));
    }
  }

  async hours(cluster: string, period: Period): Promise<readonly Page[]> {
    return this.#pages<Page>(folderOf(cluster, "hours"), period);
  }

  async days(cluster: string, period: Period): Promise<readonly DayPage[]> {
    return this.#pages<DayPage>(folderOf(cluster, "days"), period);
  }

  async runs(cluster: string, { source, name }: JobRuns, limit: number): Promise<readonly JobTotal[]> {
    const open = await this.load(cluster);
    const newest = open?.value.asOfSeconds;
    if (newest === undefined) return [];
    const prefix = `${escapeName(source)}:${escapeName(name)}:`;
    const runs: JobTotal[] = [];
    for (const month of monthsUntil(newest, monthsKept)) {
      const range = { from: prefix, to: `${prefix}:`, limit: limit - runs.length };
      runs.push(...(await this.#runs.values<JobTotal>(partitionOf(cluster, month), range)));
      if (runs.length >= limit) break;
    }
    return runs.toSorted(newestRunFirst);
  }

  async forget(cluster: string, before: { readonly hours: number; readonly days: number }): Promise<void> {
    await this.#forgetPages(folderOf(cluster, "hours"), before.hours);
    await this.#forgetPages(folderOf(cluster, "days"), before.days);
    const [, ...over] = monthsUntil(before.days, monthsLookedAt + 1);
    for (const month of over) {
      const partition = partitionOf(cluster, month);
      const rows = await this.#runs.list(partition, { from: "", to: "~~~", limit: mostForgotten });
      const changes = rows.map(({ rowKey }): Change => ({ kind: "delete", row: rowKey }));
      await this.#runs.submitAll(partition, changes, recordOf(cluster));
    }
  }

  async #pages<T extends Page>(folder: string, period: Period): Promise<readonly T[]> {
    const names = await this.#container.names(folder);
    const [from, until] = [nameOf(folder, period.fromSeconds), nameOf(folder, period.untilSeconds)];
    const pages = await concurrently(
      names.filter((name) => name >= from && name < until),
      async (name) => {
        const blob = await this.#container.read(name);
        return blob === undefined ? [] : [fromJson<T>(await unzip(blob.bytes))];
      },
    );
    return pages.flat();
  }

  async #forgetPages(folder: string, beforeSeconds: number): Promise<void> {
    const names = await this.#container.names(folder);
    const lengthSeconds = folder.endsWith("/hours/") ? 3_600 : 86_400;
    const until = nameOf(folder, beforeSeconds - lengthSeconds + 1);
    await concurrently(names.filter((name) => name < until).slice(0, mostForgotten), (name) =>
      this.#container.delete(name),
    );
  }
}

/** An unreadable record is an upstream error, like an unreachable store: otherwise budgets would restart at 0. */
function bookIn(bytes: Buffer): Book {
  try {
    return unpackBook(fromJson(gunzipSync(bytes)));
  } catch (cause) {
    const message = `Cannot read the open accounts in storage: ${messageOf(cause)}`;
    throw new UpstreamError(message, { retryable: false, cause });
  }
}

async function zipped(value: unknown): Promise<BlobContent> {
  const bytes = await zip(Buffer.from(JSON.stringify(value)), { level: constants.Z_BEST_SPEED });
  return { bytes, contentType: "application/gzip" };
}

function folderOf(cluster: string, kind: "hours" | "days"): string {
  return `${escapeName(cluster)}/${kind}/`;
}

/** Names sort by time. */
function nameOf(folder: string, seconds: number): string {
  return `${folder}${new Date(seconds * 1_000).toISOString().slice(0, 19).replaceAll(":", "-")}Z.json.gz`;
}

function recordOf(cluster: string): string {
  return `costs of jobs of cluster "${cluster}"`;
}

function partitionOf(cluster: string, month: string): string {
  return `${escapeName(cluster)}:${month}`;
}

function rowOf({ source, name, firstSeconds }: JobTotal): string {
  return `${escapeName(source)}:${escapeName(name)}:${reverseTime(firstSeconds)}`;
}

/** The month of a time and those before it, the newest first. */
function monthsUntil(seconds: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => monthOf(monthStart(seconds, -index)));
}
