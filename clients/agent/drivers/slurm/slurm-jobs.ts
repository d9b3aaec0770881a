import { readJobDetails } from "../../../../shared/messages/index.ts";
import type { Job } from "../driver.ts";
import { isoTime, isPending, type LeftOut, nameOf, priorityOf } from "./common.ts";
import { hasDynamicPartition } from "./dynamic-nodes.ts";
import type { JobContext } from "./job-context.ts";
import type { JobKind } from "./job-records.ts";
import { isPowerSavingPartition } from "./power-saving.ts";
import { type Help, helpWith, isForMoreNodes, isOfPartition } from "./reasons.ts";
import { hostsOfUnreadable, mayHoldNodes, running } from "./running.ts";
import type { JobRecord } from "./slurm-records.ts";
import { waiting } from "./waiting.ts";

/** What a job record becomes, with what tells it from others of its kind. */
interface Own {
  readonly record: JobRecord;
  readonly name: string;
  readonly priority: number;
  readonly submittedAt: string | undefined;
  readonly jobName: string | undefined;
}

/** The jobs of the first record of a kind, from which those of the others follow. */
interface Alike {
  readonly own: Own;
  readonly jobs: readonly Job[];
  /** What they have in common. */
  readonly text: string;
}

interface Translated {
  readonly jobs: readonly Job[];
  readonly text: string;
}

/**
 * Turns job records into demand, reading after reading. What jobs of one kind need is worked out once in a reading; a record that is the
 * same, of a kind that needs the same, has the very jobs of the reading before.
 */
export class JobTranslator {
  #before: ReadonlyMap<JobRecord, Translated> = new Map();
  #alike: ReadonlyMap<JobKind, Alike | LeftOut> = new Map();

