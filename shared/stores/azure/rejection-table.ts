import { ConflictError } from "../../errors/errors.ts";
import type { Log, RejectedMessage, Rejection, RejectionStore } from "../../ports/index.ts";
import { newestRejectionFirst } from "../order.ts";
import { escapeName, reverseTime } from "./keys.ts";
import { Retention } from "./retention.ts";
import type { Change, Row, Table } from "./table.ts";

/** The part that is stored by id: the message, which lists do not need, and the key of its rejection. */
interface Kept {
  readonly row: string;
  readonly body: string | undefined;
}

/**
 * Table `Rejections`. Partition `cluster:<cluster>`, or `none` for messages that name no cluster. The rejection is in
 * `time:<reverse time>:<id>`, its message in `id:<id>`, which makes a second one with the same id fail as a whole.
 */
export class TableRejectionStore implements RejectionStore {
  readonly #table: Table;
  readonly #retention: Retention;

  constructor(table: Table, options: { readonly log?: Log | undefined } = {}) {
    this.#table = table;
    this.#retention = new Retention({ table, prefix: "time:", rows: ["id:"], log: options.log });
  }

  async add({ rejection, body }: RejectedMessage): Promise<void> {
    const { rejectionId, cluster, receivedAtSeconds } = rejection;
    const id = escapeName(rejectionId);
    const row = `time:${reverseTime(receivedAtSeconds)}:${id}`;
    const kept: Kept = { row, body };
    const changes: readonly Change[] = [
      { kind: "insert", row: `id:${id}`, value: kept },
      { kind: "insert", row, value: rejection, columns: columnsOf(rejection) },
    ];
    await this.#table.submitOnce(partitionOf(cluster), changes, `rejection "${rejectionId}"`);
    await this.#retention.enforce(partitionOf(cluster), receivedAtSeconds);
  }

  async list(
    cluster: string | undefined,
    limit: number,
    untilSeconds?: number,
  ): Promise<readonly Rejection[]> {
    const from = `time:${untilSeconds === undefined ? "" : reverseTime(untilSeconds)}`;
    const range = { from, to: "time;", limit };
    return (await this.#table.values<Rejection>(partitionOf(cluster), range)).sort(newestRejectionFirst);
  }

  async load(cluster: string | undefined, rejectionId: string): Promise<RejectedMessage | undefined> {
    const message = await this.#find(cluster, rejectionId);
    const rejection = message?.row.value;
    return message === undefined || rejection === undefined ? undefined : { rejection, body: message.body };
  }

  /** When two operators mark it at once, one gets a ConflictError; the mark is stored either way. */
  async markReplayed(cluster: string | undefined, rejectionId: string, atSeconds: number): Promise<void> {
    const record = `rejection "${rejectionId}"`;
    const row = (await this.#find(cluster, rejectionId))?.row;
    if (row?.value === undefined) throw new ConflictError(record);
    const value = { ...row.value, replayedAtSeconds: atSeconds };
    const change = { row: row.rowKey, value, columns: columnsOf(value), ifMatch: row.etag };
    await this.#table.submit(partitionOf(cluster), [{ kind: "replace", ...change }], record);
  }

  async #find(
    cluster: string | undefined,
    rejectionId: string,
  ): Promise<{ readonly row: Row<Rejection>; readonly body: string | undefined } | undefined> {
    const partition = partitionOf(cluster);
    const kept = (await this.#table.get<Kept>(partition, `id:${escapeName(rejectionId)}`))?.value;
    if (kept === undefined) return undefined;
    const row = await this.#table.get<Rejection>(partition, kept.row);
    return row === undefined ? undefined : { row, body: kept.body };
  }
}

/** The source is untrusted text: values that a table property may not hold are stored in the JSON only. */
function columnsOf({ kind, queue, source }: Rejection) {
  return { kind, queue, source: source?.replaceAll(/[^ -~]/g, "?") ?? "" };
}

function partitionOf(cluster: string | undefined): string {
  return cluster === undefined ? "none" : `cluster:${escapeName(cluster)}`;
}
