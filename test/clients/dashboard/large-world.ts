import type { ClusterNode } from "../../../shared/engine/index.ts";
import { served } from "../../fuzz/served-world.ts";
import { bucketOf, clusterOf, nodeArrayOf, nodeOf } from "../../support/cluster.ts";
import { snapshotOf } from "../../support/snapshot.ts";
import { cluster, worldWith } from "../../support/world.ts";

/** A cluster of many nodes, which a test changes while a page shows it. */
export interface LargeWorld {
  /** Each node as it is in the next snapshot; undefined: it is gone. */
  change(changed: (node: ClusterNode, index: number) => ClusterNode | undefined): Promise<void>;
}

/** Serves it from now on: `htc-1` to `htc-<count>`, all Ready and without a job. */
export async function serveLargeWorld(count: number): Promise<LargeWorld> {
  const most = { maxCount: count, maxCoreCount: 4 * count };
  const size = { ...most, nodeArrays: [nodeArrayOf({ ...most, buckets: [bucketOf()] })] };
  let nodes: readonly ClusterNode[] = Array.from({ length: count }, (_, index) =>
    nodeOf({ name: `htc-${index + 1}` }),
  );
  const world = worldWith({ ...size, nodes });
  served.world = world;
  // No time-out runs out: what a test does not change stays.
  world.configure({ engine: { idleTimeoutSeconds: { default: 1_000_000, byNodeArray: {} } } });
  await world.snapshot();
  world.advance(1);
  await world.plan();
  const large: LargeWorld = {
    change: async (changed) => {
      nodes = nodes.flatMap((node, index) => changed(node, index) ?? []);
      world.advance(1);
      await world.ports.snapshots.save(cluster, snapshotOf(clusterOf({ ...size, nodes }), world.now()));
    },
  };
  // Ages of days are shown by the hour: they stay as they are for a quarter of an hour.
  world.advance(3 * 86_400 + 1_800);
  await large.change((node) => node);
  return large;
}
