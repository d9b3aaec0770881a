import type { Json } from "../values/resources.ts";
import { isJsonObject, memberOf } from "../values/resources.ts";

type Attributes = { readonly [key: string]: Json };

/**
 * A dynamic array is known to CycleCloud only by its nodes: they are nodes of the array that it extends, and carry its
 * name in their configuration (`autoscale.dynamic_array`), where every later snapshot finds it.
 */
export function dynamicArrayOf(configuration: Attributes): string | null {
  const name = recordAt(configuration, "autoscale").dynamic_array;
  return typeof name === "string" && name !== "" ? name : null;
}

/** The configuration by which a node of a dynamic array is known again; nodes of a group also get the group's id. */
export function markerOf(dynamicArray: string, group: string | null): Attributes {
  const marker = { autoscale: { dynamic_array: dynamicArray } };
  return group === null ? marker : { ...marker, cyclecloud: { node: { group_id: group } } };
}

/** Names that nodes and placement groups may have hold no colon: `execute:64` becomes `execute-64`. */
export function plainName(dynamicArray: string): string {
  return dynamicArray.replaceAll(/[^A-Za-z0-9_-]/g, "-");
}

/** Later attributes over earlier ones, objects key by key. */
export function mergeAttributes(under: Attributes, over: Attributes): Attributes {
  const merged = new Map(Object.entries(under));
  for (const [key, value] of Object.entries(over)) {
    const below = merged.get(key);
    merged.set(key, isJsonObject(below) && isJsonObject(value) ? mergeAttributes(below, value) : value);
  }
  // Own properties whatever they are called, `__proto__` too.
  return Object.fromEntries(merged);
}

function recordAt(record: Attributes, key: string): Attributes {
  const value = memberOf(record, key);
  return isJsonObject(value) ? value : {};
}
