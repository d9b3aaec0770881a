import { httpActions } from "../../../functions/http-actions.ts";
import { httpBuckets, httpLimits } from "../../../functions/http-buckets.ts";
import { httpClusters } from "../../../functions/http-clusters.ts";
import { httpConfig, httpPutConfig } from "../../../functions/http-config.ts";
import { httpDemand, httpValidateConstraint, httpWhatIf } from "../../../functions/http-demand.ts";
import { httpExplain, httpJobs } from "../../../functions/http-jobs.ts";
import { httpNodes } from "../../../functions/http-nodes.ts";
import { httpPostDemand } from "../../../functions/http-post-demand.ts";
import {
  httpHistory,
  httpOperation,
  httpOperations,
  httpPlan,
  httpPlans,
} from "../../../functions/http-records.ts";
import { httpReject, httpRejects, httpReplayReject } from "../../../functions/http-rejects.ts";
import { httpStatus } from "../../../functions/http-status.ts";
import { httpPlanArchive, httpSupport } from "../../../functions/http-support.ts";
import { httpExplainTarget } from "../../../functions/http-targets.ts";

/**
 * The functions by the routes that they serve. Loaded after the composition root was replaced. Autoscale and
 * autostop have tests of their own.
 */
export const handlers = {
  clusters: httpClusters,
  status: httpStatus,
  nodes: httpNodes,
  history: httpHistory,
  buckets: httpBuckets,
  limits: httpLimits,
  jobs: httpJobs,
  explain: httpExplain,
  "explain-target": httpExplainTarget,
  demand: httpDemand,
  plans: httpPlans,
  plan: httpPlan,
  operations: httpOperations,
  operation: httpOperation,
  rejects: httpRejects,
  reject: httpReject,
  "replay-reject": httpReplayReject,
  "plan-archive": httpPlanArchive,
  config: httpConfig,
  "put-config": httpPutConfig,
  "post-demand": httpPostDemand,
  support: httpSupport,
  "what-if": httpWhatIf,
  "validate-constraint": httpValidateConstraint,
  actions: httpActions,
};
