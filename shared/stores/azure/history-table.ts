import { concurrently } from "../../collections/batches.ts";
import type { NodeHistory } from "../../engine/index.ts";
import { ConflictError } from "../../errors/errors.ts";
import type { HistoryReading, HistoryStore, KeptReading } from "../../ports/index.ts";
import { byNodeId } from "../order.ts";
import { type Container, jsonContent } from "./container.ts";
import { clusterBlob, escapeName } from "./keys.ts";
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
    return (await this.#table.values<NodeHistory>(escapeName(cluster))).sort(byNodeId);
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
    return (await this.#readings.load<KeptReading>(clusterBlob(cluster)))?.value;
  }

  async keep(cluster: string, reading: KeptReading): Promise<void> {
    await this.#readings.put(clusterBlob(cluster), jsonContent(reading));
  }

  async save(cluster: string, rows: readonly NodeHistory[]): Promise<void> {
    const last = new Map(rows.map((row) => [row.nodeId, row]));
    const changes = [...last.values()].map((value): Change => {
      return { kind: "put", row: escapeName(value.nodeId), value, columns: { node: value.name } };
    });
    await this.#table.submitAll(escapeName(cluster), changes, `node history of cluster "${cluster}"`);
  }

  async remove(cluster: string, nodeIds: readonly string[]): Promise<void> {
    const rows = [...new Set(nodeIds)].map(escapeName);
    const changes = rows.map((row): Change => ({ kind: "delete", row }));
    await concurrently(inTransactions(changes), (some) => this.#removeSome(cluster, some));
  }

  /** A row that is already gone fails the whole transaction; then each row is deleted separately. */
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

/**
 * Rows may show some time after their time stamps say that they were written, and the clocks of a store's machines are not
 * quite the same: so rows from this much earlier are read again.
 */
const overlapMs = 10_000;

/** Times on the store's clock around a reading of rows. */
interface Reading {
  /** Start of the previous reading; undefined: this one read all rows. */
  readonly mark: string | undefined;
  /** Start of this reading; undefined: the answer had no Date header. */
  readonly begunAt: Date | undefined;
  /** When its rows were written. */
  readonly writtenAt: readonly string[];
}

/** The time stamps, from that of `mark` on, of rows that the reading which gave it may not have seen. */
export function unseenSince(mark: string): Date {
  return new Date(Date.parse(mark) - overlapMs);
}

/**
 * Where the next reading goes on: when this one began, as what was written later may have come behind it. Without a Date
 * header the newest row's time stamp is used, and rows written at that time are read again. Undefined while
 * there are no rows.
 */
export function markAfter({ mark, begunAt, writtenAt }: Reading): string | undefined {
  if (mark === undefined && writtenAt.length === 0) return undefined;
  const times = begunAt === undefined ? writtenAt.map((text) => Date.parse(text)) : [begunAt.getTime()];
  const latest = times.reduce(
    (most, time) => Math.max(most, time),
    mark === undefined ? Number.NEGATIVE_INFINITY : Date.parse(mark),
  );
  return new Date(latest).toISOString();
}
