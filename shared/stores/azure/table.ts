import { odata, type TableClient, type TableEntityResult, type TransactionAction } from "@azure/data-tables";
import { concurrently } from "../../collections/batches.ts";
import { InvariantError, isWritten } from "../../errors/errors.ts";
import { azureLimits } from "../../ports/index.ts";
import { type Columns, fromEntity, toEntity, toPointer } from "./entity.ts";
import { FirstUse } from "./first-use.ts";
import { calling, reading, saving } from "./sdk-errors.ts";

/** The tables client has no time-out of its own; this one bounds a call with all of its retries. */
const callTimeoutMs = 60_000;
const mostPerPage = 1_000;

/** A row with its value; a row without one points to another by its key. */
export interface Row<T> {
  readonly rowKey: string;
  readonly etag: string;
  /** Time on the store's clock; undefined if the answer has no Date header. */
  readonly writtenAt: string | undefined;
  readonly value: T | undefined;
}

/** One change of a transaction. `replace` needs the ETag that was read; `put` overwrites. */
export type Change =
  | {
      readonly kind: "insert" | "put";
      readonly row: string;
      readonly value?: unknown;
      readonly columns?: Columns;
    }
  | {
      readonly kind: "replace";
      readonly row: string;
      readonly value: unknown;
      readonly columns?: Columns;
      readonly ifMatch: string;
    }
  | { readonly kind: "delete"; readonly row: string };

/** Row keys from `from` on and below `to`, at most `limit`. */
export interface Range {
  readonly from: string;
  readonly to: string;
  readonly limit?: number;
}

/** One table, made when it is missing. Errors: UpstreamError, and ConflictError from `submit`. */
export class Table {
  readonly #client: TableClient;
  readonly #home: FirstUse;

  constructor(client: TableClient) {
    this.#client = client;
    this.#home = new FirstUse(() =>
      calling(`create table "${client.tableName}"`, () => client.createTable(withTimeout())),
    );
  }

  /** Undefined when there is no such row. */
  async get<T>(partition: string, row: string): Promise<Row<T> | undefined> {
    return reading(this.#call("read", partition, row), async () => {
      const entity = await this.#home.use(() =>
        this.#client.getEntity<Record<string, unknown>>(partition, row, withTimeout()),
      );
      return rowOf<T>(entity);
    });
  }

  /** Rows of a partition in the order of their keys; all of them without a range. */
  async list<T>(partition: string, range?: Range, select?: string[]): Promise<readonly Row<T>[]> {
    const limit = range?.limit ?? Number.POSITIVE_INFINITY;
    const within =
      range === undefined ? "" : ` and ${odata`RowKey ge ${range.from}`} and ${odata`RowKey lt ${range.to}`}`;
    return limit <= 0 ? [] : this.#query<T>(partition, { within, from: range?.from ?? "", limit, select });
  }

  /** Keys of those rows; what the rows hold is not transferred. */
  async keys(partition: string, range: Range): Promise<readonly string[]> {
    return (await this.list(partition, range, ["RowKey"])).map(({ rowKey }) => rowKey);
  }

  /** Values of those rows, without rows that only point to others. */
  async values<T>(partition: string, range?: Range): Promise<T[]> {
    const rows = await this.list<T>(partition, range);
    return rows.flatMap(({ value }) => (value === undefined ? [] : [value]));
  }

  /**
   * Rows of a partition that were written then or later, by the store's clock; without a time, all rows. The store reads
   * through the whole partition for that. Also returns the time on that clock when the reading began, if the answer has it.
   */
  async written<T>(
    partition: string,
    since: Date | undefined,
  ): Promise<{ readonly rows: readonly Row<T>[]; readonly begunAt: Date | undefined }> {
    const within = since === undefined ? "" : ` and ${odata`Timestamp ge ${since}`}`;
    const answered: (Date | undefined)[] = [];
    const rows = await this.#query<T>(partition, {
      within,
      from: "",
      limit: Number.POSITIVE_INFINITY,
      onPage: (answeredAt) => answered.push(answeredAt),
    });
    return { rows, begunAt: answered[0] };
  }

  async #query<T>(partition: string, query: Query): Promise<readonly Row<T>[]> {
    const { within, from, limit } = query;
    const filter = `${odata`PartitionKey eq ${partition}`}${within}`;
    return calling(this.#call("list", partition, from), () =>
      this.#home.use(async () => {
        const rows: Row<T>[] = [];
        for await (const page of this.#pages(filter, query)) {
          for (const entity of page) rows.push(rowOf<T>(entity));
          if (rows.length >= limit) break;
        }
        return rows.slice(0, limit);
      }),
    );
  }

  /**
   * Makes all changes or none; at most 100, each to another row. Throws ConflictError about `record` when a row to
   * insert exists, or a row to replace or delete has changed or is gone. Returns the new ETags, in order.
   */
  async submit(partition: string, changes: readonly Change[], record: string): Promise<readonly string[]> {
    const actions = changes.map((change) => toAction(partition, change));
    const { batchEntities, batchBytes } = azureLimits.table;
    const bytes = actions.reduce((total, action) => total + bytesOfAction(action), 0);
    if (actions.length > batchEntities || bytes > batchBytes)
      throw new InvariantError(
        `Cannot save ${record}: ${actions.length} rows of ${bytes} bytes at once, expected at most ${batchEntities} of ${batchBytes}`,
      );
    const answer = await saving(record, () =>
      this.#home.use(() => this.#client.submitTransaction(actions, withTimeout())),
    );
    return answer.subResponses.map((response) => response.etag ?? "");
  }

  /** Any number of changes, in several transactions: some may be made while another fails. */
  async submitAll(partition: string, changes: readonly Change[], record: string): Promise<void> {
    await concurrently(inTransactions(changes), (some) => this.submit(partition, some, record));
  }

  /** Makes all changes; false, and makes none, when a row to insert exists. */
  async submitOnce(partition: string, changes: readonly Change[], record: string): Promise<boolean> {
    return isWritten(() => this.submit(partition, changes, record));
  }

  /** Nothing happens when there is no such row. */
  async delete(partition: string, row: string): Promise<void> {
    await reading(this.#call("delete", partition, row), () =>
      this.#home.use(() => this.#client.deleteEntity(partition, row, withTimeout())),
    );
  }

  #pages(filter: string, { limit, select, onPage }: Query) {
    return this.#client
      .listEntities<Record<string, unknown>>({
        queryOptions: { filter, ...(select && { select }) },
        onResponse: ({ headers }) => onPage?.(timeOf(headers.get("date"))),
        ...withTimeout(),
      })
      .byPage({ maxPageSize: Math.min(limit, mostPerPage) });
  }

  #call(verb: string, partition: string, row: string): string {
    return `${verb} row "${partition}/${row}" of table "${this.#client.tableName}"`;
  }
}

