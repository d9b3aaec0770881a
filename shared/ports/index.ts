import type { AccountStore } from "./accounts.ts";
import type { ConfigStore } from "./cluster-config.ts";
import type { ConfigVersionStore } from "./config-versions.ts";
import type { ControlStore } from "./control-record.ts";
import type { CycleCloudFor } from "./cyclecloud.ts";
import type { DemandStore, DemandUploads, TargetStore } from "./demand-store.ts";
import type { EventStore } from "./events.ts";
import type { HistoryStore, NodeLossStore } from "./history-store.ts";
import type { PlanRequests, ScaleActions, SchedulerEvents, UnreadDemand } from "./messages.ts";
import type { NotificationStore } from "./notifications.ts";
import type { OperationStore } from "./operation.ts";
import type { PlanStore } from "./plan-record.ts";
import type { PriceSheetStore } from "./price-sheet.ts";
import type { QuotaClaimStore } from "./quota-claims.ts";
import type { RejectionStore } from "./rejection.ts";
import type { SampleStore } from "./samples.ts";
import type { SnapshotStore } from "./snapshot.ts";
import type { Log, Telemetry } from "./telemetry.ts";

/**
 * What the cycle needs of the world: interfaces and their records, contracts in prose, one noun a file. Adapters implement
 * them (`stores`, `queues`, `cyclecloud`, `telemetry`), `functions/support/wire.ts` puts them together.
 */
export type * from "./accounts.ts";
export * from "./azure-limits.ts";
export type * from "./cluster-config.ts";
export type * from "./config-versions.ts";
export type * from "./control-record.ts";
export type * from "./cyclecloud.ts";
export * from "./demand-store.ts";
export * from "./events.ts";
export type * from "./history-store.ts";
export type * from "./messages.ts";
export * from "./notifications.ts";
export * from "./operation.ts";
export * from "./packed-plan.ts";
export type * from "./plan-record.ts";
export type * from "./price-sheet.ts";
export type * from "./quota-claims.ts";
export type * from "./rejection.ts";
export type * from "./samples.ts";
export type * from "./snapshot.ts";
export type { IfMatch, Stored } from "./stored.ts";
export * from "./telemetry.ts";

/** The only source of time. Unix seconds, fractions allowed. */
export interface Clock {
  nowSeconds(): number;
}

/** The only source of chance: the cycle draws nothing itself, so that a run can be made again. */
interface Random {
  /** A number from 0 up to 1, another one at each call. */
  draw(): number;
}

/** Identities and digests: the cycle itself draws nothing at random and hashes nothing. */
export interface Ids {
  /** A new plan's id; later ones sort after earlier ones. */
  planId(atSeconds: number): string;
  /** CycleCloud's idempotency token for an action: the same action always gives the same one, in the form of a UUID. */
  requestId(actionId: string): string;
  /** The same text always gives the same short digest. */
  digest(text: string): string;
  /**
   * HMAC-SHA-256 of the text in hex, with the key in this app setting; undefined when that is missing or shorter than 16
   * characters: whoever guesses the key can find out names by trying them.
   */
  keyedHash(keySetting: string, text: string): string | undefined;
}

/** What is kept. A store that is added here is asked for in memory, in Azure and in the contract suites. */
export interface Stores {
  readonly configs: ConfigStore;
  readonly configVersions: ConfigVersionStore;
  readonly controls: ControlStore;
  readonly snapshots: SnapshotStore;
  readonly demand: DemandStore;
  readonly uploads: DemandUploads;
  readonly targets: TargetStore;
  readonly history: HistoryStore;
  readonly operations: OperationStore;
  readonly plans: PlanStore;
  readonly priceSheets: PriceSheetStore;
  readonly quotaClaims: QuotaClaimStore;
  readonly rejections: RejectionStore;
  readonly events: EventStore;
  readonly losses: NodeLossStore;
  readonly accounts: AccountStore;
  readonly notifications: NotificationStore;
  readonly samples: SampleStore;
}

/** Everything at once; a use case asks for the few that it needs (`Pick<Ports, …>`). */
export interface Ports extends Stores {
  readonly clock: Clock;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly ids: Ids;
  readonly random: Random;
  readonly cycleCloudFor: CycleCloudFor;
  readonly planRequests: PlanRequests;
  readonly scaleActions: ScaleActions;
  readonly schedulerEvents: SchedulerEvents;
  readonly unreadDemand: UnreadDemand;
}
