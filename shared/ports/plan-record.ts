import type {
  Clipping,
  HeldBack,
  JobOutcome,
  NodeKind,
  Plan,
  PlanInput,
  SizeChoice,
  TargetOutcome,
} from "../engine/index.ts";
import type { ScaleAction } from "../messages/index.ts";
import type { UnhealthyPolicy } from "./cluster-config.ts";
import type { IfMatch, Stored } from "./stored.ts";

/** One line of the plan index: what a plan decided, in counts. */
export interface PlanSummary {
  readonly cluster: string;
  /** Grows with time within a cluster; safe in a path. */
  readonly planId: string;
  readonly atSeconds: number;
  readonly reason: string;
  readonly jobs: number;
  /** Jobs that run, or got all they asked for. */
  readonly placedJobs: number;
  readonly create: number;
  readonly start: number;
  readonly retire: number;
  /** How long it took to work out, without reading and writing. */
  readonly planSeconds: number;
  readonly readOnly: boolean;
  /** Why nothing of it was sent: read-only, paused, login refused. Absent when it was. */
  readonly held?: string;
  /** What the operator's caps held back. Absent: nothing. */
  readonly clipped?: Clipping;
  /** What the caps on demand held back; absent: nothing. */
  readonly heldBack?: readonly HeldBack[];
}

/** One line of the plan index: the counts, and what is kept of the plan. */
export interface PlanRecord extends PlanSummary {
  /** `whole`: it can be made again. `summary`: what it decided, without its input. `failed`: this line only. */
  readonly archive: "whole" | "summary" | "failed";
  /** Why it is not whole. */
  readonly archiveReason?: string;
  /** What the archived plan takes in its store, compressed. Absent: only this line is kept. */
  readonly archivedBytes?: number;
}

/** A job that did not get all it asked for: codes and figures of the main reasons, which views put into words. */
export type WaitingJob = Pick<JobOutcome, "name" | "asked" | "granted" | "reasons">;

/** The job of a user that waits longest. */
export interface LongestWait {
  /** Null: its source does not say. */
  readonly user: string | null;
  readonly job: string;
  readonly source: string;
  readonly sinceSeconds: number;
}

/** A VM size of a node array of which no new nodes are asked for until then. */
export interface BackedOff extends NodeKind {
  readonly untilSeconds: number;
  readonly why: string;
  /** Name of the budget that allows none; absent: no budget is why. */
  readonly budget?: string;
  /** True: the budget is not spent, but could not count such nodes, since their price is not known. */
  readonly isUnpriced?: boolean;
}

/** A quota of Azure's that refused nodes although CycleCloud's figures left room for them. */
export interface QuotaRefusal {
  readonly limit: "family" | "region";
  /** What it limits, as `ccscale limits` lists it: `westeurope/standardFSv2Family`, `westeurope spot`. */
  readonly scope: string;
  /** Cores that were left at most when it refused. */
  readonly coresLeft: number;
  readonly atSeconds: number;
  /** Until then the figures are not believed. */
  readonly untilSeconds: number;
  readonly why: string;
}

/** An idle time-out that the configuration leaves to the service. */
export interface ChosenIdleTimeout {
  readonly nodeArray: string;
  readonly seconds: number;
  /**
   * `learned`: what would have cost least for the gaps, or as near to it as the bound allows. `bound`: too few gaps are known, and it is what a
   * re-boot costs. `no-boots`: nor is that known, and it is the default.
   */
  readonly by: "learned" | "bound" | "no-boots";
  /** The median boot of the array; null: not known. */
  readonly bootSeconds: number | null;
  /** Times for which nodes were idle that it was learned from, or that are too few. */
  readonly knownGaps: number;
}

/** From what the size of spare room was read, or what it buys is. */
export interface SpareSizing {
  readonly requestSet: string;
  /** The name of the target. */
  readonly target: string;
  /** Whether its size is left to the service. */
  readonly isAuto: boolean;
  /** Hours like this one of the last weeks; 0: none is known. */
  readonly hours: number;
  /** How long a slow boot of the array takes. */
  readonly bootSeconds: number;
  /** For each minute of these hours, how much more jobs used at most until one boot later, in nodes or slots; the least first. */
  readonly rises: readonly number[];
}

/** A target that a plan met, and what its spare room buys. */
export interface PlannedTarget extends TargetOutcome {
  /** Absent: it is no spare room. */
  readonly spare?: Omit<SpareSizing, "requestSet" | "target" | "rises"> & {
    /** How long who needs more waits on average for a boot; null: not known, or nobody needed more. */
    readonly waitSeconds: number | null;
  };
}

/** A retry of a node that failed. */
export interface TroubledNode {
  readonly nodeId: string;
  readonly nodeArray: string;
  readonly atSeconds: number;
}

