import { isConjunction, isTaking, partsOf, type Takes, take, visit } from "../constraints/any-constraint.ts";
import type { Constraint } from "../constraints/constraint-kinds.ts";
import type { MinimumResource } from "../constraints/minimum-resource.ts";
import type { SharedConsumable } from "../constraints/shared-consumable.ts";
import type { Demand } from "../ledger/availability.ts";
import { type Columns, open, vacantColumn, type WantedResources } from "../ledger/columns.ts";
import type { ResourcesByNode } from "../ledger/default-resources.ts";
import type { LedgerBucket, Refusal } from "../ledger/ledger-bucket.ts";
import type { Pools } from "../ledger/pools.ts";
import type { Job } from "../model/job.ts";
import { type Profile, profileFrom } from "./profile.ts";

export type ExclusiveScope = "none" | "iteration" | "task";

/**
 * An equivalence class of jobs: the same constraints, so the same answer from every node. Remembers how far each
 * bucket was searched in vain: what a node has left only shrinks, so a node that refused the shape once refuses it for good.
 */
export interface Shape {
  readonly profile: Profile;
  /** As the job has them; for reasons. */
  readonly constraints: readonly Constraint[];
  readonly minimums: readonly MinimumResource[];
  readonly exclusive: ExclusiveScope;
  /**
   * Whether a node that refused once refuses for good. Not so when an alternative matches and only together with the
   * rest is too much: later it may match no more, and leave the place to the next one.
   */
  readonly monotone: boolean;
  /** Jobs that have it: what only one job needs is not remembered. */
  jobs: number;
  /** The demand of a bucket with these columns, which were asked for last; nearly all buckets have the same. */
  columns: Columns | null;
  demand: Demand;
  /** Candidates whose example also has the amounts. */
  candidates: readonly LedgerBucket[] | null;
  /** Per candidate, the first node that may still take it; null: not remembered. */
  cursors: number[] | null;
  /** Per candidate, the smallest number of nodes (or slots) that it could not hold as a whole, and its nodes then. */
  wholeFailures: ({ readonly missing: number; readonly nodes: number } | undefined)[] | null;
  /** The smallest lot of slots that could not be had at once, with the nodes made until then, and why. */
  gangFailure: {
    readonly size: number;
    readonly refusals: readonly Refusal[];
    readonly created: number;
  } | null;
  /** When nothing could be placed: nodes made until then, and why. */
  failedAt: number;
  refusals: readonly Refusal[];
}

/** Compiles constraints into shapes, one object per class. Building a key per job is the only work that grows with the jobs. */
export class Shapes {
  readonly #wanted: WantedResources;
  readonly #pools: Pools;
  readonly #exclusiveScope: "iteration" | "job";
  readonly #byNode: ResourcesByNode;
  readonly #byKey = new Map<string, Shape>();
  /** Jobs may share their very constraints: then even the key is built once. */
  readonly #byConstraints = new Map<readonly Constraint[], Shape>();
  readonly #profiles = new Map<string, Profile>();

  constructor(
    wanted: WantedResources,
    pools: Pools,
    exclusiveScope: "iteration" | "job",
    byNode: ResourcesByNode,
  ) {
    this.#wanted = wanted;
    this.#byNode = byNode;
    this.#pools = pools;
    this.#exclusiveScope = exclusiveScope;
  }

  /** How many there are. */
  get count(): number {
    return this.#byKey.size;
  }

  of(job: Job): Shape {
    const known = job.exclusive ? undefined : this.#byConstraints.get(job.constraints);
    const shape =
      known ?? this.#shapeOf(job.exclusive ? [...job.constraints, exclusiveIteration] : job.constraints);
    shape.jobs++;
    // What the first job of a shape has may be its own: of a million of those, the list would be the largest of all.
    if (known === undefined && shape.jobs > 1 && !job.exclusive)
      this.#byConstraints.set(job.constraints, shape);
    return shape;
  }

