import { decidesForBucket, type LimitName } from "./limits.ts";

/** The size of a limit, and how much of it is left. */
export interface QuotaFigures {
  left: number;
  readonly max: number;
  readonly used: number;
  /** The part that the figures show as left, and that Azure refused. */
  readonly cut: number;
}

/** A shared counter: what is left of one limit, in cores or nodes. Shared by every bucket that draws on it. */
export class Quota implements QuotaFigures {
  left: number;
  /** As reported, before anything was charged. */
  max: number;
  used: number;
  /** The part that the figures show as left, and that Azure refused. */
  cut = 0;

  /** A use above the maximum counts as full. */
  constructor(max: number, used: number) {
    this.left = Math.max(0, max - used);
    this.max = max;
    this.used = used;
  }

  /** Other figures for the same limit: the stricter one holds. */
  atMost(max: number, used: number): void {
    if (Math.max(0, max - used) >= this.left) return;
    this.left = Math.max(0, max - used);
    this.cut = 0;
    this.max = max;
    this.used = used;
  }

  /** The most that is left, even if the figures are higher. */
  cutTo(left: number): void {
    this.cut += Math.max(0, this.left - left);
    this.left = Math.min(this.left, left);
  }
}

/** How much of a limit one node of a bucket takes. */
export interface Charge {
  readonly limit: LimitName;
  /** The scope of the limit, for people: `htc`, `westeurope/standardFSv2Family`. */
  readonly scope: string;
  readonly unit: "nodes" | "cores" | "micro-usd";
  readonly quota: QuotaFigures;
  readonly perNode: number;
}

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
    const isBehind = left === least && binding?.limit === "bucket" && decidesForBucket(charge.limit);
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
