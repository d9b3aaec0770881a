import { hash } from "node:crypto";
import type { z } from "zod";
import { isDictionary, jsonOr } from "../../../../shared/json/json.ts";
import type { Answer, Sink } from "../driver.ts";
import { readRecord } from "../records.ts";
import { type CutRecord, FieldCutter, valueOfRest } from "./field-cutter.ts";
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

/** What differs from job to job as well, and is not read. */
const unread = [
  "accrue_time",
  "last_sched_evaluation",
  "command",
  "submit_line",
  "standard_error",
  "standard_output",
  "stderr_expanded",
  "stdout_expanded",
];

const ownFields = jobFields.pick(own);
const ownShape: Readonly<Record<string, z.ZodType>> = ownFields.shape;

const isText = (value: unknown) => typeof value === "string";

/** Values that `ownFields` leaves as they are: most are of this kind, and a schema takes ten times as long. */
const stays: Readonly<Record<string, (value: unknown) => boolean>> = {
  job_id: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
  array_job_id: Number.isFinite,
  array_task_id: Number.isFinite,
  eligible_time: Number.isFinite,
  submit_time: Number.isFinite,
  start_time: Number.isFinite,
  end_time: Number.isFinite,
  preempt_time: Number.isFinite,
  priority: Number.isFinite,
  name: isText,
};
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

/** What records are whose texts differ in fields of their own alone. */
interface Alike {
  readonly kind: JobKind;
  /** With fields of its own that the text does not have. */
  readonly record: JobRecord;
}

/** Reads `squeue --json`, answer after answer: what jobs have in common is checked and kept once. */
export class JobRecords {
  #kinds = new Map<string, JobKind>();
  readonly #shared = new WeakMap<JobRecord, Extract<ReadJob, { ok: true }>>();
  readonly #cutter = new FieldCutter([...Object.keys(own), ...unread]);
  /** In this answer, by a digest of what they have in common. Undefined: they have to be read one by one. */
  readonly #alike = new Map<string, Alike | undefined>();
  readonly #list = new RecordList(
    "jobs",
    Object.assign((value: unknown) => this.#read(value), {
      fromText: (text: string) => this.#readText(text),
    }),
  );
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
    this.#alike.clear();
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

  /** As `#read` does; undefined where that has to do it. */
  #readText(text: string): ReadJob | undefined {
    const cut = this.#cutter.cut(text);
    if (cut === undefined) return undefined;
    const digest = hash("sha256", cut.rest, "binary");
    if (!this.#alike.has(digest)) this.#alike.set(digest, this.#alikeOf(cut));
    const alike = this.#alike.get(digest);
    const fields = alike && ownOf(cut);
    return alike && fields && { ok: true, record: { ...alike.record, ...fields }, kind: alike.kind };
  }

  #alikeOf(cut: CutRecord): Alike | undefined {
    const value = valueOfRest(cut);
    const kind = this.#kindOf(value);
    if (kind === undefined) return undefined;
    const others = Object.entries(value ?? {}).filter(([name]) => !cut.names.includes(name));
    // The id is one that every record has.
    const rest = ownFields.safeParse({ ...Object.fromEntries(others), job_id: 1 });
    return rest.success ? { kind, record: { ...kind.fields, ...rest.data } } : undefined;
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

/** The fields of its own that the text has; undefined when one of them cannot be used, or there is no id. */
function ownOf({ names, values }: CutRecord): Partial<JobRecord> | undefined {
  if (!names.includes("job_id")) return undefined;
  const fields: Record<string, unknown> = {};
  for (const [index, name] of names.entries()) {
    const value = jsonOr(values[index] ?? "");
    if (value === undefined) return undefined;
    const schema = ownShape[name];
    if (schema === undefined) continue;
    if (stays[name]?.(value) === true) {
      fields[name] = value;
      continue;
    }
    const read = schema.safeParse(value);
    if (!read.success) return undefined;
    fields[name] = read.data;
  }
  return fields as Partial<JobRecord>;
}

function isInfinite(field: unknown): boolean {
  const number = isDictionary(field) ? field.number : field;
  return typeof number === "number" && !Number.isFinite(number);
}
