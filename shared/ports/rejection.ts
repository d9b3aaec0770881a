/**
 * Why a message is here. `set-aside`: it took effect, but for some jobs, nodes or targets in it, which the problems name.
 * `invalid`: it was refused for what it says. `poison`: it failed in every attempt, for another
 * reason. `dead-letter`: the broker gave it up, after too many attempts or because its time was over.
 */
export type RejectionKind = "set-aside" | "invalid" | "poison" | "dead-letter";

/** A message that was refused or given up, and every reason. Kept so that nothing is lost silently. */
export interface Rejection {
  readonly rejectionId: string;
  readonly kind: RejectionKind;
  /** Undefined when the message does not say, or cannot be read. */
  readonly cluster: string | undefined;
  readonly source: string | undefined;
  readonly queue: string;
  readonly receivedAtSeconds: number;
  /** How often it was delivered; undefined if the queue does not count. */
  readonly attempts: number | undefined;
  readonly problems: readonly string[];
  /** The start of the message, for whoever has to find its sender. */
  readonly excerpt: string;
  /** When an operator last sent it again, or a fixed one in its place. */
  readonly replayedAtSeconds?: number;
}

/** A rejection with its message. */
export interface RejectedMessage {
  readonly rejection: Rejection;
  /**
   * The message as text, whole; a claim check is the claim, which names its blob. Undefined when it is longer than the
   * 64 KiB of a Storage queue message (UTF-8), or nested too deeply to be written down.
   */
  readonly body: string | undefined;
}

/**
 * Messages that were refused or given up.
 *
 * - Called by: whoever receives messages or watches dead letters; replays.
 * - Twice: yes: the id is the key.
 * - Gone: `load` gives undefined, `markReplayed` throws ConflictError.
 * - Retries: the SDK; then the queue, which delivers the message again.
 */
export interface RejectionStore {
  /** The same id again changes nothing. */
  add(message: RejectedMessage): Promise<void>;
  /**
   * Newest first; only those received at `untilSeconds` or before when it is given. Without a cluster: those that name
   * none or an unknown one.
   */
  list(cluster: string | undefined, limit: number, untilSeconds?: number): Promise<readonly Rejection[]>;
  /** Undefined when the cluster (or, without one, nobody) has no rejection of this id. */
  load(cluster: string | undefined, rejectionId: string): Promise<RejectedMessage | undefined>;
  /** Records that the message is on its way again. Throws ConflictError when the rejection is gone. */
  markReplayed(cluster: string | undefined, rejectionId: string, atSeconds: number): Promise<void>;
}
