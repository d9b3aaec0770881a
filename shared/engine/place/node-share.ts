import { shareOf } from "../constraints/any-constraint.ts";
import { openLedger } from "../ledger/open-ledger.ts";
import { Pools } from "../ledger/pools.ts";
import type { Cluster } from "../model/bucket.ts";
import type { Job } from "../model/job.ts";
import type { EngineSettings } from "../model/settings.ts";
import type { Resources } from "../values/resources.ts";

/** What new nodes of a VM size of a node array have; undefined: the cluster has no such size. */
export type ResourcesOfSizes = (nodeArray: string, vmSize: string) => Resources | undefined;

/** The resources that a plan would give new nodes, default resources included. The first question costs as much as there are VM sizes. */
export function resourcesOfSizes(cluster: Cluster, settings: EngineSettings): ResourcesOfSizes {
  let bySize: ReadonlyMap<string, Resources> | undefined;
  return (nodeArray, vmSize) => {
    bySize ??= allResources(cluster, settings);
    return bySize.get(JSON.stringify([nodeArray, vmSize]));
  };
}

function allResources(cluster: Cluster, settings: EngineSettings): ReadonlyMap<string, Resources> {
  const input = {
    cluster: { ...cluster, nodes: [] },
    settings,
    nowSeconds: 0,
    lastPassSeconds: null,
    jobs: [],
    schedulerNodes: [],
    pending: [],
    leavingNodeIds: [],
    history: [],
  };
  const { ledger } = openLedger(input, new Pools(settings.sharedPools), new Set());
  return new Map(
    ledger.buckets.map(({ name, example }) => [
      JSON.stringify([name.nodeArray, name.vmSize]),
      example.stock.resources,
    ]),
  );
}

/**
 * How much of a node one slot of a job takes: the largest of its shares of what such a node has (cpus, memory, GPUs), 0 to 1.
 * A slot that has the node to itself takes all of it. Of alternatives, the first that such a node can hold counts.
 */
export function largestShare(job: Pick<Job, "constraints" | "exclusive">, resources: Resources): number {
  const shares = job.constraints.map((constraint) => shareOf(constraint, resources));
  return job.exclusive ? 1 : Math.min(1, Math.max(0, ...shares));
}
