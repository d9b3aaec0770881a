import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import { parseSwf, type SwfJob } from "../../../shared/backtest/index.ts";
import { nearest } from "../../../shared/engine/index.ts";
import { describeProblems } from "../../../shared/messages/index.ts";

/** What one slot (or one node of a multi-node job) needs of its host. */
export interface Need {
  readonly ncpus: number;
  readonly memoryGiB: number;
  readonly ngpus: number;
  /** The host to itself. */
  readonly exclusive: boolean;
  /** Only hosts of these node arrays; empty: any. */
  readonly nodeArrays: readonly string[];
}

/** A job that the simulated scheduler will run. Times in simulated seconds from the start of the workload. */
export interface WorkloadJob {
  readonly name: string;
  readonly submitSeconds: number;
  readonly runSeconds: number;
  /** `slots` tasks wherever they fit, or one task over `nodes` different hosts. */
  readonly shape:
    | { readonly kind: "slots"; readonly slots: number }
    | { readonly kind: "nodes"; readonly nodes: number; readonly colocated: boolean };
  readonly need: Need;
}

const constraintsShape = {
  ncpus: z.number().positive().default(1),
  memgb: z.number().min(0).default(0),
  ngpus: z.int().min(0).default(0),
  exclusive: z.boolean().default(false),
  "node.nodearray": z.union([z.string(), z.array(z.string())]).default([]),
};
const constraintsSchema = z.strictObject(constraintsShape, unknownKeys(Object.keys(constraintsShape)));

/** The words for keys that a strict object does not have. */
function unknownKeys(keys: readonly string[]): {
  readonly error: (issue: z.core.$ZodRawIssue) => string | undefined;
} {
  const sentence = (key: string): string => {
    const meant = nearest(key, keys);
    return `${key} is not known${meant === null ? `, expected ${keys.join(", ")}` : `; did you mean "${meant}"?`}`;
  };
  return {
    error: (issue) => {
      if (issue.code === "unrecognized_keys") return issue.keys.map(sentence).join("; ");
      return issue.input === undefined ? undefined : "expected an object";
    },
  };
}

/** One line of a JSON job list: a job as a demand message has it, and when and for how long it runs. */
const jobShape = {
  name: z.string("expected the name of the job").min(1),
  submitSeconds: z.number().min(0).default(0),
  runSeconds: z.number("expected for how many seconds the job runs").positive("expected more than 0 seconds"),
  constraints: constraintsSchema.prefault({}),
  iterations: z.int().min(1).default(1),
  nodeCount: z.int().min(0).default(0),
  colocated: z.boolean().default(false),
};
const jobSchema = z.strictObject(jobShape, unknownKeys(Object.keys(jobShape)));

/** A JSON job list as it is written. An empty one is for users with their own scheduler. */
export const workloadSchema = z.array(jobSchema, "expected a list of jobs");

export type JobLine = z.output<typeof jobSchema>;

/**
 * Reads a workload from a JSON job list (`.json`) or an SWF trace (`.swf`, `.swf.gz`), at most `limit` jobs of it.
 * Throws an Error that names what is wrong.
 */
export async function loadWorkload(file: string, limit: number): Promise<readonly WorkloadJob[]> {
  try {
    const bytes = await readFile(file);
    const text = file.endsWith(".gz") ? gunzipSync(bytes).toString("utf8") : bytes.toString("utf8");
    const isTrace = /\.swf(\.gz)?$/.test(file);
    const jobs = isTrace ? parseSwf(text).map(fromTrace) : parseWorkload(text);
    if (isTrace && jobs.length === 0) throw new Error("it holds no job that ran, expected at least one");
    return jobs.slice(0, limit);
  } catch (error) {
    throw new Error(`Cannot read the workload "${file}": ${(error as Error).message}`);
  }
}

function fromTrace({ name, submitSeconds, runSeconds, nodes, ...need }: SwfJob): WorkloadJob {
  return {
    name,
    submitSeconds,
    runSeconds,
    shape: nodes > 1 ? { kind: "nodes", nodes, colocated: false } : { kind: "slots", slots: 1 },
    need: { ...need, ngpus: 0, nodeArrays: [] },
  };
}

/** Reads a JSON job list. */
export function parseWorkload(text: string): readonly WorkloadJob[] {
  const parsed = workloadSchema.safeParse(JSON.parse(text), { reportInput: true });
  if (!parsed.success) throw new Error(describeProblems(parsed.error, { root: "jobs" }).join("; "));
  return parsed.data.map(toWorkloadJob).sort((left, right) => left.submitSeconds - right.submitSeconds);
}

export function toWorkloadJob(job: JobLine): WorkloadJob {
  const { ncpus, memgb, ngpus, exclusive } = job.constraints;
  const nodeArrays = [job.constraints["node.nodearray"]].flat();
  return {
    name: job.name,
    submitSeconds: job.submitSeconds,
    runSeconds: job.runSeconds,
    shape:
      job.nodeCount > 0
        ? { kind: "nodes", nodes: job.nodeCount, colocated: job.colocated }
        : { kind: "slots", slots: job.iterations },
    need: { ncpus, memoryGiB: memgb, ngpus, exclusive, nodeArrays },
  };
}
