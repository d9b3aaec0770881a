/** A message that was refused, and every reason. Kept so that nothing is lost silently. */
export interface Rejection {
  readonly rejectionId: string;
  /** Undefined when the message does not say, or cannot be read. */
  readonly cluster: string | undefined;
  readonly source: string | undefined;
  readonly queue: string;
  readonly receivedAtSeconds: number;
  readonly problems: readonly string[];
  /** The start of the message, for whoever has to find its sender. */
  readonly excerpt: string;
}

export interface RejectionStore {
  /** The same id again changes nothing. */
  add(rejection: Rejection): Promise<void>;
  /** Newest first. Without a cluster: those that name none or an unknown one. */
  list(cluster: string | undefined, limit: number): Promise<readonly Rejection[]>;
}
