/** What the HTTP API and the command line show of a cluster: pure functions of an `Outlook`, and lists of records. */

export { validateConstraint } from "./check-constraint.ts";
export { type ClusterStatus, clusterStatus } from "./cluster-status.ts";
export { type CostOutcome, drawUpCost } from "./draw-up-cost.ts";
export { drawUpDemand } from "./draw-up-demand.ts";
export { someOf } from "./explain/cause.ts";
export { type ExplainOutcome, explainJob } from "./explain/explain-job.ts";
export { type ExplainTargetOutcome, explainTarget } from "./explain/explain-target.ts";
export { nearestVmSize } from "./explain/near-names.ts";
export { jobSentences, targetSentences } from "./explain/reason-words.ts";
export { plannedThere } from "./job-states.ts";
export { listBuckets, listLimits } from "./list-buckets.ts";
export { listClusters } from "./list-clusters.ts";
export { listJobs } from "./list-jobs.ts";
export { listNodes } from "./list-nodes.ts";
export { listOperations, showOperation } from "./list-operations.ts";
export { listPlans, showPlan, showPlanArchive } from "./list-plans.ts";
export { listPrices } from "./list-prices.ts";
export { findReject, listRejects, showReject } from "./list-rejects.ts";
export { type Selected, type Selecting, type Selector, selectingOf, selectorOf } from "./node-selection.ts";
export { nodeViews } from "./node-views.ts";
export { listOperationsOf } from "./operations-of-nodes.ts";
export { lookAhead, type Outlook, outlookOf } from "./outlook.ts";
export { OutlookMemory } from "./outlook-memory.ts";
export { whatIf, whatIfTargets } from "./plan-what-if.ts";
export { readDictionary, showConfig } from "./show-config.ts";
export { showHistory } from "./show-history.ts";
export { type SupportPorts, showSupport } from "./show-support.ts";
