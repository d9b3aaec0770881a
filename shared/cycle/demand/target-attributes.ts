import { matchesWildcard } from "../../engine/index.ts";
import { isDictionary } from "../../json/json.ts";
import { attributesOf, type NodeArrayTarget } from "../../messages/index.ts";
import type { Ports } from "../../ports/index.ts";
import { configuredOr } from "./configured.ts";

const mostProblems = 5;
const longestPath = 200;

/** How many cores a node counts for; the node itself does not change. */
const alwaysAllowed = "CoreCount";

/**
 * Attributes of new nodes that a request sets and the cluster's configuration does not allow requests to set: one
 * sentence each, by the index of their definition. Attributes can run code on those nodes, so a configuration that
 * cannot be read allows none.
 */
export async function refusedAttributes(
  ports: Pick<Ports, "configs">,
  request: { readonly cluster: string; readonly arrays: readonly NodeArrayTarget[] },
): Promise<ReadonlyMap<number, readonly string[]>> {
  const chosen = request.arrays.map(pathsOf);
  if (chosen.every((paths) => paths.length === 0)) return new Map();
  const allowed = await allowedAttributes(ports, request.cluster);
  return new Map(
    chosen.flatMap((paths, index) => {
      const refused = paths.filter((path) => !isAllowed(path, allowed ?? []));
      const places = refused.map((path) => path.join("."));
      return places.length === 0 ? [] : [[index, toProblems(places, allowed)] as const];
    }),
  );
}

/** Undefined when the configuration cannot be used. */
function allowedAttributes(
  ports: Pick<Ports, "configs">,
  cluster: string,
): Promise<readonly string[] | undefined> {
  return configuredOr<readonly string[] | undefined>(ports, cluster, {
    read: (config) => config?.cycle.targetAttributes ?? [],
    unreadable: undefined,
  });
}

/** The path of each value: `["Configuration", "application", "version"]`. Lists are values. */
function pathsOf(definition: NodeArrayTarget): readonly (readonly string[])[] {
  const { [alwaysAllowed]: _, ...attributes } = attributesOf(definition);
  return leavesOf(attributes);
}

function leavesOf(value: Readonly<Record<string, unknown>>): readonly (readonly string[])[] {
  return Object.entries(value).flatMap(([key, child]) => {
    const below = isDictionary(child) ? leavesOf(child) : [];
    return below.length === 0 ? [[key]] : below.map((path) => [key, ...path]);
  });
}

/** A caller who may set an attribute may set everything below it. */
function isAllowed(path: readonly string[], allowed: readonly string[]): boolean {
  const above = path.map((_, index) => path.slice(0, index + 1).join("."));
  return above.some((part) => allowed.some((pattern) => matchesWildcard(pattern, part)));
}

function toProblems(places: readonly string[], allowed: readonly string[] | undefined): readonly string[] {
  const told = places.slice(0, mostProblems).map((place) => `${cut(place)}: ${wanted(cut(place), allowed)}`);
  const more = places.length - told.length;
  return more > 0 ? [...told, `and ${more} more`] : told;
}

/** With the line that allows it, for an operator who trusts those that ask: attributes can run code on new nodes. */
function wanted(place: string, allowed: readonly string[] | undefined): string {
  if (allowed === undefined)
    return "the configuration of the cluster cannot be used, and says of no attribute that a target may choose it";
  const line = `"target_attributes": ${JSON.stringify([...allowed, place])}`;
  return allowed.length === 0
    ? `expected no attribute: target_attributes of the cluster's configuration names none; ${line} in autoscale.json would allow it`
    : `expected one of ${allowed.join(", ")} (target_attributes of the cluster's configuration); ${line} in autoscale.json would allow it`;
}

function cut(place: string): string {
  return place.length <= longestPath ? place : `${place.slice(0, longestPath)}…`;
}
