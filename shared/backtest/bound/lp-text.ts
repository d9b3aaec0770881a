/** Work that is alike: parts of jobs that need the same of a node. */
export interface BoundItem {
  /** How much of it there is: slots, or hours of them. */
  readonly count: number;
  /** What one part takes of each resource. */
  readonly demand: readonly number[];
  /** Each part has a node to itself. */
  readonly exclusive?: boolean;
}

/** A size of node. */
export interface BoundSize {
  /** What a node has of each resource. */
  readonly capacity: readonly number[];
  readonly price: number;
  /** So many nodes, or hours of them, can be had. Absent: any number. */
  readonly most?: number;
}

/** Indexes of the sizes that hold one whole part. */
export function fittingSizes({ demand }: BoundItem, sizes: readonly BoundSize[]): readonly number[] {
  return sizes.flatMap(({ capacity }, t) =>
    demand.every((amount, k) => amount <= (capacity[k] ?? 0)) ? [t] : [],
  );
}

/**
 * The cheapest nodes when parts and nodes may be cut, as a linear program in the LP file format: `x<size>` nodes,
 * `y<item>_<size>` parts. A part goes only to sizes that hold a whole one; for every size and resource, what is put there is at
 * most what its nodes have. Items that fit nowhere must not be among them.
 */
export function lpText(items: readonly BoundItem[], sizes: readonly BoundSize[]): string {
  const lines = [
    "Minimize",
    ` obj: ${sizes.map(({ price }, t) => `${price} x${t}`).join(" + ")}`,
    "Subject To",
  ];
  const fits = items.map((item) => fittingSizes(item, sizes));
  for (const [s, { count }] of items.entries())
    lines.push(` n${s}: ${(fits[s] ?? []).map((t) => `y${s}_${t}`).join(" + ")} = ${count}`);
  for (const [t, { capacity }] of sizes.entries())
    for (const [k, amount] of capacity.entries()) {
      const used = items.flatMap(({ demand, exclusive }, s) => {
        const taken = exclusive === true ? amount : (demand[k] ?? 0);
        return taken > 0 && fits[s]?.includes(t) ? [`${taken} y${s}_${t}`] : [];
      });
      if (used.length > 0) lines.push(` c${t}_${k}: ${used.join(" + ")} - ${amount} x${t} <= 0`);
    }
  const bounds = sizes.flatMap(({ most }, t) => (most === undefined ? [] : [` x${t} <= ${most}`]));
  return [...lines, ...(bounds.length > 0 ? ["Bounds", ...bounds] : []), "End", ""].join("\n");
}