  /** Gives the jobs of each record, or why it has none, in the order of the records. */
  translate(
    records: readonly { readonly record: JobRecord; readonly kind: JobKind | undefined }[],
    context: JobContext,
  ): readonly (readonly Job[] | LeftOut)[] {
    const alike = new Map<JobKind, Alike | LeftOut>();
    const now = new Map<JobRecord, Translated>();
    let last: Own | undefined;
    const results = records.map(({ record, kind }) =>
      toJobs(record, context, (partitions) => {
        const isArray = record.array_task_string !== "" || (record.array_max_tasks ?? 0) > 0;
        const isAlone = isArray || context.switches.get(record.job_id) === 1;
        if (kind === undefined || isAlone) return waiting(record, partitions, context);
        const first =
          alike.get(kind) ??
          sameOr(this.#alike.get(kind), firstOf(record, waiting(record, partitions, context)));
        alike.set(kind, first);
        if ("leftOut" in first) return first;
        const before = this.#before.get(record);
        const isKnown = before?.text === first.text;
        if (!isKnown) last = ownOf(record, last ?? first.own);
        const jobs = isKnown ? before.jobs : jobsLike(first, last ?? first.own);
        if (jobs === undefined) return waiting(record, partitions, context);
        now.set(record, { jobs, text: first.text });
        return jobs;
      }),
    );
    this.#before = now;
    this.#alike = alike;
    return results;
  }
}

/** The one of the reading before, with its very constraints, when this one needs the same. */
function sameOr(before: Alike | LeftOut | undefined, first: Alike | LeftOut): Alike | LeftOut {
  const isSame = before !== undefined && "text" in before && "text" in first && before.text === first.text;
  return isSame ? before : first;
}

function firstOf(record: JobRecord, jobs: readonly Job[] | LeftOut): Alike | LeftOut {
  if ("leftOut" in jobs) return jobs;
  const own = ownOf(record);
  const common = jobs.map(({ name, gang, priority: _, submittedAt: __, jobName: ___, ...rest }) => {
    return [name.slice(own.name.length), gang === own.name || gang, rest];
  });
  return { own, jobs, text: JSON.stringify(common) };
}

/** `like`: one after the other have the same name and time. */
function ownOf(record: JobRecord, like?: Own): Own {
  const { submit_time, name: jobName } = record;
  return {
    record,
    name: nameOf(record),
    priority: priorityOf(record),
    submittedAt: like?.record.submit_time === submit_time ? like?.submittedAt : isoTime(submit_time),
    jobName: like?.record.name === jobName ? like?.jobName : readJobDetails({ jobName }).jobName,
  };
}

/** Undefined: the first one has a name or a time, and this one has none, or the other way round. */
function jobsLike(
  { own, jobs }: Alike,
  { record, name, priority, submittedAt, jobName }: Own,
): readonly Job[] | undefined {
  if (record === own.record) return jobs;
  if ((submittedAt === undefined) !== (own.submittedAt === undefined)) return undefined;
  if ((jobName === undefined) !== (own.jobName === undefined)) return undefined;
  return jobs.map((job) => ({
    ...job,
    priority,
    ...(submittedAt === undefined ? {} : { submittedAt }),
    ...(jobName === undefined ? {} : { jobName }),
    // Parts of another job are no parts of this one.
    ...(job.gang === own.name ? { gang: name } : {}),
    name: `${name}${job.name.slice(own.name.length)}`,
  }));
}

/** The demand in a job record: none for what is over, waits for something else, or is not ours; else one job or more. */
function toJobs(
  record: JobRecord,
  context: JobContext,
  waits: (partitions: readonly string[]) => readonly Job[] | LeftOut,
): readonly Job[] | LeftOut {
  const { ignore_partitions } = context.settings;
  const partitions = record.partition.split(",").filter((name) => !ignore_partitions.includes(name));
  if (partitions.length === 0) return [];
  const getsNodesByName = partitions.some((name) => isPowerSavingPartition(name, context.settings));
  if (isPending(record)) {
    if (getsNodesByName || (context.preempts && isNew(record, context))) return [];
    const help = helpOf(record, partitions, context);
    if (help === undefined)
      return {
        leftOut: `reason "${record.state_reason}" is not known: nothing is bought before Slurm has another`,
      };
    return help === "may-help" ? waits(partitions) : [];
  }
  if (!mayHoldNodes(record)) return [];
  const jobs = running(record, partitions, context, getsNodesByName);
  // Without a host it waits for those that Slurm has asked for.
  if (jobs !== undefined)
    return getsNodesByName && jobs.every((job) => job.executingHostnames === undefined) ? [] : jobs;
  return {
    leftOut: `nodes "${record.nodes}", expected a list of nodes`,
    executingHostnames: hostsOfUnreadable(record, context.nodes, context.settings),
  };
}

/** The queue is read a moment after the pass began; Slurm makes jobs eligible meanwhile. */
const readingSeconds = 5;

/** So long a job waits for the scheduler's first look at it; behind others it may have none, but where it takes their nodes it comes at once. */
const firstLookSeconds: Readonly<Record<string, number>> = { "": 120, None: 120, Priority: 10 };

/** Slurm has not looked at it, and may give it the nodes of others when it does. */
function isNew(
  { state_reason, eligible_time = 0 }: JobRecord,
  { nowSeconds }: Pick<JobContext, "nowSeconds">,
): boolean {
  return nowSeconds - eligible_time < (firstLookSeconds[state_reason] ?? 0);
}

/**
 * Whether nodes would help. `state_reason` alone does not tell: a job that depends on another one shows "ReqNodeNotAvail" as
 * soon as the scheduler has looked at it (22.05). With several partitions the reason is of one, and another may do.
 */
function helpOf(
  record: JobRecord,
  partitions: readonly string[],
  { nowSeconds, settings }: JobContext,
): Help | undefined {
  if (record.hold === true || (record.priority ?? 0) === 0) return "does-not-help";
  if (record.dependency.includes("unfulfilled") || record.dependency.includes("failed"))
    return "does-not-help";
  if ((record.eligible_time ?? 0) > nowSeconds + readingSeconds) return "does-not-help";
  if (hasDynamicPartition(partitions, settings) && isForMoreNodes(record.state_reason)) return "may-help";
  // Slurm shortens a job with a least time to the limit of its partition.
  const mayDo = partitions.length > 1 || (record.time_minimum ?? 0) > 0;
  if (mayDo && isOfPartition(record.state_reason)) return "may-help";
  return helpWith(record.state_reason, record.state_description);
}
