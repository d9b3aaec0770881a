import type { Demand } from "../ledger/availability.ts";
import { vacantColumn } from "../ledger/columns.ts";
import type { LedgerNode } from "../ledger/ledger-bucket.ts";
import { amountAsked, firstSatisfied, refusing } from "../ledger/match.ts";
import type { Constraint, MinimumResource, SharedConsumable } from "../model/constraint.ts";
import { type Combining, isCombining, isTaking, type Taking } from "../model/constraint-kinds.ts";

/** The amounts that a slot takes of a node through the alternatives that match there. */
export interface Choice {
  readonly minimums: readonly MinimumResource[];
  readonly draws: readonly SharedConsumable[];
  readonly exclusive: "none" | "iteration" | "task";
}

interface Draft {
  readonly minimums: MinimumResource[];
  readonly draws: SharedConsumable[];
  exclusive: Choice["exclusive"];
}

/** Picks the alternatives that match on this node as it is now; null when one of the constraints has none. */
export function choose(constraints: readonly Constraint[], node: LedgerNode): Choice | null {
  const draft: Draft = { minimums: [], draws: [], exclusive: "none" };
  for (const constraint of constraints) {
    if (refusing(constraint, node) !== null) return null;
    collect(constraint, node, draft);
  }
  return draft;
}

/** Notes what takes something, along the children that match. */
function collect(constraint: Constraint, node: LedgerNode, draft: Draft): void {
  if (isTaking(constraint)) note(constraint, draft);
  else if (isCombining(constraint))
    for (const child of matching(constraint, node)) collect(child, node, draft);
}

/** The children through which a constraint that is satisfied takes something. */
function matching(constraint: Combining, node: LedgerNode): readonly Constraint[] {
  switch (constraint.kind) {
    case "and":
      return constraint.all;
    case "or":
      return firstOf(constraint.any, node);
    case "xor":
      return firstOf(constraint.oneOf, node);
    case "not":
      return [];
  }
}

function firstOf(children: readonly Constraint[], node: LedgerNode): readonly Constraint[] {
  const child = children[firstSatisfied(children, node)];
  return child === undefined ? [] : [child];
}

function note(leaf: Taking, draft: Draft): void {
  switch (leaf.kind) {
    case "minimum-resource":
      draft.minimums.push(leaf);
      return;
    case "shared-consumable":
      draft.draws.push(leaf);
      return;
    case "exclusive":
      if (draft.exclusive !== "iteration") draft.exclusive = leaf.scope;
      return;
  }
  leaf satisfies never;
}

/** The plain demand of a shape together with what a choice adds to it. */
export function withChoice(demand: Demand, choice: Choice, node: LedgerNode): Demand {
  const byColumn = new Map(demand.columns.map((column, index) => [column, demand.amounts[index] ?? 0]));
  for (const minimum of choice.minimums) {
    const column = node.bucket.columns.byName.get(minimum.resource);
    // Only alternatives that this node satisfies were chosen: one without a column asks for nothing.
    if (column === undefined) continue;
    byColumn.set(column, (byColumn.get(column) ?? 0) + amountAsked(minimum, node));
  }
  if (choice.exclusive !== "none") byColumn.set(vacantColumn, 1);
  return { columns: [...byColumn.keys()], amounts: [...byColumn.values()] };
}
