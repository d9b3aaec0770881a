import type { Answer, DemandAnswer, demandParts } from "../../api/index.ts";
import { explain, type Plan } from "../../engine/index.ts";
import type { BackedOff } from "../../ports.ts";
import { explainBackOff } from "../capacity-memory.ts";
import { nodeViews } from "./node-views.ts";
import type { Outlook } from "./outlook.ts";

const mostWaiting = 100;
const mostNodes = 10_000;

/** The dry run: what would be done now. */
export function drawUpDemand(outlook: Outlook): DemandAnswer {
  const { cluster, atSeconds, snapshot, plan, held, made } = outlook;
  const { viewOfPlanned } = nodeViews(outlook);
  return {
    cluster,
    atSeconds,
    snapshotTakenAtSeconds: snapshot.takenAtSeconds,
    held: held ?? null,
    jobs: plan.jobs.length,
    placedJobs: plan.jobs.filter(({ asked, granted }) => granted >= asked).length,
    ...decided(plan, made.backedOff, atSeconds),
    nodes: plan.nodes.slice(0, mostNodes).map(viewOfPlanned),
    nodeCount: plan.nodes.length,
  };
}

type Decided = { readonly [Part in keyof typeof demandParts]: Answer<(typeof demandParts)[Part]> };

/** What a plan decided, and whom it left waiting. */
export function decided(plan: Plan, backedOff: readonly BackedOff[], atSeconds: number): Decided {
  const waiting = plan.jobs.filter(({ asked, granted }) => granted < asked);
  return {
    create: plan.create.map(({ nodeArray, vmSize, placementGroup, count, names, keepAlive }) => ({
      nodeArray,
      vmSize,
      placementGroup,
      count,
      names,
      keepAlive,
    })),
    start: plan.start.map(({ nodeId, name }) => ({ nodeId, name })),
    retire: plan.retire.map(({ nodeId, name, cause, sinceSeconds }) => ({
      nodeId,
      name,
      cause,
      sinceSeconds,
    })),
    retry: plan.retry.map(({ nodeId, name }) => ({ nodeId, name })),
    waiting: waiting.slice(0, mostWaiting).map((outcome) => ({
      job: outcome.name,
      asked: outcome.asked,
      granted: outcome.granted,
      why: [...explain(outcome), ...explainBackOff(outcome, backedOff, atSeconds)],
    })),
    waitingCount: waiting.length,
    warnings: plan.warnings,
  };
}
