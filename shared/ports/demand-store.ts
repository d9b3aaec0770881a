import type {
  Capability,
  DemandJob,
  DemandNode,
  DemandNodeShape,
  NodeArrayTarget,
  SetAside,
} from "../messages/index.ts";
import type { IfMatch, Stored } from "./stored.ts";

/**
 * Stands for the senders of messages whose source is unknown, or whose source never had demand. It has no jobs,
 * only `refused`. No source can be called so.
 */
export const unknownSource = "";

/** What of a source's messages did not check out and still holds. */
export interface DemandSetAside {
  /** All that runs, all nodes with a host name, and the first hundred others. */
  readonly items: readonly SetAside[];
  /** How many there are beside those. */
  readonly more: number;
}

/** The newest word of a source, when it was refused whole: until it ends, it is unknown what the source runs where. */
export interface RefusedWord {
  /** When the first message was refused since the last good one. */
  readonly sinceSeconds: number;
  readonly lastSeconds: number;
  /** It counts for as long as a good message would. */
  readonly untilSeconds: number;
  /** A good message with this sequence or a later one ends it. Null: any does. */
  readonly sequence: number | null;
  /** How many were refused. */
  readonly messages: number;
  /** Problems of the newest, cut. */
  readonly problems: readonly string[];
  /** Of the unknown source: what the newest message calls its source. Null: nothing that can be read. */
  readonly claimedSource: string | null;
}

/** How long the last jobs of a user ran under a name, if their source reported their start. */
export interface RunTime {
  /** Null: the source does not say whose they are. */
  readonly user: string | null;
  readonly jobName: string;
  /** One or two, the newest first. */
  readonly lastSeconds: readonly number[];
}

/** A job as its source wants it, and what was seen of it before: only where spot arrays are paired. */
export interface StoredJob extends DemandJob {
  /** Since when it waits without a break. */
  readonly waitingSinceSeconds?: number;
  /** Hosts on which it ran when it was queued again, and when that was seen; the newest few. */
  readonly interruptedOn?: readonly Interruption[];
}

export interface Interruption {
  readonly hostname: string;
  readonly atSeconds: number;
}

/** Who sent the last messages of a source, as far as they say. */
export interface Senders {
  /** The newest first. */
  readonly known: readonly { readonly id: string; readonly sentAtSeconds: number }[];
  /** How often one came back after another, and until when that counts. Absent: not lately. */
  readonly turns?: { readonly count: number; readonly sinceSeconds: number; readonly untilSeconds: number };
}

/** What one source (a scheduler) wants of one cluster now. */
export interface SourceDemand {
  readonly cluster: string;
  readonly source: string;
  /** The sequence of the newest message that took effect. */
  readonly sequence: number;
  readonly receivedAtSeconds: number;
  /** When its sender says it was sent, by the sender's clock. Absent: the source never had demand. */
  readonly sentAtSeconds?: number;
  /** From then on the source counts as silent: its jobs are no demand, and its word no longer protects a node. */
  readonly expiresAtSeconds: number;
  readonly jobs: readonly StoredJob[];
  readonly nodes: readonly DemandNode[];
  /** What nodes that come will offer, as its scheduler counts it. Absent: it reports nothing of them. */
  readonly nodeShapes?: readonly DemandNodeShape[] | undefined;
  /** What the source can do for the cycle. Absent: nothing. */
  readonly capabilities?: readonly Capability[] | undefined;
  /** What its agent reports for people, a sentence each. Absent: nothing. */
  readonly notices?: readonly string[] | undefined;
  /** Absent: everything checked out. */
  readonly setAside?: DemandSetAside | undefined;
  /** Absent: its newest message took effect. */
  readonly refused?: RefusedWord | undefined;
  /** Of jobs that have ended, by name; at most a thousand names, those that ended last at the end. Absent: none. */
  readonly runTimes?: readonly RunTime[] | undefined;
  /** Absent: its messages do not say. */
  readonly senders?: Senders | undefined;
  /** Messages left out because a newer or the same one had come before. */
  readonly ignoredMessages: number;
}

/** The same without its jobs and nodes, which may be many: only how many there are. */
export interface DemandSummary
  extends Omit<SourceDemand, "jobs" | "nodes" | "nodeShapes" | "setAside" | "runTimes"> {
  readonly jobs: number;
  /** Of them and of what was set aside, those that run. */
  readonly running: number;
  readonly nodes: number;
  /** Absent: none. */
  readonly nodeShapes?: number | undefined;
  readonly setAside?: SetAsideSummary | undefined;
  /** Absent: every key of its jobs is known. */
  readonly warned?: WarnedSummary | undefined;
}

/** Jobs with keys that are not understood. */
export interface WarnedSummary {
  readonly jobs: number;
  /** Of the first of them, cut. */
  readonly first: string;
}

export interface SetAsideSummary {
  readonly items: number;
  /** Of them, jobs that run on hosts which cannot be read. */
  readonly lost: number;
  /** The first few in words, cut. */
  readonly first: readonly string[];
}

