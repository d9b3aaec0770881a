import type { Capability, PlanRequest, ScaleAction, SourceEvent } from "../messages/index.ts";

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
  /** Removes the queue of a source, with what nobody has read. It is made again for the next event. */
  forget(source: string): Promise<void>;
  /** To the queue of `event.source`, which is made when it is missing. */
  send(event: SourceEvent): Promise<void>;
}

interface DemandEnvelope {
  readonly version: 1;
  readonly cluster: string;
  readonly source: string;
  readonly sequence: number;
  /** ISO 8601 with an offset. */
  readonly sentAt: string;
  readonly ttlSeconds?: number | undefined;
  readonly capabilities?: readonly Capability[] | undefined;
  /** As they are sent: whoever receives them checks them. */
  readonly jobs: readonly unknown[];
  readonly nodes: readonly unknown[];
}

/** A demand message before it is cut for the queue; jobs and nodes in any spelling that `parseDemand` takes. */
export type DemandToSend =
  | (DemandEnvelope & { readonly kind: "snapshot" })
  | (DemandEnvelope & { readonly kind: "delta"; readonly remove?: readonly unknown[] });

/** How the demand went: in how many messages, or in one that names a blob; or why it was not sent at all. */
export type DemandSent =
  | { readonly outcome: "sent"; readonly messages: number; readonly blob?: string }
  | { readonly outcome: "refused"; readonly reason: string };

/** The queue `job-demand`, from the sender's side. */
export interface DemandQueue {
  /** Posts the text of one message. Throws UpstreamError. */
  post(text: string): Promise<void>;
  /**
   * Posts demand as one message, as parts of a snapshot, or as a claim check (a blob with the jobs and nodes, and a
   * message that names it). Throws UpstreamError; then nothing, or a part of it, was sent: send all of it again with a
   * higher sequence.
   */
  send(demand: DemandToSend): Promise<DemandSent>;
}
