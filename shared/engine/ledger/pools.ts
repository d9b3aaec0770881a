import type { SharedConsumable, SharedDraw, SharedPool } from "../model/constraint.ts";
import { covers, timesInto } from "./availability.ts";

interface Pool {
  left: number;
}

/** Shared pools (licences, quotas) while planning. The settings' description of a pool wins over a job's, the first job's over later ones. */
export class Pools {
  private readonly byKey = new Map<string, Pool>();

  constructor(pools: readonly SharedPool[]) {
    for (const pool of pools) this.byKey.set(keyOf(pool.name, pool.source), { left: pool.current });
  }

  /** Learns of a pool from a job that draws on it. */
  define(draw: SharedDraw): void {
    if (draw.current === null || this.find(draw) !== undefined) return;
    this.byKey.set(keyOf(draw.pool, draw.source), { left: draw.current });
  }

  /** What is left; undefined when nobody said what the pool holds. */
  left(draw: SharedDraw): number | undefined {
    return this.find(draw)?.left;
  }

  /** How many slots the pools allow; what a job draws once costs nothing any more when it was drawn. */
  slotsLeft(consumables: readonly SharedConsumable[], drawnOnce: boolean): number {
    if (consumables.length === 0) return Number.POSITIVE_INFINITY;
    const totals = new Map<Pool, { once: number; perSlot: number }>();
    for (const draw of consumables.flatMap(({ draws }) => draws)) {
      const pool = this.find(draw);
      if (pool === undefined) return 0;
      const total = totals.get(pool) ?? { once: 0, perSlot: 0 };
      totals.set(pool, total);
      if (!draw.once) total.perSlot += draw.amount;
      else if (!drawnOnce) total.once += draw.amount;
    }
    const slots = [...totals].map(([pool, { once, perSlot }]) =>
      covers(pool.left, once) ? Math.max(0, timesInto(pool.left - once, perSlot)) : 0,
    );
    return Math.min(...slots);
  }

  /** Draws for a number of slots, or gives back (negative). */
  draw(draw: SharedDraw, times: number): void {
    const pool = this.find(draw);
    if (pool !== undefined) pool.left -= draw.amount * times;
  }

  private find(draw: SharedDraw): Pool | undefined {
    return this.byKey.get(keyOf(draw.pool, draw.source)) ?? this.byKey.get(keyOf(draw.pool, null));
  }
}

/** A source can be any text, so the two are kept apart by a character that JSON has to escape. */
function keyOf(name: string, source: string | null): string {
  return source === null ? name : `${name}\n${source}`;
}
