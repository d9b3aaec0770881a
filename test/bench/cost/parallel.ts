import type { SwfJob } from "../../../shared/backtest/index.ts";
import {
  type Cluster,
  defineJob,
  type Job,
  type PlacementPolicy,
  parseConstraints,
  plan,
} from "../../../shared/engine/index.ts";
import { afterActions } from "../../shared/engine/after-actions.ts";
import { violationsOf } from "../../shared/engine/plan-validity.ts";
import { lpBound } from "./lp-bound.ts";
import { inputOf, type MarketSize, marketOf, sizesOf } from "./market.ts";

const jobs = 1000;
const starts = [0, 3000, 6000, 9000];

const lists = [
  ["Standard_D32s_v5", "Standard_E64s_v5", "Standard_M128s"],
  ["Standard_M128s", "Standard_E64s_v5", "Standard_D32s_v5"],
  ["Standard_F64s_v2", "Standard_D96s_v5", "Standard_E96s_v5"],
  ["Standard_E96s_v5", "Standard_D96s_v5", "Standard_F64s_v2"],
  ["D", "E", "F"].flatMap((family) =>
    [8, 16, 32, 48, 64].map((vcpus) => `Standard_${family}${vcpus}s_${family === "F" ? "v2" : "v5"}`),
  ),
].map(sizesOf);

/** How the parallel jobs of a backlog ask for their nodes. */
const kinds = ["scatter", "colocated"] as const;

/** Most that `cost` may be of the bound, as a mean. */
const mostOverBound = 1.03;

/** A job of a recorded workload as the driver of its scheduler would send it. */
interface ParallelWant {
  readonly name: string;
  readonly ncpus: number;
  readonly memoryGiB: number;
  readonly nodes: number;
  readonly exclusive: boolean;
}

/** Backlogs of parallel jobs by each placement. Returns what is not as promised. */
export async function measureParallel(traces: readonly (readonly SwfJob[])[]): Promise<readonly string[]> {
  const problems: string[] = [];
  const overBound: number[] = [];
  for (const kind of kinds)
    for (const [listIndex, sizes] of lists.entries())
      for (const [traceIndex, trace] of traces.entries())
        for (const start of starts) {
          const wants = parallelWants(trace.slice(start, start + jobs), sizes);
          const title = `${kind}, list ${listIndex}, trace ${traceIndex} from ${start}`;
          const planned = (placement: PlacementPolicy) => planParallel(wants, sizes, { placement, kind });
          const order = planned("order");
          const reuse = planned("reuse");
          const cost = planned("cost");
          const bound = await boundOf(wants, sizes);
          overBound.push(cost.usd / bound);
          console.log(
            `${title}: bound ${bound.toFixed(1)}, order ${order.usd.toFixed(1)} (${order.ms.toFixed(0)} ms), reuse ${reuse.usd.toFixed(1)} (${reuse.ms.toFixed(0)} ms), cost ${cost.usd.toFixed(1)} (${cost.ms.toFixed(0)} ms)`,
          );
          if (cost.usd > Math.min(order.usd, reuse.usd) + 1e-6) problems.push(`${title}: cost is dearer`);
          if (cost.granted.some((granted, index) => granted < (reuse.granted[index] ?? 0)))
            problems.push(`${title}: cost leaves out what reuse places`);
        }
  const mean = overBound.reduce((sum, each) => sum + each, 0) / overBound.length;
  console.log(`${overBound.length} parallel backlogs: cost is ${mean.toFixed(4)} x the bound on average`);
  if (mean > mostOverBound)
    problems.push(`parallel: ${mean.toFixed(4)} x the bound on average, expected at most ${mostOverBound}`);
  return problems;
}

/** Of a machine with nodes of so many processors, where the recording does not say where they were. */
const perNode = 16;
const memoryPerCpuGiB = 4;

function parallelWants(trace: readonly SwfJob[], sizes: readonly MarketSize[]): readonly ParallelWant[] {
  return trace
    .map(({ name, ncpus, memoryGiB, nodes, exclusive }): ParallelWant => {
      if (nodes > 1 || memoryGiB > 0 || ncpus <= perNode)
        return {
          name,
          ncpus,
          memoryGiB: memoryGiB > 0 ? memoryGiB : ncpus * memoryPerCpuGiB,
          nodes,
          exclusive,
        };
      const many = Math.ceil(ncpus / perNode);
      return { name, ncpus: perNode, memoryGiB: perNode * memoryPerCpuGiB, nodes: many, exclusive };
    })
    .filter(({ ncpus, memoryGiB }) =>
      sizes.some((size) => size.vcpus >= ncpus && size.memoryGiB >= memoryGiB),
    );
}

/** Placement groups that each size has for colocated jobs. */
const groups = Array.from({ length: 8 }, (_, index) => `pg${index}`);

function planParallel(
  wants: readonly ParallelWant[],
  sizes: readonly MarketSize[],
  { placement, kind }: { readonly placement: PlacementPolicy; readonly kind: (typeof kinds)[number] },
) {
  const input = inputOf(
    withGroups(marketOf(sizes), kind),
    wants.map((want) => jobOf(want, kind)),
    placement,
  );
  const begun = performance.now();
  const result = plan(input);
  const ms = performance.now() - begun;
  const [violation] = violationsOf(input, result);
  if (violation !== undefined) throw new Error(`${placement}: ${violation}`);
  if (plan(afterActions(input, result)).create.length > 0) throw new Error(`${placement}: it buys again`);
  const prices = new Map(sizes.map(({ vmSize, price }) => [vmSize, price]));
  const usd = result.create.reduce((sum, { vmSize, count }) => sum + (prices.get(vmSize) ?? 0) * count, 0);
  return { usd, ms, granted: result.jobs.map(({ granted }) => granted) };
}

function withGroups(market: Cluster, kind: (typeof kinds)[number]): Cluster {
  const nodeArrays = market.nodeArrays.map((array) => ({
    ...array,
    buckets: array.buckets.map((bucket) => {
      const ofSize = groups.map((name) => ({ name: `${bucket.vmSize}_${name}`, activeCount: 0 }));
      return { ...bucket, placementGroups: kind === "colocated" ? ofSize : [] };
    }),
  }));
  return { ...market, nodeArrays };
}

function jobOf(
  { name, ncpus, memoryGiB, nodes, exclusive }: ParallelWant,
  kind: (typeof kinds)[number],
): Job {
  const parsed = parseConstraints({ ncpus, memgb: memoryGiB });
  if (!parsed.ok) throw new Error(`Job ${name} cannot be read`);
  const isWide = nodes > 1;
  const { constraints } = parsed;
  return defineJob({
    name,
    constraints,
    iterations: 1,
    nodeCount: isWide ? nodes : 0,
    colocated: isWide && kind === "colocated",
    exclusive,
  });
}

/** No nodes cost less, could slots and nodes be cut. */
function boundOf(wants: readonly ParallelWant[], sizes: readonly MarketSize[]): Promise<number> {
  const items = Map.groupBy(wants, ({ ncpus, memoryGiB }) => `${ncpus} ${memoryGiB}`);
  return lpBound(
    [...items.values()].map((same) => {
      const { ncpus = 0, memoryGiB = 0 } = same[0] ?? {};
      return { demand: [ncpus, memoryGiB], count: same.reduce((sum, { nodes }) => sum + nodes, 0) };
    }),
    sizes.map(({ vcpus, memoryGiB, price }) => ({ capacity: [vcpus, memoryGiB], price })),
  );
}
