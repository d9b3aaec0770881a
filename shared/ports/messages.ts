import type { PlanRequest } from "../messages/plan-request.ts";
import type { ScaleAction } from "../messages/scale-action.ts";
import type { SchedulerEvent } from "../messages/scheduler-event.ts";

/** A plan request with the identity that lets a burst of them become one. */
export interface ScheduledPlanRequest {
  readonly request: PlanRequest;
  /** `<cluster>:<window>`: the broker drops a second message with the same id. */
  readonly messageId: string;
  /** The end of the window: whatever was asked inside it is seen by the plan that runs then. */
  readonly deliverAtSeconds: number;
}

export interface PlanRequests {
  send(scheduled: ScheduledPlanRequest): Promise<void>;
}

export interface ScaleActions {
  /** In order. An action that was sent before (same action id) is dropped by the broker. */
  send(actions: readonly ScaleAction[]): Promise<void>;
}

export interface SchedulerEvents {
  /** To the queue of `event.source`, which is made when it is missing. */
  send(event: SchedulerEvent): Promise<void>;
}
