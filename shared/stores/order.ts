import type { JobTotal } from "../accounting/index.ts";
import type { NodeHistory } from "../engine/index.ts";
import type {
  NodeLoss,
  NotedEvent,
  Operation,
  PlanSummary,
  Rejection,
  RequestSet,
  SourceDemand,
} from "../ports/index.ts";

/** The orders that the ports promise, one for the twins and Azure alike. Names compare by code unit, not by locale. */
function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function bySource(a: Pick<SourceDemand, "source">, b: Pick<SourceDemand, "source">): number {
  return compareNames(a.source, b.source);
}

export function byRequestSet(a: RequestSet, b: RequestSet): number {
  return compareNames(a.requestSet, b.requestSet);
}

export function byNodeId(a: NodeHistory, b: NodeHistory): number {
  return compareNames(a.nodeId, b.nodeId);
}

export function oldestOperationFirst(a: Operation, b: Operation): number {
  return a.createdAtSeconds - b.createdAtSeconds || compareNames(a.actionId, b.actionId);
}

export function newestPlanFirst(a: PlanSummary, b: PlanSummary): number {
  return b.atSeconds - a.atSeconds || compareNames(b.planId, a.planId);
}

export function newestEventFirst(a: NodeLoss | NotedEvent, b: NodeLoss | NotedEvent): number {
  return b.atSeconds - a.atSeconds || compareNames(a.eventId, b.eventId);
}

export function newestRejectionFirst(a: Rejection, b: Rejection): number {
  return b.receivedAtSeconds - a.receivedAtSeconds || compareNames(b.rejectionId, a.rejectionId);
}

export function newestRunFirst(a: JobTotal, b: JobTotal): number {
  return b.firstSeconds - a.firstSeconds || compareNames(a.key, b.key);
}
