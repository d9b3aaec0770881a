import { z } from "zod";
import { defined } from "../collections/defined.ts";
import { LeftOutRecords, runTimeProblem, type TraceJob, type Workload } from "./trace-job.ts";
import { JobPacking } from "./workload/job-columns.ts";

const seconds = "expected a number of seconds, 0 or more";
const running = "expected a number of seconds above 0";
const amount = "expected a number, 0 or more";
const several = "expected a whole number, 1 or more";

/** A job as a demand message has it, with when it was submitted and how long it ran. */
const jobSchema = z.looseObject({
  name: z.union([z.string().min(1), z.number()], "expected a name").transform(String),
  submitSeconds: z.number(seconds).min(0, seconds).default(0),
  runSeconds: z.number(running).positive(running),
  requestedSeconds: z.number(running).positive(running).optional(),
  constraints: z
    .looseObject(
      {
        ncpus: z.int(several).min(1, several).default(1),
        memgb: z.number(amount).min(0, amount).default(0),
        ngpus: z.number(amount).min(0, amount).default(0),
        exclusive: z.boolean("expected true or false").default(false),
        "node.nodearray": z
          .union([z.string(), z.array(z.string())], "expected names of node arrays")
          .default([]),
      },
      "expected an object",
    )
    .prefault({}),
  colocated: z.boolean("expected true or false").default(false),
  exclusive: z.boolean("expected true or false").default(false),
  user: z.string().optional(),
  account: z.string().optional(),
  queue: z.string().optional(),
  jobName: z.string().optional(),
  iterations: z.int(several).min(1, several).default(1),
  nodeCount: z.int("expected a whole number, 0 or more").min(0).default(0),
});

/**
 * Reads a job list: `name`, `submitSeconds`, `runSeconds`, `constraints.ncpus`, `iterations` or `nodeCount`, and
 * `requestedSeconds`. Items that do not check out are counted and left out.
 */
export class JobListReader {
  readonly #jobs = new JobPacking();
  readonly #leftOut = new LeftOutRecords();
  #index = 0;

  item(value: unknown): void {
    const where = `[${this.#index++}]`;
    const parsed = jobSchema.safeParse(value);
    const problem = parsed.success ? runTimeProblem(parsed.data.runSeconds) : problemOf(parsed.error);
    if (problem !== undefined) this.#leftOut.add(problem, where);
    else if (parsed.success) this.#jobs.add(toJob(parsed.data));
  }

  end(): Workload {
    return { jobs: this.#jobs.inOrder(), leftOut: this.#leftOut.list() };
  }
}

function problemOf({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "odd"}`;
}

/** `nodeCount`: that many nodes at once. `iterations`: tasks that start each by itself. */
function toJob(job: z.output<typeof jobSchema>): TraceJob {
  const {
    name,
    submitSeconds,
    runSeconds,
    requestedSeconds = null,
    constraints,
    iterations,
    nodeCount,
  } = job;
  const { ncpus, memgb, ngpus, exclusive } = constraints;
  const parts = nodeCount || iterations;
  const nodeArrays = [constraints["node.nodearray"]].flat();
  const { user, account, queue, jobName } = job;
  return {
    name,
    submitSeconds,
    runSeconds,
    requestedSeconds,
    processors: ncpus * parts,
    nodes: Math.max(1, nodeCount),
    ...(nodeCount === 0 && iterations > 1 ? { tasks: iterations } : {}),
    ...(memgb > 0 ? { memoryGiB: memgb * parts } : {}),
    ...(ngpus > 0 ? { gpus: ngpus * parts } : {}),
    ...(exclusive || job.exclusive ? { exclusive: true } : {}),
    ...(job.colocated ? { colocated: true } : {}),
    ...(nodeArrays.length > 0 ? { nodeArrays } : {}),
    ...defined({ user, account, queue, jobName }),
  };
}
