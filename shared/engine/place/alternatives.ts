import { refusing, take, takingParts } from "../constraints/any-constraint.ts";
import type { Constraint } from "../constraints/constraint-kinds.ts";
import type { MinimumResource } from "../constraints/minimum-resource.ts";
import { amountAsked } from "../constraints/minimum-resource.ts";
import type { SharedConsumable } from "../constraints/shared-consumable.ts";
import type { Demand } from "../ledger/availability.ts";
import { vacantColumn } from "../ledger/columns.ts";
import type { LedgerNode } from "../ledger/ledger-bucket.ts";

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

/** Notes what takes something, along the parts that match. */
function collect(constraint: Constraint, node: LedgerNode, draft: Draft): void {
  take(constraint, {
    amount: (minimum) => draft.minimums.push(minimum),
    draws: (draw) => draft.draws.push(draw),
    exclusive: (scope) => {
      if (draft.exclusive !== "iteration") draft.exclusive = scope;
    },
  });
  for (const part of takingParts(constraint, node)) collect(part, node, draft);
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
