import type { Demand } from "../ledger/availability.ts";
import { usesOwnProperty } from "../ledger/default-resources.ts";
import type { LedgerBucket } from "../ledger/ledger-bucket.ts";
import type { Pools } from "../ledger/pools.ts";
import type { Refusal } from "../ledger/refusal.ts";
import { type Columns, OPEN, type Stock, type Units, VACANT } from "../ledger/stock.ts";
import type { Constraint, MinimumResource, SharedConsumable } from "../model/constraint.ts";
import type { Job } from "../model/job.ts";

export type ExclusiveScope = "none" | "iteration" | "task";

/** The constraints of a job that do not depend on amounts. Jobs that differ only in amounts share a profile. */
export interface Profile {
  readonly id: number;
  /** Hold for all nodes of a bucket that share its example's stock, or for none of them. */
  readonly shared: readonly Constraint[];
  /** Have to be asked of every node by itself: name, hostname, state, ... */
  readonly own: readonly Constraint[];
  /** Alternatives with amounts in them: what they take depends on what is left. */
  readonly alternatives: readonly Constraint[];
  readonly draws: readonly SharedConsumable[];
  /** Resources in the alternatives; null: what refuses now may accept later (`not` and `xor` on amounts). */
  readonly alternativeResources: ReadonlySet<string> | null;
  /** Buckets in order of preference whose example satisfies all but the plain amounts; worked out when first needed. */
  candidates: readonly LedgerBucket[] | null;
  /** Whether other stocks than the example's satisfy `shared`. */
  readonly stocks: Map<Stock, boolean>;
}

/**
 * An equivalence class of jobs: the same constraints, so the same answer from every node. Remembers how far each
 * bucket was searched in vain: what a node has left only shrinks, so a node that refused the shape once refuses it for good.
 */
export interface Shape {
  readonly profile: Profile;
  /** As the job has them; for reasons. */
  readonly constraints: readonly Constraint[];
  readonly minimums: readonly MinimumResource[];
  readonly columns: readonly number[];
  readonly exclusive: ExclusiveScope;
  /**
   * Whether a node that refused once refuses for good. Not so when an alternative matches and only together with the
   * rest is too much: later it may match no more, and leave the place to the next one.
   */
  readonly monotone: boolean;
  /** The demand in the units that were asked for last; nearly all buckets have the same. */
  units: Units | null;
  demand: Demand;
  /** Candidates whose example also has the amounts. */
  candidates: readonly LedgerBucket[] | null;
  /** Per candidate, the first node that may still take it. */
  readonly cursors: number[];
  /** Per candidate, the smallest number of nodes (or slots) that it could not hold as a whole, and its nodes then. */
  wholeFailures: ({ readonly missing: number; readonly nodes: number } | undefined)[] | null;
  /** When nothing could be placed: nodes made until then, and why. */
  failedAt: number;
  refusals: readonly Refusal[];
}

/** Compiles constraints into shapes, one object per class. Building a key per job is the only work that grows with the jobs. */
export class Shapes {
  private readonly columns: Columns;
  private readonly pools: Pools;
  private readonly exclusiveScope: "iteration" | "job";
  private readonly byKey = new Map<string, Shape>();
  /** Jobs may share their very constraints: then even the key is built once. */
  private readonly byConstraints = new Map<readonly Constraint[], Shape>();
  private readonly profiles = new Map<string, Profile>();

  constructor(columns: Columns, pools: Pools, exclusiveScope: "iteration" | "job") {
    this.columns = columns;
    this.pools = pools;
    this.exclusiveScope = exclusiveScope;
  }

  of(job: Job): Shape {
    const known = job.exclusive ? undefined : this.byConstraints.get(job.constraints);
    if (known !== undefined) return known;
    const shape = this.shapeOf(job);
    if (!job.exclusive) this.byConstraints.set(job.constraints, shape);
    return shape;
  }

  private shapeOf(job: Job): Shape {
    const constraints: readonly Constraint[] = job.exclusive
      ? [...job.constraints, EXCLUSIVE]
      : job.constraints;
    const parts = new Parts(constraints);
    const profile = this.profileOf(parts.rest);
    const exclusive = this.scopeOf(parts);
    let key = `${profile.id}${exclusive}`;
    for (const { resource, amount } of parts.minimums)
      key +=
        typeof amount === "number"
          ? ` ${this.columns.of(resource)}:${amount}`
          : ` ${this.columns.of(resource)}=${amount.bytes}`;
    const known = this.byKey.get(key);
    if (known !== undefined) return known;
    const shape = this.build(constraints, parts, profile, exclusive);
    this.byKey.set(key, shape);
    return shape;
  }

  private build(
    constraints: readonly Constraint[],
    parts: Parts,
    profile: Profile,
    exclusive: ExclusiveScope,
  ): Shape {
    return {
      profile,
      constraints,
      minimums: parts.minimums,
      columns: parts.minimums.map((constraint) => this.columns.of(constraint.resource)),
      exclusive,
      monotone: isMonotone(parts, profile),
      units: null,
      demand: NO_DEMAND,
      candidates: null,
      cursors: [],
      wholeFailures: null,
      failedAt: -1,
      refusals: NO_REFUSALS,
    };
  }

  private scopeOf(parts: Parts): ExclusiveScope {
    return parts.exclusive === "iteration" && this.exclusiveScope === "job" ? "task" : parts.exclusive;
  }

