import type { NodeHistory } from "../../engine/index.ts";
import type { HistoryStore } from "../../ports.ts";
import { byNodeId } from "../order.ts";
import { Records } from "./records.ts";

/** Rows of node history, per cluster. */
export class MemoryHistoryStore implements HistoryStore {
  readonly #clusters = new Map<string, Records<NodeHistory>>();

  async list(cluster: string): Promise<readonly NodeHistory[]> {
    return this.#of(cluster)
      .entries()
      .map(({ stored }) => stored.value)
      .sort(byNodeId);
  }

  async save(cluster: string, rows: readonly NodeHistory[]): Promise<void> {
    for (const row of rows) this.#of(cluster).put(row.nodeId, row);
  }

  async remove(cluster: string, nodeIds: readonly string[]): Promise<void> {
    for (const nodeId of nodeIds) this.#of(cluster).delete(nodeId);
  }

  #of(cluster: string): Records<NodeHistory> {
    const rows = this.#clusters.get(cluster) ?? new Records<NodeHistory>("node history");
    this.#clusters.set(cluster, rows);
    return rows;
  }
}
