/** A list in parts of `size` members, the last with what is left; no parts of an empty list. */
export function chunksOf<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}

/** Enough to hide the way to the store and back, few enough to stay far from its limits. */
const atOnce = 8;

/** Maps with a few calls under way at a time; results in the order of the items. The first error ends it. */
export async function concurrently<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length);
  const queue = items.entries();
  const work = async () => {
    for (const [index, item] of queue) results[index] = await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return results;
}
