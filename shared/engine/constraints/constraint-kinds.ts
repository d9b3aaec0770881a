import { type AndOf, and } from "./and.ts";
import { type ArrayChoice, arrayChoice } from "./array-choice.ts";
import { type CapacityFailureBackoff, capacityFailureBackoff } from "./capacity-failure-backoff.ts";
import { type Exclusive, exclusive } from "./exclusive.ts";
import { inAPlacementGroup, type PlacementGroupMembership } from "./in-a-placement-group.ts";
import type { Kind } from "./kind.ts";
import { type MinimumResource, minimumResource } from "./minimum-resource.ts";
import { type Never, never } from "./never.ts";
import { type NotOf, not } from "./not.ts";
import { type OrOf, or } from "./or.ts";
import { type PropertyOptions, propertyOptions } from "./property-options.ts";
import { type ResourceOptions, resourceOptions } from "./resource-options.ts";
import { type SharedConsumable, sharedConsumable } from "./shared-consumable.ts";
import { type SharedValue, sharedValue } from "./shared-value.ts";
import { type XorOf, xor } from "./xor.ts";

/**
 * What a job asks of a node, parsed. Plain JSON data, so that a plan's input can be archived and replayed.
 * `parseConstraints` is the only way in from JSON.
 */
export type Constraint =
  | MinimumResource
  | ResourceOptions
  | PropertyOptions
  | Exclusive
  | PlacementGroupMembership
  | And
  | Or
  | Xor
  | Not
  | Never
  | SharedConsumable
  | SharedValue
  | CapacityFailureBackoff
  | ArrayChoice;

export interface And extends AndOf<Constraint> {}
export interface Or extends OrOf<Constraint> {}
export interface Xor extends XorOf<Constraint> {}
export interface Not extends NotOf<Constraint> {}

/** Every kind of constraint with its rules. A kind that is added to the union `Constraint` has to be added here to compile. */
export const constraintKinds = {
  "minimum-resource": minimumResource,
  "resource-options": resourceOptions,
  "property-options": propertyOptions,
  exclusive,
  "in-a-placement-group": inAPlacementGroup,
  and,
  or,
  xor,
  not,
  never,
  "shared-consumable": sharedConsumable,
  "shared-value": sharedValue,
  "capacity-failure-backoff": capacityFailureBackoff,
  "array-choice": arrayChoice,
} as const satisfies { readonly [K in ConstraintKind]: Kind<ConstraintOf<K>> };

export type ConstraintKind = Constraint["kind"];
export type ConstraintOf<K extends ConstraintKind> = Extract<Constraint, { readonly kind: K }>;

/** The codes of the reasons that constraints give. */
export type ConstraintReasonCode = ReturnType<(typeof constraintKinds)[ConstraintKind]["figures"]>["code"];
