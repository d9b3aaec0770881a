import type { Constraint, Job } from "../engine/index.ts";
import type { TraceJob } from "./trace-job.ts";

const bytesPerGiB = 1024 ** 3;

/** What a job of a demand asks for, as far as a workload can say it. */
export interface DemandNeed
  extends Pick<TraceJob, "processors" | "memoryGiB" | "gpus" | "exclusive" | "colocated" | "nodeArrays"> {
  readonly nodes: number;
  /** Whether the job asks for more than that: alternatives, other resources, properties of nodes. */
  readonly isLess: boolean;
}

/** The need of one task (a slot) of a packed job, or of all nodes of a scattered one. */
export function needOf({ constraints, nodeCount, exclusive, colocated }: Job): DemandNeed {
  const all = constraints.flatMap(parts);
  const amountOf = (...names: readonly string[]) => {
    const minimum = all.find((each) => each.kind === "minimum-resource" && names.includes(each.resource));
    return minimum?.kind === "minimum-resource" ? minimum.amount : undefined;
  };
  const nodes = Math.max(1, nodeCount);
  const ncpus = amountOf("ncpus");
  const memory = amountOf("memgb", "mem", "memory");
  const gpus = amountOf("ngpus", "gpus");
  const memoryGiB = typeof memory === "object" ? memory.bytes / bytesPerGiB : memory;
  const arrays = all.find((each) => each.kind === "property-options" && each.property === "nodearray");
  const isExclusive = exclusive || all.some(({ kind }) => kind === "exclusive");
  return {
    nodes,
    processors: Math.max(1, Math.ceil(typeof ncpus === "number" ? ncpus : 1)) * nodes,
    ...(memoryGiB === undefined || memoryGiB === 0 ? {} : { memoryGiB: memoryGiB * nodes }),
    ...(typeof gpus === "number" && gpus > 0 ? { gpus: gpus * nodes } : {}),
    ...(isExclusive ? { exclusive: true } : {}),
    ...(colocated ? { colocated: true } : {}),
    ...(arrays?.kind === "property-options" ? { nodeArrays: arrays.options.map(String) } : {}),
    isLess: all.some((each) => !isKept(each)),
  };
}

function parts(constraint: Constraint): readonly Constraint[] {
  return constraint.kind === "and" ? constraint.all.flatMap(parts) : [constraint];
}

const kept = ["ncpus", "memgb", "mem", "memory", "ngpus", "gpus"];

function isKept(constraint: Constraint): boolean {
  if (constraint.kind === "minimum-resource") return kept.includes(constraint.resource);
  if (constraint.kind === "property-options") return constraint.property === "nodearray";
  return constraint.kind === "exclusive";
}
