import { z } from "zod";
import { inQueueOrder, LeftOutRecords, type TraceJob, type Workload } from "./trace-job.ts";

const seconds = "expected a number of seconds, 0 or more";
const running = "expected a number of seconds above 0";
const several = "expected a whole number, 1 or more";

/** A job as a demand message has it, with when it was submitted and how long it ran. */
const jobSchema = z.looseObject({
  name: z.union([z.string().min(1), z.number()], "expected a name").transform(String),
  submitSeconds: z.number(seconds).min(0, seconds).default(0),
  runSeconds: z.number(running).positive(running),
  requestedSeconds: z.number(running).positive(running).optional(),
  constraints: z
    .looseObject({ ncpus: z.int(several).min(1, several).default(1) }, "expected an object")
    .prefault({}),
  iterations: z.int(several).min(1, several).default(1),
  nodeCount: z.int("expected a whole number, 0 or more").min(0).default(0),
});

/**
 * Reads a job list: `name`, `submitSeconds`, `runSeconds`, `constraints.ncpus`, `iterations` or `nodeCount`, and
 * `requestedSeconds`. Items that do not check out are counted and left out. Undefined: it is no list.
 */
export function readJobList(value: unknown): Workload | undefined {
  if (!Array.isArray(value)) return undefined;
  const leftOut = new LeftOutRecords();
  const jobs = value.flatMap((item: unknown, index): readonly TraceJob[] => {
    const parsed = jobSchema.safeParse(item);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      leftOut.add(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? "odd"}`, `[${index}]`);
      return [];
    }
    const { name, submitSeconds, runSeconds, requestedSeconds, constraints, iterations, nodeCount } =
      parsed.data;
    const processors = constraints.ncpus * (nodeCount > 0 ? nodeCount : iterations);
    return [{ name, submitSeconds, runSeconds, requestedSeconds: requestedSeconds ?? null, processors }];
  });
  return { jobs: inQueueOrder(jobs), leftOut: leftOut.list() };
}
