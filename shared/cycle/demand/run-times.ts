import type { DemandJob, SetAside } from "../../messages/index.ts";
import type { RunTime, SourceDemand } from "../../ports/index.ts";

/** Names that are remembered of a source: those whose jobs ended last. */
const mostNames = 1_000;
/** Two runs of a name predict the next one about as well as longer memories do. */
const runsOfName = 2;
/** The longest run time limit; a longer run comes from a wrong clock. */
const mostRuntimeSeconds = 315_360_000;

/** A run that has ended. */
export type EndedRun = Pick<RunTime, "user" | "jobName"> & { readonly seconds: number };

/**
 * The jobs that ran in the demand before and are in the demand after it no more: they ran from their start until the later
 * message was sent, both by their scheduler's clock. Nothing is learned when the ended jobs are unclear (a job that was
 * set aside has no name), or their end (the source was silent in between).
 */
export function endedRuns(
  before: SourceDemand,
  after: Pick<SourceDemand, "jobs" | "sentAtSeconds" | "receivedAtSeconds">,
  setAside: readonly SetAside[],
): readonly EndedRun[] {
  const { sentAtSeconds } = after;
  const unread = setAside.filter(({ kind }) => kind === "job");
  const isUnsure =
    unread.some(({ name }) => name === null) || before.expiresAtSeconds <= after.receivedAtSeconds;
  if (sentAtSeconds === undefined || isUnsure) return [];
  const timed = before.jobs.filter(({ jobName, startedAtSeconds, executingHostnames }) => {
    return jobName !== undefined && startedAtSeconds !== undefined && executingHostnames.length > 0;
  });
  const left = new Set([...after.jobs, ...unread].map(({ name }) => name));
  return timed.flatMap(({ name, user = null, jobName = "", startedAtSeconds = 0 }) => {
    const seconds = sentAtSeconds - startedAtSeconds;
    const isRun = !left.has(name) && seconds > 0 && seconds <= mostRuntimeSeconds;
    return isRun ? [{ user, jobName, seconds }] : [];
  });
}

/** The names of before and those of the runs, in the order of their last message. */
export function withRuns(before: readonly RunTime[], ended: readonly EndedRun[]): readonly RunTime[] {
  if (ended.length === 0) return before;
  const byName = new Map(before.map((entry) => [nameKey(entry), entry]));
  for (const { user, jobName, seconds } of ended) {
    const key = nameKey({ user, jobName });
    const earlier = byName.get(key)?.lastSeconds ?? [];
    byName.delete(key);
    byName.set(key, { user, jobName, lastSeconds: [seconds, ...earlier].slice(0, runsOfName) });
  }
  return [...byName.values()].slice(-mostNames);
}

export type Predict = (job: DemandJob) => number | undefined;

/**
 * How long a job will probably run: the mean of the last two runs of its user under its name, and never longer than its limit.
 * Undefined: there is no name, or there were no two runs. For a job that has already run longer there is no prediction.
 */
export function predictor({
  runTimes = [],
  sentAtSeconds = 0,
}: Pick<SourceDemand, "runTimes" | "sentAtSeconds">): Predict {
  const means = new Map(
    runTimes
      .filter(({ lastSeconds }) => lastSeconds.length === runsOfName)
      .map((entry) => [nameKey(entry), mean(entry.lastSeconds)]),
  );
  return ({ user = null, jobName, runtimeSeconds: limit = Number.POSITIVE_INFINITY, startedAtSeconds }) => {
    const expected = jobName === undefined ? undefined : means.get(nameKey({ user, jobName }));
    if (expected === undefined) return undefined;
    const hasRunLonger = startedAtSeconds !== undefined && sentAtSeconds - startedAtSeconds >= expected;
    return hasRunLonger ? undefined : Math.min(expected, limit);
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function nameKey({ user, jobName }: Pick<RunTime, "user" | "jobName">): string {
  return JSON.stringify([user, jobName]);
}
