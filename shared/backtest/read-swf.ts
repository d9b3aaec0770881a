import { LeftOutRecords, runTimeProblem, type TraceJob, type Workload } from "./trace-job.ts";
import { JobPacking } from "./workload/job-columns.ts";
import type { LineReader, NumberedLine } from "./workload/read-lines.ts";

/** Columns of the Standard Workload Format, counted from 0. */
const column = {
  job: 0,
  submit: 1,
  run: 3,
  allocated: 4,
  requested: 7,
  requestedSeconds: 8,
  requestedMemory: 9,
  user: 11,
  group: 12,
  queue: 14,
} as const;

/** Columns of the standard. Traces of PBS clusters have more; the last one names nodes: `8:ppn=8:x86_64#excl`. */
const standardColumns = 18;
const kibPerGiB = 2 ** 20;
const bytesPerGiB = 2 ** 30;

/** A trace with fewer columns says nothing about what was requested, which is allowed. */
const leastColumns = column.allocated + 1;

/**
 * Reads a trace in the Standard Workload Format: one job a line, -1 for unknown, `;` before comments. A job takes the
 * processors that it requested, or those that it was given where the request is unknown. Records without a run time or
 * without processors, and lines that cannot be read, are counted and left out.
 */
export class SwfReader implements LineReader {
  readonly #jobs = new JobPacking();
  readonly #leftOut = new LeftOutRecords();
  #clockStart: Pick<Workload, "clockStartSeconds"> = {};

  line({ number, text }: NumberedLine): void {
    const [, start] = /^;\s*UnixStartTime:\s*(\d{1,12})\s*$/.exec(text) ?? [];
    if (start !== undefined) this.#clockStart = { clockStartSeconds: Number(start) };
    if (text === "" || text.startsWith(";")) return;
    const read = readSwfJob(text.split(/\s+/));
    if (typeof read === "string") this.#leftOut.add(read, `line ${number}`);
    else this.#jobs.add(read);
  }

  end(): Workload {
    return { ...this.#clockStart, jobs: this.#jobs.inOrder(), leftOut: this.#leftOut.list() };
  }
}

/** A job, or why the line is none. */
export function readSwfJob(fields: readonly string[]): TraceJob | string {
  if (fields.length < leastColumns) return `fewer than ${leastColumns} columns`;
  const submitSeconds = wholeNumber(fields[column.submit]);
  const runSeconds = wholeNumber(fields[column.run]);
  const allocated = wholeNumber(fields[column.allocated]);
  const requested = wholeNumber(fields[column.requested] ?? "-1");
  const requestedSeconds = wholeNumber(fields[column.requestedSeconds] ?? "-1");
  if (
    submitSeconds === undefined ||
    runSeconds === undefined ||
    allocated === undefined ||
    requested === undefined ||
    requestedSeconds === undefined
  )
    return "a column is not a whole number";
  const problem = runTimeProblem(runSeconds);
  if (problem !== undefined) return problem;
  const processors = requested > 0 ? requested : allocated;
  if (processors <= 0) return "no processors";
  return {
    name: fields[column.job] ?? "",
    submitSeconds,
    runSeconds,
    requestedSeconds: requestedSeconds > 0 ? requestedSeconds : null,
    processors,
    ...(fields.length > standardColumns ? nodesOf(fields) : memoryOf(fields, processors)),
    ...whoseOf(fields),
  };
}

function memoryOf(fields: readonly string[], processors: number): Pick<TraceJob, "memoryGiB"> {
  const kib = wholeNumber(fields[column.requestedMemory]) ?? -1;
  return kib > 0 ? { memoryGiB: (kib * processors) / kibPerGiB } : {};
}

/** A specification without a number in front names one host. */
function nodesOf(fields: readonly string[]): Pick<TraceJob, "nodes" | "memoryGiB" | "exclusive"> {
  const specification = fields.at(-1) ?? "";
  const nodes = Math.max(1, Number(/^(\d{1,6})(?=[:#]|$)/.exec(specification)?.[1] ?? 1));
  const bytes = wholeNumber(fields[column.requestedMemory]) ?? -1;
  return {
    nodes,
    ...(bytes > 0 ? { memoryGiB: (bytes * nodes) / bytesPerGiB } : {}),
    ...(specification.includes("#excl") ? { exclusive: true } : {}),
  };
}

/** Traces have numbers in place of names. */
function whoseOf(fields: readonly string[]): Pick<TraceJob, "user" | "account" | "queue"> {
  const named = (name: string, index: number) => {
    const number = wholeNumber(fields[index]) ?? -1;
    return number < 0 ? {} : { [name]: `${name}-${number}` };
  };
  return {
    ...named("user", column.user),
    ...named("account", column.group),
    ...named("queue", column.queue),
  };
}

function wholeNumber(text: string | undefined): number | undefined {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}
