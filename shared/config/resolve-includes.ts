import { posix } from "node:path";
import { messageOf } from "../errors/errors.ts";
import { isDictionary } from "../json/json.ts";
import { bounded, shown } from "../text/describe-issues.ts";

/** A configuration file as JSON; undefined when there is none at this path. May throw for one that is no JSON. */
export type LoadInclude = (path: string) => Promise<unknown>;

export type ResolvedIncludes =
  | { readonly ok: true; readonly json: unknown }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Far beyond what people write: each include is merged into all that came before it. */
const mostIncludes = 100;
const mostLevels = 10;

/**
 * Merges what a configuration includes into it, by scalelib's rules: paths are relative to the file that names them; an
 * included file wins over the file that includes it, a later include over an earlier one; dictionaries merge key by key,
 * lists are joined, each member once. A file that includes itself, directly or not, is a problem. A file that several others
 * include is read once.
 */
export async function resolveIncludes(options: {
  readonly path: string;
  readonly json: unknown;
  readonly loadInclude: LoadInclude;
}): Promise<ResolvedIncludes> {
  const problems: string[] = [];
  const seen = { files: new Map<string, Promise<unknown>>(), includes: 0 };
  const json = await resolve({ ...options, problems, seen, stack: [posix.normalize(options.path)] });
  return problems.length > 0 ? { ok: false, problems: bounded(problems) } : { ok: true, json };
}

interface Resolving {
  readonly json: unknown;
  readonly loadInclude: LoadInclude;
  readonly problems: string[];
  /** The files read so far, merged with their own includes, and the number of includes. */
  readonly seen: { readonly files: Map<string, Promise<unknown>>; includes: number };
  /** The files that are being read, from the outermost to this one. */
  readonly stack: readonly string[];
}

async function resolve(file: Resolving): Promise<unknown> {
  if (!isDictionary(file.json) || file.json.include === undefined) return file.json;
  const { include, ...own } = file.json;
  if (!Array.isArray(include)) {
    file.problems.push(`${at(file)}include: ${shown(include)}, expected a list of paths`);
    return own;
  }
  let merged: unknown = own;
  for (const [index, path] of include.entries()) {
    file.seen.includes += 1;
    if (file.seen.includes > mostIncludes) {
      if (file.seen.includes === mostIncludes + 1)
        file.problems.push(
          `${at(file)}include[${index}]: one too many, expected at most ${mostIncludes} in all`,
        );
      return merged;
    }
    const included = await readInclude(file, { index, path });
    if (included !== undefined) merged = merge(merged, included);
  }
  return merged;
}

async function readInclude(
  file: Resolving,
  { index, path }: { index: number; path: unknown },
): Promise<unknown> {
  const refuse = (wanted: string) => {
    file.problems.push(`${at(file)}include[${index}]: ${shown(path)}, ${wanted}`);
  };
  if (typeof path !== "string" || path === "") return refuse("expected a path");
  const resolved = posix.join(posix.isAbsolute(path) ? "" : posix.dirname(file.stack.at(-1) ?? ""), path);
  if (file.stack.includes(resolved))
    return refuse(
      `a circle (${[...file.stack, resolved].join(" -> ")}), expected a file that does not lead back`,
    );
  if (file.stack.length > mostLevels)
    return refuse(`${mostLevels} levels of includes lead here, expected at most that many`);
  const fileReadBefore = file.seen.files.get(resolved);
  if (fileReadBefore !== undefined) return fileReadBefore;
  const read = readFile(file, { resolved, refuse });
  file.seen.files.set(resolved, read);
  return read;
}

async function readFile(
  file: Resolving,
  { resolved, refuse }: { readonly resolved: string; readonly refuse: (wanted: string) => void },
): Promise<unknown> {
  try {
    const json = await file.loadInclude(resolved);
    if (json === undefined) return refuse(`no file at "${resolved}", expected one that exists`);
    if (!isDictionary(json)) return refuse("expected a file that holds an object");
    return await resolve({ ...file, json, stack: [...file.stack, resolved] });
  } catch (error) {
    return refuse(`${messageOf(error)}, expected a file that can be read`);
  }
}

/** Names the file of a problem, unless it is the outermost one. */
function at({ stack }: Resolving): string {
  return stack.length > 1 ? `${stack.at(-1)}: ` : "";
}

/** `over` on top of `under`. */
function merge(under: unknown, over: unknown): unknown {
  if (Array.isArray(under) && Array.isArray(over)) return joined(under, over);
  if (!isDictionary(under) || !isDictionary(over)) return over;
  const keys = [...new Set([...Object.keys(under), ...Object.keys(over)])];
  return Object.fromEntries(
    keys.map((key) => [key, Object.hasOwn(over, key) ? mergeMember(under, over, key) : under[key]]),
  );
}

function joined(under: readonly unknown[], over: readonly unknown[]): unknown[] {
  const once = new Map<string, unknown>();
  for (const member of [...under, ...over]) {
    const key = JSON.stringify(member, sortedKeys);
    if (!once.has(key)) once.set(key, member);
  }
  return [...once.values()];
}

/** Dictionaries are the same whatever the order of their keys. */
function sortedKeys(_: string, value: unknown): unknown {
  if (!isDictionary(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => Number(a > b) - Number(a < b)));
}

function mergeMember(
  under: Readonly<Record<string, unknown>>,
  over: Readonly<Record<string, unknown>>,
  key: string,
): unknown {
  return Object.hasOwn(under, key) ? merge(under[key], over[key]) : over[key];
}
