import { messageOf } from "../../shared/errors.ts";
import { parseDemand } from "../../shared/messages/job-demand.ts";
import type { Answer, Context, Driver, Job, Read, Reading, SetAside } from "./drivers/driver.ts";

/** How single reads are done: commands are run, backlogs are asked for. */
export type Reader = (read: Read) => Promise<Answer>;

/**
 * One reading of the scheduler, step after step. Whatever fails makes all of it unknown: half a reading would look like
 * less demand.
 */
export async function collect(driver: Driver, context: Context, read: Reader): Promise<Reading> {
  const answers: Record<string, Answer> = {};
  try {
    for (const step of driver.reads(context)) {
      const texts = await Promise.all(step.map(async (each) => [each.name, await read(each)] as const));
      Object.assign(answers, Object.fromEntries(texts));
    }
  } catch (error) {
    return { known: false, reason: messageOf(error) };
  }
  return driver.interpret(answers, context);
}

/**
 * The jobs that the service will take, and the others with its own reasons: one job that does not check out would have
 * the whole message refused.
 */
export function usableJobs(jobs: readonly Job[]): {
  readonly usable: readonly Job[];
  readonly setAside: readonly SetAside[];
} {
  if (problemsOf(jobs).length === 0) return { usable: jobs, setAside: [] };
  const usable: Job[] = [];
  const setAside: SetAside[] = [];
  for (const job of jobs) {
    const problems = problemsOf([job]);
    if (problems.length === 0) usable.push(job);
    else setAside.push({ record: `job "${job.name}"`, reason: problems.join("; ") });
  }
  return { usable, setAside };
}

const envelope = {
  version: 1,
  kind: "snapshot",
  cluster: "any",
  source: "any",
  sequence: 0,
  sentAt: new Date(0).toISOString(),
};

function problemsOf(jobs: readonly Job[]): readonly string[] {
  const parsed = parseDemand({ ...envelope, jobs });
  return parsed.ok ? [] : parsed.problems;
}
