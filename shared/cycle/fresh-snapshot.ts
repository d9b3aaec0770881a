import { StaleSnapshotError } from "../errors.ts";
import type { Ports, Snapshot } from "../ports/index.ts";

/** The newest snapshot. Throws StaleSnapshotError when there is none, or it is older than is good for a decision. */
export async function freshSnapshot(
  ports: Pick<Ports, "clock" | "snapshots">,
  cluster: string,
  maxAgeSeconds: number,
): Promise<Snapshot> {
  const snapshot = await ports.snapshots.load(cluster);
  const ageSeconds =
    snapshot === undefined ? undefined : ports.clock.nowSeconds() - snapshot.value.takenAtSeconds;
  if (snapshot === undefined || ageSeconds === undefined || ageSeconds > maxAgeSeconds) {
    throw new StaleSnapshotError(cluster, { ageSeconds, maxAgeSeconds });
  }
  return snapshot.value;
}