interface Query {
  /** The filter in addition to the partition. */
  readonly within: string;
  readonly from: string;
  readonly limit: number;
  /** The properties that are transferred; all when left out. */
  readonly select?: string[] | undefined;
  /** Called with each page's Date header, if any. */
  readonly onPage?: (answeredAt: Date | undefined) => unknown;
}

function timeOf(text: string | undefined): Date | undefined {
  const time = new Date(text ?? Number.NaN);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

function rowOf<T>(entity: TableEntityResult<Record<string, unknown>>): Row<T> {
  const { rowKey = "", etag, timestamp } = entity;
  return { rowKey, etag, writtenAt: timestamp, value: fromEntity<T>(entity) };
}

function toAction(partition: string, change: Change): TransactionAction {
  const keys = { partition, row: change.row };
  if (change.kind === "delete") return ["delete", { partitionKey: partition, rowKey: change.row }];
  const entity =
    change.value === undefined
      ? toPointer(keys, change.columns ?? {})
      : toEntity(keys, change.value, change.columns ?? {});
  switch (change.kind) {
    case "insert":
      return ["create", entity];
    case "put":
      return ["upsert", entity, "Replace"];
    case "replace":
      return ["update", entity, "Replace", { etag: change.ifMatch }];
  }
}

/** Every part of a transaction has headers of its own, with the keys in its address. */
const headersBytes = 2_048;

function bytesOfAction([, entity]: TransactionAction): number {
  return Buffer.byteLength(JSON.stringify(entity)) + headersBytes;
}

/** Changes in groups that a transaction takes, in order. */
export function inTransactions(changes: readonly Change[]): readonly (readonly Change[])[] {
  const { batchEntities, batchBytes } = azureLimits.table;
  const groups: Change[][] = [];
  let bytes = 0;
  for (const change of changes) {
    const own = bytesOfAction(toAction("x".repeat(azureLimits.table.keyBytes / 2), change));
    const last = groups.at(-1);
    if (last === undefined || last.length === batchEntities || bytes + own > batchBytes) {
      groups.push([change]);
      bytes = own;
    } else {
      last.push(change);
      bytes += own;
    }
  }
  return groups;
}

function withTimeout(): { abortSignal: AbortSignal } {
  return { abortSignal: AbortSignal.timeout(callTimeoutMs) };
}
