import {
  checksOf,
  mayAcceptLater,
  resourcesIn,
  takesSomething,
  usesOwn,
} from "../constraints/any-constraint.ts";
import type { Constraint } from "../constraints/constraint-kinds.ts";
import { isSharedProperty } from "../constraints/node-properties.ts";
import type { SharedConsumable } from "../constraints/shared-consumable.ts";
import type { ResourcesByNode } from "../ledger/default-resources.ts";
import type { LedgerBucket } from "../ledger/ledger-bucket.ts";
import { byResource, type Naming, namingProperties } from "../ledger/node-index.ts";
import type { Stock } from "../ledger/stock.ts";
import { hasWildcard } from "../values/wildcard.ts";

/** The constraints of a job that do not depend on amounts. Jobs that differ only in amounts share a profile. */
export interface Profile {
  readonly id: number;
  /** Whether there is nothing in it: amounts are all that such jobs ask for. */
  readonly isEmpty: boolean;
  /** Hold for all nodes of a bucket that share its example's stock, or for none of them. */
  readonly shared: readonly Constraint[];
  /** Have to be asked of every node by itself: name, hostname, state, resources made from them, ... */
  readonly own: readonly Constraint[];
  /** Alternatives with amounts in them: what they take depends on what is left. */
  readonly alternatives: readonly Constraint[];
  readonly draws: readonly SharedConsumable[];
  /** Resources in the alternatives; null: what refuses now may accept later (`not` and `xor` on amounts). */
  readonly alternativeResources: ReadonlySet<string> | null;
  /** Set if only nodes of these names can match: only they are checked, by name. */
  readonly names: Names | null;
  /** How many checks it takes to ask a bucket, and a node. */
  readonly checksPerBucket: number;
  readonly checksPerNode: number;
  /** Buckets in order of preference whose example satisfies all but the plain amounts; worked out when first needed. */
  candidates: readonly LedgerBucket[] | null;
  /** Whether other stocks than the example's satisfy `shared`. */
  stocks: Map<Stock, boolean> | null;
  /** Positions of the nodes that `names` names, among those that are there from the start. */
  named: ReadonlyMap<LedgerBucket, readonly number[]> | null;
}

interface Names {
  readonly naming: Naming;
  readonly values: ReadonlySet<string>;
}

export function profileFrom(rest: readonly Constraint[], id: number, byNode: ResourcesByNode): Profile {
  const draws = rest.filter((constraint) => constraint.kind === "shared-consumable");
  const others = rest.filter((constraint) => constraint.kind !== "shared-consumable");
  const alternatives = others.filter(takesSomething);
  const plain = others.filter((constraint) => !takesSomething(constraint));
  const shared = plain.filter((constraint) => !usesOwn(constraint, byNode.all));
  const own = plain.filter((constraint) => usesOwn(constraint, byNode.all));
  return {
    id,
    isEmpty: rest.length === 0,
    shared: orNone(shared),
    own: orNone(own),
    alternatives: orNone(alternatives),
    draws: orNone(draws),
    alternativeResources: alternatives.some(mayAcceptLater) ? null : resourcesIn(alternatives),
    names: namesIn(own, byNode.naming),
    checksPerBucket: checksOf(shared) + checksOf(alternatives),
    checksPerNode: checksOf(own) + checksOf(alternatives),
    candidates: null,
    stocks: null,
    named: null,
  };
}

/** There may be a profile for every job: those that have nothing of a kind share one list. */
function orNone<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? none : list;
}

const none: readonly never[] = [];

/** The shortest of several lists of names that all hold. */
function namesIn(own: readonly Constraint[], naming: ReadonlySet<string>): Names | null {
  let shortest: Names | null = null;
  for (const constraint of own) {
    const found = namingOf(constraint, naming);
    if (found === null) continue;
    const { options } = constraint as { readonly options: readonly unknown[] };
    if (shortest !== null && shortest.values.size <= options.length) continue;
    const values = options.filter((option): option is string => typeof option === "string");
    if (values.length === options.length && !values.some(hasWildcard))
      shortest = { naming: found, values: new Set(values) };
  }
  return shortest;
}

function namingOf(constraint: Constraint, naming: ReadonlySet<string>): Naming | null {
  if (constraint.kind === "resource-options" && naming.has(constraint.resource))
    return byResource(constraint.resource);
  if (constraint.kind !== "property-options" || isSharedProperty(constraint.property)) return null;
  return namingProperties.find((property) => property === constraint.property) ?? null;
}
