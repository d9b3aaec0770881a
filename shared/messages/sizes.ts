import { createHash } from "node:crypto";
import { z } from "zod";

const deepestValue = 20;
const longestName = 1_024;
/** A regular expression may run out of stack on millions of characters. */
const longestText = 64 * 1024;
const mostMembers = 10_000;

/** Why a value is too expensive to be read in detail; undefined if it is not. */
export function excessOf(value: unknown, levels = deepestValue): string | undefined {
  if (typeof value === "string" && value.length > longestText)
    return `a text of ${value.length} characters, expected at most ${longestText}`;
  if (typeof value !== "object" || value === null) return undefined;
  if (levels === 0) return `nested too deeply, expected at most ${deepestValue} levels`;
  if (Array.isArray(value)) return firstExcess(value, levels - 1);
  const names = Object.keys(value);
  if (names.length > mostMembers)
    return `an object of ${names.length} members, expected at most ${mostMembers}`;
  const longest = names.reduce((most, name) => Math.max(most, name.length), 0);
  if (longest > longestName) return `a name of ${longest} characters, expected at most ${longestName}`;
  // Such an object cannot be compared with a number, which the schema does with whatever has a length.
  if (Object.hasOwn(value, "toString")) return 'a member "toString", expected any other name';
  return firstExcess(Object.values(value), levels - 1);
}

function firstExcess(values: readonly unknown[], levels: number): string | undefined {
  for (const value of values) {
    const excess = excessOf(value, levels);
    if (excess !== undefined) return excess;
  }
  return undefined;
}

const longestJobName = 256;
const digestLength = 16;

/** Any text. A longer name is cut and gets a digest, which keeps it apart from names that begin alike. */
export const jobName = z.string().min(1).transform(cutName);

/** Whether a value is a name that `jobName` reads as it is. */
export function isPlainName(value: unknown): boolean {
  return typeof value === "string" && value.length > 0 && value.length <= longestJobName;
}

/** The name under which a job is kept: the name that was sent, unless that is too long. */
export function cutName(name: string): string {
  if (name.length <= longestJobName) return name;
  const digest = createHash("sha256").update(name).digest("hex").slice(0, digestLength);
  return `${wellCut(name, longestJobName - digestLength - 1)}~${digest}`;
}

/** The start of a text, without half of a character at its end. */
export function wellCut(text: string, longest: number): string {
  const start = text.slice(0, longest);
  return /[\uD800-\uDBFF]$/.test(start) ? start.slice(0, -1) : start;
}

/** Items of the lists, for the published schemas: the lists themselves accept anything. */
export const listItems = new WeakMap<object, { readonly item: z.ZodType; readonly most: number }>();

/**
 * A list of which the items are checked one by one afterwards: one that does not check out is set aside, and the others
 * count. `documented` is the schema of an item that is published.
 */
export function listOf(documented: z.ZodType, most: number) {
  const list = z.array(z.unknown()).max(most);
  listItems.set(list, { item: documented, most });
  return list;
}
