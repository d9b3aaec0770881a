import { Option } from "commander";
import { someOf } from "../../../shared/text/text.ts";

/** Fewer rows that are alike are as quick to read one by one, and say more. */
const fewest = 3;

export interface AllFlags {
  readonly all?: true;
}

/** The option of commands that print what is alike once. */
export function allOption(what: string): Option {
  return new Option("--all", `each of ${what}, also those that are alike`);
}

/** Items in groups that print alike, each where its first one was; a group of fewer than `least` is no group. */
export function groupsAlike<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  least: number = fewest,
): readonly (readonly [T, ...T[]])[] {
  const sizes = Map.groupBy(items, keyOf);
  const groups = new Map<string, [T, ...T[]]>();
  for (const [at, item] of items.entries()) {
    const key = keyOf(item);
    const isGroup = (sizes.get(key)?.length ?? 0) >= least;
    const place = isGroup ? key : `${at} ${key}`;
    const group = groups.get(place);
    if (group === undefined) groups.set(place, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

/** `1202: waits`, or `12 jobs: wait (1202, 1203, 1204, 1205, 1206 and 7 more)`. */
export function jobsAlike(
  names: readonly string[],
  said: { readonly one: string; readonly many: string },
): string {
  const [name = ""] = names;
  return names.length === 1 ? `${name}: ${said.one}` : `${names.length} jobs ${said.many}: ${someOf(names)}`;
}