/** Jobs and nodes of a message that cannot take effect yet: a part of a snapshot, or a delta whose predecessor is missing. */
export interface DemandPart {
  readonly index: number;
  readonly jobs: readonly DemandJob[];
  readonly nodes: readonly DemandNode[];
  /** Names of jobs that a delta removes. */
  readonly remove?: readonly string[];
  /** The shapes of nodes, if a delta names them. */
  readonly nodeShapes?: readonly DemandNodeShape[] | undefined;
  /** The abilities of the source, if a delta names them. */
  readonly capabilities?: readonly Capability[] | undefined;
  /** What its agent reports for people, if a delta names it. */
  readonly notices?: readonly string[] | undefined;
  /** Absent: everything checked out. */
  readonly setAside?: readonly SetAside[] | undefined;
}

/** Which message of a source parts belong to. */
export interface MessageIdentity {
  readonly cluster: string;
  readonly source: string;
  readonly sequence: number;
}

export interface WaitingPart {
  readonly sequence: number;
  readonly index: number;
}

/**
 * Demand by source, and parts of messages that wait for others.
 *
 * - Called by: whoever receives demand (writes); planner, snapshots and views (read).
 * - Twice: yes: `save` under its ETag, parts by their index.
 * - Gone: `load` gives undefined, `dropParts` does nothing; `remove` throws ConflictError when somebody was faster.
 * - Retries: the SDK; on ConflictError whoever saves loads again and merges anew.
 */
export interface DemandStore {
  /** Every source of the cluster, expired ones too, by source name. */
  list(cluster: string): Promise<readonly SourceDemand[]>;
  /** The same in short. Costs nothing like reading all jobs. */
  summaries(cluster: string): Promise<readonly DemandSummary[]>;
  load(cluster: string, source: string): Promise<Stored<SourceDemand> | undefined>;
  /** Throws ConflictError when the source was saved by somebody else since `ifMatch` was read. */
  save(demand: SourceDemand, ifMatch: IfMatch): Promise<void>;
  /** Throws ConflictError when the source was saved since `etag` was read. */
  remove(source: Pick<SourceDemand, "cluster" | "source">, etag: string): Promise<void>;
  /** Keeps a part until its message can take effect; the same index again replaces it. */
  savePart(message: MessageIdentity, part: DemandPart): Promise<void>;
  /** Which parts of all of a source's messages wait. Costs nothing like reading them. */
  waitingParts(source: Pick<MessageIdentity, "cluster" | "source">): Promise<readonly WaitingPart[]>;
  /** Sources of which parts wait. */
  sourcesWithParts(cluster: string): Promise<readonly string[]>;
  /** The parts that have come, by index. */
  loadParts(message: MessageIdentity): Promise<readonly DemandPart[]>;
  /** The part with index 0 of this message, which is all of a parked delta. Costs less than `loadParts`. */
  loadFirstPart(message: MessageIdentity): Promise<DemandPart | undefined>;
  /** Forgets that part. Costs less than `dropParts`. */
  dropFirstPart(message: MessageIdentity): Promise<void>;
  /** Forgets the parts of this message and of every older one of the source. */
  dropParts(message: MessageIdentity): Promise<void>;
}

/**
 * Blobs that senders upload when their demand is too large for a message (the claim check).
 *
 * - Called by: whoever receives demand, once for each delivery of the message.
 * - Twice: yes: it only reads.
 * - Gone: undefined. The message is then refused, and recorded.
 * - Retries: the SDK; then the queue, which delivers the message again.
 */
export interface DemandUploads {
  /** The blob's text; undefined when there is none, or a refusal when reading it would take more memory than there is. */
  read(blob: string): Promise<string | undefined | { readonly refused: string }>;
}

/** What one request set wants of a cluster's node arrays now: the newest autoscale request made in its name. */
export interface RequestSet {
  readonly cluster: string;
  readonly requestSet: string;
  /** Who sent the request that holds, its number there, and when. */
  readonly source: string;
  readonly sequence: number;
  readonly sentAtSeconds: number;
  readonly receivedAtSeconds: number;
  /** From then on the set wants nothing. */
  readonly expiresAtSeconds: number;
  /** The same follows then: of a schedule without a start. */
  readonly isLasting?: true;
  readonly arrays: readonly NodeArrayTarget[];
  /** Requests left out because a newer or the same one had come before. */
  readonly ignoredMessages: number;
}

/**
 * What request sets want.
 *
 * - Called by: whoever receives targets (writes); planner, snapshots and views (read).
 * - Twice: yes: `save` under its ETag.
 * - Gone: `load` gives undefined, `remove` does nothing.
 * - Retries: the SDK; on ConflictError the receiver loads again.
 */
export interface TargetStore {
  /** Every request set of the cluster, expired ones too, by name. */
  list(cluster: string): Promise<readonly RequestSet[]>;
  load(cluster: string, requestSet: string): Promise<Stored<RequestSet> | undefined>;
  /** Throws ConflictError when the set was saved by somebody else since `ifMatch` was read. */
  save(requested: RequestSet, ifMatch: IfMatch): Promise<void>;
  /** Nothing happens when there is none. */
  remove(cluster: string, requestSet: string): Promise<void>;
}
