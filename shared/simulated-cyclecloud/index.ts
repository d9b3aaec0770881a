/** CycleCloud as far as it can be simulated: clusters whose nodes are timetables, quotas, boot times, evictions. No HTTP. README.md says how. */
export { Refusal } from "./api-refusal.ts";
export { evicted } from "./availability.ts";
export { type Cluster, nodeArrayOf } from "./cluster.ts";
export { bucketFiguresNow, toClusterStatus } from "./cluster-status-answer.ts";
export type { BucketWeather } from "./conditions.ts";
export {
  type BucketDefinition,
  type ClusterDefinition,
  type DefinitionInput,
  parseDefinition,
  withMachineTypes,
} from "./definition.ts";
export { medianBootSeconds } from "./draw-boot.ts";
export { knownOperation, listNodes } from "./lists.ts";
export { type Verb, verbs } from "./manage-nodes.ts";
export {
  fail,
  heldSeconds,
  redirect,
  type Step,
  stepAt,
  vanish,
} from "./node-life.ts";
export { type NodeRecord, toNodeRecord } from "./node-record.ts";
export { type Operation, toOperationStatus } from "./operation-list.ts";
export {
  type CreationRequest,
  creationSchema,
  managementSchema,
  type UsageRequest,
  usageSchema,
} from "./request-log.ts";
export {
  type Clock,
  createManualClock,
  createPacedClock,
  isPaced,
  type ManualClock,
  toIso,
} from "./simulated-clock.ts";
export { hostnameOf, type SimulatedNode } from "./simulated-node.ts";
export { createSite, type Site } from "./site.ts";
export { create, manage, retryFailed } from "./site-actions.ts";
export { type ClusterLedger, toLedger } from "./usage-ledger.ts";
