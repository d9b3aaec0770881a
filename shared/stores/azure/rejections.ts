import { ConflictError } from "../../errors.ts";
import type { Log, Rejection, RejectionStore } from "../../ports.ts";
import { newestRejectionFirst } from "../order.ts";
import { escapeName, reverseTime } from "./keys.ts";
import { Retention } from "./retention.ts";
import type { Table } from "./table.ts";

/**
 * Table `Rejections`. Partition `cluster:<cluster>`, or `none` for messages that name no cluster. The rejection is in
 * `time:<reverse time>:<id>`; `id:<id>` makes a second one with the same id fail as a whole.
 */
export class TableRejectionStore implements RejectionStore {
  readonly #table: Table;
  readonly #retention: Retention;

  constructor(table: Table, options: { readonly log?: Log | undefined } = {}) {
    this.#table = table;
    this.#retention = new Retention({
      table,
      prefix: "time:",
      log: options.log,
      remove: (partition, id) => table.delete(partition, `id:${id}`),
    });
  }

  async add(rejection: Rejection): Promise<void> {
    await this.#insert(rejection);
    await this.#retention.enforce(partitionOf(rejection.cluster), rejection.receivedAtSeconds);
  }

  async #insert(rejection: Rejection): Promise<void> {
    const id = escapeName(rejection.rejectionId);
    const row = `time:${reverseTime(rejection.receivedAtSeconds)}:${id}`;
    const columns = { queue: rejection.queue, source: rejection.source ?? "" };
    try {
      await this.#table.submit(
        partitionOf(rejection.cluster),
        [
          { kind: "insert", row: `id:${id}` },
          { kind: "insert", row, value: rejection, columns },
        ],
        `rejection "${rejection.rejectionId}"`,
      );
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }

  async list(cluster: string | undefined, limit: number): Promise<readonly Rejection[]> {
    const range = { from: "time:", to: "time;", limit };
    const rows = await this.#table.list<Rejection>(partitionOf(cluster), range);
    return rows.flatMap((row) => row.value ?? []).sort(newestRejectionFirst);
  }
}

function partitionOf(cluster: string | undefined): string {
  return cluster === undefined ? "none" : `cluster:${escapeName(cluster)}`;
}
