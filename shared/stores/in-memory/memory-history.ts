import type { NodeHistory } from "../../engine/index.ts";
import type {
  HistoryReading,
  HistoryStore,
  KeptReading,
  NodeLoss,
  NodeLossStore,
} from "../../ports/index.ts";
import { byNodeId, newestEventFirst } from "../order.ts";
import { Records, recordKey } from "./memory-records.ts";

/** Rows of node history, per cluster. */
export class MemoryHistoryStore implements HistoryStore {
  readonly #clusters = new Map<string, Records<NodeHistory>>();
  readonly #kept = new Map<string, KeptReading>();

  async list(cluster: string): Promise<readonly NodeHistory[]> {
    return this.#of(cluster)
      .entries()
      .map(({ stored }) => stored.value)
      .sort(byNodeId);
  }

  /** Marks count the writes, as ETags do. */
  async since(cluster: string, mark: string | undefined): Promise<HistoryReading> {
    const written = this.#of(cluster)
      .entries()
      .map(({ stored }) => ({ row: stored.value, write: Number(JSON.parse(stored.etag)) }))
      .filter(({ write }) => mark === undefined || write > Number(mark));
    const newest = written.reduce((most, { write }) => Math.max(most, write), Number(mark ?? 0));
    const rows = written.map(({ row }) => row).sort(byNodeId);
    return { rows, mark: newest === 0 ? undefined : String(newest) };
  }

  async kept(cluster: string): Promise<KeptReading | undefined> {
    return structuredClone(this.#kept.get(cluster));
  }

  async keep(cluster: string, reading: KeptReading): Promise<void> {
    this.#kept.set(cluster, structuredClone(reading));
  }

  async save(cluster: string, rows: readonly NodeHistory[]): Promise<void> {
    for (const row of rows) this.#of(cluster).put(row.nodeId, row);
  }

  async remove(cluster: string, nodeIds: readonly string[]): Promise<void> {
    for (const nodeId of nodeIds) this.#of(cluster).delete(nodeId);
  }

  #of(cluster: string): Records<NodeHistory> {
    const rows = this.#clusters.get(cluster) ?? new Records<NodeHistory>("node history", { isRow: true });
    this.#clusters.set(cluster, rows);
    return rows;
  }
}

/** Lost nodes of every cluster. */
export class MemoryNodeLossStore implements NodeLossStore {
  readonly #losses = new Records<NodeLoss>("loss", { isRow: true });

  async add(loss: NodeLoss): Promise<boolean> {
    const key = recordKey(loss.cluster, loss.eventId);
    if (this.#losses.get(key) !== undefined) return false;
    this.#losses.put(key, loss);
    return true;
  }

  async recent(
    cluster: string,
    limit: number,
    sinceSeconds = 0,
    untilSeconds = Number.POSITIVE_INFINITY,
  ): Promise<readonly NodeLoss[]> {
    return this.#losses
      .entries()
      .map(({ stored }) => stored.value)
      .filter((loss) => loss.cluster === cluster)
      .filter(({ atSeconds }) => atSeconds >= sinceSeconds && atSeconds <= untilSeconds)
      .sort(newestEventFirst)
      .slice(0, limit);
  }
}
