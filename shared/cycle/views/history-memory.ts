import type { NodeHistory } from "../../engine/index.ts";
import type { Ports } from "../../ports.ts";
import { Recent } from "../../recent.ts";

/** Removed rows linger so long: they are of nodes that went days ago, and no view tells of those. */
const longestSinceAllSeconds = 600;
/** Of all clusters; some 25 MB. */
const mostRows = 100_000;

interface Remembered {
  readonly rows: readonly NodeHistory[];
  readonly mark: string | undefined;
  readonly allAtSeconds: number;
}

/**
 * The node history of clusters, brought up to date by what was written since: all of 10,000 rows take longer to read than
 * the rest of a look. Gives the same list as before while nothing changed. For those who look; who plans reads all.
 */
export class HistoryMemory {
  readonly #last = new Recent<Remembered>({ most: mostRows });

  async list(
    { clock, history }: Pick<Ports, "clock" | "history">,
    cluster: string,
  ): Promise<readonly NodeHistory[]> {
    const last = this.#last.get(cluster);
    const nowSeconds = clock.nowSeconds();
    const isRecent =
      last !== undefined &&
      nowSeconds >= last.allAtSeconds &&
      nowSeconds - last.allAtSeconds <= longestSinceAllSeconds;
    const { rows: written, mark } = await history.since(cluster, isRecent ? last.mark : undefined);
    const rows = isRecent
      ? merged(last.rows, written)
      : // Whoever looked at the same time may have read the same.
        sameOr(this.#last.get(cluster)?.rows, written);
    const allAtSeconds = isRecent ? last.allAtSeconds : nowSeconds;
    this.#last.set(cluster, { rows, mark, allAtSeconds }, rows.length);
    return rows;
  }
}

function merged(known: readonly NodeHistory[], written: readonly NodeHistory[]): readonly NodeHistory[] {
  const rows = new Map(known.map((row) => [row.nodeId, row]));
  const changed = written.filter((row) => !isSame(rows.get(row.nodeId), row));
  if (changed.length === 0) return known;
  for (const row of changed) rows.set(row.nodeId, row);
  return [...rows.values()];
}

function sameOr(
  known: readonly NodeHistory[] | undefined,
  all: readonly NodeHistory[],
): readonly NodeHistory[] {
  return known?.length === all.length && merged(known, all) === known ? known : all;
}

/** Of the same store, so with the same keys in the same order. */
function isSame(known: NodeHistory | undefined, row: NodeHistory): boolean {
  return known !== undefined && JSON.stringify(known) === JSON.stringify(row);
}
