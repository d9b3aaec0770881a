import type { Constraints } from "./features.ts";
import type { Counting } from "./slurm-partitions.ts";
import type { JobRecord, NodeRecord } from "./slurm-records.ts";

/** A resource of nodes of which jobs have memory. Others do not have it. */
const memoryInUse = "slurm-memory-in-use";

/** It uses up no memory: that is the default of its partition (`DefMemPerCPU=0`). */
export function namesNoMemory({ memory_per_cpu, memory_per_node, memory_per_tres }: JobRecord): boolean {
  return memory_per_cpu === 0 && !memory_per_node && memory_per_tres === "";
}

/** A job that names no memory starts on no node of which others have some. */
export function besideNoMemory(record: JobRecord, { by, isOfMemory }: Counting): Constraints {
  return namesNoMemory(record) && isOfMemory && by !== "node" ? { not: { [memoryInUse]: true } } : {};
}

export function memoryInUseOf({ alloc_memory }: NodeRecord): Readonly<Record<string, boolean>> {
  return (alloc_memory ?? 0) > 0 ? { [memoryInUse]: true } : {};
}
