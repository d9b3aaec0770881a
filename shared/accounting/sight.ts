/**
 * What a node is used for at one moment. Each moment of a node that costs money has exactly one:
 * - `jobs`: jobs run there; what they leave is unused.
 * - `boot`: it is asked for and not ready.
 * - `idle`: it is ready, and nothing runs there.
 * - `drained`: nothing runs there and nothing may start.
 * - `kept`: nothing runs there, and an operator keeps it alive.
 * - `failed`: CycleCloud gave it up; the VM may cost money until it is deleted.
 * - `ending`: it is being deleted.
 */
export type NodeUse = "jobs" | "boot" | "idle" | "drained" | "kept" | "failed" | "ending";

/** The part of a node that a job uses. */
interface JobShare {
  /** Key of the job, see `SeenJob`. */
  readonly key: string;
  /** Share of the whole node, above 0 and at most 1: the largest of its shares of CPUs, memory and GPUs. */
  readonly share: number;
}

/** A node that costs money, as a snapshot shows it. */
export interface SeenNode {
  readonly nodeId: string;
  /** Its name for people; absent: its id. */
  readonly name?: string | undefined;
  readonly nodeArray: string;
  readonly vmSize: string;
  readonly spot: boolean;
  /** US dollars an hour; null: unknown, which is not free. */
  readonly usdPerHour: number | null;
  readonly use: NodeUse;
  /** For `jobs` only. Together they may be more than 1: then each gets less, in proportion. */
  readonly jobs: readonly JobShare[];
}

/** A running job and its owner. An owner that the scheduler does not name is null, and shown as unknown. */
export interface SeenJob {
  /** Source and name, unique among the jobs that run at one time. */
  readonly key: string;
  readonly source: string;
  readonly name: string;
  readonly user: string | null;
  readonly account: string | null;
  readonly queue: string | null;
  /** As its scheduler says it, an ISO 8601 date and time; absent: it does not. */
  readonly submittedAt?: string | undefined;
}

/**
 * What is paid though no VM runs: `deallocated` are the disks of deallocated nodes, by node array; `reserved` are nodes that a
 * reservation pays and nobody runs, by reservation. It is in no sum of nodes.
 */
export const asideKinds = ["deallocated", "reserved"] as const;

export interface AsideOf {
  readonly kind: (typeof asideKinds)[number];
  /** Of the node array, or of the reservation. */
  readonly name: string;
}

/** At one moment. */
export interface SeenAside extends AsideOf {
  readonly nodes: number;
  /** US dollars an hour for each of them; null: unknown, which is not free. */
  readonly usdPerHour: number | null;
}

/** A cluster at one moment, as far as money is concerned. */
export interface Sight {
  readonly takenAtSeconds: number;
  readonly nodes: readonly SeenNode[];
  readonly jobs: readonly SeenJob[];
  /** Absent: nothing. */
  readonly aside?: readonly SeenAside[];
}

/** Sources have no colon in their names. */
export function jobKey(source: string, name: string): string {
  return `${source}:${name}`;
}
