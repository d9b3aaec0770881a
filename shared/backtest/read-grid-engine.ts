import { LeftOutRecords, runTimeProblem, type TraceJob, type Workload } from "./trace-job.ts";
import { JobPacking } from "./workload/job-columns.ts";
import type { LineReader, NumberedLine } from "./workload/read-lines.ts";

/** Fields of a record, counted from 0, as `man 5 accounting` has them. Later ones come after a text that may hold colons. */
const field = {
  queue: 0,
  owner: 3,
  jobName: 4,
  jobNumber: 5,
  account: 6,
  submitted: 8,
  started: 9,
  ended: 10,
  failed: 11,
  project: 31,
  slots: 34,
  task: 35,
  category: 39,
} as const;

const leastFields = field.task + 1;
/** 1 January 5138 in seconds: a larger time is in milliseconds, as Univa Grid Engine 8.2 and later write it. */
const latestSeconds = 100_000_000_000;
/** Values of the field `failed`: the job was migrated or rescheduled. Another record follows. */
const movedAway: readonly string[] = ["24", "25"];
const earlierRun = "an earlier run of a job that was started again";

/** Jobs of one second are queued by their numbers: the file is in the order of the ends. */
const { compare: byNumber } = new Intl.Collator("en", { numeric: true });

/**
 * Reads the accounting file of Grid Engine (`$SGE_ROOT/default/common/accounting`): one record a line, separated by colons. A
 * task of an array is a job of its own; records of the parts of a parallel job are passed over. The last run of a
 * restarted job counts.
 */
export class GridEngineReader implements LineReader {
  readonly #jobs = new JobPacking();
  readonly #leftOut = new LeftOutRecords();
  readonly #seen = new Map<string, { readonly place: number; readonly line: number }>();
  #firstPart: number | undefined;

  line({ number, text }: NumberedLine): void {
    // A line of one character is none, by the manual.
    if (text.length <= 1 || text.startsWith("#")) return;
    const where = `line ${number}`;
    if (text.startsWith("{")) {
      this.#leftOut.add(
        "JSON, as release 9 writes it: set old_accounting=true in its reporting_params",
        where,
      );
      return;
    }
    const fields = text.split(":");
    if (fields.length < leastFields) {
      this.#leftOut.add(`fewer than ${leastFields} fields between colons`, where);
      return;
    }
    if (isPartOfParallelJob(fields)) {
      this.#firstPart ??= number;
      return;
    }
    const read = readRecord(fields);
    if (typeof read === "string") {
      this.#leftOut.add(read, where);
      return;
    }
    const before = this.#seen.get(read.name);
    if (before !== undefined) this.#leftOut.add(earlierRun, `line ${before.line}`);
    this.#seen.set(read.name, { place: this.#jobs.add(read, before?.place), line: number });
  }

  end(): Workload {
    this.#seen.clear();
    // A file in another format looks like this: report it instead of returning an empty workload.
    if (this.#firstPart !== undefined && this.#jobs.length === 0)
      this.#leftOut.add("a part of a parallel job, and no record of any job", `line ${this.#firstPart}`);
    return { jobs: this.#jobs.inOrder(byNumber), leftOut: this.#leftOut.list() };
  }
}

/** A job, or why the record is none. */
function readRecord(fields: readonly string[]): TraceJob | string {
  if (movedAway.includes(at(fields, field.failed))) return earlierRun;
  const submitSeconds = moment(at(fields, field.submitted));
  const started = moment(at(fields, field.started));
  const ended = moment(at(fields, field.ended));
  const slots = Number(at(fields, field.slots));
  const task = Number(at(fields, field.task));
  if (submitSeconds === undefined || started === undefined || ended === undefined)
    return "a time is not a whole number";
  if (started === 0) return "it never started";
  const problem = runTimeProblem(ended - started);
  if (problem !== undefined) return problem;
  if (!Number.isSafeInteger(slots) || slots < 1) return "no slots";
  const number = at(fields, field.jobNumber);
  if (!/^\d+$/.test(number)) return "no job number";
  return {
    name: task > 0 ? `${number}.${task}` : number,
    submitSeconds,
    runSeconds: ended - started,
    requestedSeconds: requestedSeconds(at(fields, field.category), fields),
    processors: slots,
    ...named("user", at(fields, field.owner)),
    ...named("account", accountOf(fields)),
    ...named("queue", at(fields, field.queue)),
    ...named("jobName", at(fields, field.jobName)),
  };
}

/** The project; without one what was given to `qsub -A`, whose default is `sge`. */
function accountOf(fields: readonly string[]): string {
  const project = at(fields, field.project);
  if (project !== "NONE" && project !== "") return project;
  const account = at(fields, field.account);
  return account === "sge" ? "" : account;
}

/** The run time that was asked for (`h_rt`, seconds or h:m:s). The category may hold colons, which are separators here. */
function requestedSeconds(category: string, fields: readonly string[]): number | null {
  if (!category.startsWith("-")) return null;
  const text = fields.slice(field.category, afterCategory(fields)).join(":");
  const asked = /\bh_rt=(\d+(?::\d+){0,2})(?![\d:])/.exec(text)?.[1];
  if (asked === undefined) return null;
  const seconds = asked.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
  return seconds > 0 ? seconds : null;
}

/** A task that a parallel job started on one of its hosts has a record of its own in some configurations. */
function isPartOfParallelJob(fields: readonly string[]): boolean {
  const taskId = fields[afterCategory(fields) + 1];
  return taskId !== undefined && taskId !== "" && taskId !== "NONE";
}

/** The place of `iow`, a number with a point, behind the category; behind it are the task of a parallel job and a number. */
function afterCategory(fields: readonly string[]): number {
  for (let index = field.category + 1; index < fields.length; index += 1)
    if (/^\d+\.\d+$/.test(at(fields, index)) && /^\d+(\.\d+)?$/.test(at(fields, index + 2))) return index;
  return field.category + 1;
}

function moment(text: string): number | undefined {
  if (!/^\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value > latestSeconds ? Math.floor(value / 1_000) : value;
}

function at(fields: readonly string[], index: number): string {
  return fields[index] ?? "";
}

function named<Name extends "user" | "account" | "queue" | "jobName">(name: Name, text: string) {
  return text === "" || text === "NONE" ? {} : ({ [name]: text } as { readonly [Key in Name]?: string });
}
