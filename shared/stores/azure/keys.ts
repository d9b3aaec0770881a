import { createHash } from "node:crypto";

/**
 * The longest part that a name takes of a key. Two names and a time stay below the 512 characters of a table key, and
 * below the 254 of a path segment of a blob.
 */
const longestPart = 200;
const readablePrefix = 160;
const mark = "~";
const maxMicroseconds = 9_007_199_254_740_991;
const timeDigits = String(maxMicroseconds).length;

/**
 * A name as part of a table key or a blob's path: ASCII letters, digits, `_`, `-` and inner dots stay, every other
 * UTF-16 unit becomes `~xx` or `~uxxxx`. No two names give the same part. Names that would be too long keep their
 * start, followed by `~~` and a digest; such a part cannot be turned back, so records hold their names as well.
 */
export function escapeName(name: string): string {
  if (name === "") return mark;
  const units = Array.from({ length: name.length }, (_, index) => escapeUnit(name, index));
  const whole = units.join("");
  return whole.length <= longestPart ? whole : `${prefixOf(units)}${mark}${mark}${digestOf(name)}`;
}

/** The blob of a cluster, where a container has one for each. */
export function clusterBlob(cluster: string): string {
  return `${escapeName(cluster)}.json`;
}

/** The name that gives this part; undefined when no name does, or when the name was too long to be kept whole. */
export function unescapeName(part: string): string | undefined {
  if (part === mark) return "";
  const name = part.replace(
    /~u([0-9a-f]{4})|~([0-9a-f]{2})/g,
    (_, wide: string | undefined, narrow: string) => String.fromCharCode(Number.parseInt(wide ?? narrow, 16)),
  );
  return part.length <= longestPart && escapeName(name) === part ? name : undefined;
}

/** Seconds as text that sorts the newest first: the larger the time, the smaller the text. Whole microseconds. */
export function reverseTime(seconds: number): string {
  const microseconds = Math.min(Math.max(Math.round(seconds * 1e6), 0), maxMicroseconds);
  return String(maxMicroseconds - microseconds).padStart(timeDigits, "0");
}

/** A whole number as text that sorts like the number. */
export function sortableNumber(value: number): string {
  return String(value).padStart(timeDigits, "0");
}

/** A dot at either end could make the path segments "." and "..", or a name that Windows tools cannot hold. */
function escapeUnit(name: string, index: number): string {
  const unit = name.charAt(index);
  const isInner = index > 0 && index < name.length - 1;
  if (/[A-Za-z0-9_-]/.test(unit) || (unit === "." && isInner)) return unit;
  const hex = name.charCodeAt(index).toString(16);
  return hex.length <= 2 ? `${mark}${hex.padStart(2, "0")}` : `${mark}u${hex.padStart(4, "0")}`;
}

function prefixOf(units: readonly string[]): string {
  let prefix = "";
  for (const unit of units) {
    if (prefix.length + unit.length > readablePrefix) break;
    prefix += unit;
  }
  return prefix;
}

/** Digest of 128 bits over UTF-16 units, so that lone surrogates count too. */
function digestOf(name: string): string {
  return createHash("sha256").update(Buffer.from(name, "utf16le")).digest("hex").slice(0, 32);
}

/**
 * Whether a name that came from elsewhere stays in its container. The URL parser would resolve a segment ".." before the
 * request is made, and read another container, such as the one with the configuration.
 */
export function staysInside(blob: string): boolean {
  return !blob.split(/[/\\]/).some((segment) => segment === "" || /^(\.|%2e){1,2}$/i.test(segment));
}
