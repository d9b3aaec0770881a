import type { AsideLine, Line, Purpose } from "../../accounting/index.ts";
import type { LeftOut } from "../trace-job.ts";

/**
 * What came of one run: a workload, a cluster, a configuration and a seed. Plain data that threads can send, the same for
 * the same input, byte for byte. Money and time are whole numbers (`Amount`), so that all sums are exact: `cost.lines`
 * and each column of `series` add up to the same total.
 */
export interface RunFigures {
  readonly version: 1;
  readonly setup: RunSetup;
  /** Seconds on the workload's own clock: from the first submission until the last node was gone. */
  readonly period: { readonly startSeconds: number; readonly endSeconds: number };
  readonly jobs: JobFigures;
  /** Waits of jobs that ran. Null: none did. */
  readonly waitSeconds: Spread | null;
  /** `max(1, (wait + run) / max(run, 10 s))` of jobs that ran. Null: none did. */
  readonly boundedSlowdown: Spread | null;
  readonly cost: CostFigures;
  readonly nodes: NodeFigures;
  readonly series: Series;
  /** Cost of each clock hour, from the one in which the run starts. Together the total, to rounding; unpriced nodes are left out. */
  readonly hourNanoUsd: Float64Array<ArrayBuffer>;
  /** In the order of the queue, one entry for each job of the workload: comparisons pair them by place. */
  readonly perJob: PerJob;
}

/** What makes a run: the same setup gives the same figures. */
export interface RunSetup {
  readonly cluster: string;
  /** Values that were varied, by key of the configuration: `{"idle_timeout": 300, "placement": "cost"}`. Empty: none was. */
  readonly varied: Readonly<Record<string, SettingValue>>;
  readonly scheduler: "fcfs" | "easy" | "fill";
  /** No two jobs share a node. */
  readonly wholeNodes: boolean;
  readonly seed: number;
  /** Where boot times and failures of boots come from: sentences. */
  readonly boots: readonly string[];
  /** Jobs of the workload, and records of it that were left out. */
  readonly workload: { readonly jobs: number; readonly leftOut: readonly LeftOut[] };
}

export type SettingValue =
  | string
  | number
  | boolean
  | null
  | readonly SettingValue[]
  | { readonly [key: string]: SettingValue };

export interface JobFigures {
  readonly submitted: number;
  /** Jobs that ran to their end. */
  readonly ended: number;
  /** Starts over of jobs that lost a node, and the time that was lost with them. */
  readonly reruns: number;
  readonly lostProcessorMs: number;
  /** Jobs that did not run to their end, by reason, the most first. */
  readonly neverRan: readonly NeverRan[];
  /** Processor time of runs that ended. */
  readonly processorMs: number;
}

export interface NeverRan {
  /**
   * `no-node`: no node of the cluster can hold a part of it. `too-few-slots`: the whole cluster cannot hold all parts at once.
   * `given-up`: it got no nodes, or too few, until nothing happened any more.
   */
  readonly code: "no-node" | "too-few-slots" | "given-up";
  /** The same as a sentence. */
  readonly why: string;
  /** What the planner says about it, the nearest first: its codes, and sentences as in `ccscale explain`. */
  readonly reasons: readonly { readonly code: string; readonly sentence: string }[];
  readonly count: number;
  /** Names of the first of them. */
  readonly first: readonly string[];
}

/** At least one value. The median and the 95th percentile are values that occur (nearest rank). */
export interface Spread {
  readonly mean: number;
  readonly median: number;
  readonly p95: number;
  readonly max: number;
}

export interface CostFigures {
  /**
   * Where each node-second went, and whose it was: the lines of the accounts, for the whole run. Sums over them give the cost
   * by array, size, spot, purpose, user, account or queue.
   */
  readonly lines: readonly Line[];
  /** Sums of the lines. */
  readonly total: { readonly nodeMs: number; readonly nanoUsd: number; readonly unpricedNodeMs: number };
  readonly byPurpose: { readonly [Name in Purpose]?: PurposeCost };
  /** What was paid beside nodes that ran, which is in no sum. */
  readonly aside: readonly AsideLine[];
  /** Processor time of all nodes that cost money, whatever they did. `jobs.processorMs` over it is the utilisation. */
  readonly processorMs: number;
  /** Between 0 and 1; null: there was no node. */
  readonly utilisation: number | null;
}

export interface PurposeCost {
  readonly nodeMs: number;
  readonly nanoUsd: number;
}

export interface NodeFigures {
  /** Nodes that CycleCloud made. */
  readonly bought: number;
  readonly boughtByBucket: readonly {
    readonly nodeArray: string;
    readonly vmSize: string;
    readonly spot: boolean;
    readonly nodes: number;
  }[];
  /** Most nodes at one moment. */
  readonly most: number;
  /** Nodes that failed to boot, and nodes that Azure took back. */
  readonly failed: number;
  readonly evicted: number;
  /**
   * Nodes that were deleted while they booted, and what they would have cost until they were up and for the idle time-out of
   * their array, had no job come.
   */
  readonly cutShort: PurposeCost & { readonly nodes: number };
  /** From asking for a node until jobs could start. Null: none became ready. */
  readonly bootSeconds: Spread | null;
  /** Plans that were made, and snapshots that were taken. */
  readonly plans: number;
  readonly snapshots: number;
}

/** Equal steps of time from `period.startSeconds`; the last one may be longer than the run. Each column has one number for each step. */
export interface Series {
  readonly stepSeconds: number;
  readonly steps: number;
  /** By purpose, purposes that never occur left out. Divided by the length of a step: nodes on average. */
  readonly nodeMs: { readonly [Name in Purpose]?: readonly number[] };
  readonly nanoUsd: { readonly [Name in Purpose]?: readonly number[] };
  /** Jobs that wait, times milliseconds; their processors; and the processors of jobs that run. */
  readonly waitingJobMs: readonly number[];
  readonly waitingProcessorMs: readonly number[];
  readonly runningProcessorMs: readonly number[];
  /** Processors of all nodes that cost money, times milliseconds. */
  readonly nodeProcessorMs: readonly number[];
}

/** Columns with one entry for each job of the workload, in the order of the queue. NaN is null in JSON (`toJson`). */
export interface PerJob {
  /** From submission to the start of the run that ended, in seconds. NaN: it never ran to its end. */
  readonly waitSeconds: Float64Array<ArrayBuffer>;
  /** Cost of the job's part of its nodes, all its runs together. NaN: the price of some node is not known. */
  readonly nanoUsd: Float64Array<ArrayBuffer>;
}
