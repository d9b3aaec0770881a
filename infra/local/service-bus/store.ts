import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import type { JournalRecord } from "./broker/journal.ts";

/** Where the broker's facts are kept, and the order between keeping them and telling anybody. */
export interface Store {
  append(record: JournalRecord): void;
  /** Runs `then` as soon as everything appended so far would survive a kill of the process. */
  whenKept(then: () => void): void;
  close(): void;
}

/** Keeps nothing: a restart begins with empty queues. */
export function memoryStore(): Store {
  return { append: () => {}, whenKept: (then) => then(), close: () => {} };
}

export interface FileStoreOptions {
  readonly path: string;
  /** The shortest journal for the present state; asked for while no operation is half done. */
  readonly snapshot: () => Iterable<JournalRecord>;
  /** The file is not compacted while it is shorter than this; otherwise whenever it has doubled. */
  readonly compactFromBytes?: number;
}

const defaultCompactFromBytes = 4 * 1024 * 1024;

/**
 * The journal of an earlier run; empty when there is no file. A last line without its newline was never
 * acknowledged to anybody and is left out. Throws a SyntaxError that names a broken line anywhere else.
 */
export function readJournal(path: string): readonly JournalRecord[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line, index) => {
    try {
      return decode(line);
    } catch (cause) {
      throw new SyntaxError(`Cannot read line ${index + 1} of "${path}": not a journal record`, { cause });
    }
  });
}

/**
 * An append-only file of JSON lines, in a folder that is made where it is missing. All records of one turn of the event loop are written by one call and only
 * then are the waiting answers given, so that everything confirmed to a client is in the file. There is no fsync:
 * this survives a killed process, not a power cut.
 */
export function fileStore(options: FileStoreOptions): Store {
  const { path, snapshot, compactFromBytes = defaultCompactFromBytes } = options;
  let lines: string[] = [];
  let waiting: (() => void)[] = [];
  let scheduled = false;
  let closed = false;
  mkdirSync(dirname(path), { recursive: true });
  let { file, bytes } = rewrite(path, snapshot());
  let compactAt = Math.max(compactFromBytes, bytes * 2);

  const compact = () => {
    closeSync(file);
    ({ file, bytes } = rewrite(path, snapshot()));
    compactAt = Math.max(compactFromBytes, bytes * 2);
  };
  const flush = () => {
    scheduled = false;
    if (lines.length > 0) bytes += writeAll(file, lines.join(""));
    lines = [];
    const answers = waiting;
    waiting = [];
    if (bytes > compactAt && !closed) compact();
    for (const answer of answers) answer();
  };
  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    process.nextTick(flush);
  };
  return {
    append(record) {
      lines.push(encode(record));
      schedule();
    },
    whenKept(then) {
      waiting.push(then);
      schedule();
    },
    close() {
      closed = true;
      flush();
      closeSync(file);
    },
  };
}

/** Replaces the file by a snapshot in one step: at any moment either the old or the new one is complete. */
function rewrite(path: string, records: Iterable<JournalRecord>): { file: number; bytes: number } {
  const temporary = `${path}.new`;
  const text = [...records].map(encode).join("");
  writeFileSync(temporary, text);
  renameSync(temporary, path);
  return { file: openSync(path, "a"), bytes: Buffer.byteLength(text) };
}

function writeAll(file: number, text: string): number {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
  return bytes.length;
}

function encode(record: JournalRecord): string {
  return `${JSON.stringify(toLine(record))}\n`;
}

function toLine(record: JournalRecord): unknown {
  if (record.op !== "put") return record;
  return { ...record, message: { ...record.message, payload: toBase64(record.message.payload) } };
}

/** The file is our own, so that a line is either what `encode` wrote or an error. */
function decode(line: string): JournalRecord {
  const parsed: unknown = JSON.parse(line);
  if (!isRecord(parsed)) throw new SyntaxError("Not a journal record");
  if (parsed.op !== "put") return parsed;
  return { ...parsed, message: { ...parsed.message, payload: fromBase64(parsed.message.payload) } };
}

function isRecord(value: unknown): value is JournalRecord {
  return typeof value === "object" && value !== null && "op" in value && "queue" in value;
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** What JSON holds where the record has bytes is a string; anything else is a broken line. */
function fromBase64(text: unknown): Buffer {
  if (typeof text !== "string") throw new SyntaxError("Not base64");
  return Buffer.from(text, "base64");
}
