import { mainReasons, type NodeHistory, type Plan, type TargetOutcome } from "../../engine/index.ts";
import type { PlanRequest } from "../../messages/index.ts";
import type {
  BoughtNodes,
  Ids,
  LongestWait,
  PlanHead,
  PlanSummary,
  Snapshot,
  SourceDemand,
  UnreadHold,
  WaitingJob,
} from "../../ports/index.ts";
import { earliest } from "../clocks.ts";
import { liveSources, outNodesOf } from "../demand/live-demand.ts";
import { clusterDigest } from "../snapshot/changes.ts";
import { withSizing } from "../spare-room.ts";
import { nextDeadlineSeconds } from "./deadline.ts";
import type { DrainedPlan } from "./drain.ts";
import type { MadePlan } from "./make-plan.ts";
import { warningsOf } from "./report-plan.ts";
import type { Loaded } from "./to-plan-input.ts";

const mostWaitingShown = 20;
const mostTargetsShown = 100;
const mostGroupsShown = 100;
const mostTargetReasons = 20;
const mostOutShown = 100;
const mostSizesShown = 10;

/** A plan in counts. */
export function summarize(
  plan: DrainedPlan,
  run: PlanRequest & {
    readonly planId: string;
    readonly nowSeconds: number;
    readonly planSeconds: number;
    readonly readOnly: boolean;
    readonly held: string | undefined;
  },
): PlanSummary {
  return {
    cluster: run.cluster,
    planId: run.planId,
    atSeconds: run.nowSeconds,
    reason: run.reason,
    jobs: plan.jobs.length,
    placedJobs: plan.jobs.filter((job) => job.granted >= job.asked).length,
    create: plan.create.reduce((total, set) => total + set.count, 0),
    start: plan.start.length,
    retire: plan.retire.length,
    planSeconds: run.planSeconds,
    readOnly: run.readOnly,
    ...(run.held === undefined ? {} : { held: run.held }),
    ...(plan.clipped === undefined ? {} : { clipped: plan.clipped }),
    ...(plan.heldBack === undefined ? {} : { heldBack: plan.heldBack }),
  };
}

/** What the next snapshot needs to decide whether another plan is due. */
export function toHead(
  ids: Pick<Ids, "digest">,
  run: {
    readonly made: Omit<MadePlan, "decided">;
    readonly summary: PlanSummary;
    readonly loaded: Loaded;
    readonly snapshot: Snapshot;
    readonly rows: readonly NodeHistory[];
    readonly demandReadAtSeconds: number;
    readonly unsentPlanIds: readonly string[];
    readonly requestedAtSeconds: number;
    readonly controlDigest: string;
    readonly configDigest: string;
    /** When the next of the operators' decisions ends by itself. */
    readonly decisionEndsSeconds: number | null;
    /** When claims on shared quotas are to be renewed. */
    readonly renewSeconds: number | null;
    readonly newestLossId: string | null;
    readonly unread: UnreadHold | undefined;
    readonly before: PlanHead | undefined;
  },
): PlanHead {
  const { made, snapshot } = run;
  const { demand, targets, settings, idleTimeouts, spares = [] } = run.loaded;
  const spotWarnings = made.spot.problems.map((message) => ({ code: "spot-pair", subject: "spot", message }));
  const warnings = warningsOf([...made.plan.warnings, ...spotWarnings]);
  const out = outNodesOf(snapshot.cluster, demand, made.input.nowSeconds).slice(0, mostOutShown);
  return {
    ...run.summary,
    requestedAtSeconds: run.requestedAtSeconds,
    controlDigest: run.controlDigest,
    configDigest: run.configDigest,
    newestLossId: run.newestLossId,
    snapshotTakenAtSeconds: snapshot.takenAtSeconds,
    demandReadAtSeconds: run.demandReadAtSeconds,
    unsentPlanIds: run.unsentPlanIds,
    demandSequences: Object.fromEntries(demand.map(({ source, sequence }) => [source, sequence])),
    clusterDigest: clusterDigest(snapshot.cluster, ids),
    nextDeadlineSeconds: earliest([
      made.drainLookSeconds,
      made.unhealthy.lookSeconds,
      run.unread?.lookAgainSeconds ?? null,
      made.spot.patienceEndsSeconds,
      run.decisionEndsSeconds,
      run.renewSeconds,
      run.loaded.nextScheduleSeconds ?? null,
      nextDeadlineSeconds({
        plan: made.plan,
        snapshot,
        demand,
        targets,
        history: run.rows,
        settings,
        refusals: [...made.backedOff, ...made.refusedQuotas, ...made.bootsFailing, ...made.stalled],
        nowSeconds: made.input.nowSeconds,
      }),
    ]),
    backedOff: made.backedOff,
    refusedQuotas: made.refusedQuotas,
    troubled: made.troubled,
    bootsFailing: made.bootsFailing,
    ...(idleTimeouts !== undefined && { idleTimeouts }),
    draining: made.draining,
    ...(made.unhealthy.unhealthy.length === 0 ? {} : { unhealthy: made.unhealthy.unhealthy }),
    ...(made.unhealthy.replaced.length === 0 ? {} : { replaced: made.unhealthy.replaced }),
    ...(made.stalled.length === 0 ? {} : { stalled: made.stalled }),
    ...(made.watched.length === 0 ? {} : { watched: made.watched }),
    ...(run.unread === undefined ? {} : { unread: run.unread }),
    out,
    warnings,
    targetRequests: Object.fromEntries(
      targets.map(({ requestSet, receivedAtSeconds }) => [requestSet, receivedAtSeconds]),
    ),
    targets: firstTargets(made.plan).map((target) => withSizing(target, spares)),
    bought: boughtIn({ plan: made.plan, summary: run.summary }) ?? run.before?.bought ?? null,
    longestWaits: longestWaits(made.plan, liveSources(demand, made.input.nowSeconds)),
    waiting: waitingJobs(made.plan),
  };
}

