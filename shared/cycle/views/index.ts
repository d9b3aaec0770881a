/** What the HTTP API and the command line show of a cluster: pure functions of an `Outlook`, and lists of records. */
export { listBuckets, listLimits } from "./buckets.ts";
export { listClusters } from "./clusters.ts";
export { showConfig } from "./config.ts";
export { drawUpDemand } from "./demand.ts";
export { type ExplainOutcome, explainJob } from "./explain.ts";
export { showHistory } from "./history.ts";
export { listJobs } from "./jobs.ts";
export { listNodes } from "./nodes.ts";
export { listOperations, showOperation } from "./operations.ts";
export { listOperationsOf } from "./operations-of-nodes.ts";
export { type Known, loadKnown, lookAhead, type Outlook, type OutlookPorts, outlookOf } from "./outlook.ts";
export { OutlookMemory } from "./outlook-memory.ts";
export { listPlans, showPlan, showPlanArchive } from "./plans.ts";
export { listRejects, showReject } from "./rejects.ts";
export { type Selected, type Selecting, type Selector, selectingOf, selectorOf } from "./selection.ts";
export { type SupportPorts, showSupport } from "./support.ts";
export { validateConstraint } from "./validate-constraint.ts";
export { whatIf } from "./what-if.ts";
