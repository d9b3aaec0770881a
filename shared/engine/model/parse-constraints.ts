import {
  type Constraint,
  member,
  type NodeProperty,
  nodeProperties,
  type Problem,
  type SharedDraw,
  show,
} from "./constraint.ts";
import { type ConstraintKind, constraintKinds } from "./constraint-kinds.ts";
import { nearest } from "./nearest.ts";
import { isJsonObject, type Scalar } from "./resources.ts";
import { looksLikeAmount, parseAmount } from "./units.ts";

/** Deeper nesting is refused: no scheduler writes it, and it would cost stack. */
export const maxConstraintDepth = 32;
/** The most constraints and options of one job together. */
export const maxConstraintParts = 10_000;

export type ParsedConstraints =
  | { readonly ok: true; readonly constraints: readonly Constraint[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Reads constraints as schedulers and configurations write them: an object (several keys mean "and") or a
 * list of objects. Names every problem with its path, and never throws.
 */
export function parseConstraints(json: unknown): ParsedConstraints {
  const reader: Reader = { problems: [], parts: 0 };
  const constraints = readAll(reader, json, "", 0);
  if (reader.problems.length > 0) return { ok: false, problems: reader.problems };
  return { ok: true, constraints };
}

interface Reader {
  readonly problems: Problem[];
  parts: number;
}

function refuse(reader: Reader, path: string, message: string): void {
  // A hostile message could hold a million mistakes; the first ones are enough to repair it.
  if (reader.problems.length < 20) reader.problems.push({ path, message });
}

function refuseValue(reader: Reader, path: string, value: unknown, expected: string): void {
  refuse(reader, path, `Cannot read constraint "${path}": ${show(value)}, expected ${expected}`);
}

/** Counts one more part; false (once reported) when there are too many. */
function affords(reader: Reader, path: string, parts: number): boolean {
  const before = reader.parts;
  reader.parts += parts;
  if (reader.parts <= maxConstraintParts) return true;
  if (before <= maxConstraintParts)
    refuse(reader, path, `Cannot read constraints: more than ${maxConstraintParts} parts, expected fewer`);
  return false;
}

function readAll(reader: Reader, json: unknown, path: string, depth: number): Constraint[] {
  if (depth > maxConstraintDepth) {
    refuse(reader, path, `Cannot read constraint "${path}": nested deeper than ${maxConstraintDepth} levels`);
    return [];
  }
  if (Array.isArray(json)) {
    if (!affords(reader, path, json.length)) return [];
    return json.flatMap((child: unknown, index) => readAll(reader, child, `${path}[${index}]`, depth + 1));
  }
  if (!isJsonObject(json)) {
    refuseValue(reader, path, json, "an object or a list of objects");
    return [];
  }
  const entries = Object.entries(json);
  if (!affords(reader, path, entries.length)) return [];
  return entries.flatMap(([key, value]) => readEntry(reader, { key, value, path: member(path, key), depth }));
}

interface Entry {
  readonly key: string;
  readonly value: unknown;
  readonly path: string;
  readonly depth: number;
}

type Read = (reader: Reader, entry: Entry) => Constraint[];

/** Reads the value after a key of each kind; see `constraintKinds` for the keys. */
const readers: Readonly<Record<ConstraintKind, Read>> = {
  "minimum-resource": readResource,
  "resource-options": readResource,
  "property-options": readProperty,
  exclusive: readExclusive,
  "in-a-placement-group": readMembership,
  and: (reader, { value, path, depth }) => [{ kind: "and", all: readAll(reader, value, path, depth + 1) }],
  or: (reader, entry) => readChoices(reader, entry, (any) => ({ kind: "or", any })),
  xor: (reader, entry) => readChoices(reader, entry, (oneOf) => ({ kind: "xor", oneOf })),
  not: (reader, { value, path, depth }) => [
    { kind: "not", child: conjunction(readAll(reader, value, path, depth + 1)) },
  ],
  never: (_, { value }) => [{ kind: "never", message: typeof value === "string" ? value : show(value) }],
  "shared-consumable": readSharedConsumable,
  "shared-value": readSharedValue,
  "capacity-failure-backoff": readBackoff,
  // No key means it.
  "array-choice": () => [],
};

const kindByKey: ReadonlyMap<string, ConstraintKind> = new Map(
  Object.entries(constraintKinds).flatMap(([kind, { keys }]) =>
    typeof keys === "string" ? [] : keys.map((key) => [key, kind as ConstraintKind] as const),
  ),
);

function readEntry(reader: Reader, entry: Entry): Constraint[] {
  const kind = kindByKey.get(entry.key);
  if (kind !== undefined) return readers[kind](reader, entry);
  return entry.key.startsWith("node.") ? readProperty(reader, entry) : readResource(reader, entry);
}

/** One constraint for several that all hold. */
export function conjunction(constraints: readonly Constraint[]): Constraint {
  const [only] = constraints;
  return constraints.length === 1 && only !== undefined ? only : { kind: "and", all: constraints };
}

function readChoices(
  reader: Reader,
  entry: Entry,
  make: (children: readonly Constraint[]) => Constraint,
): Constraint[] {
  if (!Array.isArray(entry.value) || entry.value.length === 0) {
    refuseValue(reader, entry.path, entry.value, "a list with at least one constraint");
    return [];
  }
  if (!affords(reader, entry.path, entry.value.length)) return [];
  const children = entry.value.map((child: unknown, index) =>
    conjunction(readAll(reader, child, `${entry.path}[${index}]`, entry.depth + 1)),
  );
  return [make(children)];
}

/** Accepts what the field's configurations hold: true, "true", 1. `false` asks for nothing. */
function readFlag(reader: Reader, entry: Entry): boolean | null {
  const { value } = entry;
  // Not String(value): an object may bring a toString of its own that is no function.
  const text = typeof value === "object" ? "" : String(value).toLowerCase();
  if (text === "true" || text === "1") return true;
  if (text === "false" || text === "0") return false;
  refuseValue(reader, entry.path, entry.value, "true or false");
  return null;
}

function readExclusive(reader: Reader, entry: Entry): Constraint[] {
  const scope = entry.key === "exclusive" ? "iteration" : "task";
  return readFlag(reader, entry) === true ? [{ kind: "exclusive", scope }] : [];
}

function readMembership(reader: Reader, entry: Entry): Constraint[] {
  const wanted = readFlag(reader, entry);
  return wanted === null ? [] : [{ kind: "in-a-placement-group", wanted }];
}

function readBackoff(reader: Reader, entry: Entry): Constraint[] {
  if (typeof entry.value === "number" && Number.isFinite(entry.value) && entry.value >= 0)
    return [{ kind: "capacity-failure-backoff", seconds: entry.value }];
  refuseValue(reader, entry.path, entry.value, "a number of seconds");
  return [];
}

function readProperty(reader: Reader, entry: Entry): Constraint[] {
  const property = parseProperty(entry.key.slice("node.".length));
  if (property === null) {
    refuse(reader, entry.path, unknownProperty(entry.key));
    return [];
  }
  const options = readOptions(reader, entry);
  return options === null ? [] : [{ kind: "property-options", property, options }];
}

const propertySet: ReadonlySet<string> = new Set(nodeProperties);

/** A node property by its name without `node.`; null when there is none such. */
export function parseProperty(name: string): NodeProperty | null {
  return propertySet.has(name) ? (name as NodeProperty) : null;
}

/** The sentence for a `node.` name that is no property. */
export function unknownProperty(key: string): string {
  const guess = nearest(key.slice("node.".length), nodeProperties);
  const hint = guess === null ? "" : ` (did you mean "node.${guess}"?)`;
  return `Cannot use node property "${key}": unknown${hint}, expected one of ${nodeProperties.join(", ")}`;
}

function readResource(reader: Reader, entry: Entry): Constraint[] {
  const { key: resource, value, path } = entry;
  if (typeof value === "number") return readMinimum(reader, resource, value, path);
  if (typeof value === "string" && looksLikeAmount(value)) {
    const amount = parseAmount(value);
    if (amount !== null) return [{ kind: "minimum-resource", resource, amount }];
    refuseValue(reader, path, value, 'an amount such as "size::20g" or "memory::4g"');
    return [];
  }
  const options = readOptions(reader, entry);
  return options === null ? [] : [{ kind: "resource-options", resource, options }];
}

function readMinimum(reader: Reader, resource: string, amount: number, path: string): Constraint[] {
  // A negative amount would give resources back to the node.
  if (Number.isFinite(amount) && amount >= 0) return [{ kind: "minimum-resource", resource, amount }];
  refuseValue(reader, path, amount, "a number that is not negative");
  return [];
}

function readOptions(reader: Reader, entry: Entry): readonly Scalar[] | null {
  const list: readonly unknown[] = Array.isArray(entry.value) ? entry.value : [entry.value];
  if (list.length === 0) {
    refuseValue(reader, entry.path, entry.value, "at least one option");
    return null;
  }
  if (!affords(reader, entry.path, list.length)) return null;
  const options: Scalar[] = [];
  for (const item of list) {
    if (!isScalar(item)) {
      refuseValue(reader, entry.path, item, "a text, a number, true, false or null");
      return null;
    }
    options.push(typeof item === "string" ? (parseAmount(item) ?? item) : item);
  }
  return options;
}

function isScalar(json: unknown): json is string | number | boolean | null {
  return json === null || typeof json === "string" || typeof json === "boolean" || Number.isFinite(json);
}

/**
 * `{"resource-name", "source", "initial-value", "current-value", "requested", "decrement-once"}`, or a list of
 * such. Sources and values may be lists of the same length: several pools of one name, drawn from together.
 */
function readSharedConsumable(reader: Reader, entry: Entry): Constraint[] {
  const items: readonly unknown[] = Array.isArray(entry.value) ? entry.value : [entry.value];
  if (items.length === 0 || !affords(reader, entry.path, items.length)) {
    refuseValue(reader, entry.path, entry.value, "at least one pool");
    return [];
  }
  const draws = items.flatMap((item) => readDraws(reader, item, entry.path));
  return [{ kind: "shared-consumable", draws }];
}

function readDraws(reader: Reader, json: unknown, path: string): SharedDraw[] {
  const name = isJsonObject(json) ? json["resource-name"] : undefined;
  const amount = isJsonObject(json) ? json.requested : undefined;
  if (!isJsonObject(json) || typeof name !== "string" || typeof amount !== "number" || !(amount >= 0)) {
    refuseValue(reader, path, json, '"resource-name" (a text) and "requested" (a number)');
    return [];
  }
  const sources = listOf(json.source ?? json.sources);
  const initials = listOf(json["initial-value"] ?? json["initial-values"]);
  const currents = listOf(json["current-value"] ?? json["current-values"]);
  const count = Math.max(sources.length, initials.length, currents.length, 1);
  if (!affords(reader, path, count)) return [];
  return Array.from({ length: count }, (_, index) => {
    const initial = readAmount(reader, initials[index], path);
    const current = readAmount(reader, currents[index], path) ?? initial;
    const source = sources[index];
    return {
      pool: name,
      source: typeof source === "string" ? source : source == null ? null : show(source),
      amount,
      once: json["decrement-once"] === true,
      initial: initial ?? current,
      current,
    };
  });
}

function listOf(json: unknown): readonly unknown[] {
  return json === undefined ? [] : Array.isArray(json) ? json : [json];
}

function readAmount(reader: Reader, json: unknown, path: string): number | null {
  if (json === undefined || json === null) return null;
  if (typeof json === "number" && Number.isFinite(json)) return json;
  refuseValue(reader, path, json, "a number for the pool's value");
  return null;
}

function readSharedValue(reader: Reader, entry: Entry): Constraint[] {
  const json = entry.value;
  const name = isJsonObject(json) ? json["resource-name"] : undefined;
  const current = isJsonObject(json) ? json["current-value"] : undefined;
  const target = isJsonObject(json) ? json.requested : undefined;
  if (!isJsonObject(json) || typeof name !== "string" || !isScalar(current) || !isScalar(target)) {
    refuseValue(reader, entry.path, json, '"resource-name", "current-value" and "requested"');
    return [];
  }
  const source = json.source;
  return [
    { kind: "shared-value", name, source: typeof source === "string" ? source : null, current, target },
  ];
}
