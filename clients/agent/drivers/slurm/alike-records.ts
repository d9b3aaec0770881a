import { hash } from "node:crypto";
import type { z } from "zod";
import { jsonOr } from "../../../../shared/json/json.ts";
import { type CutRecord, FieldCutter, valueOfRest } from "./field-cutter.ts";
import type { TextReader } from "./record-list.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Which fields may differ in records that are alike, and how a record is made of what is left and of these. */
export interface Likeness<Common, T> {
  readonly own: Readonly<Record<string, z.ZodType>>;
  /** Values that the schema of such a field leaves as they are: most are, and are not checked by it then. */
  readonly stays: Readonly<Record<string, (value: unknown) => boolean>>;
  /** The field that every record has to have. */
  readonly id: string;
  /** What differs as well, and is not read. */
  readonly unread: readonly string[];
  /** From a record without these fields; undefined where it has to be read as a whole. */
  readonly common: (rest: Fields) => Common | undefined;
  readonly whole: (common: Common, own: Fields) => T;
}

interface ReadValue {
  readonly text: string;
  readonly data: unknown;
  /** It is not one that is not read. */
  readonly isOwn: boolean;
}

/** Reads records from their text: what those have in common that differ in some fields alone is parsed and checked once. */
export class AlikeRecords<Common, T> implements TextReader<T> {
  readonly #likeness: Likeness<Common, T>;
  readonly #cutter: FieldCutter;
  /** By a digest of what they have in common. Undefined: they have to be read one by one. */
  readonly #common = new Map<string, Common | undefined>();
  #last: { readonly rest: string; readonly common: Common | undefined } | undefined;
  /** Of the record before, by field: most have the same. */
  readonly #values = new Map<string, ReadValue>();

  constructor(likeness: Likeness<Common, T>) {
    this.#likeness = likeness;
    this.#cutter = new FieldCutter([...Object.keys(likeness.own), ...likeness.unread]);
  }

  read(text: string): T | undefined {
    const cut = this.#cutter.cut(text);
    if (cut === undefined) return undefined;
    // Mostly the very text of the record before.
    const { common } = this.#last?.rest === cut.rest ? this.#last : this.#look(cut);
    const own = common && this.#ownOf(cut);
    return common && own && this.#likeness.whole(common, own);
  }

  forget(): void {
    this.#common.clear();
    this.#last = undefined;
  }

  #look(cut: CutRecord): { readonly rest: string; readonly common: Common | undefined } {
    const digest = hash("sha256", cut.rest, "binary");
    if (!this.#common.has(digest)) this.#common.set(digest, this.#commonOf(cut));
    this.#last = { rest: cut.rest, common: this.#common.get(digest) };
    return this.#last;
  }

  #commonOf(cut: CutRecord): Common | undefined {
    const value = valueOfRest(cut);
    if (value === undefined || !cut.names.includes(this.#likeness.id)) return undefined;
    const rest = Object.entries(value).filter(([name]) => !cut.names.includes(name));
    return this.#likeness.common(Object.fromEntries(rest));
  }

  /** The fields that the text has; undefined when one of them cannot be used. */
  #ownOf({ names, values }: CutRecord): Fields | undefined {
    const fields: Record<string, unknown> = {};
    for (const [index, name] of names.entries()) {
      const text = values[index] ?? "";
      const before = this.#values.get(name);
      const value = before?.text === text ? before : this.#valueOf(name, text);
      if (value === undefined) return undefined;
      this.#values.set(name, value);
      if (value.isOwn) fields[name] = value.data;
    }
    return fields;
  }

  #valueOf(name: string, text: string): ReadValue | undefined {
    const { own, stays } = this.#likeness;
    const data = jsonOr(text);
    if (data === undefined) return undefined;
    const schema = own[name];
    if (schema === undefined || stays[name]?.(data) === true)
      return { text, data, isOwn: schema !== undefined };
    const read = schema.safeParse(data);
    return read.success ? { text, data: read.data, isOwn: true } : undefined;
  }
}
