import { createHash } from "node:crypto";
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
/** A longer operation is only pointed to by its open row: three whole ones may be too much for a transaction. */
const longestOpenCopy = 100_000;
/** Starts what stands for the ETag of an operation that was read from its open row. */
const copyTag = "copy:";
/** A pointer to an operation that is gone is passed over, so the order does not matter. */
const pointedTo = ["open:", "op:"];
const timeRows = { from: "time:", to: "time;" };
/** Holds the newest request's action id, for its ETag alone. */
const requestsRow = "requests";

/**
 * Table `Operations`, partition cluster. `op:<action id>` holds the operation and its ETag guards it; `open:<action id>`
 * is a copy while it is open, or points to it, so that the open ones are read in one list; `time:<reverse time>:<action
 * id>` is a copy, so that the newest are. All rows of an operation change in one transaction; that of a
 * requested one replaces row `requests` as well, so only one of two concurrent requests is recorded.
 *
 * A copy does not show the ETag of its operation. Its digest stands for that: few of those that are read are changed, and
 * for those the ETag is read.
 */
export class TableOperationStore implements OperationStore {
  readonly #table: Table;
  readonly #retention: Retention;

  constructor(table: Table, options: { readonly log?: Log | undefined } = {}) {
    this.#table = table;
    this.#retention = new Retention({ table, prefix: "time:", rows: pointedTo, log: options.log });
  }

  async open(cluster: string): Promise<readonly Stored<Operation>[]> {
    const partition = escapeName(cluster);
    const rows = await this.#table.list<Operation>(partition, openRows);
    const operations = await concurrently(rows, async ({ rowKey, value }) =>
      value === undefined
        ? toStored(await this.#table.get<Operation>(partition, `op:${rowKey.slice(openRows.from.length)}`))
        : { value, etag: tagOfCopy(value) },
    );
    return operations
      .flatMap((stored) => stored ?? [])
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
    const operations = await this.#table.values<Operation>(escapeName(cluster), { from, to, limit });
    return operations.sort((a, b) => oldestOperationFirst(b, a));
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

  async #update(operation: Operation, tag: string): Promise<string> {
    const id = escapeName(operation.actionId);
    const ifMatch = tag.startsWith(copyTag) ? await this.#etagOf(operation, tag) : tag;
    const changes: readonly Change[] = [
      { kind: "replace", row: `op:${id}`, value: operation, columns: columnsOf(operation), ifMatch },
      copyOf(operation),
    ];
    if (isOpen(operation)) return this.#submit(operation, [...changes, openRowOf(operation)]);
    try {
      return await this.#submit(operation, [...changes, { kind: "delete", row: `open:${id}` }]);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      // Closed before: no pointer to delete, which fails the transaction like a lost race. Leaving it out shows which of both happened.
      return this.#submit(operation, changes);
    }
  }

  async #etagOf({ cluster, actionId }: Operation, tag: string): Promise<string> {
    const stored = await this.load(cluster, actionId);
    if (stored === undefined || tagOfCopy(stored.value) !== tag)
      throw new ConflictError(`operation "${actionId}" of cluster "${cluster}"`);
    return stored.etag;
  }

  async #submit(operation: Operation, changes: readonly Change[]): Promise<string> {
    const record = `operation "${operation.actionId}" of cluster "${operation.cluster}"`;
    const [etag] = await this.#table.submit(escapeName(operation.cluster), changes, record);
    return etag ?? "";
  }
}

/** The operation's own row first. */
function insertionOf(operation: Operation): readonly Change[] {
  const id = escapeName(operation.actionId);
  return [
    { kind: "insert", row: `op:${id}`, value: operation, columns: columnsOf(operation) },
    copyOf(operation),
    ...(isOpen(operation) ? [openRowOf(operation)] : []),
  ];
}

function copyOf(operation: Operation): Change {
  const row = `time:${reverseTime(operation.createdAtSeconds)}:${escapeName(operation.actionId)}`;
  return { kind: "put", row, value: operation, columns: columnsOf(operation) };
}

function openRowOf(operation: Operation): Change {
  const row = `open:${escapeName(operation.actionId)}`;
  const isShort = JSON.stringify(operation).length <= longestOpenCopy;
  return { kind: "put", row, ...(isShort && { value: operation }) };
}

function tagOfCopy(operation: Operation): string {
  return `${copyTag}${createHash("sha256").update(JSON.stringify(operation)).digest("base64")}`;
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
