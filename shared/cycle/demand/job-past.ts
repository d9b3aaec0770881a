import { shortHostname } from "../../engine/index.ts";
import type { DemandJob } from "../../messages/index.ts";
import type { Interruption, StoredJob } from "../../ports/index.ts";

/** The newest are what counts: a job that was interrupted more often stays off spot nodes anyway. */
const mostInterruptions = 8;

/**
 * Jobs of a new message with what was seen of them before: since when they wait, and on which hosts they ran when they
 * were queued again. It is stored with the demand, so a message that is delivered twice counts once, and a job that is
 * gone is forgotten. A job that runs in full waits no more: should it be queued again, it waits anew.
 */
export function withPast(
  jobs: readonly DemandJob[],
  before: readonly StoredJob[],
  nowSeconds: number,
): readonly StoredJob[] {
  const jobsBefore = new Map(before.map((job) => [job.name, job]));
  return jobs.map((job) => {
    const earlier = jobsBefore.get(job.name);
    const interruptedOn = interruptionsOf(job, earlier, nowSeconds);
    const past = interruptedOn.length === 0 ? {} : { interruptedOn };
    if (!isWaiting(job)) return { ...job, ...past };
    const since = earlier === undefined || !isWaiting(earlier) ? undefined : earlier.waitingSinceSeconds;
    return { ...job, ...past, waitingSinceSeconds: since ?? nowSeconds };
  });
}

/** Whether a part of the job still waits. */
function isWaiting({ executingHostnames, iterations, nodeCount }: DemandJob): boolean {
  return executingHostnames.length < (nodeCount || iterations);
}

/** It ran there, does not any more, and is still wanted: it was queued again. A task that ended is not wanted any more. */
function interruptionsOf(
  job: DemandJob,
  earlier: StoredJob | undefined,
  atSeconds: number,
): readonly Interruption[] {
  if (earlier === undefined) return [];
  const { interruptedOn = [], executingHostnames } = earlier;
  if (executingHostnames.length === 0 || !isWaiting(job)) return interruptedOn;
  const still = new Set(job.executingHostnames.map(shortHostname));
  const left = executingHostnames.map(shortHostname).filter((hostname) => !still.has(hostname));
  const news = [...new Set(left)].map((hostname) => ({ hostname, atSeconds }));
  return [...interruptedOn, ...news].slice(-mostInterruptions);
}
