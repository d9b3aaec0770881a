import type { DemandCapHit } from "../model/demand-caps.ts";

/** The checks that one source has left in a plan. */
export interface Share {
  left: number;
  /** The cap that holds its jobs back when none are left. */
  readonly hit: DemandCapHit;
}

/**
 * Bounds the work of a plan for demand that must be checked node by node. Counted, not timed: the same input gives
 * the same plan. Every source has the same share, so that none can take what others need.
 */
export class Effort {
  readonly #shares = new Map<string | null, Share>();

  constructor(mostChecks: number, sources: ReadonlySet<string | null>) {
    const limit = Math.max(1, Math.floor(mostChecks / Math.max(1, sources.size)));
    for (const source of sources) {
      const hit: DemandCapHit = { cap: "max-plan-checks", asked: null, limit };
      this.#shares.set(source, { left: limit, hit });
    }
  }

  of(source: string | null): Share {
    const share = this.#shares.get(source);
    if (share === undefined) throw new Error(`Source "${source}" has no share of the plan's checks`);
    return share;
  }
}

/** Entries that all shapes together may remember, at 8 bytes or so each: beyond that a plan checks again. */
const mostRemembered = 2_000_000;

/** The budget for caches, which only make a plan faster. */
export class Memory {
  #left = mostRemembered;

  /** Whether there is room for so many entries. */
  has(entries: number): boolean {
    return entries <= this.#left;
  }

  /** Whether so many entries more may be kept. */
  take(entries: number): boolean {
    if (!this.has(entries)) return false;
    this.#left -= entries;
    return true;
  }
}
