import { hash } from "node:crypto";
import { z } from "zod";
import { parseJson } from "../../../../shared/json/json.ts";
import type { Answer } from "../driver.ts";

/**
 * The records of a list that Slurm prints as JSON. Each is read once: the next answer has most of them again, letter by letter, and
 * those are remembered by a digest of their text.
 */
export class RecordList<T> {
  readonly #name: string;
  readonly #read: (value: unknown) => T;
  #known: ReadonlyMap<string, T> = new Map();

  constructor(name: string, read: (value: unknown) => T) {
    this.#name = name;
    this.#read = read;
  }

  /** Undefined: it is not what the command prints, or reports an error. */
  in(answer: Answer | undefined): readonly T[] | undefined {
    const bytes = bytesOf(answer);
    return this.#piecewise(bytes) ?? listIn(parsed(bytes), this.#name)?.map(this.#read);
  }

  #piecewise(bytes: Buffer): readonly T[] | undefined {
    const cut = cutList(bytes, this.#name);
    if (cut === undefined) return undefined;
    const known = new Map<string, T>();
    const records: T[] = [];
    for (const piece of cut) {
      const digest = hash("sha256", piece, "binary");
      let record = this.#known.get(digest);
      if (record === undefined) {
        const value = parsed(piece);
        if (value === undefined) return undefined;
        record = this.#read(value);
      }
      known.set(digest, record);
      records.push(record);
    }
    this.#known = known;
    return records;
  }
}

/**
 * The texts of a list's records, cut where a line is their closing brace. JSON has no line break inside a text, so such a line is a
 * brace; whether it is the right one shows: all pieces are JSON, and so is what is around them. Undefined: it is laid out
 * in another way.
 */
function cutList(bytes: Buffer, name: string): readonly Buffer[] | undefined {
  const heading = `"${name}": [\n`;
  const at = bytes.indexOf(heading);
  const first = bytes.indexOf("{", at + heading.length);
  if (at < 0 || first < 0) return undefined;
  const indent = bytes.toString("latin1", at + heading.length, first);
  const separator = Buffer.from(`\n${indent}},\n${indent}{`);
  if (indent.trim() !== "") return undefined;
  const pieces: Buffer[] = [];
  let start = first;
  for (let end = bytes.indexOf(separator, start); end >= 0; end = bytes.indexOf(separator, start)) {
    // With its closing brace; the next one begins with its opening brace.
    pieces.push(bytes.subarray(start, end + indent.length + 2));
    start = end + separator.length - 1;
  }
  const end = bytes.indexOf(`\n${indent}}\n`, start);
  if (end < 0) return undefined;
  const last = end + indent.length + 2;
  pieces.push(bytes.subarray(start, last));
  const around = Buffer.concat([bytes.subarray(0, first), Buffer.from("null"), bytes.subarray(last)]);
  const list = listIn(parsed(around), name);
  return list?.length === 1 && list[0] === null ? pieces : undefined;
}

function bytesOf(answer: Answer | undefined): Buffer {
  const { bytes } = answer ?? {};
  if (bytes === undefined) return Buffer.from(answer?.text ?? "");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Slurm reports failures inside an answer that is valid JSON. */
const errors = z.array(z.unknown()).nullish();

function listIn(value: unknown, name: string): readonly unknown[] | undefined {
  const answer = z.object({ [name]: z.array(z.unknown()), errors }).safeParse(value).data;
  return answer?.errors?.length ? undefined : (answer?.[name] as readonly unknown[] | undefined);
}

/** Undefined: it is no JSON. */
function parsed(bytes: Buffer): unknown {
  try {
    return parseJson(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}
