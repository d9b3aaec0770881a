import type { License } from "./licenses.ts";
import type { Limits } from "./limits.ts";
import type { Reserved } from "./reservations.ts";
import type { Candidates } from "./slurm-candidates.ts";
import type { NodeRecord } from "./slurm-records.ts";
import type { SlurmSettings } from "./slurm-settings.ts";

/** What a job record is read with. */
export interface JobContext {
  readonly settings: SlurmSettings;
  readonly nowSeconds: number;
  readonly nodes: ReadonlyMap<string, NodeRecord>;
  readonly candidates: Candidates;
  readonly licenses: ReadonlyMap<string, License>;
  /** Undefined: no limits of accounting hold jobs back here. */
  readonly limits: Limits | undefined;
  readonly reserved: Reserved;
  /** Jobs may take nodes from others (`PreemptType`). */
  readonly preempts: boolean;
  /** Of older versions, whose job records do not have it: leaf switches asked for, by job id. */
  readonly switches: ReadonlyMap<number, number>;
  /** When jobs that are cleared away, and go back into the queue, were first seen so, by id. Unix time. */
  readonly clearingSince: ReadonlyMap<number, number>;
  /** Tasks of each array that run now, by the array's id. */
  readonly running: ReadonlyMap<number, number>;
  /** Jobs that share nodes with those of their user only, who has no other job in their partitions, while other users have. By id. */
  readonly apart: ReadonlySet<number>;
}
