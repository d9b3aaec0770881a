import type { Item, Kind, PackingProblem } from "./packing-problem.ts";

/** What a slot would cost if nodes could be cut: its share of what it takes most of, where that is cheapest. */
export function dominantWorths(problem: PackingProblem): readonly number[] {
  return worthsOf(problem, (shares) => shares.most);
}

/** The same with the mean of all that it takes. */
export function evenWorths(problem: PackingProblem): readonly number[] {
  return worthsOf(problem, (shares) => shares.sum / shares.columns);
}

/** Slots that few nodes suit come before all others, then as the dominant share says. */
export function scarceWorths(problem: PackingProblem): readonly number[] {
  const choices = new Map<Item["kinds"], number>();
  for (const { kinds } of problem.items)
    if (!choices.has(kinds))
      choices.set(
        kinds,
        problem.kinds.filter(({ there }, index) => there !== null && kinds.has(index)).length,
      );
  const worths = dominantWorths(problem);
  const most = worths.reduce((sum, worth) => Math.max(sum, worth), 0) + 1;
  return problem.items.map(
    ({ kinds }, item) => (worths[item] as number) + most * (problem.kinds.length - (choices.get(kinds) ?? 0)),
  );
}

interface Shares {
  most: number;
  sum: number;
  columns: number;
}

/** Kinds of one look count once: there may be thousands. Nodes that are there count like those that could be bought. */
function worthsOf({ items, kinds }: PackingProblem, measure: (shares: Shares) => number): readonly number[] {
  const fresh = kinds.flatMap((kind, index) => (kind.there === null ? [{ kind, index }] : []));
  const shares: Shares = { most: 0, sum: 0, columns: 1 };
  return items.map(({ demands, kinds: allowed }) => {
    let least = Number.POSITIVE_INFINITY;
    for (const { kind, index } of fresh) {
      const demand = demands[kind.class];
      if (demand === null || demand === undefined || !allowed.has(index)) continue;
      measureShares(demand, kind, shares);
      if (shares.most <= 1) least = Math.min(least, measure(shares) * Math.max(kind.price, leastPrice));
    }
    return Number.isFinite(least) ? least : 0;
  });
}

/** What is paid for already is worth something too: larger slots still come first. */
const leastPrice = 1e-3;

function measureShares(demand: readonly number[], { capacity }: Kind, shares: Shares): void {
  shares.most = 0;
  shares.sum = 0;
  shares.columns = Math.max(1, demand.length);
  for (let column = 0; column < demand.length; column++) {
    const amount = demand[column] as number;
    if (amount === 0) continue;
    const share = amount / (capacity[column] as number);
    shares.sum += share;
    if (share > shares.most) shares.most = share;
  }
}