/** A node that a health check took out of service in its scheduler. */
export interface UnhealthyNode {
  readonly nodeId: string;
  readonly name: string;
  readonly nodeArray: string;
  readonly hostname: string;
  readonly source: string;
  /** The scheduler's words. */
  readonly why: string;
  readonly sinceSeconds: number;
  readonly policy: UnhealthyPolicy;
  /**
   * What keeps it from being replaced: jobs there, or what else its scheduler holds it for; the limits of nodes at a time and
   * in a day; keep-alive; a scheduler that is silent. Absent: nothing does, or it is not to be replaced.
   */
  readonly waitsFor?: "jobs" | "at-once" | "per-day" | "keep-alive" | "source";
}

/** An unhealthy node that plans delete, or deleted within a day. */
export interface ReplacedNode extends Pick<UnhealthyNode, "nodeId" | "name" | "nodeArray" | "why"> {
  readonly atSeconds: number;
}

/** A VM size of a node array that gets no new nodes until then, because so many of its boots failed within an hour. */
export interface BootsFailing extends NodeKind {
  readonly failures: number;
  /** Boots that ended within that hour, those included. */
  readonly boots: number;
  readonly untilSeconds: number;
}

/** A job with a place on nodes that are up, which its scheduler had not started when a plan first saw that. */
export interface WatchedJob {
  readonly source: string;
  readonly job: string;
  /** Digest of what it asks for, and how many slots or nodes of it waited at the last look. */
  readonly shape: string;
  readonly asked: number;
  /** Of the source's message then: a later one tells whether the job still waits. */
  readonly sequence: number;
  readonly sinceSeconds: number;
}

/** Jobs of one shape that their scheduler does not start on nodes that are up and have room for them. */
export interface StalledJob {
  readonly source: string;
  /** Digest of what they ask for. */
  readonly shape: string;
  /** The first few, and how many slots or nodes of each waited then. */
  readonly jobs: readonly { readonly name: string; readonly asked: number }[];
  /** Until then nodes of these kinds do not count for them, and none is bought. None: they have room for a part only. */
  readonly kinds: readonly NodeKind[];
  readonly untilSeconds: number;
  readonly forSeconds: number;
  /** The first of the nodes that did not take them. */
  readonly nodes: readonly string[];
  /** Of the job that was noticed last: what it wanted, and for how much of that the nodes have room. */
  readonly asked: number;
  readonly granted: number;
  /** In the scheduler's words; null: it gives none. */
  readonly reason: string | null;
  readonly sinceSeconds: number;
}

/** An idle node that schedulers were asked to drain before it goes, or to take back because it is wanted again. */
export interface DrainingNode {
  readonly nodeId: string;
  readonly name: string;
  readonly hostname: string | null;
  /** `undraining` until its schedulers are known to have taken it back. */
  readonly phase: "draining" | "undraining";
  /** When that was decided: the `atSeconds` of the event. */
  readonly sinceSeconds: number;
  /** When schedulers were last informed. */
  readonly toldSeconds: number | null;
  /** The last plan in which a scheduler held the node for reasons of its own. Absent: none did. */
  readonly heldAtSeconds?: number;
}

/** A node that a scheduler has out by its own making, and what it says of that; null: it does not say. */
export interface OutNode {
  readonly nodeId: string;
  readonly source: string;
  readonly by: string | null;
  readonly why: string | null;
  readonly sinceSeconds: number | null;
  /** Draining, not drained: it is not deleted while that lasts. */
  readonly isHeld: boolean;
}

/** Idle nodes that a plan left up, since a message that nobody has read yet may say that one of them runs a job. */
export interface UnreadHold {
  /** On the demand queue and its poison queue, of all clusters; null: the queue did not answer. */
  readonly messages: number | null;
  /** Since when plans have met unread messages without a break. */
  readonly sinceSeconds: number;
  /** How many idle nodes stay for that. */
  readonly nodes: number;
  /** Plans have waited for long enough, and nodes go in spite of it. */
  readonly isOver: boolean;
  /** When a plan looks again, which was asked for; null: no idle node waits for one. */
  readonly lookAgainSeconds: number | null;
}

