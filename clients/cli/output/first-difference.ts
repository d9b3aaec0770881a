/** Where two JSON values differ first, in the order of the second. Undefined stands for "not there". */
export interface Difference {
  /** Such as `create[0].count`. */
  readonly path: string;
  readonly now: unknown;
  readonly before: unknown;
}

/** Undefined when they are the same; the order of an object's keys does not matter. */
export function firstDifference(now: unknown, before: unknown, path = ""): Difference | undefined {
  if (!isContainer(now) || !isContainer(before) || Array.isArray(now) !== Array.isArray(before))
    return Object.is(now, before) ? undefined : { path, now, before };
  for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const step = Array.isArray(before) ? `[${key}]` : `${path === "" ? "" : "."}${key}`;
    const found = firstDifference(now[key], before[key], `${path}${step}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
