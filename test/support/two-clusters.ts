import { snapshotCluster } from "../../shared/cycle/index.ts";
import { bucketOf, clusterOf, nodeArrayOf, nodeOf } from "./cluster.ts";
import { FakeCycleCloud } from "./fake-cyclecloud.ts";
import { configOf, createWorld, type World } from "./world.ts";

/** A cluster with so many nodes of 4 cores under a quota of 200 cores that are all used. */
function withNodes(count: number) {
  const base = bucketOf();
  const region = { maxCores: 1_000, usedCores: 230 };
  const limits = { ...base.limits, region, family: { maxCores: 200, usedCores: 200 } };
  const names = Array.from({ length: count }, (_, index) => `htc-${index + 1}`);
  return clusterOf({
    nodeArrays: [
      nodeArrayOf({ account: "azure", buckets: [{ ...base, limits }] }),
      nodeArrayOf({ name: "bare", buckets: [] }),
    ],
    nodes: names.map((name) => nodeOf({ name })),
  });
}

/** Two clusters, `hpc` and `viz`, that share a quota of which all is used; jobs of `hpc` wait for it. */
export async function twoClusters(): Promise<World> {
  const world = createWorld(new FakeCycleCloud(withNodes(20)));
  await snapshotCluster(world.ports, "hpc", { amongOthers: true });
  await world.post([{ name: "1", constraints: { ncpus: 4 }, iterations: 30 }]);
  world.advance(10);
  await world.plan();
  world.ports.configs.put({ ...configOf({}), cluster: "viz" });
  const own = await world.ports.snapshots.load("hpc");
  if (own === undefined) throw new Error("no snapshot was taken");
  await world.ports.snapshots.save("viz", { ...own.value, cluster: withNodes(3) });
  const subscription = "https://cyclecloud.example azure";
  const claimed = await world.ports.quotaClaims.load(subscription);
  const [claim] = claimed?.value.claims ?? [];
  if (claim === undefined) throw new Error("the plan claimed nothing");
  const viz = { held: 12, ordered: 8, grown: [] };
  const uses = { "family westeurope/standardFSv2Family": viz, "region westeurope": viz };
  const claims = [claim, { ...claim, cluster: "viz", uses }];
  await world.ports.quotaClaims.save({ subscription, claims }, claimed?.etag);
  return world;
}
