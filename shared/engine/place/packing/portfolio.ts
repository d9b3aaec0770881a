import { covers } from "../../values/amounts.ts";
import { packGreedily, type Way } from "./greedy.ts";
import type { Packing, PackingProblem, Policy, Steps } from "./packing-problem.ts";
import { ruinAndRecreate } from "./ruin-and-recreate.ts";
import { dominantWorths, evenWorths, scarceWorths } from "./worths.ts";

type Worths = (problem: PackingProblem) => readonly number[];

function policy(
  name: string,
  worths: Worths,
  { isSlow = false, ...way }: Omit<Way, "worths"> & { readonly isSlow?: boolean },
): Policy {
  return {
    name,
    isSlow,
    pack: (problem, steps) => packGreedily(problem, steps, { worths: worths(problem), ...way }),
  };
}

/** Large nodes cost per processor what small ones do, or a little less; but one long job keeps all of a large one. */
const asCheap = 0.1;

/** What a node is filled with, and which node is made next, in the order in which they are tried. */
const policies: readonly Policy[] = [
  policy("largest first", dominantWorths, { largestFirst: true }),
  policy("largest first, by all amounts", evenWorths, { largestFirst: true }),
  policy("cheapest for what it holds", dominantWorths, { largestFirst: false }),
  policy("dot product", dominantWorths, { largestFirst: true, isEven: true, isSlow: true }),
  policy("dot product, by all amounts", evenWorths, { largestFirst: true, isEven: true, isSlow: true }),
  policy("fewest choices first", scarceWorths, { largestFirst: true }),
  policy("largest first, on small nodes", dominantWorths, { largestFirst: true, asCheap }),
  policy("largest first, by all amounts, on small nodes", evenWorths, { largestFirst: true, asCheap }),
  policy("small nodes for what they hold", dominantWorths, { largestFirst: false, asCheap }),
];

/** Steps that one policy may take. */
const stepsPerPolicy = 50_000_000;

/** Steps in which a packing may be worked over. */
const stepsToRefine = 400_000;

/** More items than that are packed in one way only. */
export const manyItems = 10_000;

/** By the size of the problem alone: a packing must be found again once its nodes are there. */
function policiesFor({ items }: PackingProblem): readonly Policy[] {
  return items.length > manyItems ? policies.slice(0, 1) : policies;
}

/** Packings that place everything, the cheapest first. */
export function packingsOf(problem: PackingProblem): readonly Packing[] {
  const [slow, quick] = partition(policiesFor(problem));
  const found = packAll(problem, quick);
  const makes = new Set(found.flatMap(({ loads }) => loads.map(({ kind }) => kind)));
  return [...found, ...packAll({ ...problem, makes }, slow)].toSorted((a, b) => a.price - b.price);
}

function partition(some: readonly Policy[]): readonly [slow: readonly Policy[], quick: readonly Policy[]] {
  return [some.filter(({ isSlow }) => isSlow), some.filter(({ isSlow }) => !isSlow)];
}

function packAll(problem: PackingProblem, some: readonly Policy[]): readonly Packing[] {
  return some.flatMap((policy) => {
    const packing = policy.pack(problem, budget());
    return packing === null || packing.unplaced > 0 ? [] : [packing];
  });
}

/** A packing on existing nodes alone; null: none was found. With `refines`, the best partial packing is improved before giving up. */
export function packThere(problem: PackingProblem, { refines = false } = {}): Packing | null {
  if (!mayHold(problem)) return null;
  const onThere = { ...problem, buys: false };
  let fullest: Packing | null = null;
  for (const policy of policiesFor(problem)) {
    const packing = policy.pack(onThere, budget());
    if (packing?.unplaced === 0) return packing;
    if (packing !== null && packing.unplaced < (fullest?.unplaced ?? Number.POSITIVE_INFINITY))
      fullest = packing;
  }
  if (!refines || fullest === null || problem.items.length > manyItems) return null;
  const refined = ruinAndRecreate(onThere, fullest, { left: stepsToRefine });
  return refined.unplaced === 0 ? refined : null;
}

/** Whether the nodes that are there have as much as all slots take, were they one node. */
function mayHold({ items, kinds }: PackingProblem): boolean {
  const classes = new Set(kinds.filter(({ there }) => there !== null).map((kind) => kind.class));
  if (classes.size === 0) return items.length === 0;
  const [ofClass] = classes;
  if (classes.size > 1 || ofClass === undefined) return true;
  const room: number[] = [];
  for (const { capacity, there } of kinds)
    for (const [column, amount] of capacity.entries())
      room[column] = (room[column] ?? 0) + amount * (there ?? 0);
  const taken: number[] = [];
  for (const { count, demands } of items)
    for (const [column, amount] of (demands[ofClass] ?? []).entries())
      taken[column] = (taken[column] ?? 0) + amount * count;
  return taken.every((amount, column) => covers(room[column] ?? 0, amount));
}

function budget(): Steps {
  return { left: stepsPerPolicy };
}
