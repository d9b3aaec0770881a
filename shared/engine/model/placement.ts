/**
 * How jobs come to nodes. `order`: bucket by bucket in order of preference, each exhausted before the next is asked.
 * `reuse`: nodes that exist or are on order first, in all buckets that a job can use; only then new ones, in order of
 * preference. `cost`: as `reuse`, and the new nodes of a plan are chosen so that together they cost least.
 */
export const placements = ["order", "reuse", "cost"] as const;

export type PlacementPolicy = (typeof placements)[number];

/** How the nodes of an array are filled and bought. What relies on scalelib gets its order. */
export function placementOf(
  {
    compatibility,
    placement,
  }: {
    readonly compatibility?: "scalelib";
    readonly placement: {
      readonly default: PlacementPolicy;
      readonly byNodeArray: Readonly<Record<string, PlacementPolicy>>;
    };
  },
  nodeArray: string | null,
): PlacementPolicy {
  if (compatibility === "scalelib") return "order";
  const { default: all, byNodeArray } = placement;
  return nodeArray !== null && Object.hasOwn(byNodeArray, nodeArray)
    ? (byNodeArray[nodeArray] as PlacementPolicy)
    : all;
}
