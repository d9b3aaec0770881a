import { isDictionary } from "../json.ts";
import { redact, redactMember } from "../redact.ts";

type Dictionary = Readonly<Record<string, unknown>>;

const longestShown = 200;

/** One line per key that differs, without secrets. `before` is undefined when there was no file. */
export function changesOf(
  before: Dictionary | undefined,
  after: Dictionary,
  knownSecrets: readonly string[] = [],
): readonly string[] {
  if (before === undefined) return [`new, with the keys ${Object.keys(after).join(", ")}`];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys
    .filter((key) => !isSame(before[key], after[key]))
    .map((key) => `${key}: ${shown(before, key, knownSecrets)} -> ${shown(after, key, knownSecrets)}`);
}

/** Paths of values that look like secrets. Everybody who may read the container could read a stored one. */
export function secretsIn(json: Dictionary, knownSecrets: readonly string[] = []): readonly string[] {
  return differing(json, redact(json, knownSecrets), "");
}

function differing(before: unknown, after: unknown, path: string): readonly string[] {
  if (isSame(before, after)) return [];
  if (isDictionary(before) && isDictionary(after))
    return Object.keys(before).flatMap((key) =>
      differing(before[key], after[key], path === "" ? key : `${path}.${key}`),
    );
  if (Array.isArray(before) && Array.isArray(after))
    return before.flatMap((member, index) => differing(member, after[index], `${path}[${index}]`));
  return [path];
}

function shown(json: Dictionary, key: string, knownSecrets: readonly string[]): string {
  if (!Object.hasOwn(json, key)) return "(absent)";
  const text = JSON.stringify(redactMember(key, json[key], knownSecrets));
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}

/** Compares values from JSON; the order of keys makes no difference. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((member, index) => isSame(member, b[index]));
  if (!isDictionary(a) || !isDictionary(b)) return a === b;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]))
  );
}
