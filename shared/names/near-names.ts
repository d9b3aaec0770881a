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

/**
 * Names that are like it but for their numbers, which nobody can tell for a slip: its own tasks first (`1022_1` for `1022`), then
 * the same digits in another order, then those that begin alike, then the numbers that are nearest.
 */
export function namesLike(word: string, names: readonly string[]): readonly string[] {
  const family = stemOf(word);
  return names
    .filter((name) => name !== word && stemOf(name) === family && /\d/.test(name))
    .map((name) => ({
      name,
      rank: rankOf(word, name),
      same: sameStart(word, name),
      away: Math.abs(numberOf(name) - numberOf(word)),
    }))
    .toSorted((a, b) => a.rank - b.rank || b.same - a.same || a.away - b.away || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

function rankOf(word: string, name: string): number {
  if (isTaskOf(word, name) || isTaskOf(name, word)) return 0;
  return digitsOf(word) === digitsOf(name) ? 1 : 2;
}

function isTaskOf(job: string, task: string): boolean {
  return task.startsWith(job) && /^[^\da-z]/i.test(task.slice(job.length));
}

/** What stands before its first number: jobs of an array share it, whatever follows. */
function stemOf(name: string): string {
  const beginning = [...(name.toLowerCase().split(/\d/, 1)[0] ?? "")];
  return beginning.slice(0, beginning.findLastIndex((each) => each >= "a" && each <= "z") + 1).join("");
}

function sameStart(a: string, b: string): number {
  const until = [...a].findIndex((letter, index) => letter !== b[index]);
  return until < 0 ? a.length : until;
}

function digitsOf(name: string): string {
  return [...name]
    .filter((letter) => /\d/.test(letter))
    .toSorted()
    .join("");
}

function numberOf(name: string): number {
  return Number(/\d+/.exec(name)?.[0] ?? 0);
}
