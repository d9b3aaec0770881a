import { type Amount, type Dimensions, nothing, plus } from "./lines.ts";

/** Dimensions of sums: the node array for all time; user, account and queue for jobs' time only. */
const sumDimensions = ["nodeArray", "user", "account", "queue"] as const;
export type SumDimension = (typeof sumDimensions)[number];

/** Null: unknown. */
interface NamedAmount extends Amount {
  readonly name: string | null;
}

/** The cost of a period by each dimension separately: the lines of a month would be too many to keep. */
export interface Sums {
  readonly total: Amount;
  readonly by: Readonly<Record<SumDimension, readonly NamedAmount[]>>;
}

export const noSums: Sums = { total: nothing, by: { nodeArray: [], user: [], account: [], queue: [] } };

/** Anything with an amount and dimensions: lines of pages, or whole nodes. */
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

/** The sum of one name. A name without lines has spent nothing: zero. */
export function sumOf(sums: Sums, dimension: SumDimension, names: readonly (string | null)[]): Amount {
  return sums.by[dimension].filter(({ name }) => names.includes(name)).reduce<Amount>(plus, nothing);
}
