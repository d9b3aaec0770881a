import { isDictionary } from "../../../shared/json/json.ts";
import { isSame } from "../../../shared/text/redact.ts";

/** A value that two configurations do not have alike: its keys from the top. */
export interface Change {
  readonly keys: readonly string[];
  /** Undefined: it is gone. */
  readonly value: unknown;
}

/** What differs, as deep in objects as they go; a list counts as one value. */
export function changesOf(before: unknown, after: unknown, keys: readonly string[] = []): readonly Change[] {
  if (isSame(before, after)) return [];
  if (!isDictionary(before) || !isDictionary(after)) return [{ keys, value: after }];
  return allKeys(before, after).flatMap((key) =>
    changesOf(memberOf(before, key), memberOf(after, key), [...keys, key]),
  );
}

/** Two people's changes of the same configuration together. Where both changed a value it is `mine`; `conflicts` get its path. */
export function merged(
  base: unknown,
  { mine, theirs }: { readonly mine: unknown; readonly theirs: unknown },
  conflicts: string[],
  path = "",
): unknown {
  if (isSame(mine, base)) return theirs;
  if (isSame(theirs, base) || isSame(theirs, mine)) return mine;
  if (!isDictionary(mine) || !isDictionary(theirs)) {
    conflicts.push(path);
    return mine;
  }
  const members = allKeys(theirs, mine).map((key) => {
    const both = { mine: memberOf(mine, key), theirs: memberOf(theirs, key) };
    return [key, merged(memberOf(base, key), both, conflicts, path === "" ? key : `${path}.${key}`)] as const;
  });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function allKeys(a: object, b: object): readonly string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])];
}

function memberOf(value: unknown, key: string): unknown {
  return isDictionary(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
