import { isChoice, refusing, take, takingParts } from "../constraints/any-constraint.ts";
import type { Constraint } from "../constraints/constraint-kinds.ts";
import { amountAsked, type MinimumResource } from "../constraints/minimum-resource.ts";
import type { SharedConsumable } from "../constraints/shared-consumable.ts";
import type { Demand } from "../ledger/availability.ts";
import { vacantColumn } from "../ledger/columns.ts";
import type { LedgerNode } from "../ledger/ledger-bucket.ts";
import { covers } from "../values/amounts.ts";
import type { ExclusiveScope } from "./shape.ts";

/** What a slot takes of a node: its plain demand, and what it takes through the alternatives that match there. */
export interface Choice {
  readonly demand: Demand;
  readonly draws: readonly SharedConsumable[];
  readonly exclusive: ExclusiveScope;
}

/** The first amount for which a node has no room beside the others, and how much is asked in all. */
export interface Shortage {
  readonly short: MinimumResource;
  readonly asked: number;
}

/**
 * Picks the alternatives that match on this node as it is now. The lists are decided in their order: of each, the first for which
 * there is room beside the plain demand and what was picked before. Null: the node will not do, for another reason than an amount.
 */
export function choose(
  constraints: readonly Constraint[],
  node: LedgerNode,
  { plain, left }: { readonly plain: Demand; readonly left: (column: number) => number },
): Choice | Shortage | null {
  if (constraints.some((constraint) => refusing(constraint, node) !== null)) return null;
  const picking = new Picking(node, plain, left);
  if (!constraints.every((constraint) => picking.takes(constraint))) return picking.shortage;
  return picking.choice();
}

/** What is picked so far. Linear in the parts: what does not fit is taken back, and nothing is tried twice. */
class Picking {
  /** The first one, if an amount was one. */
  shortage: Shortage | null = null;
  readonly #node: LedgerNode;
  readonly #left: (column: number) => number;
  readonly #amounts: Map<number, number>;
  readonly #draws: SharedConsumable[] = [];
  #exclusive: ExclusiveScope = "none";
  /** Amounts before each change, the newest last. */
  readonly #before: (readonly [column: number, amount: number | undefined])[] = [];

  constructor(node: LedgerNode, { columns, amounts }: Demand, left: (column: number) => number) {
    this.#node = node;
    this.#left = left;
    this.#amounts = new Map(columns.map((column, index) => [column, amounts[index] ?? 0]));
  }

  /** Notes what a constraint takes, along the parts that match; false: there is no room for it. */
  takes(constraint: Constraint): boolean {
    let hasRoom = true;
    take(constraint, {
      amount: (minimum) => {
        hasRoom = this.#add(minimum);
      },
      draws: (draw) => this.#draws.push(draw),
      exclusive: (scope) => {
        if (this.#exclusive !== "iteration") this.#exclusive = scope;
        hasRoom = covers(this.#left(vacantColumn), 1);
      },
    });
    if (!hasRoom) return false;
    const parts = takingParts(constraint, this.#node);
    if (!isChoice(constraint)) return parts.every((part) => this.takes(part));
    return parts.length === 0 || parts.some((part) => this.#tries(part));
  }

  choice(): Choice {
    if (this.#exclusive !== "none") this.#amounts.set(vacantColumn, 1);
    const demand = { columns: [...this.#amounts.keys()], amounts: [...this.#amounts.values()] };
    return { demand, draws: this.#draws, exclusive: this.#exclusive };
  }

  #tries(part: Constraint): boolean {
    const [changes, draws, exclusive] = [this.#before.length, this.#draws.length, this.#exclusive];
    if (this.takes(part)) return true;
    for (const [column, amount] of this.#before.splice(changes).reverse())
      if (amount === undefined) this.#amounts.delete(column);
      else this.#amounts.set(column, amount);
    this.#draws.length = draws;
    this.#exclusive = exclusive;
    return false;
  }

  #add(minimum: MinimumResource): boolean {
    const column = this.#node.bucket.columns.byName.get(minimum.resource);
    // Only alternatives that this node satisfies are picked: one without a column asks for nothing.
    if (column === undefined) return true;
    const before = this.#amounts.get(column);
    const asked = (before ?? 0) + amountAsked(minimum, this.#node);
    this.#before.push([column, before]);
    this.#amounts.set(column, asked);
    if (covers(this.#left(column), asked)) return true;
    this.shortage ??= { short: minimum, asked };
    return false;
  }
}

/** The same of an untouched node of a bucket; without alternatives the plain demand. */
export function chooseIn(
  constraints: readonly Constraint[],
  { example, exampleRow }: LedgerNode["bucket"],
  plain: Demand,
): Choice | Shortage | null {
  if (constraints.length === 0) return { demand: plain, draws: [], exclusive: "none" };
  return choose(constraints, example, {
    plain,
    left: (column) => exampleRow[column] ?? Number.NEGATIVE_INFINITY,
  });
}
