import type { IfMatch, Stored } from "./stored.ts";

/** What has been decided about a cluster apart from its configuration, and outlives every process. */
export interface ClusterControl {
  readonly cluster: string;
  /** Set from a failed login until the credentials change or an operator resumes: CycleCloud is not called meanwhile. */
  readonly refusedLogin: RefusedLogin | null;
}

/** Five failed logins in a minute lock the account for five minutes, so one is enough to stop. */
export interface RefusedLogin {
  /** Of the credentials that were refused, see `CycleCloud.credentialsFingerprint`; no secret. */
  readonly fingerprint: string;
  /** The server's words. */
  readonly message: string;
  readonly atSeconds: number;
}

export interface ControlStore {
  /** Undefined when nothing was ever decided about the cluster. */
  load(cluster: string): Promise<Stored<ClusterControl> | undefined>;
  /** Throws ConflictError when it was saved by somebody else since `ifMatch` was read. */
  save(control: ClusterControl, ifMatch: IfMatch): Promise<void>;
}
