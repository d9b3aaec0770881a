import { parseJson } from "../../../shared/json/json.ts";

/** Of plain data, as all that drivers return is; in any order of the fields. */
export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b) || JSON.stringify(inOrder(a)) === JSON.stringify(inOrder(b));
}

/** The same with its fields in the order of their names. */
function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, inOrder(inner)]));
}

/** As it comes back from disk. */
export function written<T>(value: T): T {
  return parseJson(JSON.stringify(value)) as T;
}

/** What would come back from disk as something else. */
export function notJson(value: unknown, path: string): readonly string[] {
  if (value === null || value === undefined) return [];
  if (typeof value === "string" || typeof value === "boolean") return [];
  if (typeof value === "number")
    return Number.isFinite(value) ? [] : [`${path} is ${value}, which JSON does not have`];
  if (typeof value !== "object") return [`${path} is a ${typeof value}, which JSON does not have`];
  if (Array.isArray(value)) return value.flatMap((each, index) => notJson(each, `${path}[${index}]`));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    return [`${path} is a ${value.constructor.name}, which JSON does not have`];
  return Object.entries(value).flatMap(([key, each]) => notJson(each, `${path}.${key}`));
}
