import type { Size } from "./units.ts";

/** A value of a resource or property of a node. Lists appear only in constraints. */
export type Scalar = number | string | boolean | null | Size;

/** Resources of one node by name, as CycleCloud, the scheduler or the configuration report them. */
export type Resources = Readonly<Record<string, Scalar>>;

/** Plain JSON data of any shape, which the engine carries or reads by key. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Whether a JSON value is an object, as opposed to a list or a single value. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What an object has under a name from outside; undefined for what every object has, such as `toString`, too. */
export function memberOf<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Whether a scalar is a size. */
export function isSize(value: Scalar): value is Size {
  return typeof value === "object" && value !== null;
}
