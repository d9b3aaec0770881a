/** The engine's only door: a pure planner for CycleCloud clusters. README.md describes the model on one page. */

export type { ArrayChoice, SpotOffCode } from "./constraints/array-choice.ts";
export type { CapacityFailureBackoff } from "./constraints/capacity-failure-backoff.ts";
export type { And, Constraint, Not, Or, Xor } from "./constraints/constraint-kinds.ts";
export { constraintDefinitions } from "./constraints/constraint-schema.ts";
export { constraintWarnings } from "./constraints/constraint-warnings.ts";
export type { Exclusive } from "./constraints/exclusive.ts";
export type { PlacementGroupMembership } from "./constraints/in-a-placement-group.ts";
export type { MinimumResource } from "./constraints/minimum-resource.ts";
export type { Never } from "./constraints/never.ts";
export type { NodeProperty } from "./constraints/node-properties.ts";
export { nodeProperties } from "./constraints/node-properties.ts";
export {
  constraintExamples,
  type ParsedConstraints,
  parseConstraints,
} from "./constraints/parse-constraints.ts";
export type { PropertyOptions } from "./constraints/property-options.ts";
export type { Problem } from "./constraints/reading.ts";
export type { ResourceOptions } from "./constraints/resource-options.ts";
export type { SharedConsumable } from "./constraints/shared-consumable.ts";
export type { SharedDraw, SharedPool } from "./constraints/shared-pool.ts";
export type { SharedValue } from "./constraints/shared-value.ts";
export { isIgnored } from "./ledger/left-alone.ts";
export { generatePlacementGroups } from "./ledger/placement-groups.ts";
export { beyondBuckets, selectsBucket } from "./ledger/select-bucket.ts";

export { nodeVersion } from "./ledger/shared-properties.ts";
export type { LimitFigure } from "./limits/figure.ts";
export {
  countsWith,
  isInBucket,
  isRaisable,
  raisedCaps,
  raisedCluster,
  withoutLimit,
} from "./limits/raise.ts";
export {
  type Bucket,
  type Cluster,
  type ClusterNode,
  kindName,
  type NodeArray,
  type NodeKind,
  nodesOfArrays,
  type ReportedPlacementGroup,
  sizesByKind,
  type VmFacts,
} from "./model/bucket.ts";
export { type Budget, type CapBound, type Caps, type Running, runningIn } from "./model/caps.ts";
export {
  type DemandCapName,
  type DemandCaps,
  defaultDemandCaps,
  demandCapKey,
  demandCapNames,
  type HeldBack,
  ownerCapNames,
} from "./model/demand-caps.ts";
export { dynamicArrayOf } from "./model/dynamic-array.ts";
export {
  expiredRows,
  leastIdleSeconds,
  type Matching,
  madeAt,
  mostIdleTimes,
  type NodeHistory,
  type Observation,
  observeNodes,
  recordMatches,
  retentionSeconds,
} from "./model/history.ts";
export {
  askedBy,
  defineJob,
  type Job,
  type OwnerLimit,
  type PackingStrategy,
  type SpentBudget,
} from "./model/job.ts";
export {
  type BucketLimits,
  type CapName,
  type CoreQuota,
  capNames,
  holdNames,
  type LimitName,
  limitNames,
} from "./model/limits.ts";
export { compareNodeNames, shortHostname, sortByNodeName } from "./model/names.ts";
export type { NodeShape, PendingNodes, SchedulerNode } from "./model/node.ts";
export { paidNodes } from "./model/paid-nodes.ts";
export { type ParsedDefaultResources, parseDefaultResources } from "./model/parse-default-resources.ts";
export { type PlacementPolicy, placementOf, placements } from "./model/placement.ts";
export type { HeldSize, PlanInput, SpotShare } from "./model/plan-input.ts";
export type * from "./model/plan-result.ts";
export type * from "./model/price.ts";
export {
  accountName,
  type BucketName,
  type Reason,
  type ReasonCode,
  type TargetReason,
  type TargetReasonCode,
} from "./model/reasons.ts";
export {
  type DeallocateSettings,
  type DefaultResource,
  type DefaultValue,
  defaultSettings,
  type EngineSettings,
  type FailedNodePolicy,
  failedNodePolicy,
  forNodeArray,
  type GeneratedPlacementGroups,
  type IdleBounds,
  type IdleTimeouts,
  keptByDefault,
  type Modifier,
  type PerNodeArray,
  usesFailedNodes,
} from "./model/settings.ts";
export type * from "./model/size-choice.ts";
export type * from "./model/target.ts";
export { deallocatedIn } from "./outcome/deallocate.ts";
export { mainReasons } from "./outcome/main-reasons.ts";
export { roomForSets } from "./outcome/room-for-sets.ts";
export {
  type BucketSurvey,
  type CountedResource,
  type Examination,
  examine,
  survey,
} from "./outcome/survey.ts";
export { bootEnds } from "./outcome/unneeded-boots.ts";
export { largestShare, resourcesOfSizes } from "./place/node-share.ts";
export { plan } from "./plan.ts";
export { nearest } from "./values/nearest.ts";
export type { Json, Resources, Scalar } from "./values/resources.ts";
export { isSize, memberOf } from "./values/resources.ts";
export { formatSize, type Magnitude, parseAmount, type Size, size } from "./values/units.ts";
export { hasWildcard, matchesWildcard } from "./values/wildcard.ts";
