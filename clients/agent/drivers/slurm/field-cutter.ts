import { jsonOr } from "../../../../shared/json/json.ts";

/** A record's JSON without the values of some fields. */
export interface CutRecord {
  /** The fields of which the values were cut out, in the order of the text. */
  readonly names: readonly string[];
  /** The JSON of these values, in the same order. */
  readonly values: readonly string[];
  /** All that is around them, with a mark in the place of each. */
  readonly rest: string;
}

/** Stands for a value: no text that Slurm, a program in C, prints has this character. */
const mark = "\u0000";
const markInJson = '"\\u0000"';

/**
 * Cuts the values of fields out of records that are laid out in lines, so that what is left is the same text for records that
 * differ in nothing else. Records mostly have their fields in the order of the record before.
 */
export class FieldCutter {
  readonly #names: readonly string[];
  #fields: readonly string[] = [];
  #headings: readonly string[] = [];
  /** Where the next field begins. */
  #next = "";
  /** What is around the values of the record before: mostly the very same text. */
  #around: { readonly pieces: readonly string[]; readonly rest: string } = { pieces: [], rest: "" };

  constructor(names: readonly string[]) {
    this.#names = names;
  }

  /** Undefined: the record is not laid out so. */
  cut(text: string): CutRecord | undefined {
    const cut = this.#cutAsBefore(text);
    if (cut !== undefined) return cut;
    this.#learn(text);
    return this.#cutAsBefore(text);
  }

  #cutAsBefore(text: string): CutRecord | undefined {
    if (this.#fields.length === 0) return undefined;
    const before = this.#around;
    const values: string[] = [];
    const pieces: string[] = [];
    let at = 0;
    for (const [index, heading] of this.#headings.entries()) {
      const like = before.pieces[index];
      const isLike = like !== undefined && text.slice(at, at + like.length) === like;
      const found = isLike ? at + like.length - heading.length : text.indexOf(heading, at);
      const start = found + heading.length;
      // A comma stands between two fields, a closing brace in a line of its own behind the last; what else would stand there is in the rest.
      const next = text.indexOf(this.#next, start);
      const end = next < 0 ? text.lastIndexOf("\n") : next - 1;
      if (found < 0 || end < start) return undefined;
      pieces.push(isLike ? like : text.slice(at, start));
      values.push(text.slice(start, end));
      at = end;
    }
    pieces.push(text.slice(at));
    const isLike =
      pieces.length === before.pieces.length &&
      pieces.every((piece, index) => piece === before.pieces[index]);
    if (!isLike) this.#around = { pieces, rest: pieces.join(markInJson) };
    return { names: this.#fields, values, rest: this.#around.rest };
  }

  #learn(text: string): void {
    const indent = /^\{\n([ \t]{0,40})"/.exec(text)?.[1];
    this.#next = `\n${indent}"`;
    const headingOf = (name: string) => `${this.#next}${name}": `;
    const places = this.#names
      .map((name) => ({ name, at: indent === undefined ? -1 : text.indexOf(headingOf(name)) }))
      .filter(({ at }) => at >= 0)
      .toSorted((a, b) => a.at - b.at);
    this.#fields = places.map(({ name }) => name);
    this.#headings = this.#fields.map(headingOf);
  }
}

/**
 * The value of what is left, in which each of the fields has a mark. Undefined: it is no JSON, or a value was cut out elsewhere. If
 * it is there, a record that leaves the same has these values with its own ones in these fields, provided that each is JSON.
 */
export function valueOfRest({ names, rest }: CutRecord): Readonly<Record<string, unknown>> | undefined {
  const value = jsonOr(rest) as Readonly<Record<string, unknown>> | undefined;
  return names.every((name) => value?.[name] === mark) ? value : undefined;
}
