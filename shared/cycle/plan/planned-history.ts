import { Recent } from "../../collections/recent.ts";
import type { NodeHistory } from "../../engine/index.ts";
import type { HistoryStore } from "../../ports/index.ts";

/** Rows of all clusters that a process keeps: some 20 MB. */
const mostRows = 20_000;

/** What a plan left as a cluster's rows, after all of it was written. */
interface Left {
  readonly planId: string;
  readonly rows: readonly NodeHistory[];
}

/** Of each store. A process that stops in the middle of a plan has nothing of it here. */
const left = new WeakMap<HistoryStore, Recent<Left>>();

/**
 * The rows of a cluster when `planId` is its newest plan. Only plans write them, so the process that made that plan knows
 * them without reading hundreds of rows again.
 */
export async function readHistory(
  history: HistoryStore,
  cluster: string,
  planId: string | undefined,
): Promise<readonly NodeHistory[]> {
  const known = left.get(history)?.get(cluster);
  return known !== undefined && known.planId === planId ? known.rows : history.list(cluster);
}

/** Notes what the newest plan has left. */
export function noteHistory(history: HistoryStore, cluster: string, { planId, rows }: Left): void {
  const known = left.get(history) ?? new Recent<Left>({ most: mostRows });
  left.set(history, known);
  // In the order in which stores list them.
  const ordered = rows.toSorted((a, b) => (a.nodeId < b.nodeId ? -1 : 1));
  known.set(cluster, { planId, rows: ordered }, rows.length);
}
