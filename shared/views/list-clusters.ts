import type { ClustersAnswer } from "../api/index.ts";
import { release } from "../app/release.ts";
import { loadControl } from "../cycle/index.ts";
import type { Ports } from "../ports/index.ts";

/** All clusters that are configured, by name, and the release that answers. */
export async function listClusters(
  ports: Pick<Ports, "clock" | "configs" | "controls" | "plans" | "snapshots">,
): Promise<ClustersAnswer> {
  const names = await ports.configs.clusters();
  const clusters = await Promise.all(
    names.map(async (cluster) => {
      const [control, snapshot, head] = await Promise.all([
        loadControl(ports, cluster),
        ports.snapshots.load(cluster),
        ports.plans.loadHead(cluster),
      ]);
      return {
        cluster,
        paused: control.paused !== null,
        snapshotTakenAtSeconds: snapshot?.value.takenAtSeconds ?? null,
        planAtSeconds: head?.value.atSeconds ?? null,
      };
    }),
  );
  return { atSeconds: ports.clock.nowSeconds(), release, clusters };
}
