import { matchesWildcard, nearest } from "../engine/index.ts";
import type { WhereKey } from "../names/where-keys.ts";
import { parseDuration } from "../text/durations.ts";

/** What an item says of a key: one or several words, an amount in the unit of the key, or null where nobody knows. */
export type Readers<Keys, T> = {
  readonly [Key in keyof Keys]: (
    item: T,
  ) => Keys[Key] extends { readonly is: "text" } ? string | null | readonly (string | null)[] : number | null;
};

/** A line that was read, or every problem with it. */
export type Where<T> =
  | {
      readonly ok: true;
      readonly matches: (item: T) => boolean;
      /** Nothing is asked: everything matches. */
      readonly isAll: boolean;
    }
  | { readonly ok: false; readonly problems: readonly string[] };

/** `-` in front, a key, a sign and what it is compared with, in double quotes where it has blanks; or a word alone. */
const term = /(-)?(?:([A-Za-z]+)(:|<=|>=|<|>|=))?((?:"[^"]*"|[^\s"])+)/gy;
const quotedParts = /"[^"]*"/g;
/** What stands between commas; those in quotes part nothing. */
const listed = /(?:"[^"]*"|[^,"])+/g;
const blanks = /\s*/y;
const signs = {
  "<": (a: number, b: number) => a < b,
  "<=": (a: number, b: number) => a <= b,
  ">": (a: number, b: number) => a > b,
  ">=": (a: number, b: number) => a >= b,
  "=": (a: number, b: number) => a === b,
  ":": (a: number, b: number) => a === b,
} as const;

/**
 * Reads a line such as `state:idle array:htc,hpc -user:ann cost>10 idle>=10m`: all terms must hold; of several values of a key, with commas
 * between them, one. Case does not count, shell wildcards are allowed. What is not known matches nothing, and no term with `-` either.
 */
export function readWhere<Keys extends Readonly<Record<string, WhereKey>>, T>(
  text: string,
  keys: Keys,
  readers: Readers<Keys, T>,
): Where<T> {
  const problems: string[] = [];
  const terms: ((item: T) => boolean)[] = [];
  for (const each of termsOf(text)) {
    if (typeof each === "string") {
      problems.push(
        `where: cannot read ${JSON.stringify(each)}, expected key:value, key>number, or a name (in quotes where it has such a sign)`,
      );
      continue;
    }
    const { key, sign, value } = each;
    const known = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (known === undefined) {
      const names = Object.keys(keys);
      const meant = nearest(key, names);
      problems.push(
        `where: no key "${key}"${meant === null ? "" : `, did you mean "${meant}"?`} Expected ${names.join(", ")}`,
      );
      continue;
    }
    const read = readers[key as keyof Keys] as (item: T) => unknown;
    const test = known.is === "text" ? textTest(sign, value) : numberTest(known.is, sign, value);
    if (typeof test === "string") problems.push(`where: ${key}${sign}${value}: ${test}`);
    else
      terms.push((item) => {
        const holds = test(read(item));
        return holds !== null && holds !== each.isNot;
      });
  }
  return problems.length > 0
    ? { ok: false, problems }
    : { ok: true, isAll: terms.length === 0, matches: (item) => terms.every((holds) => holds(item)) };
}

interface Term {
  readonly isNot: boolean;
  readonly key: string;
  readonly sign: keyof typeof signs;
  readonly value: string;
}

/** Each term; what is none as it is, up to the next blank. */
function termsOf(text: string): readonly (Term | string)[] {
  const terms: (Term | string)[] = [];
  let at = 0;
  for (;;) {
    blanks.lastIndex = at;
    at += blanks.exec(text)?.[0].length ?? 0;
    if (at >= text.length) return terms;
    term.lastIndex = at;
    const found = term.exec(text);
    if (found === null) {
      const [word = ""] = text.slice(at).split(/\s/, 1);
      terms.push(word);
      at += Math.max(1, word.length);
      continue;
    }
    const [all, not, key, sign, value = ""] = found;
    at += all.length;
    // `cost>` without a number is no name.
    if (key === undefined && /[:<>=]/.test(value.replaceAll(quotedParts, ""))) {
      terms.push(all);
      continue;
    }
    terms.push({
      isNot: not !== undefined,
      key: key?.toLowerCase() ?? "name",
      sign: (sign ?? ":") as Term["sign"],
      value,
    });
  }
}

type Test = (value: unknown) => boolean | null;

function textTest(sign: Term["sign"], value: string): Test | string {
  if (sign !== ":" && sign !== "=") return 'it is no number, expected ":"';
  const patterns = (value.match(listed) ?? []).map((each) => each.replaceAll('"', "").trim().toLowerCase());
  const matches = (word: string) => patterns.some((pattern) => matchesWildcard(pattern, word.toLowerCase()));
  return (said) => {
    const words = (Array.isArray(said) ? said : [said]) as readonly (string | null)[];
    if (words.some((word) => word !== null && matches(word))) return true;
    // A word that nobody knows may be the one. In an empty list there is none.
    return words.includes(null) ? null : false;
  };
}

function numberTest(is: "number" | "duration", sign: Term["sign"], value: string): Test | string {
  const amount =
    is === "duration"
      ? parseDuration(value, { isPlain: true })
      : /^\d+(\.\d+)?$/.test(value)
        ? Number(value)
        : undefined;
  if (amount === undefined) return is === "duration" ? "expected a time such as 10m" : "expected a number";
  return (said) => (typeof said === "number" ? signs[sign](said, amount) : null);
}
