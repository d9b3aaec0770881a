import type { NodeLoss, NodeLossStore } from "../../ports/index.ts";
import { newestLossFirst } from "../order.ts";
import { keyOf, Records } from "./records.ts";

/** Lost nodes of every cluster. */
export class MemoryNodeLossStore implements NodeLossStore {
  readonly #losses = new Records<NodeLoss>("loss", { isRow: true });

  async add(loss: NodeLoss): Promise<boolean> {
    const key = keyOf(loss.cluster, loss.eventId);
    if (this.#losses.get(key) !== undefined) return false;
    this.#losses.put(key, loss);
    return true;
  }

  async recent(cluster: string, limit: number, sinceSeconds = 0): Promise<readonly NodeLoss[]> {
    return this.#losses
      .entries()
      .map(({ stored }) => stored.value)
      .filter((loss) => loss.cluster === cluster && loss.atSeconds >= sinceSeconds)
      .sort(newestLossFirst)
      .slice(0, limit);
  }
}
