import type { NodeArrayTarget } from "../messages/node-array-target.ts";
import type { IfMatch, Stored } from "./stored.ts";

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
  readonly arrays: readonly NodeArrayTarget[];
  /** Requests left out because a newer or the same one had come before. */
  readonly ignoredMessages: number;
}

export interface TargetStore {
  /** Every request set of the cluster, expired ones too, by name. */
  list(cluster: string): Promise<readonly RequestSet[]>;
  load(cluster: string, requestSet: string): Promise<Stored<RequestSet> | undefined>;
  /** Throws ConflictError when the set was saved by somebody else since `ifMatch` was read. */
  save(requested: RequestSet, ifMatch: IfMatch): Promise<void>;
  /** Nothing happens when there is none. */
  remove(cluster: string, requestSet: string): Promise<void>;
}
