import { firstRefusing, usesOwn } from "../constraints/any-constraint.ts";
import type { NodeProperty } from "../constraints/node-properties.ts";
import { isSharedProperty } from "../constraints/node-properties.ts";
import type { Subject } from "../constraints/subject.ts";
import type { DefaultResource, DefaultValue, Modifier } from "../model/settings.ts";
import { amountOf, timesInto } from "../values/amounts.ts";
import {
  isJsonObject,
  isSize,
  type Json,
  memberOf,
  type Resources,
  type Scalar,
} from "../values/resources.ts";
import { bytesPer } from "../values/units.ts";
import { isNaming } from "./node-index.ts";
import { memoryResources, normalise, plainNumber } from "./stock.ts";

/** A node that is being equipped: its properties, what was reported of its resources, its configuration. */
export interface Newborn {
  readonly property: (name: NodeProperty) => Scalar;
  readonly nodeId: string | null;
  readonly reported: Resources;
  readonly softwareConfiguration: { readonly [key: string]: Json };
  /** Resources that it does not have, whatever the configuration says. Absent: none. */
  readonly absent?: ReadonlySet<string>;
}

export interface DefaultsPolicy {
  readonly entries: readonly DefaultResource[];
  readonly systemResources: boolean;
}

/**
 * All resources of a node: what was reported, then the system defaults, then the configured entries in order.
 * An entry named like a system default replaces it; of several entries for one name the first that matches wins.
 * An entry that cannot be calculated for this node is left out, with a call of `complain`.
 */
export function equip(
  newborn: Newborn,
  policy: DefaultsPolicy,
  complain: (message: string) => void,
): Resources {
  const resources = new Map<string, Scalar>();
  for (const [name, value] of Object.entries(newborn.reported))
    if (value !== null) resources.set(name, normalise(name, value));
  const settled = new Set(resources.keys());
  if (policy.systemResources)
    for (const [name, value] of systemDefaults(newborn)) if (!settled.has(name)) resources.set(name, value);
  const subject = subjectOf(newborn, resources);
  for (const entry of policy.entries) {
    if (
      settled.has(entry.name) ||
      isAbsent(newborn, entry.name) ||
      firstRefusing(entry.select, subject) !== null
    )
      continue;
    const value = evaluate(entry, newborn, resources, complain);
    if (value === undefined) continue;
    resources.set(entry.name, normalise(entry.name, value));
    settled.add(entry.name);
  }
  return Object.fromEntries(resources);
}

/** Not what every VM has: of that a scheduler that says nothing may mean anything. */
function isAbsent({ absent, reported }: Newborn, name: string): boolean {
  return absent?.has(name) === true && !Object.hasOwn(reported, name);
}

function systemDefaults({ property }: Newborn): readonly (readonly [string, Scalar])[] {
  return [
    ["ncpus", property("vcpu_count")],
    ["pcpus", property("pcpu_count")],
    ["ngpus", property("gpu_count")],
    ...memoryResources(amountOf(property("memory"))),
    ["nodearray", property("nodearray")],
  ];
}

function subjectOf(newborn: Newborn, resources: ReadonlyMap<string, Scalar>): Subject {
  return {
    property: newborn.property,
    resource: (name) => resourceOf(newborn, resources, name),
    left: (name) => amountOf(resources.get(name)),
    vacant: true,
    placementGroup: textOrNull(newborn.property("placement_group")),
    secondsSinceCapacityFailure: null,
    poolLeft: () => undefined,
  };
}

function resourceOf(
  newborn: Newborn,
  resources: ReadonlyMap<string, Scalar>,
  name: string,
): Scalar | undefined {
  return resources.get(name) ?? (name === "ccnodeid" ? (newborn.nodeId ?? undefined) : undefined);
}

function textOrNull(value: Scalar): string | null {
  return typeof value === "string" ? value : null;
}

function evaluate(
  entry: DefaultResource,
  newborn: Newborn,
  resources: ReadonlyMap<string, Scalar>,
  complain: (message: string) => void,
): Scalar | undefined {
  const value = lookUp(entry.value, newborn, resources);
  if (value === undefined) {
    complain(
      `Cannot set default resource "${entry.name}": ${describe(entry.value)} has no value on this node`,
    );
    return undefined;
  }
  if (entry.modifier === null || value === null) return value;
  const operand = lookUp(entry.modifier.operand, newborn, resources);
  const modified = operand === undefined ? null : modify(value, entry.modifier, operand);
  if (modified === null)
    complain(
      `Cannot set default resource "${entry.name}": ${describe(entry.value)} ${entry.modifier.operation} ${describe(entry.modifier.operand)} is no number`,
    );
  const amount = modified === null ? 0 : amountOf(modified);
  if (amount >= 0 && amount <= mostAmount) return modified ?? undefined;
  complain(
    `Cannot set default resource "${entry.name}": ${describe(entry.value)} ${entry.modifier.operation} ${describe(entry.modifier.operand)} is ${amount}, expected an amount that is not negative, and no more than machines have`,
  );
  return undefined;
}

