import { type ResourcesByNode, usesOwn } from "../ledger/default-resources.ts";
import type { LedgerBucket } from "../ledger/ledger-bucket.ts";
import { checksOf } from "../ledger/match.ts";
import { byResource, type Naming, namingProperties } from "../ledger/node-index.ts";
import { isSharedProperty } from "../ledger/shared-properties.ts";
import type { Stock } from "../ledger/stock.ts";
import type { Constraint, SharedConsumable } from "../model/constraint.ts";
import { childrenOf, isCombining, isTaking, resourceTaken, visit } from "../model/constraint-kinds.ts";
import { hasWildcard } from "../model/wildcard.ts";

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

export interface Names {
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
const noResources: ReadonlySet<string> = new Set();

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

function takesSomething(constraint: Constraint): boolean {
  return isTaking(constraint) || childrenOf(constraint).some(takesSomething);
}

export function resourcesIn(constraints: readonly Constraint[]): ReadonlySet<string> {
  if (constraints.length === 0) return noResources;
  const resources = new Set<string>();
  const note = (leaf: Constraint): void => {
    const resource = resourceTaken(leaf);
    if (resource !== null) resources.add(resource);
  };
  for (const constraint of constraints) visit(constraint, note);
  return resources;
}

/** "or" and "and" of amounts only ever lose nodes; below "not" and "xor" losing a match can mean winning. */
function mayAcceptLater(constraint: Constraint): boolean {
  if (!isCombining(constraint)) return false;
  switch (constraint.kind) {
    case "not":
    case "xor":
      return takesSomething(constraint);
    case "and":
      return asksTwice(constraint.all) || constraint.all.some(mayAcceptLater);
    case "or":
      return constraint.any.some(mayAcceptLater);
  }
}

function asksTwice(constraints: readonly Constraint[]): boolean {
  const resources = constraints.flatMap((constraint) => [...resourcesIn([constraint])]);
  return new Set(resources).size < resources.length;
}
