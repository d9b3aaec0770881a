import { concurrently } from "../../collections/batches.ts";
import { messageOf } from "../../errors/errors.ts";
import type { Log } from "../../ports/index.ts";
import { reverseTime } from "./keys.ts";
import type { Table } from "./table.ts";

/** How long operations, plans and rejections are kept: long enough to ask what happened last month. */
export const keptSeconds = 30 * 86_400;
const checkEverySeconds = 3_600;
/** The most rows that one write deletes. The next one deletes the rest, so that no write waits for all of them. */
const mostPerCheck = 1_000;

export interface RetentionOptions {
  readonly table: Pick<Table, "keys" | "delete">;
  /** Prefix of the rows that are the index by time: `<prefix><reverse time>:<name>`. */
  readonly prefix: string;
  /** Prefixes of the rows `<prefix><name>` that go with it. The row of the index goes last, so a later run retries a failure. */
  readonly rows?: readonly string[];
  /** Removes what is elsewhere. */
  readonly remove?: (partition: string, name: string) => Promise<void>;
  readonly log: Log | undefined;
}

/**
 * Removes what is older than `keptSeconds`, with the writes of a partition and at most once an hour: tables have no
 * rules of their own for this. A failure is logged and never fails the write.
 */
export class Retention {
  readonly #options: RetentionOptions;
  readonly #checkedAt = new Map<string, number>();

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  async enforce(partition: string, nowSeconds: number): Promise<void> {
    const last = this.#checkedAt.get(partition) ?? Number.NEGATIVE_INFINITY;
    if (nowSeconds - last < checkEverySeconds) return;
    this.#checkedAt.set(partition, nowSeconds);
    try {
      const removed = await this.#removeOld(partition, nowSeconds);
      if (removed === mostPerCheck) this.#checkedAt.delete(partition);
    } catch (error) {
      this.#options.log?.warn("retention-failed", { partition, reason: messageOf(error) });
    }
  }

  async #removeOld(partition: string, nowSeconds: number): Promise<number> {
    const { table, prefix, rows: more = [], remove } = this.#options;
    const from = `${prefix}${reverseTime(nowSeconds - keptSeconds)}`;
    // ":" follows the digits, so this is after every time.
    const keys = await table.keys(partition, { from, to: `${prefix}:`, limit: mostPerCheck });
    await concurrently(keys, async (rowKey) => {
      const name = rowKey.slice(rowKey.lastIndexOf(":") + 1);
      await remove?.(partition, name);
      for (const each of more) await table.delete(partition, `${each}${name}`);
      await table.delete(partition, rowKey);
    });
    return keys.length;
  }
}
