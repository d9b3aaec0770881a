import {
  type BucketDefinition,
  type BucketWeather,
  type Cluster,
  isPaced,
  type Site,
  stepAt,
} from "../../../shared/simulated-cyclecloud/index.ts";
import type { Faults } from "./faults.ts";
import type { Outages } from "./outage.ts";
import type { SchedulerBoard } from "./scheduler-board.ts";

/** By this a caller knows that it is no CycleCloud. */
const simulator = "cyclecloud-autoscale";

/** What the control panel has changed, cluster by cluster, and what it can change. */
export function toState(of: {
  readonly site: Site;
  readonly faults: Faults;
  readonly outages: Outages;
  readonly board: SchedulerBoard;
  readonly latency: { readonly minMilliseconds: number; readonly maxMilliseconds: number };
}) {
  const { site, faults, outages, board, latency } = of;
  return {
    simulator,
    nowSeconds: site.clock.nowSeconds(),
    /** Simulated seconds per real second; null: the clock is moved by hand. */
    speed: isPaced(site.clock) ? site.clock.speed : null,
    outage: outages.now() ?? null,
    /** Requests that will fail. */
    faults: faults.left(),
    latencyMilliseconds: latency.maxMilliseconds,
    clusters: site.clusterNames.map((name) => {
      const { cluster, at } = site.clusterNow(name);
      return {
        name,
        weather: weatherOf(cluster),
        limits: limitsOf(cluster),
        quotas: quotasOf(site, cluster),
        sizes: sizesOf(cluster),
        evictions: evictionsOf(cluster),
        nodeArrays: cluster.definition.nodearrays.map((array) => ({
          name: array.name,
          isSpot: array.interruptible,
          machineTypes: array.machineTypes,
          maxCount: array.maxCount,
          maxCoreCount: array.maxCoreCount,
        })),
        nodes: [...cluster.population.living()]
          .filter(({ fixed }) => !fixed)
          .map((node) => ({
            name: node.name,
            nodeArray: node.bucket.nodearray,
            machineType: node.bucket.machineType,
            isSpot: node.bucket.spot,
            status: stepAt(node.life, at).status,
          })),
        scheduler: board.state(name),
      };
    }),
  };
}

type Bucketed = { readonly nodeArray: string; readonly machineType: string } & BucketWeather;

function weatherOf({ definition, conditions }: Cluster): readonly Bucketed[] {
  const foul = (bucket: BucketDefinition) =>
    Object.values(conditions.of(bucket)).some((each) => each !== undefined);
  return definition.nodearrays
    .flatMap(({ buckets }) => buckets)
    .filter(foul)
    .map((bucket) => ({
      nodeArray: bucket.nodearray,
      machineType: bucket.machineType,
      ...conditions.of(bucket),
    }));
}

/** A figure that is not what the definition says. `nodeArray` null: the whole cluster's. */
function limitsOf(cluster: Cluster) {
  const pairs = [
    { nodeArray: null, now: cluster.definition, before: cluster.template },
    ...arraysOf(cluster),
  ];
  return pairs.flatMap(({ nodeArray, now, before }) =>
    (["maxCount", "maxCoreCount"] as const)
      .filter((limit) => now[limit] !== before[limit])
      .map((limit) => ({ nodeArray, limit, was: before[limit], is: now[limit] })),
  );
}

function quotasOf(site: Site, { template }: Cluster) {
  return Object.entries(template.quotas).flatMap(([region, then]) => {
    const now = site.quotas.of(template.subscription, region);
    const families = new Set([...Object.keys(then.families), ...Object.keys(now.families)]);
    const pairs = [
      { quota: "cores", was: then.cores, is: now.cores },
      { quota: "spotCores", was: then.spotCores, is: now.spotCores },
      ...[...families].map((quota) => ({
        quota,
        was: then.families[quota] ?? then.familyCores ?? then.cores,
        is: now.families[quota] ?? now.familyCores ?? now.cores,
      })),
    ];
    return pairs.filter(({ was, is }) => was !== is).map((each) => ({ region, ...each }));
  });
}

function sizesOf(cluster: Cluster) {
  return arraysOf(cluster).flatMap(({ nodeArray, now, before }) => {
    const added = now.machineTypes.filter((size) => !before.machineTypes.includes(size));
    const removed = before.machineTypes.filter((size) => !now.machineTypes.includes(size));
    return added.length + removed.length === 0 ? [] : [{ nodeArray, added, removed }];
  });
}

function evictionsOf(cluster: Cluster) {
  return arraysOf(cluster).flatMap(({ nodeArray, now, before }) => {
    const [was, is] = [before.evictionsPerHour, now.evictionsPerHour];
    return was === is ? [] : [{ nodeArray, was, is }];
  });
}

/** The node arrays, beside what they were at the start. None is added. */
function arraysOf({ definition, template }: Cluster) {
  return definition.nodearrays.flatMap((now) => {
    const before = template.nodearrays.find(({ name }) => name === now.name);
    return before === undefined ? [] : [{ nodeArray: now.name, now, before }];
  });
}
