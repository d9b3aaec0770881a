/** The engine's only door: a pure planner for CycleCloud clusters. README.md tells the model in one page. */

export type { Bucket, Cluster, ClusterNode, NodeArray, ReportedPlacementGroup, VmFacts } from "./bucket.ts";
export { type Budget, type CapBound, type Caps, type Running, runningIn } from "./caps.ts";
export type * from "./constraint.ts";
export { NODE_PROPERTIES } from "./constraint.ts";
export type { Problem } from "./constraint-problem.ts";
export { dynamicArrayOf } from "./dynamic-array.ts";
export { bucketLabel, describeConstraint, explain, explainReason, nearestFirst } from "./explain.ts";
export { explainTarget } from "./explain-target.ts";
export {
  expiredRows,
  type Matching,
  type NodeHistory,
  type Observation,
  observeNodes,
  RETENTION_SECONDS,
  recordMatches,
} from "./history.ts";
export { shortHostname } from "./hostname.ts";
export { defineJob, type Job, type PackingStrategy } from "./job.ts";
export {
  type BucketLimits,
  CAP_NAMES,
  type CapName,
  COUNTED_IN_BUCKET,
  type CoreQuota,
  LIMIT_NAMES,
  type LimitName,
} from "./limits.ts";
export { compareNodeNames, sortByNodeName } from "./names.ts";
export { nearest } from "./nearest.ts";
export type { PendingNodes, SchedulerNode } from "./node.ts";
export { isIgnored } from "./open-ledger.ts";
export { type ParsedConstraints, parseConstraints } from "./parse-constraints.ts";
export { type ParsedDefaultResources, parseDefaultResources } from "./parse-default-resources.ts";
export { generatePlacementGroups, isPlacementGroupName } from "./placement-groups.ts";
export { plan } from "./plan.ts";
export type { PlanInput } from "./plan-input.ts";
export type * from "./plan-result.ts";
export { accountName, type BucketName, type Reason, type ReasonCode } from "./reasons.ts";
export type { Json, Resources, Scalar } from "./resources.ts";
export { isSize } from "./resources.ts";
export {
  DEFAULT_SETTINGS,
  type DefaultResource,
  type DefaultValue,
  type EngineSettings,
  type FailedNodePolicy,
  forNodeArray,
  type GeneratedPlacementGroups,
  type Modifier,
  type PerNodeArray,
} from "./settings.ts";
export { type BucketSurvey, type Examination, examine, type LimitFigure, survey } from "./survey.ts";
export type * from "./target.ts";
export { formatSize, type Magnitude, parseAmount, type Size, size } from "./units.ts";
export { matchesWildcard } from "./wildcard.ts";
