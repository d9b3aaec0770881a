import type { Scalar } from "../values/resources.ts";
import { kindOf, placed } from "./kind.ts";
import {
  isHostName,
  isSharedProperty,
  type NodeProperty,
  parseProperty,
  unknownProperty,
} from "./node-properties.ts";
import { checksOfOptions, firstOption, scalarSchema, scalarsSchema, wildcardsIn } from "./options.ts";
import type { Subject } from "./subject.ts";

/** The `node.` property equals one of the options; strings may hold shell wildcards. Consumes nothing. */
export interface PropertyOptions {
  readonly kind: "property-options";
  readonly property: NodeProperty;
  readonly options: readonly Scalar[];
}

export const propertyOptions = kindOf<PropertyOptions>()({
  keys: "node.*",
  schema: { anyOf: [scalarSchema, scalarsSchema] },
  example: { "node.vm_size": ["Standard_D4s_v5", "Standard_D8s_v5"] },
  read(entry, reader) {
    const property = parseProperty(entry.key.slice("node.".length));
    if (property === null) {
      reader.refuse(entry.path, unknownProperty(entry.key));
      return [];
    }
    const options = reader.options(entry);
    return options === null ? [] : [{ kind: "property-options", property, options } as PropertyOptions];
  },
  refusing: (constraint, subject) => (firstPropertyOption(constraint, subject) >= 0 ? null : constraint),
  figures: ({ property, options }, subject) => ({
    code: "InvalidOption",
    asked: options[0] ?? null,
    left: subject.property(property),
  }),
  checks: ({ options }) => 1 + checksOfOptions(options),
  extraParts: ({ options }) => wildcardsIn(options),
  shortened: (constraint, short) => ({
    ...constraint,
    options: short.list(constraint.options).map(short.scalar),
  }),
  looksAt: ({ property }) => (isSharedProperty(property) ? "bucket" : { property }),
  preference: {
    mayReorder: ({ options }) => options.length > 1,
    reweigh: (constraint, example, weight) =>
      placed(constraint.options.length, firstPropertyOption(constraint, example), weight),
  },
});

/** Index of the first option that a property matches; -1: none. Names of hosts are the same in any case, as in DNS. */
function firstPropertyOption({ property, options }: PropertyOptions, subject: Subject): number {
  const value = subject.property(property);
  if (!isHostName(property) || typeof value !== "string") return firstOption(options, value);
  return firstOption(folded(options), value.toLowerCase());
}

const knownFolded = new WeakMap<readonly Scalar[], readonly Scalar[]>();

function folded(options: readonly Scalar[]): readonly Scalar[] {
  const known = knownFolded.get(options);
  if (known !== undefined) return known;
  const made = options.map((option) => (typeof option === "string" ? option.toLowerCase() : option));
  knownFolded.set(options, made);
  return made;
}
