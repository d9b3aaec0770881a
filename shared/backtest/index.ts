/** Back-tests: recorded workloads, and a model of the scheduler that runs them. */

export { TimeZone } from "../time/time-zone.ts";
export {
  type BestPossible,
  type BestPossibleOutcome,
  bestPossible,
} from "./bound/best-possible.ts";
export { type BoundItem, type BoundSize, lpText } from "./bound/lp-text.ts";
export { type PricedSize, pricedSizes, workOf } from "./bound/work.ts";
export {
  type Differences,
  differences,
} from "./compare/differences.ts";
export { onFront } from "./compare/pareto.ts";
export {
  neverRanIn,
  type RunSummary,
  settingsText,
  settingText,
  summaries,
} from "./compare/summary.ts";
export { listed, toJson } from "./figures/per-job.ts";
export type {
  RunFigures,
  RunSetup,
  SettingValue,
} from "./figures/run-figures.ts";
export { Drains, type HostEvent } from "./queue/drains.ts";
export { type Allocation, emptyHost, findHosts, give, type Host, type Left, take } from "./queue/hosts.ts";
export type { JobShape } from "./queue/job-shape.ts";
export { type QueuePolicy, queuePolicies } from "./queue/queue-model.ts";
export { GridEngineReader } from "./read-grid-engine.ts";
export { JobListReader } from "./read-job-list.ts";
export { PlansWorkload, type SeenPlan } from "./read-plans.ts";
export { SacctReader } from "./read-sacct.ts";
export { SwfReader } from "./read-swf.ts";
export {
  type FleetSchedule,
  type ScheduledJob,
  type SchedulerPolicy,
  scheduleOnFleet,
  schedulerPolicies,
} from "./schedule-on-fleet.ts";
export { certaintyOf } from "./suggest/certainty.ts";
export { costsOfWeek, dayNames, savedOfWeek, waitsOfWeek } from "./suggest/hours-of-week.ts";
export { schedulesText, searchSchedules } from "./suggest/schedules.ts";
export {
  searchSettings,
  type Tunable,
  type TuneRuns,
  type Varied,
} from "./suggest/search.ts";
export { splitWorkload } from "./suggest/split.ts";
export { suggestionOf, suggestionText } from "./suggest/suggestion.ts";
export type { LeftOut, TraceJob, TraceJobs, Workload } from "./trace-job.ts";
export { chosen, type JobColumns, PackedJobs, packed } from "./workload/job-columns.ts";
export { JsonItems } from "./workload/json-items.ts";
export { type LineReader, readLines } from "./workload/read-lines.ts";
export { parseSwf, type SwfJob } from "./workload/swf.ts";
export { onWholeNodes, withTasksApart } from "./workload/tasks-apart.ts";
export { tooMuch } from "./workload/too-much.ts";
export { definitionOf } from "./world/definition-of.ts";
export { pricedCluster } from "./world/priced-cluster.ts";

export { runBacktest } from "./world/run-backtest.ts";
export { type Delays, type RunInput, usualDelays } from "./world/run-input.ts";
