import type { SwfJob } from "../../../shared/backtest/index.ts";
import {
  defineJob,
  type Job,
  type PlacementPolicy,
  type Plan,
  parseConstraints,
  plan,
} from "../../../shared/engine/index.ts";
import { violationsOf } from "../../shared/engine/plan-validity.ts";
import { type BoundItem, lpBound } from "./lp-bound.ts";
import { inputOf, type MarketSize, marketOf } from "./market.ts";

/** A backlog in numbers: what each slot asks for, and how many slots. */
export interface Want {
  readonly name: string;
  readonly ncpus: number;
  readonly memoryGiB: number;
  readonly slots: number;
}

/** The jobs of a trace that some size can take, each as slots of what it needs of one node. */
export function wantsOf(jobs: readonly SwfJob[], sizes: readonly MarketSize[]): readonly Want[] {
  return jobs
    .map(({ name, ncpus, memoryGiB, nodes }) => ({ name, ncpus, memoryGiB, slots: nodes }))
    .filter(({ ncpus, memoryGiB }) =>
      sizes.some((size) => size.vcpus >= ncpus && size.memoryGiB >= memoryGiB),
    );
}

function jobOf({ name, ncpus, memoryGiB, slots }: Want): Job {
  const parsed = parseConstraints({ ncpus, ...(memoryGiB > 0 ? { memgb: memoryGiB } : {}) });
  if (!parsed.ok) throw new Error(`Job ${name} cannot be read`);
  return defineJob({ name, constraints: parsed.constraints, iterations: slots });
}

/** What the new nodes of a plan cost for an hour. */
function priceOf({ create }: Plan, sizes: readonly MarketSize[]): number {
  const prices = new Map(sizes.map(({ vmSize, price }) => [vmSize, price]));
  return create.reduce((sum, { vmSize, count }) => sum + (prices.get(vmSize) ?? Number.NaN) * count, 0);
}

/** Plans a backlog on an empty cluster. Throws when the plan is not valid, or leaves a job out. */
export function planBacklog(
  wants: readonly Want[],
  sizes: readonly MarketSize[],
  placement: PlacementPolicy,
) {
  const input = inputOf(marketOf(sizes), wants.map(jobOf), placement);
  const start = performance.now();
  const result = plan(input);
  const ms = performance.now() - start;
  const violations = violationsOf(input, result);
  if (violations.length > 0) throw new Error(`${placement}: ${violations[0]}`);
  const left = result.jobs.filter(({ granted, asked }) => granted < asked);
  if (left.length > 0) throw new Error(`${placement}: ${left.length} jobs are not placed`);
  const nodes = result.create.reduce((sum, { count }) => sum + count, 0);
  return { price: priceOf(result, sizes), nodes, ms, input, result };
}

export function boundOf(wants: readonly Want[], sizes: readonly MarketSize[]): Promise<number> {
  const items = Map.groupBy(wants, ({ ncpus, memoryGiB }) => `${ncpus} ${memoryGiB}`);
  return lpBound(
    [...items.values()].map((same): BoundItem => {
      const { ncpus = 0, memoryGiB = 0 } = same[0] ?? {};
      return { demand: [ncpus, memoryGiB], count: same.reduce((sum, { slots }) => sum + slots, 0) };
    }),
    sizes.map(({ vcpus, memoryGiB, price }) => ({ capacity: [vcpus, memoryGiB], price })),
  );
}
