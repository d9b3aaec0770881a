import type { SharedConsumable } from "../constraints/shared-consumable.ts";
import type { SharedDraw, SharedPool } from "../constraints/shared-pool.ts";
import { covers, timesInto } from "../values/amounts.ts";

interface Pool {
  left: number;
}

/** The amount that one job draws from a pool. */
interface Total {
  readonly pool: Pool;
  once: number;
  perSlot: number;
}

/** Shared pools (licences, quotas) while planning. The settings' description of a pool wins over a job's, the first job's over later ones. */
export class Pools {
  readonly #byKey = new Map<string, Pool>();
  /** Draws added up, by list of constraints. All pools are known before the first job draws. */
  readonly #totals = new WeakMap<readonly SharedConsumable[], readonly Total[] | null>();

  constructor(pools: readonly SharedPool[]) {
    for (const pool of pools) this.#byKey.set(keyOf(pool.name, pool.source), { left: pool.current });
  }

  /** Learns of a pool from a job that draws on it. */
  define(draw: SharedDraw): void {
    if (draw.current === null || this.#find(draw) !== undefined) return;
    this.#byKey.set(keyOf(draw.pool, draw.source), { left: draw.current });
  }

  /** The amount left; undefined if the size of the pool is unknown. */
  left(draw: SharedDraw): number | undefined {
    return this.#find(draw)?.left;
  }

  /** How many slots the pools allow; what a job draws once costs nothing any more when it was drawn. */
  slotsLeft(consumables: readonly SharedConsumable[], drawnOnce: boolean): number {
    if (consumables.length === 0) return Number.POSITIVE_INFINITY;
    const known = this.#totals.get(consumables);
    const totals = known === undefined ? this.#addUp(consumables) : known;
    this.#totals.set(consumables, totals);
    if (totals === null) return 0;
    let least = Number.POSITIVE_INFINITY;
    for (const { pool, once, perSlot } of totals) {
      const first = drawnOnce ? 0 : once;
      const slots = covers(pool.left, first) ? Math.max(0, timesInto(pool.left - first, perSlot)) : 0;
      least = Math.min(least, slots);
    }
    return least;
  }

  /** Null: the size of one of the pools is unknown. */
  #addUp(consumables: readonly SharedConsumable[]): readonly Total[] | null {
    const totals = new Map<Pool, Total>();
    for (const draw of consumables.flatMap(({ draws }) => draws)) {
      const pool = this.#find(draw);
      if (pool === undefined) return null;
      const total = totals.get(pool) ?? { pool, once: 0, perSlot: 0 };
      totals.set(pool, total);
      if (draw.once) total.once += draw.amount;
      else total.perSlot += draw.amount;
    }
    return [...totals.values()];
  }

  /** Draws for a number of slots, or gives back (negative). */
  draw(draw: SharedDraw, times: number): void {
    const pool = this.#find(draw);
    if (pool !== undefined) pool.left -= draw.amount * times;
  }

  #find(draw: SharedDraw): Pool | undefined {
    return this.#byKey.get(keyOf(draw.pool, draw.source)) ?? this.#byKey.get(keyOf(draw.pool, null));
  }
}

/** A source can be any text, so the two are kept apart by a character that JSON has to escape. */
function keyOf(name: string, source: string | null): string {
  return source === null ? name : `${name}\n${source}`;
}
