import { holdNames, type LimitName, limitNames } from "../model/limits.ts";
import { limits } from "./limits.ts";
import type { Charge } from "./quota.ts";

/** What is to be named instead of a bucket's own figure where both leave as little: it is what somebody can change. */
const decidesForBucket: ReadonlySet<LimitName> = new Set([
  ...limitNames.filter((name) => limits[name].isInBucket),
  ...holdNames,
]);

/** Nodes that a charge still allows. */
export function nodesLeft(charge: Charge): number {
  return charge.perNode <= 0
    ? Number.POSITIVE_INFINITY
    : Math.max(0, Math.floor(charge.quota.left / charge.perNode));
}

/** Nodes that all charges still allow; infinite when there are none. */
export function availableNodes(charges: readonly Charge[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const charge of charges) least = Math.min(least, nodesLeft(charge));
  return least;
}

/**
 * The charge that allows least, the first of equals; null when there are none. A bucket's own figure is often that of
 * another limit: of the two, that one is named, because it is the one to raise.
 */
export function bindingCharge(charges: readonly Charge[]): Charge | null {
  let binding: Charge | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const charge of charges) {
    const left = nodesLeft(charge);
    const isBehind = left === least && binding?.limit === "bucket" && decidesForBucket.has(charge.limit);
    if (binding !== null && left >= least && !isBehind) continue;
    binding = charge;
    least = left;
  }
  return binding;
}

/** Charges one node more, or gives one back (-1). */
export function charge(charges: readonly Charge[], nodes: number): void {
  for (const { quota, perNode } of charges) quota.left -= nodes * perNode;
}
