import type { Demand } from "../ledger/availability.ts";
import { vacantColumn } from "../ledger/columns.ts";
import type { LedgerNode } from "../ledger/ledger-node.ts";
import { amountAsked, firstSatisfied, refusing } from "../ledger/match.ts";
import type { Constraint, MinimumResource, SharedConsumable } from "../model/constraint.ts";

/** What a slot takes of a node through the alternatives that match there. */
export interface Choice {
  readonly minimums: readonly MinimumResource[];
  readonly draws: readonly SharedConsumable[];
  readonly exclusive: "none" | "iteration" | "task";
}

/** Picks the alternatives that match on this node as it is now; null when one of the constraints has none. */
export function choose(constraints: readonly Constraint[], node: LedgerNode): Choice | null {
  const taken: Constraint[] = [];
  for (const constraint of constraints) {
    if (refusing(constraint, node) !== null) return null;
    collect(constraint, node, taken);
  }
  const scopes = taken.flatMap((leaf) => (leaf.kind === "exclusive" ? [leaf.scope] : []));
  return {
    minimums: taken.filter((leaf) => leaf.kind === "minimum-resource"),
    draws: taken.filter((leaf) => leaf.kind === "shared-consumable"),
    exclusive: scopes.includes("iteration") ? "iteration" : (scopes[0] ?? "none"),
  };
}

/** The leaves that take something, along the children that match. `not` takes nothing. */
function collect(constraint: Constraint, node: LedgerNode, taken: Constraint[]): void {
  switch (constraint.kind) {
    case "and":
      for (const child of constraint.all) collect(child, node, taken);
      return;
    case "or":
      collectMatching(constraint.any, node, taken);
      return;
    case "xor":
      collectMatching(constraint.oneOf, node, taken);
      return;
    case "minimum-resource":
    case "exclusive":
    case "shared-consumable":
      taken.push(constraint);
      return;
    default:
      return;
  }
}

function collectMatching(children: readonly Constraint[], node: LedgerNode, taken: Constraint[]): void {
  const child = children[firstSatisfied(children, node)];
  if (child !== undefined) collect(child, node, taken);
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
