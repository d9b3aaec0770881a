import { explain, type NodeHistory, type Plan } from "../engine/index.ts";
import type { PlanRequest } from "../messages/plan-request.ts";
import type { BackedOff, Ids, PlanHead, PlanSummary, Snapshot, WaitingJob } from "../ports.ts";
import { explainBackOff } from "./capacity-memory.ts";
import { clusterDigest } from "./cluster-digest.ts";
import { nextDeadlineSeconds } from "./deadline.ts";
import type { MadePlan } from "./make-plan.ts";
import type { Loaded } from "./plan-input.ts";

const mostWaitingShown = 20;

/** A plan in counts. */
export function summarize(
  plan: Plan,
  run: PlanRequest & {
    readonly planId: string;
    readonly nowSeconds: number;
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
    readOnly: run.readOnly,
    ...(run.held === undefined ? {} : { held: run.held }),
    ...(plan.clipped === undefined ? {} : { clipped: plan.clipped }),
  };
}

/** What the next snapshot needs to tell whether another plan is due. */
export function toHead(
  ids: Pick<Ids, "digest">,
  made: Omit<MadePlan, "decided"> & {
    readonly summary: PlanSummary;
    readonly loaded: Loaded;
    readonly snapshot: Snapshot;
    readonly rows: readonly NodeHistory[];
    readonly demandReadAtSeconds: number;
    readonly unsentPlanIds: readonly string[];
  },
): PlanHead {
  const { demand, settings } = made.loaded;
  const { snapshot } = made;
  return {
    ...made.summary,
    snapshotTakenAtSeconds: snapshot.takenAtSeconds,
    demandReadAtSeconds: made.demandReadAtSeconds,
    unsentPlanIds: made.unsentPlanIds,
    demandSequences: Object.fromEntries(demand.map(({ source, sequence }) => [source, sequence])),
    clusterDigest: clusterDigest(snapshot.cluster, ids),
    nextDeadlineSeconds: nextDeadlineSeconds({
      plan: made.plan,
      snapshot,
      demand,
      history: made.rows,
      settings,
      nowSeconds: made.input.nowSeconds,
    }),
    backedOff: made.backedOff,
    troubled: made.troubled,
    bootsFailing: made.bootsFailing,
    waiting: waitingJobs(made.plan, made.backedOff, made.input.nowSeconds),
  };
}

/** Wording a reason costs time, so it is done for the few that are shown. */
function waitingJobs(plan: Plan, backedOff: readonly BackedOff[], nowSeconds: number): WaitingJob[] {
  return plan.jobs
    .filter((outcome) => outcome.granted < outcome.asked)
    .slice(0, mostWaitingShown)
    .map((outcome) => ({
      job: outcome.name,
      asked: outcome.asked,
      granted: outcome.granted,
      why: [...explain(outcome), ...explainBackOff(outcome, backedOff, nowSeconds)],
    }));
}
