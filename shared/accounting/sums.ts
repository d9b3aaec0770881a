import { type Amount, type Dimensions, nothing, plus } from "./lines.ts";

/** What sums are told apart by: the node array of all time; user, account and queue of jobs' time only. */
const sumDimensions = ["nodeArray", "user", "account", "queue"] as const;
export type SumDimension = (typeof sumDimensions)[number];

/** Null: nobody said. */
interface NamedAmount extends Amount {
  readonly name: string | null;
}

/** What a time cost, by each dimension on its own: a month of lines would be too many to carry along. */
export interface Sums {
  readonly total: Amount;
  readonly by: Readonly<Record<SumDimension, readonly NamedAmount[]>>;
}

export const noSums: Sums = { total: nothing, by: { nodeArray: [], user: [], account: [], queue: [] } };

/** Anything that has an amount for dimensions: lines of pages, or nodes that nobody splits. */
type Part = Amount & Pick<Dimensions, "purpose" | SumDimension>;

/** The sums with more lines. Whole numbers: the order of adding makes no difference. */
export function withLines(sums: Sums, lines: Iterable<Part>): Sums {
  let total = sums.total;
  const by = new Map(
    sumDimensions.map((dimension) => [
      dimension,
      new Map<string | null, Amount>(sums.by[dimension].map(({ name, ...amount }) => [name, amount])),
    ]),
  );
  for (const line of lines) {
    total = plus(total, line);
    for (const [dimension, amounts] of by) {
      if (dimension !== "nodeArray" && line.purpose !== "job") continue;
      const name = line[dimension];
      amounts.set(name, plus(amounts.get(name) ?? nothing, line));
    }
  }
  const named = (dimension: SumDimension) =>
    [...(by.get(dimension) ?? [])].map(([name, amount]): NamedAmount => ({ name, ...amount }));
  return {
    total,
    by: {
      nodeArray: named("nodeArray"),
      user: named("user"),
      account: named("account"),
      queue: named("queue"),
    },
  };
}

/** What one name has. Nothing is known to have been spent by a name that never came: that is zero. */
export function sumOf(sums: Sums, dimension: SumDimension, names: readonly (string | null)[]): Amount {
  return sums.by[dimension].filter(({ name }) => names.includes(name)).reduce<Amount>(plus, nothing);
}
