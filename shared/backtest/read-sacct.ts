import type { TimeZone } from "../time/time-zone.ts";
import {
  type SlurmMoment,
  slurmGpus,
  slurmMemoryGiB,
  slurmMoment,
  slurmResources,
  slurmSeconds,
} from "./slurm-values.ts";
import { LeftOutRecords, runTimeProblem, type TraceJob, type Workload } from "./trace-job.ts";
import { JobPacking } from "./workload/job-columns.ts";
import type { LineReader, NumberedLine } from "./workload/read-lines.ts";

/** What a text must have to be read at all. */
export interface MissingColumns {
  /** Each a choice, such as `ElapsedRaw or Elapsed`. */
  readonly missing: readonly string[];
}

/** One of the columns of each row is needed. */
const needed: readonly (readonly string[])[] = [
  ["JobID", "JobIDRaw"],
  ["Submit", "Eligible"],
  ["ElapsedRaw", "Elapsed"],
  ["ReqCPUS", "ReqTRES", "AllocCPUS", "NCPUS", "AllocTRES"],
];

const unfinished: Readonly<Record<string, string>> = {
  PENDING: "it has not started yet",
  RUNNING: "it still runs",
  SUSPENDED: "it still runs",
  RESIZING: "an earlier run of a job that was requeued or resized",
  REQUEUED: "an earlier run of a job that was requeued or resized",
};
const earlierRun = "an earlier run of a job that was requeued or resized";
const isUnknown = (text: string) => text === "" || text === "Unknown" || text === "None";

/** Settings that the text itself does not contain. */
export interface SacctOptions {
  /** Time zone of times without one. Absent: UTC. */
  readonly timeZone?: TimeZone;
}

/**
 * Reads what `sacct --parsable2` (or `--parsable`, or with another `--delimiter`) prints: the first line names the columns,
 * which may be any, in any order, as long as the needed ones are among them. Steps are parts of jobs and passed over. A task of
 * an array is a job of its own. The last run of a requeued job counts.
 */
export class SacctReader implements LineReader<Workload | MissingColumns> {
  readonly #options: SacctOptions;
  readonly #leftOut = new LeftOutRecords();
  readonly #remarks = new LeftOutRecords();
  readonly #jobs = new JobPacking();
  readonly #seen = new Map<string, { readonly place: number; readonly line: number }>();
  #header: Header | undefined;

  constructor(options: SacctOptions = {}) {
    this.#options = options;
  }

  line({ number, text }: NumberedLine): void {
    if (this.#header === undefined) {
      this.#header = headerOf(text);
      return;
    }
    const { names, columns, delimiter, missing } = this.#header;
    if (text === "" || text === this.#header.text || missing.length > 0) return;
    const fields = text.split(delimiter);
    if (fields.at(-1) === "" && fields.length === names.length + 1) fields.pop();
    if (fields.length === names.length)
      this.#read(new SacctRecord(columns, fields, this.#options.timeZone), number);
    else
      this.#leftOut.add(
        `not ${names.length} columns, as the first line has (does a name hold "${delimiter}"?)`,
        `line ${number}`,
      );
  }

  end(): Workload | MissingColumns {
    const { missing } = this.#header ?? headerOf("");
    this.#seen.clear();
    if (missing.length > 0) return { missing };
    return {
      jobs: this.#jobs.inOrder(),
      leftOut: this.#leftOut.list(),
      remarks: this.#remarks.list(),
    };
  }

  #read(record: SacctRecord, line: number): void {
    if (record.isStep) return;
    const where = `line ${line}`;
    const read = record.read();
    if (typeof read === "string") {
      this.#leftOut.add(read, where);
      return;
    }
    for (const remark of record.remarks()) this.#remarks.add(remark, where);
    const before = this.#seen.get(read.name);
    const isEarlier = before !== undefined && this.#jobs.submitSecondsOf(before.place) > read.submitSeconds;
    if (before !== undefined) this.#leftOut.add(earlierRun, isEarlier ? where : `line ${before.line}`);
    if (!isEarlier) this.#seen.set(read.name, { place: this.#jobs.add(read, before?.place), line });
  }
}

