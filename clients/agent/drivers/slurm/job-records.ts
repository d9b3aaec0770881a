import { isDictionary } from "../../../../shared/json/json.ts";
import type { Answer, Sink } from "../driver.ts";
import { readRecord } from "../records.ts";
import { AlikeRecords } from "./alike-records.ts";
import { RecordList } from "./record-list.ts";
import { type JobRecord, jobFields, jobRecord } from "./slurm-records.ts";

/** What tells a job from others of its kind: thousands that were submitted alike differ in nothing else. */
const own = {
  job_id: true,
  array_job_id: true,
  array_task_id: true,
  eligible_time: true,
  submit_time: true,
  start_time: true,
  end_time: true,
  preempt_time: true,
  priority: true,
  name: true,
  job_resources: true,
  gres_detail: true,
} as const;

const ownFields = jobFields.pick(own);
const commonFields = jobFields.omit(own);
const commonNames = Object.keys(commonFields.shape);

/** Records that have all but these fields in common have the same one. */
export interface JobKind {
  /** Their fields, as Slurm printed them. */
  readonly text: string;
  readonly fields: ReturnType<typeof commonFields.parse>;
}

/** A record; one that cannot be used comes as it was printed. */
export type ReadJob =
  | { readonly ok: true; readonly record: JobRecord; readonly kind: JobKind | undefined }
  | { readonly ok: false; readonly reason: string; readonly value: unknown };

/** Reads `squeue --json`, answer after answer: what jobs have in common is checked and kept once. */
export class JobRecords {
  #kinds = new Map<string, JobKind>();
  readonly #shared = new WeakMap<JobRecord, Extract<ReadJob, { ok: true }>>();
  readonly #alike = new AlikeRecords({
    own: ownFields.shape,
    stays: {
      job_id: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
      array_job_id: Number.isFinite,
      array_task_id: Number.isFinite,
      eligible_time: Number.isFinite,
      submit_time: Number.isFinite,
      start_time: Number.isFinite,
      end_time: Number.isFinite,
      preempt_time: Number.isFinite,
      priority: Number.isFinite,
      name: (value) => typeof value === "string",
    },
    id: "job_id",
    unread: [
      "accrue_time",
      "last_sched_evaluation",
      "command",
      "current_working_directory",
      "submit_line",
      "standard_error",
      "standard_output",
      "stderr_expanded",
      "stdout_expanded",
    ],
    common: (rest) => {
      const kind = this.#kindOf(rest);
      const others = ownFields.safeParse({ ...rest, job_id: 1 });
      return kind && others.data && { kind, record: { ...kind.fields, ...others.data } };
    },
    whole: ({ kind, record }, fields): ReadJob => ({ ok: true, record: { ...record, ...fields }, kind }),
  });
  readonly #list = new RecordList("jobs", (value) => this.#read(value), this.#alike);
  readonly sink: Sink = this.#list;

  /**
   * Undefined: as with `RecordList`. `shared`: what from 26.05 on the records do not say of jobs that wait, by job id, in the
   * words of the releases before.
   */
  in(
    answer: Answer | undefined,
    shared: ReadonlyMap<number, string> = new Map(),
  ): readonly ReadJob[] | undefined {
    const read = this.#list.in(answer);
    const jobs =
      shared.size === 0
        ? read
        : read?.map((job) => (job.ok ? this.#withShared(job, shared.get(job.record.job_id)) : job));
    // Those of which there is no job any more are forgotten.
    const kinds = jobs?.flatMap((job) => (job.ok && job.kind !== undefined ? [job.kind] : [])) ?? [];
    this.#kinds = new Map(kinds.map((kind) => [kind.text, kind]));
    return jobs;
  }

  /** The same record again where nothing changed: what follows from it is remembered by it. */
  #withShared<Job extends Extract<ReadJob, { ok: true }>>(job: Job, word: string | undefined): Job {
    if (word === undefined || job.record.shared.length > 0) return job;
    const known = this.#shared.get(job.record);
    if (known?.record.shared.includes(word) === true) return known as Job;
    const kind = job.kind && this.#kindLike(job.kind, word);
    const more = { ...job, record: { ...job.record, shared: [word] }, kind };
    this.#shared.set(job.record, more);
    return more;
  }

  #kindLike(kind: JobKind, word: string): JobKind {
    const text = `${word} ${kind.text}`;
    const like = this.#kinds.get(text) ?? { text, fields: kind.fields };
    this.#kinds.set(text, like);
    return like;
  }

  #read(value: unknown): ReadJob {
    const kind = this.#kindOf(value);
    const rest = kind === undefined ? undefined : ownFields.safeParse(value);
    if (kind !== undefined && rest?.success === true)
      return { ok: true, record: { ...kind.fields, ...rest.data }, kind };
    const whole = readRecord(jobRecord, value);
    return whole.ok ? { ...whole, kind: undefined } : { ...whole, value };
  }

  /** Undefined: it has to be checked as a whole. */
  #kindOf(value: unknown): JobKind | undefined {
    if (!isDictionary(value)) return undefined;
    const fields = commonNames.map((name) => value[name]);
    // JSON has no word for it: it would count as a field that is not set.
    if (fields.some(isInfinite)) return undefined;
    const text = JSON.stringify(fields);
    const known = this.#kinds.get(text);
    if (known !== undefined) return known;
    const common = commonFields.safeParse(value);
    if (!common.success) return undefined;
    const kind = { text, fields: common.data };
    this.#kinds.set(text, kind);
    return kind;
  }
}

function isInfinite(field: unknown): boolean {
  const number = isDictionary(field) ? field.number : field;
  return typeof number === "number" && !Number.isFinite(number);
}
