import type { BudgetPeriod, SumDimension } from "../accounting/index.ts";
import type { Caps, EngineSettings, PerNodeArray, PriceRule } from "../engine/index.ts";
import type { VmCatalogueOptions } from "../facts/index.ts";
import type { NodeArrayTarget, PseudonymField } from "../messages/index.ts";
import type { Recurrence } from "../time/recurring.ts";
import type { Destination } from "./notifications.ts";
import type { IfMatch } from "./stored.ts";

/** Where a cluster's CycleCloud server is. The password is never stored: `passwordSetting` names the app setting that holds it. */
export interface CycleCloudConnection {
  readonly url: string;
  readonly username: string;
  readonly passwordSetting: string;
  readonly verifyCertificates: boolean;
  /** PEM text of the authority that signed a private server's certificate. */
  readonly certificateAuthority?: string;
  /** SHA-256 of the server's certificate in lower-case hex: the server is known by it alone, whoever signed it. */
  readonly certificateFingerprint?: string;
}

/** What the cycle around the engine needs to know. All times in seconds. */
export interface CycleSettings {
  /** How often the cluster is read while it has nodes or waits for some; less often at rest. 0: on every beat of the timer. */
  readonly snapshotIntervalSeconds: number;
  /** No plan is made from a snapshot older than this: "cannot tell" is not "nothing there". */
  readonly maxSnapshotAgeSeconds: number;
  /** How long a source's demand counts after its last message, unless the message says otherwise. */
  readonly demandTtlSeconds: number;
  /** Schedulers that may have demand at a time. */
  readonly maxSources: number;
  /** Whether jobs are planned with the time that they will probably run, where earlier ones tell. */
  readonly predictsRunTimes: boolean;
  /** An action that was not carried out by then is dropped. */
  readonly actionTtlSeconds: number;
  /** An operation whose nodes did not appear by then is looked up and closed. */
  readonly operationTimeoutSeconds: number;
  /**
   * How far CycleCloud's lists of nodes and requests may lag behind what it did. Until then a list that is short, or a
   * request that is unknown, proves nothing: what was asked for counts as coming.
   */
  readonly nodeListLagSeconds: number;
  /** An idle node that its schedulers were asked to drain goes after this time, drained or not; 0: none are asked. */
  readonly drainTimeoutSeconds: number;
  /** How long no new nodes are asked of a bucket that gave fewer than asked; 0: it is asked again at once. */
  readonly capacityFailureBackoffSeconds: number;
  /** With `failed_nodes: "retry"`: how often a node is retried before it is deleted. */
  readonly failedNodeRetries: number;
  /** How many nodes of an array may fail to boot within an hour before it gets no new ones; 0: any number. */
  readonly bootFailuresBeforeBackoff: number;
  /** For how long after the last of those failures. */
  readonly bootFailureBackoffSeconds: number;
  /**
   * Attributes of new nodes that targets may choose, such as `Configuration.application_*` (shell wildcards allowed), with
   * all that is below them. Empty: none.
   */
  readonly targetAttributes: readonly string[];
  /** What becomes of nodes that health checks take out of service. */
  readonly unhealthyNodes: UnhealthySettings;
  /** Plans are made, archived and shown, but nothing is sent. */
  readonly readOnly: boolean;
  /** Absent: nothing is capped. */
  readonly caps?: CapSettings;
  /** Absent: none. */
  readonly ownerCaps?: readonly OwnerCap[];
  /** Besides that of the caps. Absent: none. */
  readonly budgets?: readonly BudgetSettings[];
  /** Absent: spot arrays are like all others. */
  readonly spot?: SpotSettings;
  /** Its part of every quota that it shares with other clusters of the deployment. Absent: the usual part. */
  readonly shares?: QuotaShare;
}

/** The part of every shared quota that a cluster may have. */
export interface QuotaShare {
  /** What others get of it only while this cluster does not want it; from 0 to 1 of the quota. */
  readonly guaranteed: number;
  /** The largest part of the quota. */
  readonly most: number;
  /** Of clusters that wait, the one that has least for its weight comes first. */
  readonly weight: number;
  /** Clusters that name the same subscription share its quotas. Absent: the account in CycleCloud says which it is. */
  readonly subscription?: string;
}

/**
 * `report`: they are shown, and go when they are idle. `replace`: they go as soon as they have no jobs. `keep`: they stay, and
 * nothing is said.
 */
export type UnhealthyPolicy = "keep" | "replace" | "report";

export interface UnhealthySettings {
  readonly policy: PerNodeArray<UnhealthyPolicy>;
  /** How the reasons of schedulers that a health check wrote begin; shell wildcards. */
  readonly reasons: readonly string[];
  /** Of `replace`, all node arrays together. */
  readonly mostAtOnce: number;
  readonly mostPerDay: number;
}

/** Spot arrays and the regular ones that stand in for them, and what sends a job from one to the other. */
export interface SpotSettings {
  readonly pairs: readonly SpotPair[];
  /** How long a job waits for a spot node. */
  readonly patienceSeconds: number;
  /** Jobs that may run longer stay off spot nodes; null: none do for that. */
  readonly maxRuntimeSeconds: number | null;
  /** Of the cores of a pair, at most this share is spot. */
  readonly maxShare: number;
  /** A job that lost so many spot nodes stays off them. */
  readonly evictionsBeforeRegular: number;
}

export interface SpotPair {
  readonly spot: string;
  readonly regular: string;
}

/** The engine's caps, with the budget as its key has it; what is spent of that comes from the accounts. */
export interface CapSettings extends Omit<Caps, "budget"> {
  readonly monthlyBudgetUsd: number | null;
}

