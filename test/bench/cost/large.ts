import { type PlacementPolicy, type PlanInput, plan } from "../../../shared/engine/index.ts";
import { pricePerHourUsd } from "../../../shared/facts/index.ts";
import { violationsOf } from "../../shared/engine/plan-validity.ts";
import { benchCases } from "../cases.ts";
import { readWorld, storedWorld } from "../stored-world.ts";

const rounds = 3;
const placements = ["order", "cost"] as const;
const jobs = 100_000;
const nodes = 10_000;

/** The most that a plan by cost may take for each second of one in order. */
const mostOverOrder = 5;
const mostSeconds = 10;

export const largeCases = ["one shape", "100 shapes", "own shapes"];

/** Plans many jobs of a kind on a large cluster. Returns what is not as promised. */
export function measureLarge(name: string): readonly string[] {
  const { order, cost } = timesOf(name);
  const ratio = cost / order;
  console.log(
    `${jobs} jobs x ${nodes} nodes, ${name}: order ${order.toFixed(0)} ms, cost ${cost.toFixed(0)} ms, ${ratio.toFixed(2)} x`,
  );
  return [
    ...(ratio > mostOverOrder
      ? [`${name}: ${ratio.toFixed(2)} x order, expected at most ${mostOverOrder}`]
      : []),
    ...(cost > mostSeconds * 1000
      ? [`${name}: ${(cost / 1000).toFixed(1)} s, expected at most ${mostSeconds}`]
      : []),
  ];
}

/** Processor time in milliseconds, the median of a few plans that take turns. */
type Times = Readonly<Record<(typeof placements)[number], number>>;

function timesOf(name: string): Times {
  const found = benchCases.find((each) => each.name === name);
  if (found === undefined) throw new Error(`Cannot measure "${name}": no such case`);
  const input = withPrices(readWorld(storedWorld(nodes, found.jobs(jobs))));
  const inputs = placements.map((placement) => placedBy(input, placement));
  for (const each of inputs) refuseInvalid(name, each);
  const times = placements.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [index, each] of inputs.entries()) {
      const begun = process.cpuUsage();
      plan(each);
      const { user, system } = process.cpuUsage(begun);
      times[index]?.push((user + system) / 1000);
    }
  const [order = [], cost = []] = times;
  return { order: median(order), cost: median(cost) };
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

function refuseInvalid(name: string, input: PlanInput): void {
  const [violation] = violationsOf(input, plan(input));
  if (violation !== undefined) throw new Error(`Invalid plan in "${name}": ${violation}`);
}

function withPrices(input: PlanInput): PlanInput {
  const nodeArrays = input.cluster.nodeArrays.map((array) => ({
    ...array,
    buckets: array.buckets.map((bucket) => {
      const { location, spot } = array;
      return {
        ...bucket,
        pricePerHourUsd: pricePerHourUsd({ vmSize: bucket.vmSize, location, spot }) ?? null,
      };
    }),
  }));
  return { ...input, cluster: { ...input.cluster, nodeArrays } };
}

function placedBy(input: PlanInput, placement: PlacementPolicy): PlanInput {
  return { ...input, settings: { ...input.settings, placement: { default: placement, byNodeArray: {} } } };
}
