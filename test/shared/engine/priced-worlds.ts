import fc from "fast-check";
import type { Job, PlacementPolicy, Plan, PlanInput } from "../../../shared/engine/index.ts";
import { array, bucket, cluster, deallocated, input, job, node } from "./tiny.ts";

/** Worlds with a price for every size, and jobs that ask for amounts and perhaps for an array: all of them may be moved. */

const sizes = [
  { vmSize: "Standard_F2", vcpus: 2, memoryGiB: 4, gpus: 0 },
  { vmSize: "Standard_F8", vcpus: 8, memoryGiB: 16, gpus: 0 },
  { vmSize: "Standard_E8", vcpus: 8, memoryGiB: 64, gpus: 0 },
  { vmSize: "Standard_NC6", vcpus: 6, memoryGiB: 56, gpus: 1 },
] as const;

const arrayNames = ["htc", "gpu"] as const;

const limited = fc.oneof({ weight: 2, arbitrary: fc.constant(100) }, { weight: 1, arbitrary: fc.nat(4) });

const priced = fc
  .record({
    size: fc.constantFrom(...sizes),
    available: limited,
    price: fc.constantFrom(0.1, 0.2, 0.4, 0.9, 3),
  })
  .map(({ size, available, price }) => bucket({ ...size, available, fields: { pricePerHourUsd: price } }));

const buckets = fc.uniqueArray(priced, { selector: ({ vmSize }) => vmSize, minLength: 1, maxLength: 3 });

const job1 = fc.record({
  constraints: fc.record(
    {
      ncpus: fc.integer({ min: 1, max: 8 }),
      memgb: fc.integer({ min: 1, max: 32 }),
      ngpus: fc.constantFrom(0, 0, 1),
      "node.nodearray": fc.constantFrom(...arrayNames),
    },
    { requiredKeys: ["ncpus"] },
  ),
  iterations: fc.integer({ min: 1, max: 9 }),
  exclusive: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  priority: fc.constantFrom(0, 0, 0, 5),
});

/** Some nodes are busy, some asleep. */
const there = fc.array(
  fc.record({
    home: fc.nat(5),
    isAsleep: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
    busyCpus: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 8 })),
  }),
  { maxLength: 6 },
);

export const pricedWorlds: fc.Arbitrary<PlanInput> = fc
  .record({ htc: buckets, gpu: buckets, there, jobs: fc.array(job1, { minLength: 1, maxLength: 8 }) })
  .map((drawn) => {
    const nodeArrays = arrayNames.map((name) => array({ name, buckets: drawn[name] }));
    const homes = nodeArrays.flatMap(({ name, buckets: own }) =>
      own.map(({ vmSize }) => ({ nodeArray: name, vmSize })),
    );
    const nodes = drawn.there.map(({ home, isAsleep }, index) =>
      node(`${homes[home % homes.length]?.nodeArray}-${index + 1}`, {
        ...homes[home % homes.length],
        ...(isAsleep ? deallocated : {}),
      }),
    );
    const running = drawn.there.flatMap(({ busyCpus, isAsleep }, index): Job[] => {
      const { hostname } = nodes[index] ?? {};
      if (busyCpus === 0 || isAsleep || typeof hostname !== "string") return [];
      return [job(`runs-${index}`, { ncpus: busyCpus }, { executingHostnames: [hostname] })];
    });
    const waiting = drawn.jobs.map(({ constraints, ...fields }, index) =>
      job(`waits-${index}`, constraints, fields),
    );
    return input({ cluster: cluster({ nodeArrays, nodes }), jobs: [...running, ...waiting] });
  });

export function placedBy(world: PlanInput, placement: PlacementPolicy): PlanInput {
  return { ...world, settings: { ...world.settings, placement: { default: placement, byNodeArray: {} } } };
}

/** US dollars an hour of what a plan creates and starts; null: the price of one of these nodes is not known. */
export function usdPerHourOf({ cluster: { nodeArrays } }: PlanInput, { nodes }: Plan): number | null {
  let sum: number | null = 0;
  for (const { origin, nodeArray, vmSize } of nodes) {
    if (origin !== "new" && origin !== "starting") continue;
    const own = nodeArrays.find(({ name }) => name === nodeArray)?.buckets;
    const price = own?.find((each) => each.vmSize === vmSize)?.pricePerHourUsd ?? null;
    sum = sum === null || price === null ? null : sum + price;
  }
  return sum;
}

/** The same worlds without limits that bind: under one, names decide who comes first, and new ones change that. */
export function roomy({ cluster: drawn, ...world }: PlanInput): PlanInput {
  const nodeArrays = drawn.nodeArrays.map((each) => ({
    ...each,
    buckets: each.buckets.map((own) => ({ ...own, limits: { ...own.limits, availableCount: 1_000 } })),
  }));
  return { ...world, cluster: { ...drawn, nodeArrays } };
}
