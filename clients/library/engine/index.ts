/**
 * `cyclecloud-autoscale/engine`: the planner as a library. Pure: it calls nothing and remembers nothing; docs/library.md shows it.
 */
export type * from "../../../shared/engine/index.ts";
export {
  defaultSettings,
  formatSize,
  mainReasons,
  nodeProperties,
  observeNodes,
  parseConstraints,
  parseDefaultResources,
  plan,
  recordMatches,
  shortHostname,
} from "../../../shared/engine/index.ts";
export { jobSentences as explain, targetSentences as explainTarget } from "../../../shared/views/index.ts";
export {
  type BucketOptions,
  cluster,
  type NodeArrayOptions,
  node,
  nodeArray,
  vmFacts,
} from "./cluster.ts";
export {
  type Amount,
  amount,
  and,
  type ConstraintJson,
  capacityFailureBackoff,
  exclusive,
  inAPlacementGroup,
  memory,
  ncpus,
  never,
  ngpus,
  not,
  type Option,
  or,
  pcpus,
  property,
  resource,
  xor,
} from "./constraints.ts";
export { type DemandTableOptions, demandColumns, demandTable, printDemand } from "./demand-table.ts";
export { type JobJson, job, toJob } from "./job.ts";
export { defaultResources, nextHistory, type PlanInputOptions, planInput } from "./plan-input.ts";
export {
  SharedConsumableResource,
  SharedNonConsumableResource,
  sharedConsumable,
} from "./shared-resources.ts";
