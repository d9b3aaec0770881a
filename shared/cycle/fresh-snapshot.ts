import { StaleSnapshotError } from "../errors.ts";
import type { Ports, Snapshot } from "../ports/index.ts";
import { furthestAheadSeconds } from "./clocks.ts";

/** The newest snapshot. Throws StaleSnapshotError when there is none, or it is older than is good for a decision. */
export async function freshSnapshot(
  ports: Pick<Ports, "clock" | "snapshots">,
  cluster: string,
  maxAgeSeconds: number,
): Promise<Snapshot> {
  const snapshot = await ports.snapshots.load(cluster);
  const ageSeconds =
    snapshot === undefined ? undefined : ports.clock.nowSeconds() - snapshot.value.takenAtSeconds;
  // Of one from the future nobody can tell how old it is; the next reading replaces it.
  const isOdd = ageSeconds !== undefined && ageSeconds < -furthestAheadSeconds;
  if (snapshot === undefined || ageSeconds === undefined || ageSeconds > maxAgeSeconds || isOdd) {
    throw new StaleSnapshotError(cluster, { ageSeconds, maxAgeSeconds });
  }
  return snapshot.value;
}
