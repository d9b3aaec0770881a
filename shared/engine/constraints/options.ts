import { isSize, type Scalar } from "../values/resources.ts";
import { bytesPer } from "../values/units.ts";
import { hasWildcard, matchesWildcard } from "../values/wildcard.ts";

/** JSON Schema of one value, and of a list of them. */
export const scalarSchema = { type: ["string", "number", "boolean", "null"] };
export const scalarsSchema = { type: "array", items: scalarSchema, minItems: 1 };

/** Index of the first option that a value matches; -1: none, or no value. */
export function firstOption(options: readonly Scalar[], value: Scalar | undefined): number {
  if (value === undefined) return -1;
  return options.length > fewOptions && typeof value === "string"
    ? lookUp(listed(options), value)
    : options.findIndex((option) => equalScalars(option, value));
}

/** Longer lists get an index. */
const fewOptions = 8;

/** The texts of a long list of options by their places, and its wildcards. */
interface Listed {
  readonly places: ReadonlyMap<string, number>;
  readonly wildcards: readonly { readonly pattern: string; readonly place: number }[];
}

/** By the list: one that was archived or copied is read again, with the same result. */
const knownLists = new WeakMap<readonly Scalar[], Listed>();

function listed(options: readonly Scalar[]): Listed {
  const known = knownLists.get(options);
  if (known !== undefined) return known;
  const places = new Map<string, number>();
  const wildcards: { pattern: string; place: number }[] = [];
  options.forEach((option, place) => {
    if (typeof option !== "string") return;
    if (!places.has(option)) places.set(option, place);
    if (hasWildcard(option)) wildcards.push({ pattern: option, place });
  });
  const made = { places, wildcards };
  knownLists.set(options, made);
  return made;
}

function lookUp({ places, wildcards }: Listed, value: string): number {
  const exact = places.get(value) ?? -1;
  for (const { pattern, place } of wildcards) {
    if (exact >= 0 && place > exact) break;
    if (matchesWildcard(pattern, value)) return place;
  }
  return exact;
}

/** A wildcard of so many characters takes about as long to compare as a constraint to hold against a node. */
const charactersPerCheck = 16;

/** How many checks a list of options takes: wildcards and the options of a short list are tried one by one. */
export function checksOfOptions(options: readonly Scalar[]): number {
  let characters = 0;
  for (const option of options) {
    const isLookedUp = options.length > fewOptions && typeof option === "string" && !hasWildcard(option);
    if (!isLookedUp) characters += typeof option === "string" ? option.length : 1;
  }
  return Math.ceil(characters / charactersPerCheck);
}

/** Each wildcard costs as much as another part of a job. */
export function wildcardsIn(options: readonly Scalar[]): number {
  return options.filter((option) => typeof option === "string" && hasWildcard(option)).length;
}

/** A text may hold wildcards; a plain number is compared with a size in the size's own unit. */
export function equalScalars(option: Scalar, value: Scalar): boolean {
  if (typeof option === "string" && typeof value === "string")
    return option === value || (hasWildcard(option) && matchesWildcard(option, value));
  if (isSize(value)) {
    if (isSize(option)) return option.bytes === value.bytes;
    return typeof option === "number" && option * bytesPer(value.magnitude) === value.bytes;
  }
  return isSize(option) ? option.bytes === value : option === value;
}
