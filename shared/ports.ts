/**
 * What the cycle needs of the world: interfaces only, contracts in prose, one noun a file. Adapters implement them
 * (`stores`, `messages`, `cyclecloud`), `functions/support/wire.ts` puts them together, tests use the in-memory twins.
 */
export type { Clock } from "./ports/clock.ts";
export type * from "./ports/config.ts";
export type * from "./ports/config-files.ts";
export type * from "./ports/control.ts";
export type * from "./ports/cyclecloud.ts";
export type * from "./ports/demand.ts";
export type { HistoryReading, HistoryStore, KeptReading } from "./ports/history.ts";
export type { Ids } from "./ports/ids.ts";
export type { Log, LogFields } from "./ports/log.ts";
export type * from "./ports/messages.ts";
export type * from "./ports/node-loss.ts";
export {
  isOpen,
  type Operation,
  type OperationState,
  type OperationStore,
  type Shortfall,
} from "./ports/operation.ts";
export type * from "./ports/plan.ts";
export type { Random } from "./ports/random.ts";
export type * from "./ports/rejection.ts";
export type * from "./ports/snapshot.ts";
export type { IfMatch, Stored } from "./ports/stored.ts";
export type * from "./ports/targets.ts";
export { type Attributes, type Metric, metrics, type Telemetry } from "./ports/telemetry.ts";

import type { Clock } from "./ports/clock.ts";
import type { ConfigStore } from "./ports/config.ts";
import type { ControlStore } from "./ports/control.ts";
import type { CycleCloudFor } from "./ports/cyclecloud.ts";
import type { DemandStore, DemandUploads } from "./ports/demand.ts";
import type { HistoryStore } from "./ports/history.ts";
import type { Ids } from "./ports/ids.ts";
import type { Log } from "./ports/log.ts";
import type { PlanRequests, ScaleActions, SchedulerEvents } from "./ports/messages.ts";
import type { NodeLossStore } from "./ports/node-loss.ts";
import type { OperationStore } from "./ports/operation.ts";
import type { PlanStore } from "./ports/plan.ts";
import type { Random } from "./ports/random.ts";
import type { RejectionStore } from "./ports/rejection.ts";
import type { SnapshotStore } from "./ports/snapshot.ts";
import type { TargetStore } from "./ports/targets.ts";
import type { Telemetry } from "./ports/telemetry.ts";

/** Everything at once; a use case asks for the few that it needs (`Pick<Ports, …>`). */
export interface Ports {
  readonly clock: Clock;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly ids: Ids;
  readonly random: Random;
  readonly configs: ConfigStore;
  readonly controls: ControlStore;
  readonly cycleCloudFor: CycleCloudFor;
  readonly snapshots: SnapshotStore;
  readonly demand: DemandStore;
  readonly uploads: DemandUploads;
  readonly targets: TargetStore;
  readonly history: HistoryStore;
  readonly operations: OperationStore;
  readonly plans: PlanStore;
  readonly rejections: RejectionStore;
  readonly losses: NodeLossStore;
  readonly planRequests: PlanRequests;
  readonly scaleActions: ScaleActions;
  readonly schedulerEvents: SchedulerEvents;
}
