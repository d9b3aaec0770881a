import { nearest } from "./engine/index.ts";
import { isDictionary } from "./json.ts";

/**
 * A warning for every node array that a configuration names and the cluster does not have, with the one that was probably
 * meant. `default` stands for all arrays. An array may come later, so this is no problem.
 */
export function warnOfUnknownArrays(json: unknown, arrays: readonly string[]): readonly string[] {
  if (!isDictionary(json) || arrays.length === 0) return [];
  return [
    ...["idle_timeout", "boot_timeout", "nodearrays"].flatMap((key) =>
      keysOf(json[key]).map((name) => ({ path: `${key}.${name}`, name })),
    ),
    ...listOf(isDictionary(json.spot) ? json.spot.pairs : undefined).flatMap((pair, index) =>
      ["spot", "regular"].flatMap((end) => {
        const name = isDictionary(pair) ? pair[end] : undefined;
        return typeof name === "string" ? [{ path: `spot.pairs.${index}.${end}`, name }] : [];
      }),
    ),
    ...listOf(json.default_resources).flatMap((entry, index) =>
      selectedArrays(isDictionary(entry) ? entry.select : undefined).map((name) => ({
        path: `default_resources.${index}.select.node.nodearray`,
        name,
      })),
    ),
  ]
    .filter(({ name }) => name !== "default" && !name.includes("*") && !arrays.includes(name))
    .map(({ path, name }) => {
      const guess = nearest(name, arrays);
      const meant = guess === null ? `it has ${arrays.join(", ")}` : `did you mean "${guess}"?`;
      return `${path}: the cluster has no node array "${name}"; ${meant}`;
    });
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
