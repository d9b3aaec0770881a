import { Refusal } from "./api-refusal.ts";
import { takeBack } from "./availability.ts";
import { type Cluster, createCluster } from "./cluster.ts";
import type { ClusterDefinition } from "./definition.ts";
import { createOperations, type Operations } from "./operation-list.ts";
import { type Consumption, countConsumption } from "./quota-limits.ts";
import { createQuotas, type Quotas } from "./quotas.ts";
import { createRandom, type Random } from "./seeded-random.ts";
import type { Clock } from "./simulated-clock.ts";

/** One CycleCloud server: its clusters, what was asked of it, its time. */
export interface Site {
  readonly clock: Clock;
  readonly random: Random;
  readonly operations: Operations;
  readonly quotas: Quotas;
  readonly clusterNames: readonly string[];
  /** The cluster at this moment. Throws a Refusal (404) for a name that it does not have. */
  clusterNow(name: string): { readonly cluster: Cluster; readonly at: number };
}

/** Of a site that forgets: enough for every question about a request that is still open. */
const mostRemembered = 10_000;

export function createSite(options: {
  readonly definitions: readonly ClusterDefinition[];
  readonly seed: number;
  readonly clock: Clock;
  /** Nodes that are gone and operations of long ago leave no trace. */
  readonly forgetsGone?: boolean;
}): Site {
  const { definitions, seed, clock, forgetsGone } = options;
  const quotas = createQuotas(definitions);
  const at = clock.nowSeconds();
  const clusters = new Map<string, Cluster>();
  for (const [index, definition] of definitions.entries()) {
    if (clusters.has(definition.name))
      throw new TypeError(`Cannot use cluster name "${definition.name}": used twice`);
    const consumption = (region: string, when: number) => consumedBy(definition.subscription, region, when);
    // Every cluster draws for itself, so that adding one leaves the others' fates alone.
    const random = createRandom(definition.seed ?? seed + index);
    clusters.set(
      definition.name,
      createCluster({ definition, random, quotas, consumption, index, at, forgetsGone }),
    );
  }
  return {
    clock,
    random: createRandom(seed - 1),
    operations: createOperations(forgetsGone === true ? mostRemembered : undefined),
    quotas,
    clusterNames: [...clusters.keys()],
    clusterNow(name) {
      const cluster = clusters.get(name);
      if (cluster === undefined) throw new Refusal(404, `Cannot find cluster "${name}"`);
      const now = clock.nowSeconds();
      for (const array of cluster.definition.nodearrays)
        takeBack(cluster, { array, from: cluster.tracedUntil, to: now });
      cluster.tracedUntil = Math.max(now, cluster.tracedUntil);
      cluster.conditions.learn(cluster.population.living(), now);
      cluster.population.settle(now);
      return { cluster, at: now };
    },
  };

  function consumedBy(subscription: string, region: string, when: number): Consumption {
    const own = [...clusters.values()].filter(({ definition }) => definition.subscription === subscription);
    return countConsumption(
      own.flatMap(({ population }) => [...population.living()]),
      region,
      when,
    );
  }
}