/** Undefined: nothing, or what was planned is not sent. */
function boughtIn({
  plan,
  summary,
}: {
  readonly plan: Plan;
  readonly summary: PlanSummary;
}): BoughtNodes | undefined {
  if (plan.create.length === 0 || summary.readOnly || summary.held !== undefined) return undefined;
  const { planId, atSeconds } = summary;
  const sizes = plan.sizes
    .slice(0, mostSizesShown)
    .map(({ names, ...size }) => ({ ...size, count: names.length }));
  return { planId, atSeconds, sizes };
}

/** Reasons are worked out when they are read, so only those of the few that are shown are. */
function waitingJobs({ jobs }: Plan): readonly WaitingJob[] {
  return jobs
    .filter(({ asked, granted }) => granted < asked)
    .slice(0, mostWaitingShown)
    .map(({ name, asked, granted, reasons }) => ({ name, asked, granted, reasons: mainReasons(reasons) }));
}

const mostUsersShown = 50;

/** Jobs without a time of submission are left out: how long they have waited is unknown. */
function longestWaits({ jobs }: Plan, demand: readonly SourceDemand[]): readonly LongestWait[] {
  const waiting = new Set(jobs.filter(({ asked, granted }) => granted < asked).map(({ name }) => name));
  if (waiting.size === 0) return [];
  const longest = new Map<string | null, LongestWait>();
  for (const { source, jobs: posted } of demand)
    for (const { name, user = null, submittedAt, executingHostnames } of posted) {
      if (submittedAt === undefined || executingHostnames.length > 0 || !waiting.has(name)) continue;
      const sinceSeconds = Date.parse(submittedAt) / 1000;
      const longestOfUser = longest.get(user);
      if (longestOfUser === undefined || sinceSeconds < longestOfUser.sinceSeconds)
        longest.set(user, { user, job: name, source, sinceSeconds });
    }
  return [...longest.values()].toSorted((a, b) => a.sinceSeconds - b.sinceSeconds).slice(0, mostUsersShown);
}

/** The first targets, those that are not met before the others. */
export function firstTargets({ targets }: Plan): readonly TargetOutcome[] {
  const isMet = ({ asked, granted }: TargetOutcome) => granted >= asked;
  return targets
    .toSorted((a, b) => Number(isMet(a)) - Number(isMet(b)))
    .slice(0, mostTargetsShown)
    .map((target) => ({
      ...target,
      groups: target.groups.slice(0, mostGroupsShown),
      reasons: isMet(target) ? [] : target.reasons.slice(0, mostTargetReasons),
    }));
}