  #shapeOf(constraints: readonly Constraint[]): Shape {
    const parts = new Parts(constraints);
    const profile = this.#profileOf(parts.rest);
    const exclusive = this.#scopeOf(parts);
    let key = `${profile.id}${exclusive}`;
    for (const { resource, amount } of parts.minimums)
      key +=
        typeof amount === "number"
          ? ` ${this.#wanted.of(resource)}:${amount}`
          : ` ${this.#wanted.of(resource)}=${amount.bytes}`;
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const shape = this.#build(constraints, parts, profile, exclusive);
    this.#byKey.set(key, shape);
    return shape;
  }

  #build(
    constraints: readonly Constraint[],
    parts: Parts,
    profile: Profile,
    exclusive: ExclusiveScope,
  ): Shape {
    return {
      profile,
      constraints,
      minimums: exact(parts.minimums),
      exclusive,
      monotone: isMonotone(parts, profile),
      jobs: 0,
      columns: null,
      demand: noDemand,
      candidates: null,
      cursors: null,
      wholeFailures: null,
      gangFailure: null,
      failedAt: -1,
      refusals: noRefusals,
    };
  }

  #scopeOf(parts: Parts): ExclusiveScope {
    return parts.scope === "iteration" && this.#exclusiveScope === "job" ? "task" : parts.scope;
  }

  #profileOf(rest: readonly Constraint[]): Profile {
    const key = rest.length === 0 ? "" : JSON.stringify(rest);
    const known = this.#profiles.get(key);
    if (known !== undefined) return known;
    for (const constraint of rest) visit(constraint, (leaf) => this.#register(leaf));
    const profile = profileFrom(rest, this.#profiles.size, this.#byNode);
    this.#profiles.set(key, profile);
    return profile;
  }

  /** Everything that can be taken has to be known, for its column or pool, before planning starts. */
  #register(leaf: Constraint): void {
    take(leaf, {
      amount: ({ resource }) => this.#wanted.of(resource),
      draws: ({ draws }) => {
        for (const draw of draws) this.#pools.define(draw);
      },
      exclusive: () => {},
    });
  }
}

/** Nodes have more left than they had: what refused may accept. */
export function forgetSearches(shape: Shape): void {
  if (shape.cursors !== null) shape.cursors = [];
  shape.wholeFailures = null;
  shape.gangFailure = null;
  shape.failedAt = -1;
}

const exclusiveIteration: Constraint = { kind: "exclusive", scope: "iteration" };

/** The constraints of a job by what they ask for; nested "and"s are opened up. One for each job: it makes nothing more. */
class Parts implements Takes {
  readonly minimums: MinimumResource[] = [];
  /** All but the minimums and "exclusive", in order. */
  readonly rest: Constraint[] = [];
  scope: ExclusiveScope = "none";

  constructor(constraints: readonly Constraint[]) {
    this.#sort(constraints);
  }

  amount(minimum: MinimumResource): void {
    this.minimums.push(minimum);
  }

  draws(draws: SharedConsumable): void {
    this.rest.push(draws);
  }

  exclusive(scope: "iteration" | "task"): void {
    if (this.scope !== "iteration") this.scope = scope;
  }

  #sort(constraints: readonly Constraint[]): void {
    for (const constraint of constraints) {
      if (isTaking(constraint)) take(constraint, this);
      else if (isConjunction(constraint)) this.#sort(partsOf(constraint));
      else this.rest.push(constraint);
    }
  }
}

function isMonotone({ minimums }: Parts, { alternatives, alternativeResources }: Profile): boolean {
  if (alternatives.length === 0) return true;
  if (alternativeResources === null || alternatives.length > 1) return false;
  return !minimums.some(({ resource }) => alternativeResources.has(resource));
}

/** Most jobs are refused nowhere: they share this list. */
export const noRefusals: readonly Refusal[] = [];

const noDemand: Demand = { columns: [], amounts: [] };

/** The amounts of one slot by column. The marker column is first, because it fails most often. */
export function demandIn(shape: Shape, columns: Columns): Demand {
  if (shape.columns !== columns) {
    shape.demand = makeDemand(shape, columns);
    shape.columns = columns;
  }
  return shape.demand;
}

function makeDemand(shape: Shape, { byName, units }: Columns): Demand {
  const columns = [shape.exclusive === "none" ? open : vacantColumn];
  const amounts = [1];
  for (const { resource, amount } of shape.minimums) {
    const column = byName.get(resource);
    if (column === undefined) {
      // No node there has any of it: more than all of the marker is wanted, which no row covers.
      amounts[0] = Number.POSITIVE_INFINITY;
      continue;
    }
    const base = typeof amount === "number" ? amount * (units[column] ?? 1) : amount.bytes;
    const known = columns.indexOf(column);
    if (known < 0) {
      columns.push(column);
      amounts.push(base);
    } else {
      amounts[known] = (amounts[known] ?? 0) + base;
    }
  }
  return { columns: sharedList(byName, columns), amounts: exact(amounts) };
}

/** The lists of columns that demands in one set of columns have: mostly one, and few. */
const knownLists = new WeakMap<Columns["byName"], (readonly number[])[]>();
/** More are not shared. */
const mostLists = 8;

function sharedList(of: Columns["byName"], columns: readonly number[]): readonly number[] {
  const known = knownLists.get(of) ?? [];
  if (known.length === 0) knownLists.set(of, known);
  for (const list of known)
    if (list.length === columns.length && list.every((column, index) => column === columns[index]))
      return list;
  const made = exact(columns);
  if (known.length < mostLists) known.push(made);
  return made;
}

/** A list that grew has room for sixteen more: of 100,000 shapes that is more than they are themselves. */
function exact<T>(list: readonly T[]): readonly T[] {
  return list.slice();
}