interface Header {
  readonly text: string;
  readonly delimiter: string;
  readonly names: readonly string[];
  readonly columns: ReadonlyMap<string, number>;
  readonly missing: readonly string[];
}

function headerOf(text: string): Header {
  const delimiter = /[^A-Za-z]+/.exec(text)?.[0] ?? "|";
  const names = text.split(delimiter).filter((name) => name !== "");
  const columns = new Map(names.map((name, index) => [name.toLowerCase(), index]));
  const missing = needed.filter((choices) => !choices.some((name) => columns.has(name.toLowerCase())));
  return { text, delimiter, names, columns, missing: missing.map((choices) => choices.join(" or ")) };
}

class SacctRecord {
  readonly #columns: ReadonlyMap<string, number>;
  readonly #fields: readonly string[];
  readonly #timeZone: TimeZone | undefined;

  constructor(
    columns: ReadonlyMap<string, number>,
    fields: readonly string[],
    timeZone: TimeZone | undefined,
  ) {
    this.#columns = columns;
    this.#fields = fields;
    this.#timeZone = timeZone;
  }

  /** A step has a dot: `12.batch`, `12_3.extern`, `12.0`. */
  get isStep(): boolean {
    return this.#name.includes(".");
  }

  get #name(): string {
    return this.#text("JobID") || this.#text("JobIDRaw");
  }

  /** A job, or why the record is none. */
  read(): TraceJob | string {
    // "CANCELLED by 1000"
    const state = this.#text("State").split(/[ +]/)[0] ?? "";
    const why = unfinished[state];
    if (why !== undefined) return why;
    if (this.#name.includes("[")) return "tasks of an array that have not started";
    const submitted = this.#submitted();
    if (submitted === undefined) return "no time of submission that can be read";
    const runSeconds = this.#runSeconds();
    if (runSeconds === undefined) return "no run time that can be read";
    const problem = runTimeProblem(runSeconds);
    if (problem !== undefined) return problem;
    const processors = this.#processors();
    if (processors === undefined) return "no processors";
    return {
      name: this.#name,
      submitSeconds: submitted.seconds,
      runSeconds,
      requestedSeconds: this.#requestedSeconds(),
      processors,
      ...this.#shape(processors),
      ...this.#named("user", "User"),
      ...this.#named("account", "Account"),
      ...this.#named("queue", "Partition"),
      ...this.#named("jobName", "JobName"),
    };
  }

  /** What is odd about a job that is used. */
  remarks(): readonly string[] {
    const zone = this.#timeZone?.name ?? "UTC";
    const submitted = this.#submitted();
    return [
      ...(this.#isOffByClocks() ? [overChange(this.#timeZone)] : []),
      ...(submitted?.again === undefined
        ? []
        : [`submitted in the hour that the clocks of ${zone} had twice: taken for the first time`]),
      ...(submitted?.isSkipped === true
        ? [`submitted at a time that the clocks of ${zone} passed over: taken as if they had not changed`]
        : []),
      ...(this.#name.includes("+") ? ["a part of a heterogeneous job is taken for a job of its own"] : []),
    ];
  }

  /** Start and end by local clocks are a whole number of quarters further apart, or closer, than the job ran. */
  #isOffByClocks(): boolean {
    const [start, end, runSeconds] = [this.#start(), this.#moment("End"), this.#runSeconds()];
    const isLocal = start?.isExact === false && end?.isExact === false;
    if (!isLocal || runSeconds === undefined || this.#isSuspended) return false;
    const ends = [end.seconds, end.again ?? end.seconds];
    const shifts = ends.map((seconds) => seconds - start.seconds - runSeconds);
    return shifts.every((shift) => shift !== 0 && shift % 900 === 0 && Math.abs(shift) <= 7_200);
  }

  get #isSuspended(): boolean {
    return !["", "00:00:00"].includes(this.#text("Suspended"));
  }

  /** In an hour that the clocks had twice, the start decides if it can: a job is submitted before it starts. */
  #submitted(): SlurmMoment | undefined {
    const submitted = this.#moment("Eligible") ?? this.#moment("Submit");
    const start = this.#start();
    if (submitted?.again === undefined || start === undefined) return submitted;
    const isFirst = submitted.again > start.seconds && start.again === undefined;
    return isFirst ? { seconds: submitted.seconds, isExact: false } : submitted;
  }

  /** In an hour that the clocks had twice, the one from which the job ran until its end. */
  #start(): SlurmMoment | undefined {
    const [start, end, runSeconds] = [this.#moment("Start"), this.#moment("End"), this.#runSeconds()];
    if (start?.again === undefined || end === undefined || runSeconds === undefined || this.#isSuspended)
      return start;
    const { isExact } = start;
    const fits = [start.seconds, start.again].filter((seconds) =>
      [end.seconds, end.again].includes(seconds + runSeconds),
    );
    const [first] = fits;
    return first === undefined || fits.length > 1 ? start : { seconds: first, isExact };
  }

  #runSeconds(): number | undefined {
    return this.#number("ElapsedRaw") ?? slurmSeconds(this.#text("Elapsed"));
  }

  #requestedSeconds(): number | null {
    const minutes = this.#number("TimelimitRaw");
    const seconds = minutes === undefined ? slurmSeconds(this.#text("Timelimit")) : minutes * 60;
    return seconds !== undefined && seconds > 0 ? seconds : null;
  }

  /** What was asked for comes before what was given: with whole nodes that is more. */
  #processors(): number | undefined {
    const all = [
      this.#number("ReqCPUS"),
      Number(this.#resources("ReqTRES").get("cpu")),
      this.#number("AllocCPUS"),
      this.#number("NCPUS"),
      Number(this.#resources("AllocTRES").get("cpu")),
    ];
    return all.find((count) => count !== undefined && Number.isSafeInteger(count) && count > 0);
  }

  #shape(processors: number): Pick<TraceJob, "nodes" | "memoryGiB" | "gpus"> {
    const asked = this.#resources("ReqTRES");
    const given = this.#resources("AllocTRES");
    const nodes = [
      Number(asked.get("node")),
      this.#number("NNodes"),
      this.#number("AllocNodes"),
      Number(given.get("node")),
    ].find((count) => count !== undefined && Number.isSafeInteger(count) && count > 0);
    const memoryGiB =
      slurmMemoryGiB(asked.get("mem") ?? "") ??
      this.#requestedMemoryGiB(processors, nodes) ??
      slurmMemoryGiB(given.get("mem") ?? "");
    const gpus = slurmGpus(asked) || slurmGpus(given);
    return {
      ...(nodes === undefined ? {} : { nodes }),
      ...(memoryGiB === undefined || memoryGiB === 0 ? {} : { memoryGiB }),
      ...(gpus > 0 ? { gpus } : {}),
    };
  }

  /** `8G`; before Slurm 21.08 `8Gn` of each node, or `2Gc` of each processor. */
  #requestedMemoryGiB(processors: number, nodes: number | undefined): number | undefined {
    const [, amount = "", per] = /^(.*?)([nc]?)$/.exec(this.#text("ReqMem")) ?? [];
    const memoryGiB = slurmMemoryGiB(amount);
    if (memoryGiB === undefined || (per === "n" && nodes === undefined)) return undefined;
    return memoryGiB * (per === "c" ? processors : per === "n" ? (nodes ?? 1) : 1);
  }

  #text(column: string): string {
    const index = this.#columns.get(column.toLowerCase());
    return index === undefined ? "" : (this.#fields[index] ?? "");
  }

  #number(column: string): number | undefined {
    const text = this.#text(column);
    return /^\d+$/.test(text) ? Number(text) : undefined;
  }

  #moment(column: string): SlurmMoment | undefined {
    return slurmMoment(this.#text(column), this.#timeZone);
  }

  #resources(column: string): ReadonlyMap<string, string> {
    return slurmResources(this.#text(column));
  }

  #named<Name extends "user" | "account" | "queue" | "jobName">(name: Name, column: string) {
    const text = this.#text(column);
    return isUnknown(text) ? {} : ({ [name]: text } as { readonly [Key in Name]?: string });
  }
}

function overChange(timeZone: TimeZone | undefined): string {
  return timeZone === undefined
    ? "local times over a change of the clocks: name their zone with --time-zone, or all jobs after it are shifted"
    : `start and end are not as far apart as the job ran: were its times printed in ${timeZone.name}?`;
}
