/** How far two numbers may be apart, relative to the larger one, and still count as the same. */
const tolerance = 1e-6;

/** Where two JSON values differ first, as `path: actual, expected wanted`; null when they agree. */
export function firstDifference(actual: unknown, wanted: unknown, path = ""): string | null {
  if (typeof actual === "number" && typeof wanted === "number")
    return isClose(actual, wanted) ? null : difference(path, actual, wanted);
  if (!isRecord(actual) || !isRecord(wanted) || Array.isArray(actual) !== Array.isArray(wanted))
    return Object.is(actual, wanted) ? null : difference(path, actual, wanted);
  for (const key of new Set([...Object.keys(wanted), ...Object.keys(actual)])) {
    const step = Array.isArray(wanted) ? `[${key}]` : `${path === "" ? "" : "."}${key}`;
    const found = firstDifference(actual[key], wanted[key], `${path}${step}`);
    if (found !== null) return found;
  }
  return null;
}

function isClose(a: number, b: number): boolean {
  return Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a), Math.abs(b));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function difference(path: string, actual: unknown, wanted: unknown): string {
  return `${path}: ${JSON.stringify(actual)}, expected ${JSON.stringify(wanted)}`;
}
