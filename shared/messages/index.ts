/** Messages between schedulers, the cycle and CycleCloud: each as a zod schema, the only definition. */
export { type CycleCloudEvent, parseCycleCloudEvent } from "./cyclecloud-event.ts";
export {
  type Capability,
  type DemandJob,
  type DemandMessage,
  type DemandNode,
  type DemandNodeShape,
  demandVersion,
  demandWarnings,
  expirationIntervalSchema,
  mostJobs,
  mostNodeShapes,
  mostNodes,
  type Parsed,
  parseDemand,
  parseMessage,
  parseTargets,
  placeBefore,
  type QueueMessage,
  refuseBadConstraints,
  requestSetSchema,
  type TargetsMessage,
  wholly,
  withItemsAside,
} from "./job-demand.ts";
export { type JobDetails, readJobDetails } from "./job-details.ts";
export {
  claimedBlob,
  claimedOrigin,
  claimedSequence,
  claimsTargets,
  readBody,
  withClaimed,
} from "./message-body.ts";
export {
  accountOf,
  amountInWords,
  asksForSpares,
  attributesOf,
  checkTargetItems,
  isSizedByItself,
  type NodeArrayTarget,
  nodeArrayShape,
} from "./node-array-target.ts";
export { type PlanRequest, planRequestSchema } from "./plan-request.ts";
export { describeProblems, shown } from "./problems.ts";
export {
  hashedText,
  type PseudonymField,
  pseudonymFields,
  pseudonymOf,
  replaceNames,
} from "./pseudonyms.ts";
export { decodeQueueText } from "./queue-text.ts";
export {
  type ActionCreateSet,
  type ActionDrain,
  type ActionNode,
  type CreateNodesAction,
  type ManageNodesAction,
  type NodesAction,
  type RequestedBy,
  type ScaleAction,
  scaleActionSchema,
} from "./scale-action.ts";
export {
  type DemandRefused,
  type SchedulerEvent,
  type SourceEvent,
  schedulerEventSchema,
  schedulerNodeSchema,
  toldProblems,
} from "./scheduler-event.ts";
export { asideOf, describeSetAside, problemsInPlace, type SetAside, type SetAsideRun } from "./set-aside.ts";
export { cutName } from "./sizes.ts";
