import type { z } from "zod";
import { messageOf } from "../../../shared/errors/errors.ts";
import { describeProblems } from "../../../shared/messages/index.ts";
import type { SetAside } from "./driver.ts";

export type ReadRecord<T> =
  | { readonly ok: true; readonly record: T }
  | { readonly ok: false; readonly reason: string };

/** Reads one record: a function of your own, or a schema of zod. Neither needs the other. */
export type RecordReader<T> = ((value: unknown) => ReadRecord<T>) | z.ZodType<T>;

/**
 * Reads one record of a scheduler. Never throws, whatever the record is: a function that throws refuses the record, and the
 * reason is its error's message.
 */
export function readRecord<T>(reader: RecordReader<T>, value: unknown): ReadRecord<T> {
  if (typeof reader === "function") {
    try {
      return reader(value);
    } catch (error) {
      return { ok: false, reason: messageOf(error) };
    }
  }
  try {
    const parsed = reader.safeParse(value, { reportInput: true });
    return parsed.success
      ? { ok: true, record: parsed.data }
      : { ok: false, reason: describeProblems(parsed.error).join("; ") };
  } catch {
    // zod compares whatever has a length with a number, also `{"length": {"valueOf": 1}}`, which cannot be.
    return { ok: false, reason: "message: a value that cannot be compared, expected plain JSON" };
  }
}

export interface RecordList<T> {
  readonly records: readonly T[];
  /** Those that cannot be used. Where the record runs something, its hosts are named, so that they keep their nodes. */
  readonly setAside: readonly SetAside[];
}

/**
 * Reads every record of a list: what can be read counts, the rest is set aside. `hostsOf` says where a record runs that
 * cannot be read, as far as can be told.
 */
export function readRecords<T>(
  values: readonly unknown[],
  reader: RecordReader<T>,
  about: {
    readonly nameOf: (value: unknown, index: number) => string;
    readonly hostsOf?: (value: unknown) => readonly string[];
  },
): RecordList<T> {
  const records: T[] = [];
  const setAside: SetAside[] = [];
  for (const [index, value] of values.entries()) {
    const read = readRecord(reader, value);
    if (read.ok) {
      records.push(read.record);
      continue;
    }
    const hosts = about.hostsOf?.(value) ?? [];
    setAside.push({
      record: about.nameOf(value, index),
      reason: read.reason,
      ...(hosts.length === 0 ? {} : { executingHostnames: hosts }),
    });
  }
  return { records, setAside };
}

/** A field of whatever was printed; undefined when it has none. */
export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
