import { hourSeconds, startOf } from "./calendar.ts";
import { nanoUsdOf, type Writable } from "./lines.ts";
import type { AsideOf, SeenAside } from "./sight.ts";

/** Of some time. Whole numbers, as the amounts of nodes are. */
export interface AsideLine extends AsideOf {
  readonly nodeMs: number;
  readonly nanoUsd: number;
  /** The part of `nodeMs` without a known price: `nanoUsd` leaves it out. */
  readonly unpricedNodeMs: number;
}

/** What there was in these times, by the start of the hour in seconds. */
export function asideIn(
  times: readonly {
    readonly seen: readonly SeenAside[];
    readonly fromMs: number;
    readonly untilMs: number;
  }[],
): ReadonlyMap<number, readonly AsideLine[]> {
  const byHour = new Map<number, readonly AsideLine[]>();
  for (const { seen, fromMs, untilMs } of times)
    for (let at = fromMs; seen.length > 0 && at < untilMs; ) {
      const hour = startOf(at / 1_000, hourSeconds);
      const next = Math.min(untilMs, (hour + hourSeconds) * 1_000);
      const lines = seen.map(({ kind, name, nodes, usdPerHour }): AsideLine => {
        const nodeMs = nodes * (next - at);
        const nanoUsd = nanoUsdOf(usdPerHour, nodeMs);
        return { kind, name, nodeMs, nanoUsd, unpricedNodeMs: usdPerHour === null ? nodeMs : 0 };
      });
      byHour.set(hour, mergeAside(byHour.get(hour), lines));
      at = next;
    }
  return byHour;
}

export function mergeAside(...lists: readonly (readonly AsideLine[] | undefined)[]): readonly AsideLine[] {
  const sums = new Map<string, Writable<AsideLine>>();
  for (const line of lists.flatMap((list) => list ?? [])) {
    const key = `${line.kind} ${line.name}`;
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, { ...line });
    else {
      sum.nodeMs += line.nodeMs;
      sum.nanoUsd += line.nanoUsd;
      sum.unpricedNodeMs += line.unpricedNodeMs;
    }
  }
  return [...sums.values()];
}
