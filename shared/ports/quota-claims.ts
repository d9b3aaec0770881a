import type { QuotaShare } from "./cluster-config.ts";
import type { IfMatch, Stored } from "./stored.ts";

/** What a cluster has of one of Azure's quotas, in cores. */
export interface QuotaUse {
  /** Of nodes that its snapshot shows. */
  readonly held: number;
  /** Of nodes that it has ordered and that the snapshot does not show. */
  readonly ordered: number;
  /** By how much `held` grew with its last snapshots: what CycleCloud reported to other clusters before that lacks these nodes. */
  readonly grown: readonly { readonly atSeconds: number; readonly cores: number }[];
  /** What its jobs would take besides if no other cluster had any. Absent: nothing, or nobody has a share of his own. */
  readonly waiting?: number;
}

/** What a cluster has of the quotas of a subscription, as its newest plan knows it. */
export interface QuotaClaim {
  readonly cluster: string;
  /** The plan that ordered new nodes with this claim; null: it ordered none. Its actions may never have been recorded. */
  readonly orderedBy: string | null;
  /** When the cluster's snapshot was taken. */
  readonly seenAtSeconds: number;
  /** Then nobody counts it any more. A cluster that goes on planning renews it before. */
  readonly untilSeconds: number;
  /** Then its jobs are not known to wait any more. Absent: none do. */
  readonly waitsUntilSeconds?: number;
  /** Absent: the usual one. */
  readonly share?: QuotaShare;
  /** By limit and scope: `family westeurope/standardFSv2Family`, `region westeurope spot`. */
  readonly uses: Readonly<Record<string, QuotaUse>>;
}

/** The claims of all clusters of a deployment on the quotas of one subscription. */
export interface QuotaClaims {
  readonly subscription: string;
  readonly claims: readonly QuotaClaim[];
}

/** A quota of which other clusters have ordered cores that the figures of a cluster do not contain yet, or wait for some. */
export interface SharedQuota {
  readonly limit: "family" | "region";
  /** As `ccscale limits` lists it. */
  readonly scope: string;
  /** Whose they are, the largest first. */
  readonly orders: readonly { readonly cluster: string; readonly cores: number }[];
  /** What is kept for clusters that wait, and have less for their share than this one. */
  readonly kept: readonly { readonly cluster: string; readonly cores: number }[];
}

/**
 * What the clusters of a deployment have and order of the quotas that they share.
 *
 * - Called by: plans, in the cluster's session, before they record what they order; views read.
 * - Twice: yes: `save` under its ETag; a plan replaces the claim of its own cluster only.
 * - Gone: `load` gives undefined: nobody claims anything.
 * - Retries: the SDK; on ConflictError the plan reads again and sees whether it still fits.
 */
export interface QuotaClaimStore {
  load(subscription: string): Promise<Stored<QuotaClaims> | undefined>;
  /** Throws ConflictError when it was saved by somebody else since `ifMatch` was read. */
  save(claims: QuotaClaims, ifMatch: IfMatch): Promise<void>;
}
