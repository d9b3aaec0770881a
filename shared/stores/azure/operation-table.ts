import { concurrently } from "../../collections/batches.ts";
import { ConflictError } from "../../errors/errors.ts";
import {
  type IfMatch,
  isOpen,
  type Log,
  type Operation,
  type OperationStore,
  type Stored,
} from "../../ports/index.ts";
import { fittingOperation } from "../fitting-operation.ts";
import { oldestOperationFirst } from "../order.ts";
import { escapeName, reverseTime } from "./keys.ts";
import { Retention } from "./retention.ts";
import type { Change, Row, Table } from "./table.ts";

/** After every key that starts with a prefix such as "open:": ";" follows ":" in ASCII. */
const openRows = { from: "open:", to: "open;" };
/** Pointers to an operation that is gone are passed over, so the order does not matter. */
const pointedTo = ["open:", "op:"];
const timeRows = { from: "time:", to: "time;" };
/** Holds the newest request's action id, for its ETag alone. */
const requestsRow = "requests";

/**
 * Table `Operations`, partition cluster. `op:<action id>` holds the operation and its ETag guards it; two kinds of rows
 * point to it: `open:<action id>` while it is open, so that the open ones are found without reading the closed, and
 * `time:<reverse time>:<action id>` for "the newest". All rows of an operation change in one transaction; that of a
 * requested one replaces row `requests` as well, so only one of two concurrent requests is recorded.
 */
export class TableOperationStore implements OperationStore {
  readonly #table: Table;
  readonly #retention: Retention;

  constructor(table: Table, options: { readonly log?: Log | undefined } = {}) {
    this.#table = table;
    this.#retention = new Retention({ table, prefix: "time:", rows: pointedTo, log: options.log });
  }

  async open(cluster: string): Promise<readonly Stored<Operation>[]> {
    const pointers = await this.#table.list(escapeName(cluster), openRows);
    const ids = pointers.map((row) => row.rowKey.slice("open:".length));
    const operations = await this.#loadAll(cluster, ids);
    return operations
      .filter((stored) => isOpen(stored.value))
      .sort((a, b) => oldestOperationFirst(a.value, b.value));
  }

  async recent(
    cluster: string,
    limit: number,
    sinceSeconds?: number,
    untilSeconds?: number,
  ): Promise<readonly Operation[]> {
    const to = sinceSeconds === undefined ? timeRows.to : `time:${reverseTime(sinceSeconds)};`;
    const from = untilSeconds === undefined ? timeRows.from : `time:${reverseTime(untilSeconds)}`;
    const pointers = await this.#table.list(escapeName(cluster), { from, to, limit });
    const ids = pointers.map((row) => row.rowKey.slice(row.rowKey.lastIndexOf(":") + 1));
    const operations = await this.#loadAll(cluster, ids);
    return operations.map((stored) => stored.value).sort((a, b) => oldestOperationFirst(b, a));
  }

  async load(cluster: string, actionId: string): Promise<Stored<Operation> | undefined> {
    return toStored(await this.#table.get<Operation>(escapeName(cluster), `op:${escapeName(actionId)}`));
  }

  async save(given: Operation, ifMatch: IfMatch): Promise<string> {
    const operation = fittingOperation(given);
    return this.#kept(
      operation,
      ifMatch === undefined
        ? this.#submit(operation, insertionOf(operation))
        : this.#update(operation, ifMatch),
    );
  }

  async requestsTag(cluster: string): Promise<string | undefined> {
    return (await this.#table.get(escapeName(cluster), requestsRow))?.etag;
  }

  async saveRequested(operation: Operation, tag: string | undefined): Promise<string> {
    const row = { row: requestsRow, value: { actionId: operation.actionId } };
    const turn: Change =
      tag === undefined ? { kind: "insert", ...row } : { kind: "replace", ...row, ifMatch: tag };
    return this.#kept(operation, this.#submit(operation, [...insertionOf(operation), turn]));
  }

  async #kept(operation: Operation, saving: Promise<string>): Promise<string> {
    const etag = await saving;
    await this.#retention.enforce(escapeName(operation.cluster), operation.updatedAtSeconds);
    return etag;
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
      // Closed before: no pointer to delete, which fails the transaction like a lost race. Deleting it alone shows which of both happened.
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

/** The operation's own row first. */
function insertionOf(operation: Operation): readonly Change[] {
  const id = escapeName(operation.actionId);
  const time = reverseTime(operation.createdAtSeconds);
  return [
    { kind: "insert", row: `op:${id}`, value: operation, columns: columnsOf(operation) },
    { kind: "put", row: `time:${time}:${id}` },
    ...(isOpen(operation) ? [{ kind: "put", row: `open:${id}` } as const] : []),
  ];
}

function toStored(row: Row<Operation> | undefined): Stored<Operation> | undefined {
  return row?.value === undefined ? undefined : { value: row.value, etag: row.etag };
}

function columnsOf(operation: Operation) {
  return {
    state: operation.state,
    kind: operation.action.kind,
    reason: operation.action.reason,
  };
}
