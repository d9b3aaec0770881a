/** Work that is alike: parts of jobs that need the same of a node. */
export interface BoundItem {
  /** How much of it there is: slots, or hours of them. */
  readonly count: number;
  /** What one part takes of each resource. */
  readonly demand: readonly number[];
  /** So many parts, at most, share a node, which then has nothing else. Absent: any parts share nodes. */
  readonly alone?: number;
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
export function fittingSizes(
  { demand }: Pick<BoundItem, "demand">,
  sizes: readonly Pick<BoundSize, "capacity">[],
): readonly number[] {
  return sizes.flatMap(({ capacity }, t) =>
    demand.every((amount, k) => amount <= (capacity[k] ?? 0)) ? [t] : [],
  );
}

/** How many parts a node with so much left holds. */
export function partsThatFit(demand: readonly number[], free: readonly number[]): number {
  return demand.reduce(
    (fits, amount, k) => (amount > 0 ? Math.min(fits, Math.floor((free[k] ?? 0) / amount + 1e-9)) : fits),
    Number.MAX_SAFE_INTEGER,
  );
}

/**
 * The cheapest nodes when parts and nodes may be cut, as a linear program in the LP file format: `x<size>` nodes,
 * `y<item>_<size>` parts. A part goes only to sizes that hold a whole one; for every size and resource, what is put there is at
 * most what its nodes have; parts that are alone there take an equal part of all of it. Items that fit nowhere must not be among them.
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
      const used = items.flatMap(({ demand, alone }, s) => {
        const taken =
          alone === undefined ? (demand[k] ?? 0) : amount / Math.min(alone, partsThatFit(demand, capacity));
        return taken > 0 && fits[s]?.includes(t) ? [`${taken} y${s}_${t}`] : [];
      });
      if (used.length > 0) lines.push(` c${t}_${k}: ${used.join(" + ")} - ${amount} x${t} <= 0`);
    }
  const bounds = sizes.flatMap(({ most }, t) => (most === undefined ? [] : [` x${t} <= ${most}`]));
  return [...lines, ...(bounds.length > 0 ? ["Bounds", ...bounds] : []), "End", ""].join("\n");
}
