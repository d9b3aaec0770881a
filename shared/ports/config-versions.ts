/** A configuration as it was stored, and who stored it. */
export interface ConfigVersion {
  /** Counts up from 1. */
  readonly version: number;
  readonly atSeconds: number;
  /** Null: it was changed in the store itself, by nobody that is known. */
  readonly by: string | null;
  readonly reason: string;
  /** Values that differ from the version before, without secrets, cut. */
  readonly changes: readonly string[];
  /** As it was written. */
  readonly text: string;
}

/**
 * The newest versions of each configuration: enough to see who changed what, and to go back.
 *
 * - Called by: whoever changes a configuration through the service: before, for a change made in the store itself, and
 *   after.
 * - Twice: the second writer of one number gets a ConflictError.
 * - Gone: versions beyond the newest 100 are dropped.
 * - Retries: the SDK; on ConflictError the caller takes the next number, five times at most. The change holds in any
 *   case.
 */
export interface ConfigVersionStore {
  /** Throws ConflictError when there is a version of that number. Versions beyond the newest 100 are dropped. */
  add(cluster: string, version: ConfigVersion): Promise<void>;
  /** Newest first. */
  list(cluster: string, limit: number): Promise<readonly ConfigVersion[]>;
}
