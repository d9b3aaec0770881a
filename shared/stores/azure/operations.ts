import { ConflictError } from "../../errors.ts";
import {
  type IfMatch,
  isOpen,
  type Log,
  type Operation,
  type OperationStore,
  type Stored,
} from "../../ports.ts";
import { oldestOperationFirst } from "../order.ts";
import { concurrently } from "./concurrently.ts";
import { escapeName, reverseTime } from "./keys.ts";
import { Retention } from "./retention.ts";
import type { Change, Row, Table } from "./table.ts";

/** After every key that starts with a prefix such as "open:": ";" follows ":" in ASCII. */
const openRows = { from: "open:", to: "open;" };
const timeRows = { from: "time:", to: "time;" };

/**
 * Table `Operations`, partition cluster. `op:<action id>` holds the operation and its ETag guards it; two kinds of rows
 * point to it: `open:<action id>` while it is open, so that the open ones are found without a look at the closed, and
 * `time:<reverse time>:<action id>` for "the newest". All rows of an operation change in one transaction.
 */
export class TableOperationStore implements OperationStore {
  readonly #table: Table;
  readonly #retention: Retention;

  constructor(table: Table, options: { readonly log?: Log | undefined } = {}) {
    this.#table = table;
    this.#retention = new Retention({
      table,
      prefix: "time:",
      log: options.log,
      remove: (partition, id) => removeOperation(table, partition, id),
    });
  }

  async open(cluster: string): Promise<readonly Stored<Operation>[]> {
    const pointers = await this.#table.list(escapeName(cluster), openRows);
    const ids = pointers.map((row) => row.rowKey.slice("open:".length));
    const found = await this.#loadAll(cluster, ids);
    return found
      .filter((stored) => isOpen(stored.value))
      .sort((a, b) => oldestOperationFirst(a.value, b.value));
  }

  async recent(cluster: string, limit: number, sinceSeconds?: number): Promise<readonly Operation[]> {
    const to = sinceSeconds === undefined ? timeRows.to : `time:${reverseTime(sinceSeconds)};`;
    const pointers = await this.#table.list(escapeName(cluster), { from: timeRows.from, to, limit });
    const ids = pointers.map((row) => row.rowKey.slice(row.rowKey.lastIndexOf(":") + 1));
    const found = await this.#loadAll(cluster, ids);
    return found.map((stored) => stored.value).sort((a, b) => oldestOperationFirst(b, a));
  }

  async load(cluster: string, actionId: string): Promise<Stored<Operation> | undefined> {
    return toStored(await this.#table.get<Operation>(escapeName(cluster), `op:${escapeName(actionId)}`));
  }

  async save(operation: Operation, ifMatch: IfMatch): Promise<string> {
    const etag = await (ifMatch === undefined ? this.#insert(operation) : this.#update(operation, ifMatch));
    await this.#retention.enforce(escapeName(operation.cluster), operation.updatedAtSeconds);
    return etag;
  }

  async #insert(operation: Operation): Promise<string> {
    const id = escapeName(operation.actionId);
    const time = reverseTime(operation.createdAtSeconds);
    const changes: Change[] = [
      { kind: "insert", row: `op:${id}`, value: operation, columns: columnsOf(operation) },
      { kind: "put", row: `time:${time}:${id}` },
    ];
    if (isOpen(operation)) changes.push({ kind: "put", row: `open:${id}` });
    return this.#submit(operation, changes);
  }

  async #update(operation: Operation, ifMatch: string): Promise<string> {
    const id = escapeName(operation.actionId);
    const replaced: Change = {
      kind: "replace",
      row: `op:${id}`,
      value: operation,
      columns: columnsOf(operation),
      ifMatch,
    };
    const row = `open:${id}`;
    if (isOpen(operation)) return this.#submit(operation, [replaced, { kind: "put", row }]);
    try {
      return await this.#submit(operation, [replaced, { kind: "delete", row }]);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      // Closed before: no pointer to delete, which fails the transaction like a lost race. Alone it tells which it was.
      return this.#submit(operation, [replaced]);
    }
  }

  async #submit(operation: Operation, changes: readonly Change[]): Promise<string> {
    const record = `operation "${operation.actionId}" of cluster "${operation.cluster}"`;
    const [etag] = await this.#table.submit(escapeName(operation.cluster), changes, record);
    return etag ?? "";
  }

  async #loadAll(cluster: string, ids: readonly string[]): Promise<Stored<Operation>[]> {
    const rows = await concurrently(ids, (id) => this.#table.get<Operation>(escapeName(cluster), `op:${id}`));
    return rows.flatMap((row) => toStored(row) ?? []);
  }
}

/** Pointers to an operation that is gone are passed over, so the order does not matter. */
async function removeOperation(table: Table, partition: string, id: string): Promise<void> {
  await table.delete(partition, `open:${id}`);
  await table.delete(partition, `op:${id}`);
}

function toStored(row: Row<Operation> | undefined): Stored<Operation> | undefined {
  return row?.value === undefined ? undefined : { value: row.value, etag: row.etag };
}

function columnsOf(operation: Operation) {
  return {
    state: operation.state,
    kind: operation.action.kind,
    reason: operation.action.reason.slice(0, 1024),
  };
}
