import type { Want } from "./backlog.ts";
import type { MarketSize } from "./market.ts";

/**
 * What the simplest rule that looks at prices buys, for comparison: node by node the size with the lowest price for the value
 * that it would hold. Slots are as valuable as the cheapest share of a node that they take, and the most valuable go first.
 */
export function greedyPrice(wants: readonly Want[], sizes: readonly MarketSize[]): number {
  const groups = Map.groupBy(wants, ({ ncpus, memoryGiB }) => `${ncpus} ${memoryGiB}`);
  const shapes = [...groups.values()].flatMap(([first, ...rest]): Shape[] => {
    if (first === undefined) return [];
    const left = rest.reduce((sum, { slots }) => sum + slots, first.slots);
    return [{ ncpus: first.ncpus, memoryGiB: first.memoryGiB, left, value: worthOf(first, sizes) }];
  });
  shapes.sort((a, b) => b.value - a.value);
  let total = 0;
  while (shapes.some(({ left }) => left > 0)) {
    const first = shapes.find(({ left }) => left > 0);
    if (first === undefined) break;
    const filled = sizes
      .filter((size) => size.vcpus >= first.ncpus && size.memoryGiB >= first.memoryGiB)
      .map((size) => ({ size, ...fill(shapes, size) }));
    const best = filled.reduce((a, b) => (b.size.price / b.value < a.size.price / a.value ? b : a));
    const times = Math.min(...[...best.slots].map(([shape, count]) => Math.floor(shape.left / count)));
    for (const [shape, count] of best.slots) shape.left -= count * times;
    total += best.size.price * times;
  }
  return total;
}

interface Shape {
  readonly ncpus: number;
  readonly memoryGiB: number;
  readonly value: number;
  left: number;
}

/** What its processors and its memory cost, were each bought where a slot fits and a share of the node costs least. */
function worthOf(
  { ncpus, memoryGiB }: Pick<Want, "ncpus" | "memoryGiB">,
  sizes: readonly MarketSize[],
): number {
  const shares = sizes
    .filter((size) => size.vcpus >= ncpus && size.memoryGiB >= memoryGiB)
    .map((size) => Math.max(ncpus / size.vcpus, memoryGiB / size.memoryGiB) * size.price);
  return Math.min(...shares);
}

function fill(shapes: readonly Shape[], { vcpus, memoryGiB }: MarketSize) {
  let cpusLeft = vcpus;
  let memoryLeft = memoryGiB;
  let value = 0;
  const slots = new Map<Shape, number>();
  for (const shape of shapes) {
    const byMemory =
      shape.memoryGiB > 0 ? Math.floor(memoryLeft / shape.memoryGiB) : Number.POSITIVE_INFINITY;
    const count = Math.min(shape.left, Math.floor(cpusLeft / shape.ncpus), byMemory);
    if (count < 1) continue;
    slots.set(shape, count);
    cpusLeft -= count * shape.ncpus;
    memoryLeft -= count * shape.memoryGiB;
    value += count * shape.value;
  }
  return { slots, value };
}
