import { mostRunSeconds, type TraceJobs } from "../trace-job.ts";

/** A million take 0.6 GB. */
const mostJobs = 10_000_000;

/** Why a workload cannot be run, and what to do; undefined: it can. Time is simulated from its first to its last job. */
export function tooMuch(jobs: TraceJobs): { readonly why: string; readonly advice: string } | undefined {
  const [first, last] = [jobs.at(0), jobs.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const spanSeconds = last.submitSeconds - first.submitSeconds;
  if (!(spanSeconds <= mostRunSeconds))
    return {
      why: "its jobs are submitted over more than ten years",
      advice: `Job "${first.name}" is the first, at ${first.submitSeconds} s; job "${last.name}" is the last, at ${last.submitSeconds} s. Take out the one that is wrong.`,
    };
  let count = 0;
  for (const { tasks = 1 } of jobs) count += tasks;
  if (count <= mostJobs) return undefined;
  return {
    why: `it has ${count} jobs with the tasks of arrays, expected at most ${mostJobs}`,
    advice: "Check iterations, or run a part of it.",
  };
}
