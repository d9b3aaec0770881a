import type { Resources } from "../values/resources.ts";
import { type Constraint, type ConstraintReasonCode, constraintKinds } from "./constraint-kinds.ts";
import type { Figures, Kind, LooksAt, Preference, Rules, Shortening } from "./kind.ts";
import type { MinimumResource } from "./minimum-resource.ts";
import type { AnyConstraint } from "./reading.ts";
import type { SharedConsumable } from "./shared-consumable.ts";
import type { Subject } from "./subject.ts";

/** What the planner asks of a constraint of any kind: the rules of its kind answer. */

/** The record has the rules of each kind under the kind, which TypeScript cannot express for a look-up. */
function kindOf(constraint: AnyConstraint): Kind<AnyConstraint> {
  return constraintKinds[constraint.kind as Constraint["kind"]] as Kind<AnyConstraint>;
}

/** The constraint that refuses the subject: itself or the part of it that decides; null when it is satisfied. */
export function refusing(constraint: Constraint, subject: Subject): Constraint | null {
  return kindOf(constraint).refusing(constraint, subject, rules) as Constraint | null;
}

/** The first refusal among constraints that all have to hold. */
export function firstRefusing(constraints: readonly Constraint[], subject: Subject): Constraint | null {
  for (const constraint of constraints) {
    const refusal = refusing(constraint, subject);
    if (refusal !== null) return refusal;
  }
  return null;
}

/** Code and figures of a constraint that refuses a subject. */
export function figuresOf(constraint: Constraint, subject: Subject): Figures<ConstraintReasonCode> {
  return kindOf(constraint).figures(constraint, subject, rules) as Figures<ConstraintReasonCode>;
}

/** The number of checks of one subject against all these constraints. */
export function checksOf(constraints: readonly AnyConstraint[]): number {
  return constraints.reduce((sum, each) => sum + (kindOf(each).checks?.(each, rules) ?? 1), 0);
}

/** What it costs beyond one part, against the cap on the parts of a job. */
export function extraPartsOf(constraint: Constraint): number {
  return kindOf(constraint).extraParts?.(constraint) ?? 0;
}

export function shortConstraint(constraint: Constraint, short: Shortening): Constraint {
  return (kindOf(constraint).shortened?.(constraint, short) ?? constraint) as Constraint;
}

const none: readonly never[] = [];

/** The constraints that one consists of; none for one that stands by itself. */
export function partsOf(constraint: Constraint): readonly Constraint[] {
  return (kindOf(constraint).parts?.(constraint) as readonly Constraint[] | undefined) ?? none;
}

/** Whether its parts stand for themselves wherever constraints are listed. */
export function isConjunction(constraint: Constraint): boolean {
  return kindOf(constraint).isConjunction === true;
}

/** The parts through which a constraint that is satisfied takes something. */
export function takingParts(constraint: Constraint, subject: Subject): readonly Constraint[] {
  return (
    (kindOf(constraint).taking?.(constraint, subject, rules) as readonly Constraint[] | undefined) ?? none
  );
}

/** Whether only one of its taking parts takes. */
export function isChoice(constraint: Constraint): boolean {
  return kindOf(constraint).isChoice === true;
}

/** Whether it uses something up by itself, apart from its parts. */
export function isTaking(constraint: AnyConstraint): boolean {
  return kindOf(constraint).take !== undefined;
}

/** Whether it, or a part of it, uses something up. */
export function takesSomething(constraint: AnyConstraint): boolean {
  if (isTaking(constraint)) return true;
  return kindOf(constraint).parts?.(constraint).some(takesSomething) ?? false;
}

/** Receives what a slot uses up. */
export interface Takes {
  amount(constraint: MinimumResource): void;
  draws(constraint: SharedConsumable): void;
  exclusive(scope: "iteration" | "task"): void;
}

/** Hands on what a constraint uses up by itself. */
export function take(constraint: Constraint, takes: Takes): void {
  kindOf(constraint).take?.(constraint, takes);
}

/** Calls `see` with a constraint and with everything that it consists of. */
export function visit(constraint: Constraint, see: (constraint: Constraint) => void): void {
  see(constraint);
  for (const part of partsOf(constraint)) visit(part, see);
}

const noResources: ReadonlySet<string> = new Set();

/** The resources that constraints use up, parts included. */
export function resourcesIn(constraints: readonly AnyConstraint[]): ReadonlySet<string> {
  if (constraints.length === 0) return noResources;
  const resources = new Set<string>();
  const takes: Takes = {
    amount: ({ resource }) => resources.add(resource),
    draws: () => {},
    exclusive: () => {},
  };
  for (const constraint of constraints) visit(constraint as Constraint, (each) => take(each, takes));
  return resources;
}

/**
 * Whether a node that a constraint refused may satisfy it after another job took something there. "or" and "and" of amounts
 * only ever lose nodes; below "not" and "xor" losing a match can mean winning.
 */
export function mayAcceptLater(constraint: AnyConstraint): boolean {
  return kindOf(constraint).mayAcceptLater?.(constraint, rules) ?? false;
}

/** How much of a node with these resources one slot takes; above 1: more than it has. */
export function shareOf(constraint: AnyConstraint, resources: Resources): number {
  return kindOf(constraint).share?.(constraint, resources, rules) ?? 0;
}

/** What of a node it looks at by itself, apart from its parts. */
export function looksAt(constraint: Constraint): LooksAt {
  return kindOf(constraint).looksAt(constraint);
}

/** Whether a constraint asks for something that nodes of one bucket do not share: a property of its own, or one of these resources. */
export function usesOwn(constraint: Constraint, byNode: ReadonlySet<string>): boolean {
  const at = looksAt(constraint);
  if (typeof at === "object" && ("property" in at || byNode.has(at.resource))) return true;
  return partsOf(constraint).some((part) => usesOwn(part, byNode));
}

/** Whether a constraint can weigh one bucket other than the next. */
export function mayReorder(constraint: Constraint): boolean {
  return preferenceOf(constraint)?.mayReorder(constraint) ?? false;
}

/** A bucket's weight after a constraint, by an example of its nodes. */
export function reweigh(constraint: Constraint, example: Subject, weight: number): number {
  return preferenceOf(constraint)?.reweigh(constraint, example, weight, rules) ?? weight;
}

function preferenceOf(constraint: Constraint): Preference<AnyConstraint> | undefined {
  return kindOf(constraint).preference;
}

const rules: Rules = {
  refusing: (constraint, subject) => kindOf(constraint).refusing(constraint, subject, rules),
  checksOf,
  takesSomething,
  mayAcceptLater,
  resourcesIn,
  shareOf,
};
