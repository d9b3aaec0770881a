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
  /**
   * A copy for another try. It is delivered at its time, after whatever waits then, and may still be delivered a minute
   * after it has expired, so that it can be closed. Attempts count from 1; the same attempt again is dropped.
   */
  sendLater(
    action: ScaleAction,
    retry: { readonly attempt: number; readonly atSeconds: number },
  ): Promise<void>;
}

export interface SchedulerEvents {
  /** To the queue of `event.source`, which is made when it is missing. */
  send(event: SchedulerEvent): Promise<void>;
}
