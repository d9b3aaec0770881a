import { pricePerHourUsd } from "../../../shared/facts/index.ts";
import {
  type Cluster,
  heldSeconds,
  type SimulatedNode,
  toIso,
  type UsageRequest,
} from "../../../shared/simulated-cyclecloud/index.ts";

interface Interval {
  readonly start: number;
  readonly end: number;
}

interface Item {
  /** Core-hours. */
  readonly hours: number;
  /** US dollars at list price; undefined as soon as one price is not known. */
  readonly cost: number | undefined;
}

const hour = 3600;
const day = 24 * hour;

/** The ClusterUsage of `GET /clusters/{c}/usage`; all times are UTC. */
export function toClusterUsage(cluster: Cluster, request: UsageRequest, now: number) {
  const nodes = [...cluster.population.all()];
  const names = [...cluster.definition.nodearrays, ...cluster.definition.nodes].map(({ name }) => name);
  const arrays = new Set(cluster.definition.nodearrays.map(({ name }) => name));
  return {
    usage: intervalsOf(request, now).map(({ start, end }) => {
      // The future of the nodes is known here, but it has not been used yet.
      const used = { start, end: Math.min(end, now) };
      return {
        start: toIso(start),
        end: toIso(end),
        breakdown: names.map((name) => {
          const own = nodes.filter(({ bucket }) => bucket.nodearray === name);
          const category = arrays.has(name) ? "nodearray" : "node";
          const details = request.expand === undefined ? {} : { details: detailsOf(own, used) };
          return { category, node: name, ...toItem(measure(own, used)), ...details };
        }),
        total: { category: "cluster", ...toItem(measure(nodes, used)) },
      };
    }),
  };
}

function measure(nodes: readonly SimulatedNode[], { start, end }: Interval): Item {
  let hours = 0;
  let cost: number | undefined = 0;
  for (const { bucket, life } of nodes) {
    const nodeHours = heldSeconds(life, start, end) / hour;
    if (nodeHours === 0) continue;
    const price = pricePerHourUsd({ vmSize: bucket.machineType, location: bucket.region, spot: bucket.spot });
    hours += nodeHours * bucket.size.vcpusAvailable;
    cost = cost === undefined || price === undefined ? undefined : cost + nodeHours * price;
  }
  return { hours, cost };
}

function toItem({ hours, cost }: Item): { hours: number; cost?: number } {
  return cost === undefined ? { hours } : { hours, cost };
}

function detailsOf(nodes: readonly SimulatedNode[], interval: Interval) {
  return [...Map.groupBy(nodes, ({ bucket }) => bucket)].map(([bucket, own]) => ({
    vm_size: bucket.machineType,
    core_count: bucket.size.vcpusAvailable,
    region: bucket.region,
    priority: bucket.spot ? "Spot" : "Regular",
    os: "Linux",
    ...toItem(measure(own, interval)),
  }));
}

function intervalsOf(request: UsageRequest, now: number): readonly Interval[] {
  const { start, end } = frameOf(request, now);
  if (request.granularity === "total") return [{ start, end }];
  const length = request.granularity === "daily" ? day : hour;
  const first = Math.floor(start / length) * length;
  const count = Math.ceil((end - first) / length);
  return Array.from({ length: count }, (_, index) => ({
    start: first + index * length,
    end: first + (index + 1) * length,
  }));
}

function frameOf({ timeframe, from, to }: UsageRequest, now: number): Interval {
  const date = new Date(now * 1000);
  const monthStart = (offset: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset) / 1000;
  switch (timeframe) {
    case "monthToDate":
      return { start: monthStart(0), end: now };
    case "lastMonth":
      return { start: monthStart(-1), end: monthStart(0) };
    case "weekToDate":
      return { start: (Math.floor(now / day) - date.getUTCDay()) * day, end: now };
    case "custom":
      return { start: (from?.getTime() ?? 0) / 1000, end: (to?.getTime() ?? 0) / 1000 };
  }
}
