import fc from "fast-check";
import { expect, test } from "vitest";
import { plan } from "../../../shared/engine/index.ts";
import { Packer } from "../../../shared/engine/place/packing/packer.ts";
import type {
  Item,
  KindSet,
  Packing,
  PackingProblem,
} from "../../../shared/engine/place/packing/packing-problem.ts";
import { packThere } from "../../../shared/engine/place/packing/portfolio.ts";
import { ruinAndRecreate } from "../../../shared/engine/place/packing/ruin-and-recreate.ts";
import { binsOf, instances } from "../../bench/cost/vector-packing.ts";
import { cases } from "../../support/cases.ts";
import { afterActions } from "./after-actions.ts";
import { array, bucket, cluster, input, job } from "./tiny.ts";

const anywhere: KindSet = { has: () => true, hasOnceThere: () => true };

/** Nodes of two sizes that are there, and items of two amounts. */
const problems: fc.Arbitrary<PackingProblem> = fc
  .record({
    nodes: fc.tuple(fc.nat(6), fc.nat(6)),
    items: fc.array(
      fc.tuple(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 1, max: 5 }),
      ),
      {
        minLength: 1,
        maxLength: 12,
      },
    ),
  })
  .map(({ nodes, items }) => ({
    items: items.map(([a, b, count]): Item => ({ count, demands: [[a, b]], kinds: anywhere })),
    kinds: nodes.map((there, rank) => {
      const capacity = rank === 0 ? [100, 60] : [60, 100];
      return { class: 0, rank, capacity, price: 1, there, charges: [] };
    }),
    limits: [],
    buys: false,
  }));

/** What nodes hold beyond what they have, are there, or was asked for. */
function faultsIn({ items, kinds }: PackingProblem, { loads, unplaced }: Packing): readonly string[] {
  const placed = items.map(() => 0);
  const used = kinds.map(() => 0);
  const faults: string[] = [];
  for (const { kind, nodes, slots } of loads) {
    used[kind] = (used[kind] ?? 0) + nodes;
    const taken = [0, 0];
    for (const [item, count] of slots) {
      placed[item] = (placed[item] ?? 0) + count * nodes;
      for (const [column, amount] of (items[item]?.demands[0] ?? []).entries())
        taken[column] = (taken[column] ?? 0) + amount * count;
    }
    if (taken.some((amount, column) => amount > (kinds[kind]?.capacity[column] ?? 0)))
      faults.push(`${kind} is too full`);
  }
  if (used.some((count, kind) => count > (kinds[kind]?.there ?? 0))) faults.push("more nodes than there are");
  const left = items.reduce((sum, { count }, item) => sum + count - (placed[item] ?? 0), 0);
  if (left !== unplaced || placed.some((count, item) => count > (items[item]?.count ?? 0)))
    faults.push("slots are lost");
  return faults;
}

test("taking nodes apart and filling them anew overfills none, and leaves out no more than before", () => {
  fc.assert(
    fc.property(problems, (problem) => {
      const total = problem.items.reduce((sum, { count }) => sum + count, 0);
      const nothing: Packing = { loads: [], price: 0, unplaced: total };
      const packing = ruinAndRecreate(problem, nothing, { left: 20_000 });
      expect(faultsIn(problem, packing)).toEqual([]);
      expect(ruinAndRecreate(problem, nothing, { left: 20_000 })).toEqual(packing);
      const there = packThere(problem, { refines: true });
      if (there !== null) expect([...faultsIn(problem, there), there.unplaced]).toEqual([0]);
    }),
    cases(200),
  );
});

test("a node that is filled evenly holds each slot once, and no more than fits", () => {
  const items: readonly Item[] = [
    { count: 3, demands: [[30, 10]], kinds: anywhere },
    { count: 3, demands: [[10, 20]], kinds: anywhere },
  ];
  const kinds = [{ class: 0, rank: 0, capacity: [100, 60], price: 1, there: 1, charges: [] }];
  const packer = new Packer({ items, kinds, limits: [], buys: false }, [1, 1], { left: 10_000 });
  const { slots, worth } = packer.fillEvenly(0);
  expect(new Map(slots)).toEqual(
    new Map([
      [0, 3],
      [1, 1],
    ]),
  );
  expect(worth).toBe(4);
});

test("finds room that filling node by node does not find", () => {
  // Each three of one cut fill a node to the last.
  const cuts = [
    [50, 30, 20],
    [45, 35, 20],
    [40, 31, 29],
    [47, 27, 26],
    [38, 37, 25],
    [43, 36, 21],
  ];
  const items = cuts.flatMap((cut) =>
    cut.map((a, k): Item => ({ count: 1, demands: [[a, cut[(k + 1) % 3] ?? 0]], kinds: anywhere })),
  );
  const kinds = [{ class: 0, rank: 0, capacity: [100, 100], price: 1, there: cuts.length, charges: [] }];
  const problem = { items, kinds, limits: [], buys: false };
  expect(packThere(problem)).toBeNull();
  const refined = packThere(problem, { refines: true });
  expect(refined && faultsIn(problem, refined)).toEqual([]);
});

test("buys fewer nodes than first fit for items of several amounts", () => {
  for (const instance of instances().filter(({ items }) => items.length === 24)) {
    expect(binsOf(instance, "cost"), instance.name).toBeLessThanOrEqual(binsOf(instance, "reuse"));
  }
});

test("what is bought for a tight packing is found again by the next plan", () => {
  const amounts = [5, 5, 5, 4, 4, 4, 4, 3, 3, 3, 3, 3, 2, 2];
  const jobs = amounts.map((ncpus, index) => job(`j${index}`, { ncpus }));
  const world = input({
    cluster: cluster({
      nodeArrays: [
        array({ buckets: [bucket({ vcpus: 10, available: 100, fields: { pricePerHourUsd: 1 } })] }),
      ],
    }),
    jobs,
    settings: { placement: { default: "cost", byNodeArray: {} } },
  });
  const first = plan(world);
  expect(first.create.map(({ count }) => count)).toEqual([5]);
  expect(plan(afterActions(world, first)).create).toEqual([]);
});
