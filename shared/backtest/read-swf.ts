import { linesOf } from "./lines-of.ts";
import { inQueueOrder, LeftOutRecords, type TraceJob, type Workload } from "./trace-job.ts";

/** Columns of the Standard Workload Format, counted from 0. */
const column = { job: 0, submit: 1, run: 3, allocated: 4, requested: 7, requestedSeconds: 8 } as const;

/** A trace with fewer columns says nothing about what was requested, which is allowed. */
const leastColumns = column.allocated + 1;

/**
 * Reads a trace in the Standard Workload Format: one job a line, -1 for unknown, `;` before comments. A job takes the
 * processors that it requested, or those that it was given where the request is unknown. Records without a run time or
 * without processors, and lines that cannot be read, are counted and left out.
 */
export function readSwf(text: string): Workload {
  const jobs: TraceJob[] = [];
  const leftOut = new LeftOutRecords();
  for (const line of linesOf(text)) {
    if (line.text === "" || line.text.startsWith(";")) continue;
    const read = readLine(line.text.split(/\s+/));
    if (typeof read === "string") leftOut.add(read, `line ${line.number}`);
    else jobs.push(read);
  }
  return { jobs: inQueueOrder(jobs), leftOut: leftOut.list() };
}

/** A job, or why the line is none. */
function readLine(fields: readonly string[]): TraceJob | string {
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
  if (runSeconds <= 0) return "no run time above 0";
  const processors = requested > 0 ? requested : allocated;
  if (processors <= 0) return "no processors";
  return {
    name: fields[column.job] ?? "",
    submitSeconds,
    runSeconds,
    requestedSeconds: requestedSeconds > 0 ? requestedSeconds : null,
    processors,
  };
}

function wholeNumber(text: string | undefined): number | undefined {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}
