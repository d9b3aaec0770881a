import type { PlanRequest } from "../messages/index.ts";
import type { PlanHead, Ports, ScheduledPlanRequest } from "../ports/index.ts";

/** Requests within one window are one message. A plan of a quiet cluster waits for no longer than that. */
const planWindowsPerSecond = 10;

/** From the start of one plan of a cluster to that of the next: what is asked for meanwhile is gathered. */
const planEverySeconds = 1;

/** A caller without telemetry, such as the command line, starts no trace. */
type RequestPorts = Pick<Ports, "clock" | "planRequests"> & Partial<Pick<Ports, "telemetry">>;

/** A burst of requests becomes one plan, which belongs to the trace of the first. */
function traceOf({ telemetry }: RequestPorts): { readonly traceparent?: string } {
  return telemetry?.traceparent === undefined ? {} : { traceparent: telemetry.traceparent };
}

/**
 * Asks for a plan at the end of the current window. Requests of one window have one message id, of which the broker keeps
 * the first; since that one is delivered only when the window is over, whatever was written before any of the others
 * was asked for is seen by the plan. Write first, then ask.
 */
export async function requestPlan(
  ports: RequestPorts,
  request: { readonly cluster: string; readonly reason: string; readonly onlyDemand?: true },
): Promise<void> {
  const traced = { ...request, ...traceOf(ports) };
  await ports.planRequests.send(schedulePlan({ ...traced, atSeconds: ports.clock.nowSeconds() }));
}

/** Asks for a plan at a moment to come, with all that is asked for in its window. */
export async function requestPlanAt(
  ports: RequestPorts,
  request: { readonly cluster: string; readonly reason: string; readonly atSeconds: number },
): Promise<void> {
  await ports.planRequests.send(schedulePlan({ ...request, ...traceOf(ports) }));
}

/**
 * Puts a request off that came within a second of the start of the newest plan: false, when it did not.
 *
 * Requests that are put off after one plan have one message id, of which the broker keeps the first. That one is sent while
 * this plan is the newest, and it is planned whenever it finds this plan to be the newest still (`isPutOffAfter`). So
 * who finds this plan to be the newest, and sends the same again, knows that it has not been planned yet, and that its plan
 * will see whatever was written until now. No clock has a part in that.
 */
export async function putOffAfter(
  ports: RequestPorts,
  request: PlanRequest,
  newest: PlanHead | undefined,
): Promise<boolean> {
  // The run that made the newest plan for this very request may have died half way.
  if (newest === undefined || newest.requestedAtSeconds === request.atSeconds) return false;
  const { cluster, planId, demandReadAtSeconds: startedAtSeconds } = newest;
  const sinceSeconds = ports.clock.nowSeconds() - startedAtSeconds;
  // The clock of whoever made the newest plan may be ahead.
  if (sinceSeconds < 0 || sinceSeconds >= planEverySeconds) return false;
  await ports.planRequests.send({
    request: { ...request, afterPlan: planId },
    messageId: `${cluster}:after:${planId}`,
    deliverAtSeconds: startedAtSeconds + planEverySeconds,
  });
  return true;
}

/** It was put off after this plan, and no other was made since: it has to be planned. */
export function isPutOffAfter({ afterPlan }: PlanRequest, newest: PlanHead | undefined): boolean {
  return afterPlan !== undefined && afterPlan === newest?.planId;
}

/** Events of a cluster come in bursts too, and a snapshot costs CycleCloud more than a plan costs us. */
const lookWindowSeconds = 2;

/**
 * Asks for a snapshot at the end of the current window. Requests within one window share one snapshot, and one that began before
 * the window's end has not seen what the last of them is about.
 */
export async function requestLook(
  ports: RequestPorts,
  { cluster, reason }: { readonly cluster: string; readonly reason: string },
): Promise<void> {
  const window = Math.floor(ports.clock.nowSeconds() / lookWindowSeconds) + 1;
  const endSeconds = window * lookWindowSeconds;
  await ports.planRequests.send({
    request: { version: 1, cluster, reason, atSeconds: endSeconds, refresh: true, ...traceOf(ports) },
    // An id of its own: a plan request in the same window must not replace it.
    messageId: `${cluster}:${window}:look`,
    deliverAtSeconds: endSeconds,
  });
}

/**
 * Asks for the snapshot of one beat of the timer. It waits in the session of its cluster, so a cluster that takes long
 * holds up no other. A timer that fires twice within a second asks once.
 */
export async function requestSnapshot(
  ports: RequestPorts,
  beat: {
    readonly cluster: string;
    readonly beatSeconds: number;
    readonly atSeconds: number;
    readonly amongOthers: boolean;
  },
): Promise<void> {
  const { cluster, beatSeconds, atSeconds, amongOthers } = beat;
  await ports.planRequests.send({
    request: {
      version: 1,
      cluster,
      reason: "timer",
      atSeconds,
      onBeat: true,
      ...(amongOthers && { amongOthers }),
      ...traceOf(ports),
    },
    messageId: `${cluster}:${beatSeconds}:beat`,
    deliverAtSeconds: atSeconds,
  });
}

export function schedulePlan(request: {
  readonly cluster: string;
  readonly reason: string;
  readonly atSeconds: number;
  readonly traceparent?: string;
  readonly onlyDemand?: true;
}): ScheduledPlanRequest {
  const window = Math.floor(request.atSeconds * planWindowsPerSecond) + 1;
  return {
    request: { version: 1, ...request },
    messageId: `${request.cluster}:${window}`,
    deliverAtSeconds: window / planWindowsPerSecond,
  };
}
