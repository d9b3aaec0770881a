import type { WorkloadJob } from "../../infra/local/scheduler/workload.ts";
import type { DemandJob } from "../../shared/messages/job-demand.ts";
import { jobOf } from "./cases.ts";

/** A job of a recorded workload, as a backlog that waits to be planned: nobody runs yet. */
export function toDemandJob({ name, need, shape }: WorkloadJob, index: number): DemandJob {
  const { ncpus, memoryGiB, exclusive } = need;
  const constraints = {
    ncpus,
    ...(memoryGiB > 0 ? { memgb: memoryGiB } : {}),
    ...(exclusive ? { exclusive } : {}),
  };
  return jobOf(index, constraints, {
    name,
    ...(shape.kind === "slots" ? { iterations: shape.slots } : { nodeCount: shape.nodes }),
  });
}
