import { nearest } from "../values/nearest.ts";
import { isJsonObject } from "../values/resources.ts";
import { constraintKinds } from "./constraint-kinds.ts";
import type { Kind } from "./kind.ts";
import { type AnyConstraint, member, type Problem } from "./reading.ts";

/** Shorter words, such as `or` and `never`, are close to names that resources really have. */
const shortestWord = 9;
const mostWarnings = 20;

const kinds = Object.values(constraintKinds) as readonly Kind<AnyConstraint>[];
const keysOf = (kind: Kind<AnyConstraint>) => (typeof kind.keys === "string" ? [] : kind.keys);
const keys: readonly string[] = kinds.flatMap(keysOf);
const words = keys.filter((key) => key.length >= shortestWord);
const nesting: ReadonlySet<string> = new Set(
  kinds.filter((kind) => kind.parts !== undefined).flatMap(keysOf),
);

/** Keys of the objects after a key. */
const innerKeys: ReadonlyMap<string, readonly string[]> = new Map(
  kinds.flatMap((kind) =>
    keysOf(kind).flatMap((key) => (kind.innerKeys ? [[key, kind.innerKeys] as const] : [])),
  ),
);

const noKeys: ReadonlySet<string> = new Set();

/**
 * Keys of constraints that can be read, and probably not as they were meant: every unknown key names a resource, so a
 * misspelt `exclusive` asks for a resource that no node has. `jobKeys`: those that belong to the job, beside its
 * constraints. Only for constraints that `parseConstraints` accepts, which bounds their depth and number.
 */
export function constraintWarnings(json: unknown, jobKeys: ReadonlySet<string> = noKeys): readonly Problem[] {
  const warnings: Problem[] = [];
  look(json, "", { warnings, jobKeys });
  return warnings;
}

interface Looking {
  readonly warnings: Problem[];
  readonly jobKeys: ReadonlySet<string>;
}

function look(json: unknown, path: string, looking: Looking): void {
  if (Array.isArray(json)) {
    for (const [index, child] of json.entries()) look(child, `${path}[${index}]`, looking);
    return;
  }
  if (!isJsonObject(json)) return;
  for (const [key, value] of Object.entries(json)) {
    if (looking.warnings.length >= mostWarnings) return;
    const message = warningOf(key, looking);
    if (message !== null) looking.warnings.push({ path: member(path, key), message });
    if (nesting.has(key)) look(value, member(path, key), looking);
    else lookAtInner(value, { path: member(path, key), keys: innerKeys.get(key) ?? [] }, looking);
  }
}

function warningOf(key: string, { jobKeys }: Looking): string | null {
  if (keys.includes(key) || key.startsWith("node.")) return null;
  const meant = "is read as the name of a resource";
  if (jobKeys.has(key)) return `${meant}; "${key}" belongs to the job, beside its constraints`;
  const guess = guessOf(key);
  return guess === null ? null : `${meant}; did you mean "${guess}"?`;
}

/** A hundred thousand jobs name a few resources. */
const guesses = new Map<string, string | null>();
const mostGuesses = 1_000;

function guessOf(key: string): string | null {
  const known = guesses.get(key);
  if (known !== undefined) return known;
  const guess = nearest(key, words);
  if (guesses.size < mostGuesses) guesses.set(key, guess);
  return guess;
}

function lookAtInner(
  json: unknown,
  { path, keys: known }: { readonly path: string; readonly keys: readonly string[] },
  { warnings }: Looking,
): void {
  if (known.length === 0) return;
  for (const each of Array.isArray(json) ? json : [json]) {
    if (!isJsonObject(each)) continue;
    for (const name of Object.keys(each)) {
      const guess = known.includes(name) || warnings.length >= mostWarnings ? null : nearest(name, known);
      if (guess !== null)
        warnings.push({ path: member(path, name), message: `is not known; did you mean "${guess}"?` });
    }
  }
}
