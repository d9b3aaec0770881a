import type { Filling } from "./packer.ts";
import { Packer } from "./packer.ts";
import { hoursFor, type Kind, type Packing, type PackingProblem, type Steps } from "./packing-problem.ts";

/** How nodes are chosen and filled. */
export interface Way {
  /** What a slot is worth, by item: nodes are filled with the most worthy first. */
  readonly worths: readonly number[];
  /** Whether the next node has to take the most worthy slot that is left. */
  readonly largestFirst: boolean;
  /** Whether each slot is chosen by how well it goes with what is left of the node. */
  readonly isEven?: boolean;
  /** The part of a price that does not count where a smaller node does as well. Absent: nothing. */
  readonly asCheap?: number;
}

/**
 * Node by node: the one that is cheapest for what it would hold. Nodes that are there come first, chosen in the same way
 * as if they were bought. Null: it would take too many steps.
 */
export function packGreedily(problem: PackingProblem, steps: Steps, way: Way): Packing | null {
  const packer = new Packer(problem, way.worths, steps);
  const there: number[] = [];
  const fresh: number[] = [];
  for (const [index, kind] of problem.kinds.entries()) (kind.there === null ? fresh : there).push(index);
  const rankOf = (index: number): number => problem.kinds[index]?.rank ?? 0;
  there.sort((a, b) => rankOf(a) - rankOf(b) || a - b);
  if (there.length > mostKindsCompared) fillEach(packer, inOrderOfPrice(problem, there), way);
  else {
    // Chosen like new ones, so that a packing of new nodes is found again once they are there.
    fillCheapest(packer, there, way);
    if (way.largestFirst) fillCheapest(packer, there, { ...way, largestFirst: false });
  }
  const { buys, makes } = problem;
  if (buys) fillCheapest(packer, makes === undefined ? fresh : fresh.filter((kind) => makes.has(kind)), way);
  return packer.isSpent ? null : packer.result();
}

/** More nodes that differ are filled one after the other. */
const mostKindsCompared = 400;

function inOrderOfPrice({ kinds }: PackingProblem, some: readonly number[]): readonly number[] {
  const priceOf = (index: number): number => kinds[index]?.price ?? 0;
  return some.toSorted((a, b) => priceOf(a) - priceOf(b) || a - b);
}

function fillEach(packer: Packer, kinds: readonly number[], way: Way): void {
  for (const kind of kinds)
    while (packer.roomOf(kind) >= 1 && !packer.isSpent) {
      const filling = fillingOf(packer, kind, way);
      if (filling.slots.length === 0) break;
      packer.take(filling, packer.timesOf(filling));
    }
}

function fillCheapest(packer: Packer, kinds: readonly number[], way: Way): void {
  const fillings = new Map<number, Filling>();
  const { asCheap = 0 } = way;
  while (!packer.isSpent) {
    const first = packer.first();
    if (first < 0) return;
    let best: Filling | null = null;
    let least = Number.POSITIVE_INFINITY;
    let smallest = Number.POSITIVE_INFINITY;
    for (const index of kinds) {
      if (packer.roomOf(index) < 1 || (way.largestFirst && !packer.fits(first, index))) continue;
      const known = fillings.get(index);
      const filling = known !== undefined && isStillSo(packer, known) ? known : fillingOf(packer, index, way);
      fillings.set(index, filling);
      if (filling.slots.length === 0) continue;
      const { price } = packer.problem.kinds[index] as Kind;
      const ratio = (price * hoursFor(packer.problem, filling.slots)) / filling.worth;
      // Of what is about as cheap, the smaller: a node is paid for until the last of its jobs ends.
      const isSmaller = price < smallest;
      if (ratio >= (isSmaller ? least * (1 + asCheap) : least / (1 + asCheap))) continue;
      best = filling;
      least = ratio;
      smallest = price;
    }
    if (best === null) return;
    packer.take(best, packer.timesOf(best));
  }
}

function fillingOf(packer: Packer, kind: number, { isEven = false }: Way): Filling {
  return isEven ? packer.fillEvenly(kind) : packer.fill(kind);
}

/** Whether a node would still be filled like that: nothing that it takes ran short. */
function isStillSo(packer: Packer, { slots }: Filling): boolean {
  return slots.length > 0 && slots.every(([item, count]) => (packer.left[item] as number) > count);
}
