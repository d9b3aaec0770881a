import { constraintWarnings, nearest } from "../engine/index.ts";
import { isDictionary } from "../json/json.ts";

/** The most warnings of one job. */
export const mostWarnings = 10;
export const longestWarning = 200;
const longestKey = 60;

/** scalelib prints notes of a scheduler's integration about its own jobs, which nothing here needs. */
const passedOver: ReadonlySet<string> = new Set(["metadata"]);

/** Keys of a job that would be strange names of resources; `queue` or `user` would not be. */
const noResources: ReadonlySet<string> = new Set([
  "iterations",
  "nodeCount",
  "node-count",
  "node_count",
  "colocated",
  "gang",
  "gangApart",
  "mayDivide",
  "gangSize",
  "packingStrategy",
  "executingHostnames",
]);

/** Which keys mean something. `spellings`: other ways to write them. */
export interface KnownKeys {
  readonly keys: readonly string[];
  readonly spellings: readonly string[];
}

/** A sentence for each key that means nothing: `constraint is not known; did you mean "constraints"?` */
export function keyWarnings(item: unknown, keys: KnownKeys): readonly string[] {
  return unknownKeys(item, keys).map((key) => sentence(key, meant(key, keys)));
}

/** Parts of a readable job that are not understood, one sentence each. */
export function jobWarnings(item: unknown, keys: KnownKeys): readonly string[] {
  if (!isDictionary(item)) return [];
  const misspelt = unknownKeys(item, keys).map((key) =>
    sentence(key, meant(key, keys) ?? (isAmount(item[key]) ? 'resources belong into "constraints"' : null)),
  );
  const odd = constraintWarnings(item.constraints ?? [], noResources).map(({ path, message }) => {
    const place = path.startsWith("[") ? path : `.${path}`;
    return `constraints${place} ${message}`;
  });
  return [...misspelt, ...odd].map((warning) => warning.slice(0, longestWarning)).slice(0, mostWarnings);
}

export function hasConstraintWarnings(constraints: unknown): boolean {
  return constraintWarnings(constraints, noResources).length > 0;
}

function unknownKeys(item: unknown, { keys, spellings }: KnownKeys): readonly string[] {
  if (!isDictionary(item)) return [];
  const isKnown = (key: string) => keys.includes(key) || spellings.includes(key) || passedOver.has(key);
  // Nearly always: no list is made for each of 100,000 jobs.
  if (Object.keys(item).every(isKnown)) return [];
  return Object.keys(item)
    .filter((key) => !isKnown(key) && !isComment(key))
    .slice(0, mostWarnings);
}

function isComment(key: string): boolean {
  return key.startsWith("_") || key.startsWith("//");
}

function meant(key: string, { keys }: KnownKeys): string | null {
  const guess = nearest(key, keys);
  return guess === null ? null : `did you mean "${guess}"?`;
}

function sentence(key: string, hint: string | null): string {
  const cut = key.length <= longestKey ? key : `${key.slice(0, longestKey)}…`;
  const name = /^[\w.-]+$/.test(cut) ? cut : JSON.stringify(cut);
  return `${name} is not known${hint === null ? "" : `; ${hint}`}`;
}

/** `"ncpus": 4` beside the constraints is a constraint that has no effect. */
function isAmount(value: unknown): boolean {
  return typeof value === "number" || (typeof value === "string" && /^(size|memory)::/.test(value));
}
