import { linesOf } from "./lines-of.ts";
import {
  type SlurmMoment,
  slurmGpus,
  slurmMemoryGiB,
  slurmMoment,
  slurmResources,
  slurmSeconds,
} from "./slurm-values.ts";
import { inQueueOrder, LeftOutRecords, type TraceJob, type Workload } from "./trace-job.ts";

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

/**
 * Reads what `sacct --parsable2` (or `--parsable`, or with another `--delimiter`) prints: the first line names the columns,
 * which may be any, in any order, as long as the needed ones are among them. Steps are parts of jobs and passed over. A task of
 * an array is a job of its own. Of a job that was requeued the last run counts.
 */
export function readSacct(text: string): Workload | MissingColumns {
  const lines = linesOf(text);
  const header = lines.next().value?.text ?? "";
  const delimiter = /[^A-Za-z]+/.exec(header)?.[0] ?? "|";
  const names = header.split(delimiter).filter((name) => name !== "");
  const columns = new Map(names.map((name, index) => [name.toLowerCase(), index]));
  const missing = needed.filter((choices) => !choices.some((name) => columns.has(name.toLowerCase())));
  if (missing.length > 0) return { missing: missing.map((choices) => choices.join(" or ")) };

  const leftOut = new LeftOutRecords();
  const remarks = new LeftOutRecords();
  const jobs = new Map<string, { readonly job: TraceJob; readonly where: string }>();
  for (const line of lines) {
    if (line.text === "" || line.text === header) continue;
    const where = `line ${line.number}`;
    const fields = line.text.split(delimiter);
    if (fields.at(-1) === "" && fields.length === names.length + 1) fields.pop();
    if (fields.length !== names.length) {
      leftOut.add(
        `not ${names.length} columns, as the first line has (does a name hold "${delimiter}"?)`,
        where,
      );
      continue;
    }
    const record = new SacctRecord(columns, fields);
    if (record.isStep) continue;
    const read = record.read();
    if (typeof read === "string") {
      leftOut.add(read, where);
      continue;
    }
    for (const remark of record.remarks()) remarks.add(remark, where);
    const before = jobs.get(read.name);
    const isEarlier = before !== undefined && before.job.submitSeconds > read.submitSeconds;
    if (before !== undefined) leftOut.add(earlierRun, isEarlier ? where : before.where);
    if (!isEarlier) jobs.set(read.name, { job: read, where });
  }
  return {
    jobs: inQueueOrder([...jobs.values()].map(({ job }) => job)),
    leftOut: leftOut.list(),
    remarks: remarks.list(),
  };
}

class SacctRecord {
  readonly #columns: ReadonlyMap<string, number>;
  readonly #fields: readonly string[];

  constructor(columns: ReadonlyMap<string, number>, fields: readonly string[]) {
    this.#columns = columns;
    this.#fields = fields;
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
    const submitted = this.#moment("Eligible") ?? this.#moment("Submit");
    if (submitted === undefined) return "no time of submission that can be read";
    const runSeconds = this.#runSeconds();
    if (runSeconds === undefined) return "no run time that can be read";
    if (runSeconds <= 0) return "no run time above 0";
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
    const [start, end, runSeconds] = [this.#moment("Start"), this.#moment("End"), this.#runSeconds()];
    const isLocal = start?.isExact === false && end?.isExact === false;
    const isSuspended = !["", "00:00:00"].includes(this.#text("Suspended"));
    const shift = isLocal && runSeconds !== undefined ? end.seconds - start.seconds - runSeconds : 0;
    return [
      ...(shift !== 0 && !isSuspended && shift % 900 === 0 && Math.abs(shift) <= 7_200
        ? ["local times over a change of the clocks: run sacct with TZ=UTC, or all jobs after it are shifted"]
        : []),
      ...(this.#name.includes("+") ? ["a part of a heterogeneous job is taken for a job of its own"] : []),
    ];
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
    return slurmMoment(this.#text(column));
  }

  #resources(column: string): ReadonlyMap<string, string> {
    return slurmResources(this.#text(column));
  }

  #named<Name extends "user" | "account" | "queue" | "jobName">(name: Name, column: string) {
    const text = this.#text(column);
    return isUnknown(text) ? {} : ({ [name]: text } as { readonly [Key in Name]?: string });
  }
}