  private profileOf(rest: readonly Constraint[]): Profile {
    const key = rest.length === 0 ? "" : JSON.stringify(rest);
    const known = this.profiles.get(key);
    if (known !== undefined) return known;
    for (const constraint of rest) visit(constraint, (leaf) => this.register(leaf));
    const profile = profileFrom(rest, this.profiles.size);
    this.profiles.set(key, profile);
    return profile;
  }

  /** Everything that can be taken needs a column or a pool before planning starts. */
  private register(leaf: Constraint): void {
    if (leaf.kind === "minimum-resource") this.columns.of(leaf.resource);
    if (leaf.kind === "shared-consumable") for (const draw of leaf.draws) this.pools.define(draw);
  }
}

const EXCLUSIVE: Constraint = { kind: "exclusive", scope: "iteration" };

/** The constraints of a job by what they ask for; nested "and"s are opened up. */
class Parts {
  readonly minimums: MinimumResource[] = [];
  /** All but the minimums and "exclusive", in order. */
  readonly rest: Constraint[] = [];
  exclusive: ExclusiveScope = "none";

  constructor(constraints: readonly Constraint[]) {
    this.sort(constraints);
  }

  private sort(constraints: readonly Constraint[]): void {
    for (const constraint of constraints) {
      if (constraint.kind === "minimum-resource") this.minimums.push(constraint);
      else if (constraint.kind === "and") this.sort(constraint.all);
      else if (constraint.kind !== "exclusive") this.rest.push(constraint);
      else if (this.exclusive !== "iteration") this.exclusive = constraint.scope;
    }
  }
}

function profileFrom(rest: readonly Constraint[], id: number): Profile {
  const draws = rest.filter((constraint) => constraint.kind === "shared-consumable");
  const others = rest.filter((constraint) => constraint.kind !== "shared-consumable");
  const alternatives = others.filter(takesSomething);
  const plain = others.filter((constraint) => !takesSomething(constraint));
  return {
    id,
    shared: plain.filter((constraint) => !usesOwnProperty(constraint)),
    own: plain.filter(usesOwnProperty),
    alternatives,
    draws,
    alternativeResources: alternatives.some(mayAcceptLater) ? null : resourcesIn(alternatives),
    candidates: null,
    stocks: new Map(),
  };
}

/** The constraints that a constraint consists of, itself included. */
function visit(constraint: Constraint, see: (constraint: Constraint) => void): void {
  see(constraint);
  for (const child of childrenOf(constraint)) visit(child, see);
}

export function childrenOf(constraint: Constraint): readonly Constraint[] {
  switch (constraint.kind) {
    case "and":
      return constraint.all;
    case "or":
      return constraint.any;
    case "xor":
      return constraint.oneOf;
    case "not":
      return [constraint.child];
    default:
      return [];
  }
}

function takesSomething(constraint: Constraint): boolean {
  switch (constraint.kind) {
    case "minimum-resource":
    case "exclusive":
    case "shared-consumable":
      return true;
    default:
      return childrenOf(constraint).some(takesSomething);
  }
}

function isMonotone({ minimums }: Parts, { alternatives, alternativeResources }: Profile): boolean {
  if (alternatives.length === 0) return true;
  if (alternativeResources === null || alternatives.length > 1) return false;
  return !minimums.some(({ resource }) => alternativeResources.has(resource));
}

function resourcesIn(constraints: readonly Constraint[]): ReadonlySet<string> {
  const resources = new Set<string>();
  const note = (leaf: Constraint): void => {
    if (leaf.kind === "minimum-resource") resources.add(leaf.resource);
  };
  for (const constraint of constraints) visit(constraint, note);
  return resources;
}

/** "or" and "and" of amounts only ever lose nodes; below "not" and "xor" losing a match can mean winning. */
function mayAcceptLater(constraint: Constraint): boolean {
  if (constraint.kind === "not" || constraint.kind === "xor") return takesSomething(constraint);
  if (constraint.kind === "and" && asksTwice(constraint.all)) return true;
  return childrenOf(constraint).some(mayAcceptLater);
}

function asksTwice(constraints: readonly Constraint[]): boolean {
  const resources = constraints.flatMap((constraint) => [...resourcesIn([constraint])]);
  return new Set(resources).size < resources.length;
}

/** Most jobs are refused nowhere: they share this list. */
export const NO_REFUSALS: readonly Refusal[] = [];

const NO_DEMAND: Demand = { columns: [], amounts: [] };

/** What one slot of the shape demands of nodes with these units, the marker column first: it fails most often. */
export function demandIn(shape: Shape, units: Units): Demand {
  if (shape.units !== units) {
    shape.demand = makeDemand(shape, units);
    shape.units = units;
  }
  return shape.demand;
}

function makeDemand(shape: Shape, units: Units): Demand {
  const columns = [shape.exclusive === "none" ? OPEN : VACANT];
  const amounts = [1];
  for (let i = 0; i < shape.minimums.length; i++) {
    const column = shape.columns[i] as number;
    const { amount } = shape.minimums[i] as MinimumResource;
    const base = typeof amount === "number" ? amount * (units.perColumn[column] ?? 1) : amount.bytes;
    const known = columns.indexOf(column);
    if (known < 0) {
      columns.push(column);
      amounts.push(base);
    } else {
      amounts[known] = (amounts[known] ?? 0) + base;
    }
  }
  return { columns, amounts };
}
