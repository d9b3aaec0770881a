import type { Instance } from "./vector-packing.ts";

/** Bins that are needed even if items could be cut: the larger sum of one dimension. */
export function volumeBound({ items, capacity }: Instance): number {
  const [first = []] = items;
  return Math.max(
    ...first.map((_, k) => wholeBins(items.reduce((sum, item) => sum + (item[k] ?? 0), 0) / capacity)),
  );
}

/**
 * Bins that no packing goes below. Any mean of the dimensions adds up to at most 1 in a bin, and stays so when sizes are rounded
 * by a dual feasible function; besides, no two of some items share a bin.
 */
export function provenBound(instance: Instance): number {
  const { items, capacity } = instance;
  let most = Math.max(volumeBound(instance), itemsApart(instance));
  for (const weights of means(items[0]?.length ?? 0)) {
    const sizes = items.map((item) =>
      item.reduce((sum, amount, k) => sum + ((weights[k] ?? 0) * amount) / capacity, 0),
    );
    for (const small of [0, ...new Set(sizes.filter((size) => size <= 0.5))])
      for (let parts = 0; parts <= mostParts; parts++)
        most = Math.max(
          most,
          wholeBins(sizes.reduce((sum, size) => sum + rounded(withoutSmall(size, small), parts), 0)),
        );
  }
  return most;
}

const mostParts = 6;
const tolerance = 1e-9;

function wholeBins(sum: number): number {
  return Math.ceil(sum - 1e-6);
}

/** What leaves no room for a small item takes all of the bin; less than a small one takes nothing. */
function withoutSmall(size: number, small: number): number {
  if (size > 1 - small + tolerance) return 1;
  return size < small - tolerance ? 0 : size;
}

/** Down to a whole number of parts, except for what is one part or more exactly (Fekete and Schepers). */
function rounded(size: number, parts: number): number {
  if (parts === 0 || size === 0 || size === 1) return size;
  const inParts = (parts + 1) * size;
  return Math.abs(inParts - Math.round(inParts)) < tolerance ? size : Math.floor(inParts) / parts;
}

/** Weights of the dimensions in quarters. */
function means(dimensions: number, left = 4): readonly (readonly number[])[] {
  if (dimensions <= 1) return [[left / 4]];
  return Array.from({ length: left + 1 }, (_, quarters) => quarters).flatMap((quarters) =>
    means(dimensions - 1, left - quarters).map((rest) => [quarters / 4, ...rest]),
  );
}

/** How many items there are of which no two fit into one bin, taken one after the other, the largest first. */
function itemsApart({ items, capacity }: Instance): number {
  const share = (a: readonly number[], b: readonly number[]) =>
    a.every((amount, k) => amount + (b[k] ?? 0) <= capacity);
  const apart: (readonly number[])[] = [];
  const sizeOf = (item: readonly number[]) => item.reduce((sum, amount) => sum + amount, 0);
  for (const item of items.toSorted((a, b) => sizeOf(b) - sizeOf(a)))
    if (!apart.some((other) => share(item, other))) apart.push(item);
  return apart.length;
}
