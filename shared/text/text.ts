/** Control characters, line ends, and what changes the direction of a text or hides in it; a half of a pair, too. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Letters, digits and signs of ASCII, as nearly all texts are: none of them is to be spelled. */
const ascii = /^[ -~]*$/;

export function isAscii(text: string): boolean {
  return ascii.test(text);
}

/** Text that a stranger wrote, safe on a terminal and in a log: what could move the cursor or hide itself is spelled `\u001b`. */
export function printable(text: string): string {
  return isAscii(text) ? text : text.replaceAll(unseen, spelled);
}

/** The same as a line of a log takes it: not longer than so many characters, with how many there were. */
export function printableCut(text: string, longest: number): string {
  if (text.length <= longest) return printable(text);
  return `${printable(text.slice(0, longest))}… (${text.length} characters)`;
}

function spelled(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** The same text without the slashes at its end. `/\/+$/` would read a run of slashes once from each of them. */
export function withoutSlashesAtEnd(text: string): string {
  let end = text.length;
  while (text[end - 1] === "/") end -= 1;
  return text.slice(0, end);
}

/** `1 node`, `3 nodes`: the noun is given for many, and loses its s for one. */
export function counted(count: number, noun: string): string {
  return `${shownNumber(count)} ${count === 1 && noun.endsWith("s") ? noun.slice(0, -1) : noun}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function joined(names: readonly string[], word: "and" | "or"): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} ${word} ${last}`;
}

const mostNamed = 5;

/** The first few of many names: `htc-1, htc-2, htc-3, htc-4, htc-5 and 7 more`. */
export function someOf(names: readonly string[], most = mostNamed): string {
  return names.length <= most
    ? names.join(", ")
    : `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
}

/** To three places; so large that nobody can count it: any number. */
export function shownNumber(value: number): string {
  return value >= Number.MAX_SAFE_INTEGER ? "any number" : String(Number(value.toFixed(3)));
}

/** A name as it is compared where its spelling does not count: `vmSize`, `vm_size` and `vm-size` are one. */
export function foldedOnce(name: string): string {
  return name.replaceAll(/[_-]/g, "").toLowerCase();
}

/** Names that come again and again: with every node, every column, every record. */
const known = new Map<string, string>();
const mostKnown = 10_000;

/** The same, remembered for as long as the process lives: not for what callers of the service say. */
export function foldedName(name: string): string {
  const before = known.get(name);
  if (before !== undefined) return before;
  const folded = foldedOnce(name);
  if (known.size < mostKnown) known.set(name, folded);
  return folded;
}
