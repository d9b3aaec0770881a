import type { Demand } from "./availability.ts";
import type { Constraint, MinimumResource, SharedConsumable } from "./constraint.ts";
import { usesOwnProperty } from "./default-resources.ts";
import type { Job } from "./job.ts";
import type { LedgerBucket } from "./ledger-bucket.ts";
import type { Pools } from "./pools.ts";
import type { Refusal } from "./refusal.ts";
import { type Columns, OPEN, type Stock, type Units, VACANT } from "./stock.ts";

export type ExclusiveScope = "none" | "iteration" | "task";

/** The constraints of a job that do not depend on amounts. Jobs that differ only in amounts share a profile. */
export interface Profile {
  /** Hold for all nodes of a bucket that share its example's stock, or for none of them. */
  readonly shared: readonly Constraint[];
  /** Have to be asked of every node by itself: name, hostname, state, ... */
  readonly own: readonly Constraint[];
  /** Alternatives with amounts in them: what they take depends on what is left. */
  readonly alternatives: readonly Constraint[];
  readonly draws: readonly SharedConsumable[];
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
  readonly minimums: readonly { readonly column: number; readonly constraint: MinimumResource }[];
  readonly exclusive: ExclusiveScope;
  /** False when a node that refused may accept later (`not` and `xor` on amounts): then nothing may be skipped. */
  readonly monotone: boolean;
  /** Demand per set of units; nearly always one. */
  readonly demands: { readonly units: Units; readonly demand: Demand }[];
  /** Candidates whose example also has the amounts. */
  candidates: readonly LedgerBucket[] | null;
  /** Per candidate, the first node that may still take it. */
  readonly cursors: number[];
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
  private readonly byIdentity = new Map<readonly Constraint[], Shape>();
  private readonly profiles = new Map<string, Profile & { readonly id: number }>();

  constructor(columns: Columns, pools: Pools, exclusiveScope: "iteration" | "job") {
    this.columns = columns;
    this.pools = pools;
    this.exclusiveScope = exclusiveScope;
  }

  of(job: Job): Shape {
    if (job.exclusive) return this.compile([...job.constraints, { kind: "exclusive", scope: "iteration" }]);
    const known = this.byIdentity.get(job.constraints);
    if (known !== undefined) return known;
    const shape = this.compile(job.constraints);
    this.byIdentity.set(job.constraints, shape);
    return shape;
  }

  private compile(constraints: readonly Constraint[]): Shape {
    const parts = new Parts(constraints);
    const profile = this.profileOf(parts);
    const exclusive = this.scopeOf(parts);
    let key = `${profile.id} ${exclusive}`;
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
      minimums: parts.minimums.map((constraint) => ({
        column: this.columns.of(constraint.resource),
        constraint,
      })),
      exclusive,
      monotone: !parts.alternatives.some(mayAcceptLater),
      demands: [],
      candidates: null,
      cursors: [],
      failedAt: -1,
      refusals: [],
    };
  }

  private scopeOf(parts: Parts): ExclusiveScope {
    return parts.exclusive === "iteration" && this.exclusiveScope === "job" ? "task" : parts.exclusive;
  }

  private profileOf(parts: Parts): Profile & { readonly id: number } {
    const { rest } = parts;
    const key = rest.length === 0 ? "" : JSON.stringify(rest);
    const known = this.profiles.get(key);
    if (known !== undefined) return known;
    for (const constraint of rest) visit(constraint, (leaf) => this.register(leaf));
    const { shared, own, alternatives, draws } = parts;
    const profile = {
      id: this.profiles.size,
      shared,
      own,
      alternatives,
      draws,
      candidates: null,
      stocks: new Map(),
    };
    this.profiles.set(key, profile);
    return profile;
  }

  /** Everything that can be taken needs a column or a pool before planning starts. */
  private register(leaf: Constraint): void {
    if (leaf.kind === "minimum-resource") this.columns.of(leaf.resource);
    if (leaf.kind === "shared-consumable") for (const draw of leaf.draws) this.pools.define(draw);
  }
}

/** The constraints of a job by the part that they play; nested "and"s are opened up. */
class Parts {
  readonly minimums: MinimumResource[] = [];
  readonly shared: Constraint[] = [];
  readonly own: Constraint[] = [];
  readonly alternatives: Constraint[] = [];
  readonly draws: SharedConsumable[] = [];
  /** All but the minimums and "exclusive", in order. */
  readonly rest: Constraint[] = [];
  exclusive: ExclusiveScope = "none";

  constructor(constraints: readonly Constraint[]) {
    this.sort(constraints);
  }

  private sort(constraints: readonly Constraint[]): void {
    for (const constraint of constraints) {
      if (constraint.kind === "minimum-resource") this.minimums.push(constraint);
      else if (constraint.kind === "exclusive") this.restrict(constraint.scope);
      else if (constraint.kind === "and") this.sort(constraint.all);
      else this.sortRest(constraint);
    }
  }

  private restrict(scope: "iteration" | "task"): void {
    if (this.exclusive !== "iteration") this.exclusive = scope;
  }

  private sortRest(constraint: Constraint): void {
    this.rest.push(constraint);
    if (constraint.kind === "shared-consumable") this.draws.push(constraint);
    else if (takesSomething(constraint)) this.alternatives.push(constraint);
    else if (usesOwnProperty(constraint)) this.own.push(constraint);
    else this.shared.push(constraint);
  }
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

/** "or" and "and" of amounts only ever lose nodes; below "not" and "xor" losing a match can mean winning. */
function mayAcceptLater(constraint: Constraint): boolean {
  if (constraint.kind === "not" || constraint.kind === "xor") return takesSomething(constraint);
  return childrenOf(constraint).some(mayAcceptLater);
}

/** What one slot of the shape demands of nodes with these units, the marker column first: it fails most often. */
export function demandIn(shape: Shape, units: Units): Demand {
  for (const known of shape.demands) if (known.units === units) return known.demand;
  const byColumn = new Map([[shape.exclusive === "none" ? OPEN : VACANT, 1]]);
  for (const { column, constraint } of shape.minimums) {
    const { amount } = constraint;
    const base = typeof amount === "number" ? amount * (units.perColumn[column] ?? 1) : amount.bytes;
    byColumn.set(column, (byColumn.get(column) ?? 0) + base);
  }
  const demand = { columns: [...byColumn.keys()], amounts: [...byColumn.values()] };
  shape.demands.push({ units, demand });
  return demand;
}
