import { hash } from "node:crypto";
import { z } from "zod";
import { jsonOr } from "../../../../shared/json/json.ts";
import type { Answer, Sink } from "../driver.ts";

/** Reads records from their JSON, for less than parsing it takes. */
export interface TextReader<T> {
  /** Undefined: this text has to be parsed. */
  read(text: string): T | undefined;
  /** An answer is over. */
  forget(): void;
}

/**
 * The records of a list that Slurm prints as JSON. Each is read once: the next answer has most of them again, letter by letter, and
 * those are remembered by a digest of their text. An answer may come in parts, and is never whole in memory then.
 */
export class RecordList<T> implements Sink {
  readonly #name: string;
  readonly #read: (value: unknown) => T;
  readonly #text: TextReader<T> | undefined;
  #known: ReadonlyMap<string, T> = new Map();
  #coming: Coming<T> | undefined;

  constructor(name: string, read: (value: unknown) => T, text?: TextReader<T>) {
    this.#name = name;
    this.#read = read;
    this.#text = text;
  }

  begin(): void {
    this.#coming = new Coming(this.#name, this.#read, this.#text, this.#known);
  }

  take(part: Uint8Array): void {
    this.#coming?.take(part);
  }

  /** Undefined: it is not what the command prints, or reports an error. */
  in(answer: Answer | undefined): readonly T[] | undefined {
    if (this.#coming === undefined) {
      this.begin();
      this.take(Buffer.from(answer?.text ?? ""));
    }
    const list = this.#coming?.end();
    this.#coming = undefined;
    this.#text?.forget();
    if (list === undefined) return undefined;
    this.#known = list.known;
    return list.records;
  }
}

/** How a list is laid out: a record's braces are alone in their lines, as deep as `indent`. */
interface Layout {
  /** Up to the first record. */
  readonly head: Buffer;
  readonly indent: string;
  /** From the end of a record to the beginning of the next. */
  readonly separator: Buffer;
}

/** The list is there, if the answer has it in lines. */
const longestHead = 64 * 1024;

/**
 * One answer, cut into records where a line is a closing brace. JSON has no line break inside a text, so such a line is a brace;
 * whether it is the right one shows: all pieces are JSON, and so is what is around them.
 */
class Coming<T> {
  readonly #name: string;
  readonly #read: (value: unknown) => T;
  readonly #text: TextReader<T> | undefined;
  readonly #before: ReadonlyMap<string, T>;
  readonly #records: T[] = [];
  readonly #known = new Map<string, T>();
  #layout: Layout | undefined;
  #isBroken = false;
  /** What was not cut yet is at the beginning. */
  #bytes = Buffer.allocUnsafeSlow(2 * longestHead);
  #length = 0;

  constructor(
    name: string,
    read: (value: unknown) => T,
    text: TextReader<T> | undefined,
    before: ReadonlyMap<string, T>,
  ) {
    this.#name = name;
    this.#read = read;
    this.#text = text;
    this.#before = before;
  }

  take(part: Uint8Array): void {
    const isHead = this.#length < longestHead;
    if (this.#length + part.length > this.#bytes.length) {
      const longer = Buffer.allocUnsafeSlow(2 * (this.#length + part.length));
      longer.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = longer;
    }
    this.#bytes.set(part, this.#length);
    const before = this.#length;
    this.#length += part.length;
    if (this.#layout === undefined && isHead) this.#lay();
    else if (this.#layout !== undefined) this.#cut(before);
  }

  end(): { readonly records: readonly T[]; readonly known: ReadonlyMap<string, T> } | undefined {
    const rest = this.#bytes.subarray(0, this.#length);
    if (this.#layout === undefined) {
      const records = listIn(jsonOr(rest.toString()), this.#name)?.map(this.#read);
      return records === undefined ? undefined : { records, known: this.#known };
    }
    const { head, indent } = this.#layout;
    const end = rest.indexOf(`\n${indent}}\n`);
    if (end < 0) return undefined;
    const behind = end + indent.length + 2;
    this.#add(rest.subarray(0, behind));
    const around = Buffer.concat([head, Buffer.from("null"), rest.subarray(behind)]);
    const list = listIn(jsonOr(around.toString()), this.#name);
    const isWhole = !this.#isBroken && list?.length === 1 && list[0] === null;
    return isWhole ? { records: this.#records, known: this.#known } : undefined;
  }

  #lay(): void {
    this.#layout = layoutOf(this.#bytes.subarray(0, Math.min(this.#length, longestHead)), this.#name);
    if (this.#layout === undefined) return;
    this.#dropTo(this.#layout.head.length);
    this.#cut(0);
  }

  /** `from`: there is no separator that ends before. */
  #cut(from: number): void {
    const { indent = "", separator = Buffer.alloc(0) } = this.#layout ?? {};
    const bytes = this.#bytes.subarray(0, this.#length);
    let start = 0;
    let end = bytes.indexOf(separator, Math.max(0, from - separator.length));
    for (; end >= 0; end = bytes.indexOf(separator, start)) {
      // With its closing brace; the next one begins with its opening brace.
      this.#add(bytes.subarray(start, end + indent.length + 2));
      start = end + separator.length - 1;
    }
    this.#dropTo(start);
  }

  #dropTo(start: number): void {
    this.#bytes.copyWithin(0, start, this.#length);
    this.#length -= start;
  }

  #add(piece: Buffer): void {
    const digest = hash("sha256", piece, "binary");
    let record = this.#before.get(digest);
    if (record === undefined) {
      const text = piece.toString();
      record = this.#text?.read(text);
      if (record === undefined) {
        const value = jsonOr(text);
        if (value === undefined) {
          this.#isBroken = true;
          return;
        }
        record = this.#read(value);
      }
    }
    this.#known.set(digest, record);
    this.#records.push(record);
  }
}

/** Undefined: the list is not there, is empty, or is not in lines. */
function layoutOf(bytes: Buffer, name: string): Layout | undefined {
  const text = bytes.toString("latin1");
  // As deep as the first key of the answer: a list of that name inside of another value is another list.
  const outer = /^\{\n([ \t]{0,40})"/.exec(text)?.[1];
  const heading = `\n${outer}"${name}": [\n`;
  const at = outer === undefined ? -1 : text.indexOf(heading);
  const first = at < 0 ? -1 : text.indexOf("{", at + heading.length);
  if (first < 0) return undefined;
  const indent = text.slice(at + heading.length, first);
  if (!/^[ \t]{0,40}$/.test(indent)) return undefined;
  return {
    head: Buffer.from(bytes.subarray(0, first)),
    indent,
    separator: Buffer.from(`\n${indent}},\n${indent}{`),
  };
}

/** Slurm reports failures inside an answer that is valid JSON. */
const errors = z.array(z.unknown()).nullish();

function listIn(value: unknown, name: string): readonly unknown[] | undefined {
  const answer = z.object({ [name]: z.array(z.unknown()), errors }).safeParse(value).data;
  return answer?.errors?.length ? undefined : (answer?.[name] as readonly unknown[] | undefined);
}
