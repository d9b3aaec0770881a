import { moment } from "../../../shared/text/moment.ts";
import { printable } from "../../../shared/text/text.ts";

/** What was cut so that an answer fits: the list's place in the answer, how many of its items are there, and how many there were. */
interface LeftOut {
  readonly list: string;
  readonly shown: number;
  readonly of: number;
}

export interface Bounded {
  readonly answer: unknown;
  readonly leftOut: readonly LeftOut[];
}

/** Of one answer, in characters of JSON: about 6,000 tokens, so that a conversation has room for many. */
const usualMost = 24_000;
/** A text of a user that is longer is cut: 4 KB of a job's name help nobody. */
const longestText = 500;
/** Before 2001 a figure that ends in `Seconds` is a length of time. */
const firstMomentSeconds = 1e9;

/** An answer as an assistant reads it: moments as dates, nothing null, hidden characters spelled, the longest lists cut until it fits. */
export function boundedAnswer(answer: unknown, mostCharacters = usualMost): Bounded {
  const root = { answer: readable(answer) };
  const lists = listsOf(root.answer, "");
  const cut = new Map<List, number>();
  let size = sizeOf(root.answer);
  while (size > mostCharacters) {
    const largest = largestOf(lists);
    if (largest === undefined) break;
    if (!cut.has(largest)) cut.set(largest, largest.items.length);
    largest.items.length = Math.floor(largest.items.length / 2);
    size = sizeOf(root.answer);
  }
  // Nothing is left to cut: one record alone is larger, and half a record would mislead.
  if (size > mostCharacters) root.answer = `${size} characters: ask for less of it`;
  return {
    answer: root.answer,
    leftOut: [...cut].map(([{ path, items }, of]) => ({ list: path, shown: items.length, of })),
  };
}

interface List {
  readonly path: string;
  readonly items: unknown[];
}

/** Lists inside of the items of another one go with them. */
function listsOf(value: unknown, path: string): readonly List[] {
  if (Array.isArray(value)) return [{ path, items: value }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    listsOf(inner, path === "" ? name : `${path}.${name}`),
  );
}

function largestOf(lists: readonly List[]): List | undefined {
  let largest: { readonly list: List; readonly size: number } | undefined;
  for (const list of lists) {
    if (list.items.length === 0) continue;
    const size = sizeOf(list.items);
    if (largest === undefined || size > largest.size) largest = { list, size };
  }
  return largest?.list;
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value).length;
}

function readable(value: unknown): unknown {
  if (typeof value === "string") return readableText(value);
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null && inner !== undefined)
      .map(([name, inner]) =>
        isMoment(name, inner)
          ? [name.slice(0, -"Seconds".length), moment(inner)]
          : [readableText(name), readable(inner)],
      ),
  );
}

function readableText(text: string): string {
  const whole = printable(text);
  return whole.length <= longestText ? whole : `${whole.slice(0, longestText)}… (${text.length} characters)`;
}

function isMoment(name: string, value: unknown): value is number {
  return name.endsWith("Seconds") && typeof value === "number" && value >= firstMomentSeconds;
}
