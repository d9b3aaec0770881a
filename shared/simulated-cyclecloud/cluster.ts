import { type Conditions, createConditions } from "./conditions.ts";
import type { BucketDefinition, ClusterDefinition, NodeArrayDefinition } from "./definition.ts";
import { createListLag, type ListLag } from "./list-lag.ts";
import type { Life } from "./node-life.ts";
import { createPopulation, type Population } from "./population.ts";
import { type Consumption, countUsage, type LimitState } from "./quota-limits.ts";
import type { Quotas } from "./quotas.ts";
import type { Random } from "./seeded-random.ts";
import type { SimulatedNode } from "./simulated-node.ts";

/** One simulated cluster: its template, its nodes, the weather over it. The site moves it to the present. */
export interface Cluster {
  /** Its limits and sizes can be changed while it runs. */
  definition: ClusterDefinition;
  /** The definition as it was at the start. */
  readonly template: ClusterDefinition;
  readonly population: Population;
  readonly conditions: Conditions;
  readonly lists: ListLag;
  readonly random: Random;
  readonly quotas: Quotas;
  /** What all clusters of the subscription use in a region. */
  consumption(region: string, at: number): Consumption;
  /** When it began, and up to when traces of spot nodes have had their effect. */
  readonly startedAt: number;
  tracedUntil: number;
}

export function createCluster(options: {
  readonly definition: ClusterDefinition;
  readonly random: Random;
  readonly quotas: Quotas;
  readonly consumption: Cluster["consumption"];
  /** Numbers the cluster on its server, for its addresses. */
  readonly index: number;
  readonly at: number;
  readonly forgetsGone?: boolean | undefined;
}): Cluster {
  const { definition, random, quotas, consumption, index, at } = options;
  const population = createPopulation(index, options);
  for (const { name, bucket } of definition.nodes) {
    const life: Life = [{ at, status: "Ready", target: "Started", holdsCores: true, address: "hostname" }];
    population.put({
      ...newNode({ cluster: definition.name, name, bucket, at, nodeId: random.uuid(), life }),
      privateIp: population.takeAddress(),
      fixed: true,
    });
  }
  return {
    definition,
    template: definition,
    population,
    conditions: createConditions(),
    lists: createListLag(),
    random,
    quotas,
    consumption,
    startedAt: at,
    tracedUntil: at,
  };
}

/** A node without anything special about it. */
export function newNode(options: {
  readonly cluster: string;
  readonly name: string;
  readonly nodeId: string;
  readonly bucket: BucketDefinition;
  readonly life: Life;
  readonly at: number;
}): Omit<SimulatedNode, "privateIp"> {
  const { at, ...identity } = options;
  return {
    ...identity,
    createdAt: at,
    placementGroupId: undefined,
    requestId: undefined,
    operationId: undefined,
    keepAlive: false,
    fixed: false,
    shutdownPolicy: "Terminate",
    attributes: {},
    hidesTargetState: false,
  };
}

export function nodeArrayOf({ definition }: Cluster, name: string): NodeArrayDefinition | undefined {
  return definition.nodearrays.find((array) => array.name === name);
}

/** Everything that limits a bucket at this moment. */
export function limitState(
  cluster: Cluster,
  bucket: BucketDefinition,
  { at, terminating }: { readonly at: number; readonly terminating: boolean },
): LimitState {
  const { definition, population, quotas } = cluster;
  return {
    definition,
    usage: countUsage(population.living(), { at, terminating }),
    consumption: cluster.consumption(bucket.region, at),
    quota: quotas.of(definition.subscription, bucket.region),
  };
}
