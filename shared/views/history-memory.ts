import { Recent } from "../collections/recent.ts";
import type { NodeHistory } from "../engine/index.ts";
import { messageOf } from "../errors/errors.ts";
import type { KeptReading, Ports } from "../ports/index.ts";

/** How long removed rows stay: they are of nodes that were deleted days ago, and no view shows those. */
const longestSinceAllSeconds = 600;
/** For all clusters; some 25 MB. */
const mostRows = 100_000;
/** Fewer rows are as soon read as a reading that was kept. */
const fewestKept = 1_000;

type HistoryPorts = Pick<Ports, "clock" | "history" | "log">;

/**
 * The node history of clusters, brought up to date by what was written since: all of 10,000 rows take longer to read than
 * the rest of a look. Gives the same list as before while nothing changed. Who has just started goes on from what another
 * process read and kept. For those who look; who plans reads all.
 */
export class HistoryMemory {
  readonly #last = new Recent<KeptReading>({ most: mostRows });

  /** The store for those who look: what it lists is remembered. */
  storeOf(ports: HistoryPorts): Ports["history"] {
    const { history } = ports;
    return {
      list: (cluster) => this.#list(ports, cluster),
      since: (...given) => history.since(...given),
      kept: (...given) => history.kept(...given),
      keep: (...given) => history.keep(...given),
      save: (...given) => history.save(...given),
      remove: (...given) => history.remove(...given),
    };
  }

  async #list(ports: HistoryPorts, cluster: string): Promise<readonly NodeHistory[]> {
    const nowSeconds = ports.clock.nowSeconds();
    const own = recent(this.#last.get(cluster), nowSeconds);
    const start = own ?? recent(await keptBy(ports, cluster), nowSeconds);
    const { rows: written, mark } = await ports.history.since(cluster, start?.mark);
    const all = start === undefined ? written : merged(start.rows, written);
    // Another caller at the same time may have read the same.
    const rows = own === undefined ? sameOr(this.#last.get(cluster)?.rows, all) : all;
    const reading = { rows, mark, allAtSeconds: start?.allAtSeconds ?? nowSeconds };
    this.#last.set(cluster, reading, rows.length);
    if (start === undefined && rows.length > fewestKept) await keep(ports, cluster, reading);
    return rows;
  }
}

function recent(reading: KeptReading | undefined, nowSeconds: number): KeptReading | undefined {
  if (reading === undefined) return undefined;
  const ageSeconds = nowSeconds - reading.allAtSeconds;
  return ageSeconds >= 0 && ageSeconds <= longestSinceAllSeconds ? reading : undefined;
}

/** A short cut: where it cannot be read, all rows are. */
async function keptBy({ history, log }: HistoryPorts, cluster: string): Promise<KeptReading | undefined> {
  try {
    return await history.kept(cluster);
  } catch (error) {
    log.warn("kept-history", { cluster, message: messageOf(error) });
    return undefined;
  }
}

async function keep({ history, log }: HistoryPorts, cluster: string, reading: KeptReading): Promise<void> {
  try {
    await history.keep(cluster, reading);
  } catch (error) {
    log.warn("kept-history", { cluster, message: messageOf(error) });
  }
}

function merged(remembered: readonly NodeHistory[], written: readonly NodeHistory[]): readonly NodeHistory[] {
  const rows = new Map(remembered.map((row) => [row.nodeId, row]));
  const changed = written.filter((row) => !isSame(rows.get(row.nodeId), row));
  if (changed.length === 0) return remembered;
  for (const row of changed) rows.set(row.nodeId, row);
  return [...rows.values()];
}

function sameOr(
  remembered: readonly NodeHistory[] | undefined,
  all: readonly NodeHistory[],
): readonly NodeHistory[] {
  return remembered?.length === all.length && merged(remembered, all) === remembered ? remembered : all;
}

/** Lists of the same store, so with the same keys in the same order. */
function isSame(remembered: NodeHistory | undefined, row: NodeHistory): boolean {
  return remembered !== undefined && JSON.stringify(remembered) === JSON.stringify(row);
}
