import { nearest } from "../engine/index.ts";
import { isDictionary } from "../json/json.ts";

/** A node array that a configuration names, and by which of its keys. `default` and wildcards name none. */
export interface NamedArray {
  readonly path: string;
  readonly name: string;
}

/** Every node array that a configuration names, checked or not. */
export function arraysNamedIn(json: unknown): readonly NamedArray[] {
  if (!isDictionary(json)) return [];
  return [
    ...["idle_timeout", "idle_timeout_least", "idle_timeout_most", "boot_timeout", "nodearrays"].flatMap(
      (key) => keysOf(json[key]).map((name) => ({ path: `${key}.${name}`, name })),
    ),
    ...listOf(isDictionary(json.spot) ? json.spot.pairs : undefined).flatMap((pair, index) =>
      ["spot", "regular"].flatMap((end) => namedBy(pair, end, `spot.pairs.${index}`)),
    ),
    ...listOf(json.budgets).flatMap((budget, index) => namedBy(budget, "node_array", `budgets.${index}`)),
    ...keysOf(json.schedules).flatMap((name) => namedBySchedule(json.schedules, name)),
    ...["default_resources", "price_rules"].flatMap((key) =>
      listOf(json[key]).flatMap((entry, index) =>
        selectedArrays(isDictionary(entry) ? entry.select : undefined).map((name) => ({
          path: `${key}.${index}.select.node.nodearray`,
          name,
        })),
      ),
    ),
  ].filter(({ name }) => name !== "default" && !name.includes("*"));
}

/**
 * A warning for every one of them that the cluster does not have, with the one that was probably meant. An array may come
 * later, so this is no problem. Without known arrays there is nothing to compare with.
 */
export function warnOfMissing(named: readonly NamedArray[], arrays: readonly string[]): readonly string[] {
  if (arrays.length === 0) return [];
  return named
    .filter(({ name }) => !arrays.includes(name))
    .map(({ path, name }) => {
      const guess = nearest(name, arrays);
      const meant = guess === null ? `it has ${arrays.join(", ")}` : `did you mean "${guess}"?`;
      return `${path}: the cluster has no node array "${name}"; ${meant}`;
    });
}

/** The same of a configuration, checked or not. */
export function warnOfUnknownArrays(json: unknown, arrays: readonly string[]): readonly string[] {
  return warnOfMissing(arraysNamedIn(json), arrays);
}

function namedBySchedule(schedules: unknown, schedule: string): readonly NamedArray[] {
  const keys = isDictionary(schedules) ? schedules[schedule] : undefined;
  if (!isDictionary(keys)) return [];
  const path = `schedules.${schedule}`;
  return [
    ...listOf(keys.targets).flatMap((target, index) => {
      // A dynamic array has the name that whoever asks for it chose.
      const isDynamic = isDictionary(target) && target.Dynamic === true;
      return namedBy(target, isDynamic ? "Extends" : "Name", `${path}.targets.${index}`);
    }),
    ...arraysNamedIn(keys.settings).map((named) => ({ ...named, path: `${path}.settings.${named.path}` })),
  ];
}

function namedBy(entry: unknown, key: string, path: string): readonly NamedArray[] {
  const name = isDictionary(entry) ? entry[key] : undefined;
  return typeof name === "string" ? [{ path: `${path}.${key}`, name }] : [];
}

function keysOf(value: unknown): readonly string[] {
  return isDictionary(value) ? Object.keys(value) : [];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** `{"node.nodearray": "htc"}` or a list of names. */
function selectedArrays(select: unknown): readonly string[] {
  const wanted = isDictionary(select) ? select["node.nodearray"] : undefined;
  return (Array.isArray(wanted) ? wanted : [wanted]).filter((name) => typeof name === "string");
}
