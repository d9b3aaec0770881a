import { readSwfJob } from "../read-swf.ts";
import type { TraceJob } from "../trace-job.ts";

/** A job of a trace by what it needs of each of its nodes. Times in seconds from the first submission. */
export interface SwfJob extends Omit<TraceJob, "requestedSeconds" | "processors" | "tasks" | "gpus"> {
  /** What its user asked for. Absent: unknown. */
  readonly requestedSeconds?: number;
  readonly nodes: number;
  readonly ncpus: number;
  /** 0: unknown. */
  readonly memoryGiB: number;
  readonly exclusive: boolean;
}

const applicationColumn = 13;

/** The jobs of a trace that `SwfReader` would keep, in the order of submission: plain SWF has a job on one node. */
export function parseSwf(text: string): SwfJob[] {
  const jobs = text.split("\n").flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    const job = line.startsWith(";") ? "a comment" : readSwfJob(fields);
    return typeof job === "string" ? [] : [eachNode(job, fields)];
  });
  jobs.sort((left, right) => left.submitSeconds - right.submitSeconds);
  const first = jobs[0]?.submitSeconds ?? 0;
  return jobs.map((job) => ({ ...job, submitSeconds: job.submitSeconds - first }));
}

function eachNode(
  { processors, requestedSeconds, nodes = 1, memoryGiB = 0, exclusive = false, ...job }: TraceJob,
  fields: readonly string[],
): SwfJob {
  const coresPerNode = /:ppn=(\d+)/.exec(fields.at(-1) ?? "")?.[1];
  const application = Number(fields[applicationColumn] ?? -1);
  return {
    ...job,
    name: `swf-${job.name}`,
    ...(requestedSeconds === null ? {} : { requestedSeconds }),
    ...(application < 0 ? {} : { jobName: `application-${application}` }),
    nodes,
    ncpus: coresPerNode === undefined ? Math.ceil(processors / nodes) : Number(coresPerNode),
    memoryGiB: memoryGiB / nodes,
    exclusive,
  };
}
