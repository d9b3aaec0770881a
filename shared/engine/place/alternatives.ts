import { isChoice, refusing, take, takingParts } from "../constraints/any-constraint.ts";
import type { Constraint } from "../constraints/constraint-kinds.ts";
import type { MinimumResource } from "../constraints/minimum-resource.ts";
import { amountAsked } from "../constraints/minimum-resource.ts";
import type { SharedConsumable } from "../constraints/shared-consumable.ts";
import type { Demand } from "../ledger/availability.ts";
import { vacantColumn } from "../ledger/columns.ts";
import type { LedgerBucket, LedgerNode } from "../ledger/ledger-bucket.ts";
import { covers } from "../values/amounts.ts";
import type { Shape } from "./shape.ts";

/** The amounts that a slot takes of a node through the alternatives that match there. */
export interface Choice {
  readonly minimums: readonly MinimumResource[];
  readonly draws: readonly SharedConsumable[];
  readonly exclusive: "none" | "iteration" | "task";
}

interface Draft {
  minimums: MinimumResource[];
  draws: SharedConsumable[];
  exclusive: Choice["exclusive"];
}

/**
 * Picks the alternatives that match on this node as it is now, of each list the first for which there is `room` beside what is taken
 * already; null when one of the constraints matches nowhere.
 */
export function choose(
  constraints: readonly Constraint[],
  node: LedgerNode,
  hasRoom: (choice: Choice) => boolean,
): Choice | null {
  if (constraints.some((constraint) => refusing(constraint, node) !== null)) return null;
  let draft: Draft = { minimums: [], draws: [], exclusive: "none" };
  for (const constraint of constraints) draft = withTaken(draft, constraint, node, hasRoom);
  return draft;
}

/** With what a constraint takes, along the parts that match. */
function withTaken(
  before: Draft,
  constraint: Constraint,
  node: LedgerNode,
  hasRoom: (choice: Choice) => boolean,
): Draft {
  const draft: Draft = { ...before, minimums: [...before.minimums], draws: [...before.draws] };
  take(constraint, {
    amount: (minimum) => draft.minimums.push(minimum),
    draws: (draw) => draft.draws.push(draw),
    exclusive: (scope) => {
      if (draft.exclusive !== "iteration") draft.exclusive = scope;
    },
  });
  const parts = takingParts(constraint, node);
  if (!isChoice(constraint))
    return parts.reduce((taken, part) => withTaken(taken, part, node, hasRoom), draft);
  let first: Draft | null = null;
  for (const part of parts) {
    const taken = withTaken(draft, part, node, hasRoom);
    if (parts.length === 1 || hasRoom(taken)) return taken;
    first ??= taken;
  }
  return first ?? draft;
}

/** What a slot of a shape takes of an untouched node of a bucket, and what of it comes from alternatives; null: none matches there. */
export function takenOfExample(
  shape: Pick<Shape, "profile">,
  bucket: LedgerBucket,
  plain: Demand,
): { readonly demand: Demand; readonly choice: Choice | null } | null {
  const { alternatives } = shape.profile;
  if (alternatives.length === 0) return { demand: plain, choice: null };
  const { example } = bucket;
  const choice = choose(alternatives, example, (tried) =>
    exampleCovers(bucket, withChoice(plain, tried, example)),
  );
  return choice && { demand: withChoice(plain, choice, example), choice };
}

/** Whether an untouched node of a bucket has the amounts. */
export function exampleCovers({ exampleRow }: LedgerBucket, { columns, amounts }: Demand): boolean {
  return columns.every((column, index) => covers(exampleRow[column] as number, amounts[index] as number));
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
