import type { WorkloadJob } from "../../infra/local/scheduler/workload.ts";
import { defineJob, type Job, parseConstraints } from "../../shared/engine/index.ts";

/** A job of a recorded workload, as a backlog that waits to be planned: nobody runs yet. */
export function toEngineJob({ name, need, shape }: WorkloadJob): Job {
  const { ncpus, memoryGiB, exclusive } = need;
  const parsed = parseConstraints({
    ncpus,
    ...(memoryGiB > 0 ? { memgb: memoryGiB } : {}),
    ...(exclusive ? { exclusive } : {}),
  });
  if (!parsed.ok) throw new Error(`Cannot use job "${name}": ${JSON.stringify(parsed.problems)}`);
  return defineJob({
    name,
    constraints: parsed.constraints,
    ...(shape.kind === "slots" ? { iterations: shape.slots } : { nodeCount: shape.nodes }),
  });
}
