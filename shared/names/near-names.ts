import { nearest } from "../engine/index.ts";

/**
 * The node or host that a misspelt name most likely means; null: none. `htc-12` is no slip for `htc-13`, nor `ip-0A00000B` for
 * `ip-0A00000C`, so the numbers have to be the same.
 */
export function nearestName(word: string, names: readonly string[]): string | null {
  return nearest(
    word,
    names.filter((name) => numbersOf(name) === numbersOf(word)),
  );
}

/** Hexadecimal digits too, once a number has begun: hosts are called by their address. */
function numbersOf(name: string): string {
  return (
    name
      .toLowerCase()
      .match(/\d[\da-f]*/g)
      ?.join(" ") ?? ""
  );
}
