import { hourSeconds, startOf } from "./calendar.ts";
import { nanoUsdOf, type Writable } from "./lines.ts";

/**
 * What is paid though no VM runs: `deallocated` are the disks of deallocated nodes, by node array; `reserved` are nodes that a
 * reservation pays and nobody runs, by reservation. It is in no sum of nodes.
 */
export const asideKinds = ["deallocated", "reserved"] as const;

interface Of {
  readonly kind: (typeof asideKinds)[number];
  /** Of the node array, or of the reservation. */
  readonly name: string;
}

/** At one moment. */
export interface SeenAside extends Of {
  readonly nodes: number;
  /** US dollars an hour for each of them; null: unknown, which is not free. */
  readonly usdPerHour: number | null;
}

/** Of some time. Whole numbers, as the amounts of nodes are. */
export interface AsideLine extends Of {
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