/** The most cores that the jobs of one user, account or queue may have together. */
export interface OwnerCap {
  readonly by: "user" | "account" | "queue";
  /** For whom nothing else is said. Null: no cap. */
  readonly maxCores: number | null;
  readonly byName: Readonly<Record<string, number | null>>;
}

/** What somebody may spend in a calendar day or month (UTC). */
export interface BudgetSettings {
  /** No two budgets of a cluster have the same. */
  readonly name: string;
  /** Null: the whole cluster. */
  readonly of: BudgetSubject | null;
  readonly period: BudgetPeriod;
  readonly usd: number;
  /** Whether nothing new is bought for it once it is spent. */
  readonly hold: boolean;
}

export interface BudgetSubject {
  readonly dimension: SumDimension;
  /** `unknown`: also jobs that name none. */
  readonly name: string;
}

/** When a node that asks for it may stop. */
export interface AutostopSettings {
  /** How long it has to be idle when it never ran a job. */
  readonly idleSecondsBeforeJobs: number;
  /** How long since, when it ran one. */
  readonly idleSecondsAfterJobs: number;
  /** What nodes show where they come with a login; the password is in the app setting of that name. Null: none may. */
  readonly login: { readonly username: string; readonly passwordSetting: string } | null;
}

/** For sites that must not store names of people: `keySetting` names the app setting that holds the key. */
export interface PseudonymSettings {
  readonly keySetting: string;
  readonly fields: readonly PseudonymField[];
}

/** Targets and settings that hold in windows of time. */
export interface Schedule extends Recurrence {
  readonly name: string;
  /** How much earlier nodes are asked for, to be Ready when a window begins; null: as long as nearly all of the array's boots took. */
  readonly leadSeconds: number | null;
  readonly targets: readonly NodeArrayTarget[];
  /** Keys of the file that hold in place of its own, as they are written. Absent: none. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** One cluster's `autoscale.json`, checked. */
export interface ClusterConfig {
  readonly cluster: string;
  readonly connection: CycleCloudConnection;
  readonly engine: EngineSettings;
  readonly cycle: CycleSettings;
  readonly autostop: AutostopSettings;
  /** What it says about printing, for `ccscale`, as it is written: small, and not looked at here. Absent: nothing. */
  readonly printing?: Readonly<Record<string, unknown>>;
  /** Absent: none. */
  readonly schedules?: readonly Schedule[];
  /** The file's own keys that schedules may change, as they are written. Absent: no schedule changes any. */
  readonly ownKeys?: Readonly<Record<string, unknown>>;
  /** What the cluster knows better than the catalogue of VM sizes. */
  readonly facts?: VmCatalogueOptions;
  /** What the cluster pays that differs from the list. Absent: nothing. */
  readonly priceRules?: readonly PriceRule[];
  /** Who receives a message when something is wrong. Absent: nobody. */
  readonly notifications?: readonly Destination[];
  /** A user whose job waits for longer is worth a message. Absent: none is. */
  readonly longWaitSeconds?: number;
  /** Which names of jobs are stored as keyed hashes. Absent: none. */
  readonly pseudonyms?: PseudonymSettings;
  /** Node arrays that it names, whether the cluster has them or not, with their keys. Absent: none. */
  readonly namedArrays?: readonly { readonly path: string; readonly name: string }[];
  /** What was odd but usable, such as an unknown key with the nearest known one. */
  readonly warnings: readonly string[];
  /** It is an earlier one: why the stored file cannot be used, with every problem. Absent: it is the stored file. */
  readonly inPlaceOf?: string;
}

/**
 * Configurations, checked.
 *
 * - Called by: everybody.
 * - Twice: yes: it only reads.
 * - Gone: undefined for a cluster without a configuration: nothing is done for it.
 * - Retries: the SDK. A ConfigurationError is for the operator; the status shows it.
 *
 * A file that cannot be used leaves the last one that could in force: a slip while editing must not stop a cluster.
 */
export interface ConfigStore {
  /** Names of all clusters that have a configuration, sorted. */
  clusters(): Promise<readonly string[]>;
  /**
   * Undefined for an unknown cluster. Throws ConfigurationError with every problem when the file cannot be used, and none before it
   * is known.
   */
  load(cluster: string): Promise<ClusterConfig | undefined>;
}

/** An `autoscale.json` as it is written, unchecked. */
export interface ConfigFile {
  readonly text: string;
  readonly etag: string;
}

/** A configuration with what it includes merged in; or everything that is wrong with it. Then `json` is as far as it could be merged. */
export type CheckedConfig =
  | { readonly ok: true; readonly json: unknown; readonly config: ClusterConfig }
  | { readonly ok: false; readonly json: unknown; readonly problems: readonly string[] };

/**
 * Configurations as they are written, for those who show and change them. `ConfigStore` reads them for everybody else.
 *
 * - Called by: `config` commands and routes.
 * - Twice: yes: `save` under its ETag.
 * - Gone: `read` gives undefined, `save` then throws ConflictError.
 * - Retries: the SDK; on ConflictError the person, who sees the other change first.
 */
export interface ConfigFiles {
  /** Undefined when the cluster has none. */
  read(cluster: string): Promise<ConfigFile | undefined>;
  /** Throws ConflictError when somebody else wrote it since `ifMatch` was read. Returns the new ETag. */
  save(cluster: string, text: string, ifMatch: IfMatch): Promise<string>;
  /**
   * Reads a configuration as the service would. What it includes comes from `includes` when they are given, by path from
   * the configuration, else from where configurations are kept. Throws what the store throws.
   */
  check(cluster: string, json: unknown, includes?: Readonly<Record<string, unknown>>): Promise<CheckedConfig>;
}
