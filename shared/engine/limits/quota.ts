import type { LimitName } from "../model/limits.ts";

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