function describe(value: DefaultValue): string {
  switch (value.kind) {
    case "literal":
      return JSON.stringify(value.value);
    case "property":
      return `node.${value.property}`;
    case "resource":
      return `node.resources.${value.name}`;
    case "software-configuration":
      return `node.software_configuration.${value.path.join(".")}`;
  }
}

/** An exabyte: what is more comes of bytes that were multiplied by bytes. */
const mostAmount = 1e18;

function lookUp(
  value: DefaultValue,
  newborn: Newborn,
  resources: ReadonlyMap<string, Scalar>,
): Scalar | undefined {
  switch (value.kind) {
    case "literal":
      return value.value;
    case "property":
      return newborn.property(value.property);
    case "resource": {
      const found = resourceOf(newborn, resources, value.name);
      return found !== undefined && value.plain ? plainNumber(found) : found;
    }
    case "software-configuration":
      return configured(newborn.softwareConfiguration, value.path);
  }
}

function configured(json: Json, path: readonly string[]): Scalar | undefined {
  let at: Json | undefined = json;
  for (const key of path) at = isJsonObject(at) ? memberOf<Json>(at, key) : undefined;
  return typeof at === "object" && at !== null ? undefined : at;
}

/**
 * Arithmetic on numbers and sizes; null when it makes no number. A plain operand added to a size is in the size's unit.
 * Rounding down leaves whole units of a size, or how often one size fits into another.
 */
function modify(value: Scalar, { operation }: Modifier, operand: Scalar): Scalar | null {
  const scales = operation === "multiply" || operation.startsWith("divide");
  const unit = isSize(value) ? bytesPer(value.magnitude) : 1;
  const right = amountOf(operand) * (isSize(operand) || scales ? 1 : unit);
  const ratioOfSizes = isSize(value) && isSize(operand) && scales;
  const result = compute(amountOf(value), operation, right, ratioOfSizes ? 1 : unit);
  if (!Number.isFinite(result)) return null;
  return isSize(value) && !ratioOfSizes ? { bytes: result, magnitude: value.magnitude } : result;
}

function compute(left: number, operation: Modifier["operation"], right: number, unit: number): number {
  switch (operation) {
    case "add":
      return left + right;
    case "subtract":
      return left - right;
    case "multiply":
      return left * right;
    case "divide":
      return left / right;
    case "divide-floor":
      return timesInto(left / unit, right) * unit;
  }
}

/** Resources that default resources make different from node to node, by name. */
export interface ResourcesByNode {
  readonly all: ReadonlySet<string>;
  /** Those of them that few nodes share and no new node has: such as a host name. */
  readonly naming: ReadonlySet<string>;
}

/** Without default resources that differ, only the node's id does. */
export const onlyNodeId: ResourcesByNode = { all: new Set(["ccnodeid"]), naming: new Set(["ccnodeid"]) };

/** Which resources have to be worked out for every node by itself, also because they are made from others that are. */
export function resourcesByNode(entries: readonly DefaultResource[]): ResourcesByNode {
  const all = new Set(onlyNodeId.all);
  for (let known = 0; known < all.size; ) {
    known = all.size;
    for (const entry of entries) if (differsByNode(entry, all)) all.add(entry.name);
  }
  const others = entries.filter((entry) => !isName(entry)).map(({ name }) => name);
  const naming = new Set(all);
  for (const name of others) naming.delete(name);
  return { all, naming };
}

function isName({ value, modifier }: DefaultResource): boolean {
  if (modifier !== null) return false;
  if (value.kind === "resource") return value.name === "ccnodeid" && !value.plain;
  return value.kind === "property" && isNaming(value.property);
}

function differsByNode(entry: DefaultResource, byNode: ReadonlySet<string>): boolean {
  return (
    entry.select.some((constraint) => usesOwn(constraint, byNode)) ||
    valueDiffersByNode(entry.value, byNode) ||
    (entry.modifier !== null && valueDiffersByNode(entry.modifier.operand, byNode))
  );
}

function valueDiffersByNode(value: DefaultValue, byNode: ReadonlySet<string>): boolean {
  switch (value.kind) {
    case "literal":
      return false;
    case "property":
      return !isSharedProperty(value.property);
    case "resource":
      return byNode.has(value.name);
    case "software-configuration":
      return true;
  }
}
