import type { CoreQuota } from "../model/limits.ts";

/** "No limit" is the largest whole number, and stays that. */
export function sum(max: number, more: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, max + more);
}

/** What is refused of the old one says nothing of it. */
export function raisedQuota({ maxCores, usedCores }: CoreQuota, more: number): CoreQuota {
  return { maxCores: sum(maxCores, more), usedCores };
}

/** A cap that is not set stays so. */
export function raisedCap(max: number | null, more: number): number | null {
  return max === null ? null : max + more;
}
