/** What happens to a cluster, by story: demand arrives, a snapshot is taken, a plan is made, its actions are executed. */
export { asideOf } from "./account/aside-of.ts";
export { ownerCapName } from "./account/owner-limits.ts";
export {
  type BootSecondsOf,
  type Boots,
  bootSecondsOf,
  bootsOf,
  fewestBoots,
  type RecordedBoots,
  recordedBoots,
} from "./boot-times.ts";
export { furthestAheadSeconds } from "./clocks.ts";
export {
  changeControl,
  decidedOnce,
  endDecisions,
  loadControl,
  stillThere,
  undecided,
  untilText,
  whyHeld,
} from "./control.ts";
export { acceptDemand } from "./demand/accept-demand.ts";
export { acceptTargets, checkTargets } from "./demand/accept-targets.ts";
export { readOnce } from "./demand/configured.ts";
export {
  busyHostnames,
  isOutByItself,
  liveSources,
  longestSilenceSeconds,
  outNodesOf,
  presentDemand,
} from "./demand/live-demand.ts";
export { effectOf, mergeDemand } from "./demand/merge-demand.ts";
export { noteRefused } from "./demand/note-refused.ts";
export { checkDemand, receiveDemand } from "./demand/receive-demand.ts";
export { refuseDemand } from "./demand/refuse-demand.ts";
export type { RawMessage } from "./demand/reject.ts";
export { prepareReplay, type Replay, type ReplayPorts, replay } from "./demand/replay-rejection.ts";
export { type DeadLetter, watchDeadAction, watchDeadPlanRequest } from "./demand/watch-dead-letter.ts";
export { doubtsOf, doubtsOfSummaries } from "./doubts.ts";
export { executeAction } from "./execute/execute-action.ts";
export { mayGetJobs, type Now, readNow, runsJob, useOf } from "./execute/spare-node.ts";
export { chooseIdleTimeouts } from "./idle-timeouts.ts";
export { listingsOf } from "./listings.ts";
export { resumeLogin, whileLoggedIn } from "./login.ts";
export { measurePlan } from "./measure.ts";
export { eventsOf, noteEvents } from "./note-events.ts";
export { takesAway, underWay } from "./operations.ts";
export { answerPlanRequest } from "./plan/answer-plan-request.ts";
export { bucketsOf } from "./plan/boots-failing.ts";
export { nextDeadlineSeconds } from "./plan/deadline.ts";
export { quotaKeysOf, quotaNamed } from "./plan/foresee-quotas.ts";
export { loadWorld, type World, type WorldPorts, worldUnder } from "./plan/load-world.ts";
export { type MadePlan, makePlan } from "./plan/make-plan.ts";
export { isEviction, timesEvicted } from "./plan/often-evicted.ts";
export { plannedOperation, sendRecorded } from "./plan/outbox.ts";
export { firstTargets } from "./plan/plan-head.ts";
export { planScale } from "./plan/plan-scale.ts";
export { standings } from "./plan/quota-shares.ts";
export { claimsAt, guaranteeProblems } from "./plan/shared-quotas.ts";
export { evictionsOf, waitingSinceOf } from "./plan/spot-stance.ts";
export { requestsOf, toActions } from "./plan/to-actions.ts";
export { isStandIn, toPlanInput } from "./plan/to-plan-input.ts";
export { toTargets } from "./plan/to-targets.ts";
export { requestPlan } from "./request-plan.ts";
export {
  nextScheduleSeconds,
  overlappingSchedules,
  scheduleOf,
  windowsIn,
  windowsOfSchedules,
} from "./schedules.ts";
export { type LastReadings, requestSnapshots, snapshotOnBeat } from "./snapshot/on-beat.ts";
export { receiveEvent } from "./snapshot/receive-event.ts";
export { refreshPrices } from "./snapshot/refresh-prices.ts";
export { rhythmOf } from "./snapshot/rhythm.ts";
export { isUnverified, snapshotCluster } from "./snapshot/snapshot-cluster.ts";
export { targetsInForce, withSizing } from "./spare-room.ts";
export { longestUnreadSeconds, unreadInWords } from "./unread-demand.ts";
