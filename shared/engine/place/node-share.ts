import { openLedger } from "../ledger/open-ledger.ts";
import { Pools } from "../ledger/pools.ts";
import { amountOf, unitOf } from "../ledger/stock.ts";
import type { Cluster } from "../model/bucket.ts";
import type { Constraint } from "../model/constraint.ts";
import type { Job } from "../model/job.ts";
import type { Resources } from "../model/resources.ts";
import type { EngineSettings } from "../model/settings.ts";

/** What new nodes of a VM size of a node array have; undefined: the cluster has no such size. */
export type ResourcesOfSizes = (nodeArray: string, vmSize: string) => Resources | undefined;

/** The resources that a plan would give new nodes, default resources included. Costs as much as there are VM sizes. */
export function resourcesOfSizes(cluster: Cluster, settings: EngineSettings): ResourcesOfSizes {
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
  const bySize = new Map<string, Resources>();
  for (const { name, example } of ledger.buckets)
    bySize.set(JSON.stringify([name.nodeArray, name.vmSize]), example.stock.resources);
  return (nodeArray, vmSize) => bySize.get(JSON.stringify([nodeArray, vmSize]));
}

/**
 * How much of a node one slot of a job takes: the largest of its shares of what such a node has (cpus, memory, GPUs), 0 to 1.
 * A slot that has the node to itself takes all of it. Of alternatives, the first that such a node can hold counts.
 */
export function largestShare(job: Pick<Job, "constraints" | "exclusive">, resources: Resources): number {
  return job.exclusive ? 1 : Math.min(1, largestOf(job.constraints, resources));
}

function largestOf(constraints: readonly Constraint[], resources: Resources): number {
  return Math.max(0, ...constraints.map((constraint) => shareOf(constraint, resources)));
}

/** Above 1: more than a node has. */
function shareOf(constraint: Constraint, resources: Resources): number {
  switch (constraint.kind) {
    case "minimum-resource": {
      const value = resources[constraint.resource];
      const { amount } = constraint;
      const wanted = typeof amount === "number" ? amount * unitOf(value) : amount.bytes;
      const whole = amountOf(value);
      if (wanted <= 0) return 0;
      return whole > 0 ? wanted / whole : Number.POSITIVE_INFINITY;
    }
    case "exclusive":
      return 1;
    case "and":
      return largestOf(constraint.all, resources);
    case "or":
      return firstThatFits(constraint.any, resources);
    case "xor":
      return firstThatFits(constraint.oneOf, resources);
    case "resource-options":
    case "property-options":
    case "in-a-placement-group":
    case "not":
    case "never":
    case "shared-consumable":
    case "shared-value":
    case "capacity-failure-backoff":
    case "array-choice":
      return 0;
  }
  return constraint satisfies never;
}

function firstThatFits(alternatives: readonly Constraint[], resources: Resources): number {
  const shares = alternatives.map((each) => shareOf(each, resources));
  return shares.find((share) => share <= 1) ?? shares[0] ?? 0;
}
