import type { BucketKind } from "./bucket-kinds.ts";
import type { KindSet, Packing } from "./packing/packing-problem.ts";
import { packThere } from "./packing/portfolio.ts";
import type { RepackProblem } from "./repack-problem.ts";

/** Sets of nodes that are tried in vain, for all kinds together. */
const mostFailures = 4;

/** Sets of nodes that are tried at all. */
const mostTries = 24;

/**
 * Takes nodes off a set that is to be bought, the dearest first, as long as a later plan finds room for all on the others.
 * That is the same search with the same answer, so what is bought is found again. Null: each of them is needed.
 */
export function trimmed(all: RepackProblem, bought: readonly BucketKind[]): Packing | null {
  const nodes = bought.reduce((sum, { there }) => sum + (there ?? 0), 0);
  if (all.items.length > mostItems || nodes > mostNodes) return null;
  // Where jobs run for different times, more of them on a node may cost more than the node that is saved.
  if (all.hours !== undefined) return null;
  let fleet = bought.toSorted((a, b) => b.price - a.price);
  let best: Packing | null = null;
  let tries = mostTries;
  let failures = mostFailures;
  for (let at = 0; at < fleet.length && failures > 0; at++) {
    let step = Math.ceil((fleet[at]?.there ?? 0) * firstStep);
    while (step > 0 && tries > 0 && failures > 0) {
      const kind = fleet[at] as BucketKind;
      const there = (kind.there ?? 0) - step;
      if (kind.price <= 0 || there < 0) break;
      const fewer = fleet.with(at, { ...kind, there });
      tries--;
      const packing = holdsOnceBought(all, fewer);
      if (packing === null) {
        failures -= step === 1 ? 1 : 0;
        step = Math.floor(step / 2);
      } else {
        best = packing;
        fleet = fewer;
        step = Math.min(step, there);
      }
    }
  }
  return best;
}

/** Where there is more, a try takes long, and there is less to gain: what is left over is small beside the whole. */
const mostItems = 1_000;
const mostNodes = 500;

/** Part of the nodes of a kind that is taken off at first: a packing that is worse than that is rare. */
const firstStep = 0.04;

/**
 * The packing that a later plan finds, for which the new nodes are there: it knows no more of this packing than the nodes.
 * Null: it finds none, and would buy again.
 */
export function holdsOnceBought(all: RepackProblem, bought: readonly BucketKind[]): Packing | null {
  const known = all.kinds.length;
  const kinds = [...all.kinds, ...bought];
  const origins = bought.map(({ bucket }) =>
    all.kinds.findIndex((kind) => kind.there === null && kind.bucket === bucket),
  );
  const sets = new Map<KindSet, KindSet>();
  const items = all.items.map((item) => {
    const { has, hasOnceThere } = item.kinds;
    const set = sets.get(item.kinds) ?? {
      has: (kind: number) => (kind < known ? has(kind) : hasOnceThere(origins[kind - known] ?? -1)),
      hasOnceThere,
    };
    sets.set(item.kinds, set);
    return { ...item, kinds: set };
  });
  const packing = packThere({ ...all, kinds, items }, { refines: true });
  if (packing === null) return null;
  const loads = packing.loads.map((load) => ({
    ...load,
    kind: load.kind < known ? load.kind : (origins[load.kind - known] ?? -1),
  }));
  return { ...packing, loads };
}
