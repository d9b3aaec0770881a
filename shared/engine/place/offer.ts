import { type Demand, timesInto } from "../ledger/availability.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerNode } from "../ledger/ledger-node.ts";
import { firstRefusing } from "../ledger/match.ts";
import { OPEN, VACANT } from "../ledger/stock.ts";
import type { SharedConsumable } from "../model/constraint.ts";
import { choose, withChoice } from "./alternatives.ts";
import type { ExclusiveScope, Profile, Shape } from "./shape.ts";

/** What a node can do for a shape now. */
export interface Offer {
  /** 0: nothing. */
  readonly slots: number;
  readonly demand: Demand;
  readonly closes: boolean;
  readonly draws: readonly SharedConsumable[];
}

const NO_OFFER: Offer = { slots: 0, demand: { columns: [], amounts: [] }, closes: false, draws: [] };

/** Asks a node that covers the demand for up to `wanted` slots. Changes nothing: ask, then commit. */
export function offerOf(
  ledger: Ledger,
  node: LedgerNode,
  ask: {
    readonly shape: Shape;
    readonly demand: Demand;
    readonly wanted: number;
    readonly drawnOnce: boolean;
  },
): Offer {
  const { shape, demand } = ask;
  const { profile } = shape;
  if (!accepts(profile, node) || !ledger.isUsable(node)) return NO_OFFER;
  if (profile.alternatives.length === 0) {
    const slots = Math.min(
      ask.wanted,
      capacity(node, demand, shape.exclusive),
      ledger.pools.slotsLeft(profile.draws, ask.drawnOnce),
    );
    return { slots, demand, closes: shape.exclusive !== "none", draws: profile.draws };
  }
  const choice = choose(profile.alternatives, node);
  if (choice === null) return NO_OFFER;
  const exclusive = stricter(shape.exclusive, choice.exclusive);
  const whole = withChoice(demand, choice, node);
  const draws = [...profile.draws, ...choice.draws];
  const room = node.bucket.table.fits(node.position, whole) ? capacity(node, whole, exclusive) : 0;
  const slots = Math.min(ask.wanted, room, ledger.pools.slotsLeft(draws, ask.drawnOnce));
  return { slots, demand: whole, closes: exclusive !== "none", draws };
}

function stricter(a: ExclusiveScope, b: ExclusiveScope): ExclusiveScope {
  if (a === "iteration" || b === "iteration") return "iteration";
  return a === "task" || b === "task" ? "task" : "none";
}

/** Whether the constraints that take nothing hold on this node. */
export function accepts(profile: Profile, node: LedgerNode): boolean {
  const { example } = node.bucket;
  if (node.stock !== example.stock || node.bucket.closed === "on-premise") {
    let known = profile.stocks.get(node.stock);
    if (known === undefined) {
      known = firstRefusing(profile.shared, node) === null;
      profile.stocks.set(node.stock, known);
    }
    if (!known) return false;
  }
  return profile.own.length === 0 || firstRefusing(profile.own, node) === null;
}

function capacity(node: LedgerNode, demand: Demand, exclusive: ExclusiveScope): number {
  if (exclusive === "iteration") return 1;
  const { table } = node.bucket;
  let slots = Number.POSITIVE_INFINITY;
  for (let i = 0; i < demand.columns.length; i++) {
    const column = demand.columns[i] ?? 0;
    if (column === VACANT || column === OPEN) continue;
    slots = Math.min(slots, timesInto(table.get(node.position, column), demand.amounts[i] ?? 0));
  }
  return slots;
}
