import { concurrently } from "../../batches.ts";
import type { NodeHistory } from "../../engine/index.ts";
import { ConflictError } from "../../errors.ts";
import type { HistoryReading, HistoryStore, KeptReading } from "../../ports/index.ts";
import { byNodeId } from "../order.ts";
import { type Container, fromJson, jsonContent } from "./container.ts";
import { escapeName } from "./keys.ts";
import { markAfter, unseenSince } from "./reading-mark.ts";
import { type Change, inTransactions, type Table } from "./table.ts";

/**
 * Table `NodeHistory`: partition cluster, row node id. Each row is put as a whole, so nothing races. Container `history`, one
 * blob per cluster: a reading of all rows, which come a thousand at a time from the table.
 */
export class TableHistoryStore implements HistoryStore {
  readonly #table: Table;

  readonly #readings: Container;

  constructor(table: Table, readings: Container) {
    this.#table = table;
    this.#readings = readings;
  }

  async list(cluster: string): Promise<readonly NodeHistory[]> {
    const rows = await this.#table.list<NodeHistory>(escapeName(cluster));
    return rows.flatMap((row) => row.value ?? []).sort(byNodeId);
  }

  async since(cluster: string, mark: string | undefined): Promise<HistoryReading> {
    const from = mark === undefined ? undefined : unseenSince(mark);
    const { rows, begunAt } = await this.#table.written<NodeHistory>(escapeName(cluster), from);
    const writtenAt = rows.flatMap((row) => row.writtenAt ?? []);
    return {
      rows: rows.flatMap((row) => row.value ?? []).sort(byNodeId),
      mark: markAfter({ mark, begunAt, writtenAt }),
    };
  }

  async kept(cluster: string): Promise<KeptReading | undefined> {
    const blob = await this.#readings.read(blobName(cluster));
    return blob && fromJson(blob.bytes);
  }

  async keep(cluster: string, reading: KeptReading): Promise<void> {
    await this.#readings.put(blobName(cluster), jsonContent(reading));
  }

  async save(cluster: string, rows: readonly NodeHistory[]): Promise<void> {
    const last = new Map(rows.map((row) => [row.nodeId, row]));
    const changes = [...last.values()].map(
      (row): Change => ({
        kind: "put",
        row: escapeName(row.nodeId),
        value: row,
        columns: { node: row.name },
      }),
    );
    await concurrently(inTransactions(changes), (some) =>
      this.#table.submit(escapeName(cluster), some, `node history of cluster "${cluster}"`),
    );
  }

  async remove(cluster: string, nodeIds: readonly string[]): Promise<void> {
    const rows = [...new Set(nodeIds)].map(escapeName);
    const changes = rows.map((row): Change => ({ kind: "delete", row }));
    await concurrently(inTransactions(changes), (some) => this.#removeSome(cluster, some));
  }

  /** One row that is gone already fails a whole transaction; then each is deleted on its own. */
  async #removeSome(cluster: string, changes: readonly Change[]): Promise<void> {
    const partition = escapeName(cluster);
    try {
      await this.#table.submit(partition, changes, `node history of cluster "${cluster}"`);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      await concurrently(changes, ({ row }) => this.#table.delete(partition, row));
    }
  }
}

function blobName(cluster: string): string {
  return `${escapeName(cluster)}.json`;
}
