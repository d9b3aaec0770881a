/**
 * What the cycle needs of the world: interfaces only, contracts in prose, one noun a file. Adapters implement them
 * (`stores`, `messages`, `cyclecloud`), `functions/support/wire.ts` puts them together, tests use the in-memory twins.
 */
export type { Clock } from "./clock.ts";
export type * from "./config.ts";
export type * from "./config-files.ts";
export type * from "./control.ts";
export type * from "./cyclecloud.ts";
export type * from "./demand.ts";
export { unknownSource } from "./demand.ts";
export type { HistoryReading, HistoryStore, KeptReading } from "./history.ts";
export type { Ids } from "./ids.ts";
export type { Log, LogFields } from "./log.ts";
export type * from "./messages.ts";
export type * from "./node-loss.ts";
export {
  isOpen,
  type Operation,
  type OperationState,
  type OperationStore,
  type Shortfall,
} from "./operation.ts";
export type * from "./plan.ts";
export type { Random } from "./random.ts";
export type * from "./rejection.ts";
export type * from "./snapshot.ts";
export type { IfMatch, Stored } from "./stored.ts";
export type * from "./targets.ts";
export { type Attributes, type Metric, metrics, type Telemetry } from "./telemetry.ts";

import type { Clock } from "./clock.ts";
import type { ConfigStore } from "./config.ts";
import type { ControlStore } from "./control.ts";
import type { CycleCloudFor } from "./cyclecloud.ts";
import type { DemandStore, DemandUploads } from "./demand.ts";
import type { HistoryStore } from "./history.ts";
import type { Ids } from "./ids.ts";
import type { Log } from "./log.ts";
import type { PlanRequests, ScaleActions, SchedulerEvents } from "./messages.ts";
import type { NodeLossStore } from "./node-loss.ts";
import type { OperationStore } from "./operation.ts";
import type { PlanStore } from "./plan.ts";
import type { Random } from "./random.ts";
import type { RejectionStore } from "./rejection.ts";
import type { SnapshotStore } from "./snapshot.ts";
import type { TargetStore } from "./targets.ts";
import type { Telemetry } from "./telemetry.ts";

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
