import { covers, timesInto } from "./availability.ts";
import type { SharedDraw, SharedPool } from "./constraint.ts";

/** Shared pools (licences, quotas) while planning. The settings' description of a pool wins over a job's, the first job's over later ones. */
export class Pools {
  private readonly byKey = new Map<string, { left: number; readonly initial: number }>();

  constructor(pools: readonly SharedPool[]) {
    for (const pool of pools)
      this.byKey.set(keyOf(pool.name, pool.source), { left: pool.current, initial: pool.initial });
  }

  /** Learns of a pool from a job that draws on it. */
  define(draw: SharedDraw): void {
    if (draw.current === null || this.find(draw) !== undefined) return;
    this.byKey.set(keyOf(draw.pool, draw.source), {
      left: draw.current,
      initial: draw.initial ?? draw.current,
    });
  }

  /** What is left; undefined when nobody said what the pool holds. */
  left(draw: SharedDraw): number | undefined {
    return this.find(draw)?.left;
  }

  /** How many slots the pools of these draws allow; a `once` draw that was made already costs nothing. */
  slotsLeft(draws: readonly SharedDraw[], drawnOnce: boolean): number {
    let slots = Number.POSITIVE_INFINITY;
    for (const draw of draws) {
      if (draw.once && drawnOnce) continue;
      const left = this.left(draw) ?? -1;
      const allowed = draw.once
        ? covers(left, draw.amount)
          ? Number.POSITIVE_INFINITY
          : 0
        : timesInto(left, draw.amount);
      slots = Math.min(slots, Math.max(0, allowed));
    }
    return slots;
  }

  /** Draws for a number of slots, or gives back (negative). */
  draw(draw: SharedDraw, times: number): void {
    const pool = this.find(draw);
    if (pool !== undefined) pool.left -= draw.amount * times;
  }

  private find(draw: SharedDraw): { left: number } | undefined {
    return this.byKey.get(keyOf(draw.pool, draw.source)) ?? this.byKey.get(keyOf(draw.pool, null));
  }
}

/** A source can be any text, so the two are kept apart by a character that JSON has to escape. */
function keyOf(name: string, source: string | null): string {
  return source === null ? name : `${name}\n${source}`;
}