/** The newest plan of a cluster. Its ETag is what two planners of one cluster race for; the loser starts over. */
export interface PlanHead extends PlanSummary {
  /** What was odd, by kind. */
  readonly warnings: readonly PlanWarnings[];
  readonly snapshotTakenAtSeconds: number;
  /** When the plan was asked for, by its request. */
  readonly requestedAtSeconds: number;
  /** Identity of what operators had decided, and the newest node that was lost then; null: none. */
  readonly controlDigest: string;
  /** Identity of the configuration that it was made with. */
  readonly configDigest: string;
  readonly newestLossId: string | null;
  /** When the demand was read: demand that came later has not been planned yet. */
  readonly demandReadAtSeconds: number;
  /** Plans that were the newest once and whose actions may not have been sent yet; this plan's own go without saying. */
  readonly unsentPlanIds: readonly string[];
  /** What the plan saw of each source, by its sequence: anything else has not been planned yet. */
  readonly demandSequences: Readonly<Record<string, number>>;
  /** Identity of the cluster as it was planned; another value means that something changed. */
  readonly clusterDigest: string;
  /** When time alone makes another plan due (idle, boot, expiry); null when nothing waits for the clock. */
  readonly nextDeadlineSeconds: number | null;
  /** Buckets that the plan asked for no new nodes. */
  readonly backedOff: readonly BackedOff[];
  /** Quotas of which the plan took no more than they had when they refused nodes. */
  readonly refusedQuotas: readonly QuotaRefusal[];
  /** Retries of nodes that are not up yet. */
  readonly troubled: readonly TroubledNode[];
  readonly bootsFailing: readonly BootsFailing[];
  /** Absent: the configuration leaves none to the service. */
  readonly idleTimeouts?: readonly ChosenIdleTimeout[];
  /** Nodes that health checks took out of service, and those that were replaced for it. Absent: none. */
  readonly unhealthy?: readonly UnhealthyNode[];
  readonly replaced?: readonly ReplacedNode[];
  /** Jobs that their schedulers do not start, and those that may turn out to be such. Absent: none. */
  readonly stalled?: readonly StalledJob[];
  readonly watched?: readonly WatchedJob[];
  /** When the plan's targets were asked for, by request set. */
  readonly targetRequests: Readonly<Record<string, number>>;
  /** The first of the targets, those that are not met before the others. */
  readonly targets: readonly PlannedTarget[];
  /** Nodes that drain, or are being taken back. */
  readonly draining: readonly DrainingNode[];
  /** What the plan met on the demand queue when it was about to delete idle nodes. Absent: nothing, or it was not. */
  readonly unread?: UnreadHold;
  /** The first of the nodes that schedulers took out of service themselves. */
  readonly out: readonly OutNode[];
  /** The newest plan that bought nodes, this one or an earlier one; null: none that is known. */
  readonly bought: BoughtNodes | null;
  /** Of each user the job that waits longest, the longest first. */
  readonly longestWaits: readonly LongestWait[];
  /** The first of the jobs that wait, in the order of the queue; the archived plan has all of them. */
  readonly waiting: readonly WaitingJob[];
}

/** Why the new nodes of a plan are of their size. */
export interface BoughtNodes {
  readonly planId: string;
  readonly atSeconds: number;
  /** The first few sets of nodes. */
  readonly sizes: readonly BoughtSize[];
}

export interface BoughtSize extends Omit<SizeChoice, "names"> {
  readonly count: number;
}

/** Warnings of one kind: how many, about whom first, and what the first one says. */
export interface PlanWarnings {
  readonly code: string;
  readonly count: number;
  readonly subjects: readonly string[];
  readonly message: string;
}

/** A plan with its input: enough to make it again, anywhere. */
export interface WholePlan {
  readonly archive: "whole";
  readonly summary: PlanSummary;
  readonly input: PlanInput;
  readonly plan: Plan;
  readonly actions: readonly ScaleAction[];
}

/** What a plan decided, with lists cut short: kept of a plan that could not be archived whole. */
export interface PlanOutline {
  readonly archive: "summary";
  readonly archiveReason: string;
  readonly summary: PlanSummary;
  readonly create: Plan["create"];
  readonly start: Plan["start"];
  readonly retire: Plan["retire"];
  readonly retry: Plan["retry"];
  readonly waiting: readonly WaitingJob[];
  readonly waitingCount: number;
  readonly warnings: Plan["warnings"];
  readonly actionIds: readonly string[];
}

export type ArchivedPlan = WholePlan | PlanOutline;

export type ArchiveOutcome =
  | { readonly outcome: "archived" }
  /** Nothing was written: it is larger than what is kept. */
  | { readonly outcome: "too-large"; readonly reason: string };

/**
 * The newest plan of a cluster, and the archive.
 *
 * - Called by: the planner writes, in its session; views and replays read.
 * - Twice: yes: `archive` replaces the same plan id; `saveHead` under its ETag.
 * - Gone: `loadHead` and `load` give undefined.
 * - Retries: the SDK. On ConflictError of the head the plan is dropped and made anew; an archive that cannot be written
 *   is recorded as failed, and stops nothing.
 */
export interface PlanStore {
  loadHead(cluster: string): Promise<Stored<PlanHead> | undefined>;
  /** Throws ConflictError when another planner was faster. */
  saveHead(head: PlanHead, ifMatch: IfMatch): Promise<void>;
  /** Keeps the plan and adds its line to the index. Saving the same plan id again replaces it. */
  archive(plan: ArchivedPlan): Promise<ArchiveOutcome>;
  /** Adds the line of a plan that is not archived, unless the index has a line of that plan already. */
  recordFailed(record: PlanRecord): Promise<void>;
  /** Newest first; only those made at `untilSeconds` or before when it is given. */
  list(cluster: string, limit: number, untilSeconds?: number): Promise<readonly PlanRecord[]>;
  /** Undefined when nothing is kept but perhaps its line. */
  load(cluster: string, planId: string): Promise<ArchivedPlan | undefined>;
}
