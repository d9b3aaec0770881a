import { z } from "zod";
import { longestWarning, mostWarnings } from "./job-warnings.ts";
import { describeProblems } from "./problems.ts";
import { wellCut } from "./sizes.ts";

/** Ten years: a longer limit is no limit. */
const mostRuntimeSeconds = 315_360_000;
/** The end of the year 9999. Milliseconds, a common mistake, lie behind it. */
const latestSeconds = 253_402_300_799;
const longestWord = 256;
const longestReason = 500;

const word = z.string().min(1).max(longestWord);

/**
 * What a message may say about a job beside what it needs: for its cost, its price and its report. Absent: not said, which
 * is never the same as zero, nobody or no.
 */
export interface JobDetails {
  readonly runtimeSeconds?: number | undefined;
  readonly startedAtSeconds?: number | undefined;
  readonly interruptible?: boolean | undefined;
  readonly user?: string | undefined;
  readonly account?: string | undefined;
  readonly queue?: string | undefined;
  readonly jobName?: string | undefined;
  readonly waitingReason?: string | undefined;
  readonly behindOthers?: boolean | undefined;
}

/** Their schema. The type is written out because the library's declarations show it. */
const details = z.object({
  runtimeSeconds: z
    .number()
    .positive()
    .max(mostRuntimeSeconds)
    .optional()
    .describe(
      "How long it runs at most, or probably: its time limit, or an estimate. Absent: unlimited or unknown",
    ),
  startedAtSeconds: z
    .number()
    .positive()
    .max(latestSeconds)
    .optional()
    .describe("Of a job that runs: since when, in seconds since 1970"),
  interruptible: z
    .boolean()
    .optional()
    .describe("Whether it may be stopped and run again from its start, as on a spot node"),
  user: word.optional().describe("Whose it is"),
  account: word.optional().describe("The account or project that pays for it"),
  queue: word.optional().describe("The queue or partition that it was submitted to"),
  jobName: word
    .optional()
    .describe("Its user's name for it, which many jobs may share; `name` tells jobs of a source apart"),
  waitingReason: z
    .string()
    .min(1)
    .max(longestReason)
    .optional()
    .describe("Of a job that waits: why its scheduler has not started it, in the scheduler's words"),
  behindOthers: z
    .boolean()
    .optional()
    .describe(
      "Of a job that waits: whether its scheduler starts other jobs first, or has not looked at it yet. Such a job is no riddle when it waits beside free nodes",
    ),
}) satisfies z.ZodType<JobDetails>;

export const jobDetails = details.shape;
type DetailName = keyof JobDetails;

const names = Object.keys(jobDetails) as readonly DetailName[];

/** Those of the values that check out. For senders that cannot report problems of the others. */
export function readJobDetails(values: { readonly [Name in DetailName]?: unknown }): JobDetails {
  const told = Object.fromEntries(
    names.flatMap((name) => {
      const value = values[name];
      return value === undefined || value === null || value === "" ? [] : [[name, value]];
    }),
  );
  const whole = details.safeParse(told);
  if (whole.success) return whole.data;
  return Object.assign({}, ...names.map((name) => readDetail(name, values[name]).read ?? {}));
}

/**
 * A job without those of its details that do not check out. They cost the job nothing, so it must not be set aside for
 * one; a warning says what was passed over.
 */
export function withoutBadDetails(job: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const told = names.filter((name) => job[name] !== undefined);
  if (told.length === 0 || details.safeParse(job).success) return job;
  const warnings: string[] = [];
  const good: Record<string, unknown> = { ...job };
  for (const name of told) {
    const { read, problem } = readDetail(name, job[name]);
    if (read !== undefined) continue;
    delete good[name];
    if (problem !== undefined) warnings.push(wellCut(`${problem}; passed over`, longestWarning));
  }
  return { ...good, ...withWarnings(job.warnings, warnings) };
}

interface ReadDetail {
  readonly read?: JobDetails;
  readonly problem?: string;
}

/** Null is how many printers say that there is none: no problem. */
function readDetail(name: DetailName, value: unknown): ReadDetail {
  if (value === undefined || value === null) return {};
  const parsed = details.safeParse({ [name]: value }, { reportInput: true });
  return parsed.success ? { read: parsed.data } : { problem: describeProblems(parsed.error).join("; ") };
}

/** Warnings that cannot be read are left for the check of the message. */
function withWarnings(
  warnings: unknown,
  more: readonly string[],
): { readonly warnings?: readonly unknown[] } {
  if (more.length === 0 || (warnings !== undefined && !Array.isArray(warnings))) return {};
  return {
    warnings: [...new Set([...(warnings ?? []), ...more])].slice(
      0,
      Math.max(mostWarnings, warnings?.length ?? 0),
    ),
  };
}
