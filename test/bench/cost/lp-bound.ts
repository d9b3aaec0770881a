import highsModule from "highs";

/** Slots that ask for the same, and how many of them there are. */
export interface BoundItem {
  readonly count: number;
  readonly demand: readonly number[];
}

/** A size of node that can be bought any number of times. */
export interface BoundSize {
  readonly capacity: readonly number[];
  readonly price: number;
}

/** CommonJS: what its types call the default export is the module itself. */
const load = highsModule as unknown as typeof highsModule.default;

/**
 * No packing costs less: the cheapest nodes when slots and nodes may be cut. Slots go only to sizes that hold a whole one;
 * for every size and amount, what is put there is at most what its nodes have.
 */
export async function lpBound(items: readonly BoundItem[], sizes: readonly BoundSize[]): Promise<number> {
  const highs = await load();
  const solution = highs.solve(lpText(items, sizes), { solver: "ipm", output_flag: false });
  if (solution.Status !== "Optimal") throw new Error(`No bound, HiGHS says ${solution.Status}`);
  return solution.ObjectiveValue;
}

/** In the LP file format: x<size> nodes, y<item>_<size> slots. */
function lpText(items: readonly BoundItem[], sizes: readonly BoundSize[]): string {
  const lines = [
    "Minimize",
    ` obj: ${sizes.map(({ price }, t) => `${price} x${t}`).join(" + ")}`,
    "Subject To",
  ];
  const fits = items.map(({ demand }) =>
    sizes.flatMap(({ capacity }, t) =>
      demand.every((amount, k) => amount <= (capacity[k] ?? 0)) ? [t] : [],
    ),
  );
  for (const [s, { count }] of items.entries())
    lines.push(` n${s}: ${(fits[s] ?? []).map((t) => `y${s}_${t}`).join(" + ")} = ${count}`);
  for (const [t, { capacity }] of sizes.entries())
    for (const [k, amount] of capacity.entries()) {
      const used = items.flatMap(({ demand }, s) =>
        fits[s]?.includes(t) && (demand[k] ?? 0) > 0 ? [`${demand[k]} y${s}_${t}`] : [],
      );
      if (used.length > 0) lines.push(` c${t}_${k}: ${used.join(" + ")} - ${amount} x${t} <= 0`);
    }
  return [...lines, "End", ""].join("\n");
}
