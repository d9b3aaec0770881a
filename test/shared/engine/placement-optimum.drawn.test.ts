import fc from "fast-check";
import { expect, test } from "vitest";
import { plan } from "../../../shared/engine/index.ts";
import { placedBy } from "./priced-worlds.ts";
import { array, bucket, cluster, input, job } from "./tiny.ts";

/** Jobs of several different nodes, few enough to try every choice of sizes and every order. */

interface Wide {
  readonly nodes: number;
  readonly ncpus: number;
  readonly memgb: number;
}

interface Size {
  readonly vcpus: number;
  readonly memoryGiB: number;
  readonly price: number;
}

const wides = fc.array(
  fc.record({
    nodes: fc.integer({ min: 1, max: 12 }),
    ncpus: fc.integer({ min: 1, max: 16 }),
    memgb: fc.integer({ min: 4, max: 64 }),
  }),
  { minLength: 1, maxLength: 5 },
);

const sizes = fc.array(
  fc.record({
    vcpus: fc.constantFrom(16, 32, 48, 64, 96),
    memoryGiB: fc.constantFrom(64, 128, 256, 512),
    price: fc.integer({ min: 5, max: 60 }).map((tenths) => tenths / 10),
  }),
  { minLength: 1, maxLength: 4 },
);

/** Nodes that jobs need in one size, put there in an order. */
function nodesFor(order: readonly Wide[], { vcpus, memoryGiB }: Size): number {
  const rooms: [number, number][] = [];
  for (const { nodes, ncpus, memgb } of order) {
    let left = nodes;
    for (const room of rooms) {
      if (left === 0 || room[0] < ncpus || room[1] < memgb) continue;
      room[0] -= ncpus;
      room[1] -= memgb;
      left--;
    }
    for (; left > 0; left--) rooms.push([vcpus - ncpus, memoryGiB - memgb]);
  }
  return rooms.length;
}

function ordersOf(some: readonly Wide[]): readonly (readonly Wide[])[] {
  if (some.length < 2) return [some];
  return some.flatMap((first, at) => ordersOf(some.toSpliced(at, 1)).map((rest) => [first, ...rest]));
}

/** What all choices of a size for each job cost at least. */
function leastPrice(jobs: readonly Wide[], choices: readonly Size[]): number {
  const sets = 1 << jobs.length;
  let least = Array.from({ length: sets }, (_, set) => (set === 0 ? 0 : Number.POSITIVE_INFINITY));
  for (const size of choices) {
    const own = least.map((_, set) => {
      const chosen = jobs.filter((_job, index) => (set >> index) & 1);
      return size.price * Math.min(...ordersOf(chosen).map((order) => nodesFor(order, size)));
    });
    least = least.map((_, set) => {
      let best = Number.POSITIVE_INFINITY;
      for (let part = 0; part <= set; part++)
        if ((part & set) === part) best = Math.min(best, (least[set ^ part] ?? 0) + (own[part] ?? 0));
      return best;
    });
  }
  return least[sets - 1] ?? Number.NaN;
}

test("few jobs of several nodes are bought within 2 % of the least possible", () => {
  fc.assert(
    fc.property(wides, sizes, (jobs, drawn) => {
      const buckets = drawn.map(({ vcpus, memoryGiB, price }, index) =>
        bucket({
          vmSize: `Standard_${index}`,
          vcpus,
          memoryGiB,
          available: 100,
          fields: { pricePerHourUsd: price },
        }),
      );
      const waiting = jobs.map(({ nodes, ncpus, memgb }, index) =>
        job(`w${index}`, { ncpus, memgb }, { nodeCount: nodes }),
      );
      const world = input({ cluster: cluster({ nodeArrays: [array({ buckets })] }), jobs: waiting });
      const { create } = plan(placedBy(world, "cost"));
      const usd = create.reduce(
        (sum, { vmSize, count }) =>
          sum + count * (buckets.find((each) => each.vmSize === vmSize)?.pricePerHourUsd ?? 0),
        0,
      );
      expect(usd).toBeLessThanOrEqual(1.02 * leastPrice(jobs, drawn) + 1e-6);
    }),
    { numRuns: 60, seed: 31 },
  );
});
