import { solveLp } from "../../../clients/cli/backtest/solve-lp.ts";
import { type BoundItem, type BoundSize, lpText } from "../../../shared/backtest/index.ts";

export type { BoundItem, BoundSize };

/** No packing costs less: the cheapest nodes when slots and nodes may be cut. */
export async function lpBound(items: readonly BoundItem[], sizes: readonly BoundSize[]): Promise<number> {
  const bound = await solveLp(lpText(items, sizes));
  if (bound === undefined) throw new Error("No bound: HiGHS found no optimum");
  return bound;
}
