import type { Ledger } from "../../ledger/ledger.ts";
import { candidatesFor } from "../candidates.ts";
import { packGreedily } from "../packing/greedy.ts";
import type { Item, Kind, KindSet, PackingProblem } from "../packing/packing-problem.ts";
import { dominantWorths } from "../packing/worths.ts";
import { demandOf } from "../repack-problem.ts";
import type { NodesAlike, WholeProblem } from "./whole-problem.ts";

/** What loose slots cost beside jobs that lie somewhere: the new nodes that they still need. */
export type LooseBeside = (alike: readonly (readonly NodesAlike[])[], limits: readonly number[]) => number;

/** More shapes are not looked at: a try would take too long. */
const mostShapes = 300;
const steps = 2_000_000;

/** Null: there are none, or they are too many. */
export function looseBeside(ledger: Ledger, { loose, buckets, hours }: WholeProblem): LooseBeside | null {
  const shapes = Map.groupBy(loose, ({ shape }) => shape);
  if (shapes.size === 0 || shapes.size > mostShapes) return null;
  const columns = [...new Set(buckets.map(({ bucket }) => bucket.columns))];
  const classOf = buckets.map(({ bucket }) => columns.indexOf(bucket.columns));
  const indexes = new Map(buckets.map(({ bucket }, index) => [bucket, index]));
  const sets = new Map<string, ReadonlySet<number>>();
  const items = [...shapes].map(([shape, alike]) => {
    const usable = alike
      .slice(0, 1)
      .flatMap((allocation) => candidatesFor(ledger, allocation))
      .flatMap((bucket) => indexes.get(bucket) ?? []);
    const key = usable.join();
    const set = sets.get(key) ?? new Set(usable);
    sets.set(key, set);
    return {
      count: alike.reduce((sum, { asked, granted }) => sum + asked - granted, 0),
      demands: columns.map((each) => demandOf(shape, each)),
      set,
    };
  });
  const fresh = buckets.map(
    ({ price, capacity, charges }, index): Kind => ({
      class: classOf[index] as number,
      rank: index,
      capacity,
      price,
      there: null,
      charges,
    }),
  );
  return (alike, limits) => {
    const homes = buckets.map((_, index) => index);
    const kinds = [...fresh];
    for (const [index, rooms] of alike.entries())
      for (const { room, nodes } of rooms) {
        kinds.push({ ...(fresh[index] as Kind), capacity: room, there: nodes, charges: [] });
        homes.push(index);
      }
    const kindSets = new Map(
      [...sets.values()].map((set): [ReadonlySet<number>, KindSet] => {
        const has = (kind: number): boolean => set.has(homes[kind] ?? -1);
        return [set, { has, hasOnceThere: has }];
      }),
    );
    const problem: PackingProblem = {
      items: items.map(({ count, demands, set }): Item => {
        return { count, demands, kinds: kindSets.get(set) as KindSet };
      }),
      kinds,
      limits,
      hours,
      buys: true,
    };
    const way = { worths: dominantWorths(problem), largestFirst: true };
    return packGreedily(problem, { left: steps }, way)?.price ?? 0;
  };
}
