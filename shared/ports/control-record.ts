import type { IfMatch, Stored } from "./stored.ts";

/** What has been decided about a cluster apart from its configuration, and outlives every process. */
export interface ClusterControl {
  readonly cluster: string;
  /** Set from an operator's pause until a resume: plans are made, and nothing is sent. */
  readonly paused: Pause | null;
  /**
   * Set from a failed login until other credentials come, or one that an operator resumed is taken: CycleCloud is not
   * called meanwhile. It shows what `ControlStore.refusedLogin` decides for all clusters with the same credentials.
   */
  readonly refusedLogin: RefusedLogin | null;
  /** By id, in addition to those of the configuration. */
  readonly ignoredNodes: readonly IgnoredNode[];
  /** Those that are to take no new jobs. */
  readonly drainedNodes: readonly DrainedNode[];
  /** Those that nobody but an operator may delete, whatever CycleCloud's own record of them says. */
  readonly keptNodes: readonly KeptNode[];
  /** Nodes that are drained one after the other; null: none are. */
  readonly rolling: Rolling | null;
}

/** A drain of many nodes, so many at a time, that goes on by itself. */
export interface Rolling {
  readonly by: string;
  readonly reason: string;
  readonly atSeconds: number;
  /** Whose turn has not come. */
  readonly left: readonly NamedNode[];
  /** Those that are drained and not done. */
  readonly inTurn: readonly NamedNode[];
  readonly atOnce: number;
  /** Whether nodes are deleted when no job runs there; else they stay drained. */
  readonly replace: boolean;
  /** How many there were at the start. */
  readonly total: number;
}

interface NamedNode {
  readonly nodeId: string;
  readonly name: string;
}

/** A node for which an operator asked something, and until when. */
type MarkedNode = NamedNode & Decision;

/** A node that the autoscaler leaves alone at an operator's request: no jobs, no deletion, no retry. */
type IgnoredNode = MarkedNode;

/** A node that an operator wants drained: it takes no new jobs, and goes by its idle time-out like any other. */
export type DrainedNode = MarkedNode;

/** A node that an operator keeps alive: it takes jobs as ever, and is never deleted but by an operator. */
export type KeptNode = MarkedNode;

export type Pause = Decision;

interface Decision {
  /** Who decided, and why: in their words. */
  readonly by: string;
  readonly reason: string;
  readonly atSeconds: number;
  /** When it ends by itself. Absent: when somebody ends it. */
  readonly untilSeconds?: number;
}

/** Five failed logins in a minute lock the account for five minutes, so one is enough to stop, and one tries again. */
export interface RefusedLogin {
  /** Fingerprint of the refused credentials, see `CycleCloud.credentialsFingerprint`; no secret. */
  readonly fingerprint: string;
  /** The server's words. */
  readonly message: string;
  readonly atSeconds: number;
  /** When an operator let it be tried once more, or a cluster left it for other credentials. Absent: it is not. */
  readonly resumedAtSeconds?: number;
  /** Since when somebody tries it; everybody else waits for what comes of that. Absent: nobody does yet. */
  readonly triedAtSeconds?: number;
}

/**
 * Pauses, held nodes and refused logins, apart from the configuration.
 *
 * - Called by: people's requests and the planner (rolling drains), logins (refused ones).
 * - Twice: yes: `save` and `changeRefusedLogin` under their ETags.
 * - Gone: `load` and `refusedLogin` give undefined, `forgetRefusedLogin` does nothing; `changeRefusedLogin` throws
 *   ConflictError.
 * - Retries: the SDK; on ConflictError the caller loads again and decides anew.
 */
export interface ControlStore {
  /** Undefined when nothing was ever decided about the cluster. */
  load(cluster: string): Promise<Stored<ClusterControl> | undefined>;
  /** Throws ConflictError when it was saved by somebody else since `ifMatch` was read. */
  save(control: ClusterControl, ifMatch: IfMatch): Promise<void>;
  /** What is known of these credentials, whichever cluster met it; undefined: nobody was refused with them. */
  refusedLogin(fingerprint: string): Promise<Stored<RefusedLogin> | undefined>;
  /** Holds for all clusters that log in with them. Saving it again replaces it. */
  saveRefusedLogin(refused: RefusedLogin): Promise<void>;
  /** Replaces this one alone: throws ConflictError when it was saved or forgotten by somebody else since. */
  changeRefusedLogin(refused: RefusedLogin, etag: string): Promise<void>;
  /** Nothing happens when there is none. */
  forgetRefusedLogin(fingerprint: string): Promise<void>;
}
