import type { Log, NodeLoss, NodeLossStore } from "../../ports/index.ts";
import { newestEventFirst } from "../order.ts";
import { escapeName, reverseTime } from "./keys.ts";
import { Retention } from "./retention.ts";
import type { Change, Table } from "./table.ts";

/**
 * Table `NodeLosses`, partition cluster. The loss is in `time:<reverse time>:<event id>`; `id:<event id>` makes the same
 * event fail as a whole when it comes again, whatever time it gives then.
 */
export class TableNodeLossStore implements NodeLossStore {
  readonly #table: Table;
  readonly #retention: Retention;

  constructor(table: Table, options: { readonly log?: Log | undefined } = {}) {
    this.#table = table;
    this.#retention = new Retention({ table, prefix: "time:", rows: ["id:"], log: options.log });
  }

  async add(loss: NodeLoss): Promise<boolean> {
    const partition = escapeName(loss.cluster);
    const id = escapeName(loss.eventId);
    const time = reverseTime(loss.atSeconds);
    const columns = { reason: loss.reason };
    const changes: readonly Change[] = [
      { kind: "insert", row: `id:${id}` },
      { kind: "insert", row: `time:${time}:${id}`, value: loss, columns },
    ];
    const isNew = await this.#table.submitOnce(partition, changes, `loss "${loss.eventId}"`);
    if (isNew) await this.#retention.enforce(partition, loss.atSeconds);
    return isNew;
  }

  async recent(
    cluster: string,
    limit: number,
    sinceSeconds?: number,
    untilSeconds?: number,
  ): Promise<readonly NodeLoss[]> {
    const from = untilSeconds === undefined ? "time:" : `time:${reverseTime(untilSeconds)}:`;
    const to = sinceSeconds === undefined ? "time;" : `time:${reverseTime(sinceSeconds)};`;
    const losses = await this.#table.values<NodeLoss>(escapeName(cluster), { from, to, limit });
    return losses.sort(newestEventFirst);
  }
}
