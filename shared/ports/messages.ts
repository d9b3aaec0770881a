import type { Capability, PlanRequest, ScaleAction, SourceEvent } from "../messages/index.ts";

/** A plan request with the identity that lets a burst of them become one. */
export interface ScheduledPlanRequest {
  readonly request: PlanRequest;
  /** `<cluster>:<window>`: the broker drops a second message with the same id. */
  readonly messageId: string;
  /** The end of the window: whatever was asked inside it is seen by the plan that runs then. */
  readonly deliverAtSeconds: number;
}

/**
 * The queue of plan requests, with one session for each cluster.
 *
 * - Called by: whatever changes demand, nodes, targets or settings.
 * - Twice: yes: the broker drops the same `messageId` within its window, and a plan that changes nothing sends nothing.
 * - Gone: does not happen: the queue is part of the deployment.
 * - Retries: the SDK; then the caller's trigger. The next snapshot asks again.
 */
export interface PlanRequests {
  send(scheduled: ScheduledPlanRequest): Promise<void>;
}

/**
 * The queue of actions, with one session for each cluster.
 *
 * - Called by: the planner, the executor (`sendLater`), and requests of people and nodes, each after the operation was
 *   recorded.
 * - Twice: yes: the broker drops the same action id, the executor an action that was done.
 * - Gone: does not happen: the queue is part of the deployment.
 * - Retries: the SDK; then the next plan, which sends what is recorded and not known to be sent.
 */
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

/**
 * The queues `events-<source>`.
 *
 * - Called by: the planner, snapshots, and whoever refuses demand, each after its decision is saved; `forget` when a
 *   source ends.
 * - Twice: yes: readers must take an event twice, it carries the moment of the decision.
 * - Gone: `forget` of a queue that is gone does nothing; `send` makes it again.
 * - Retries: the SDK. What is not sent is logged, and a later plan sends a drain that still holds again.
 */
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
  readonly notices?: readonly string[] | undefined;
  /** As they are sent: whoever receives them checks them. */
  readonly jobs: readonly unknown[];
  readonly nodes: readonly unknown[];
  readonly nodeShapes?: readonly unknown[] | undefined;
}

/** A demand message before it is cut for the queue; jobs and nodes in any spelling that `parseDemand` takes. */
export type DemandToSend =
  | (DemandEnvelope & { readonly kind: "snapshot" })
  | (DemandEnvelope & { readonly kind: "delta"; readonly remove?: readonly unknown[] });

/** How the demand went: in how many messages, or in one that names a blob; or why it was not sent at all. */
export type DemandSent =
  | { readonly outcome: "sent"; readonly messages: number; readonly blob?: string }
  | { readonly outcome: "refused"; readonly reason: string };

/**
 * What of the demand queue nobody has read yet, of all clusters: a message that a host has taken shows nothing of itself.
 *
 * A message leaves this count only after its demand was saved, or after it was recorded as refused. Whoever counts first and
 * reads the demand after that misses nothing that was posted before the count.
 *
 * - Called by: plans that delete idle nodes; the executor before nodes go, twice.
 * - Twice: yes: it reads only.
 * - Gone: a queue that does not exist holds nothing.
 * - Retries: the SDK; then the executor's next try, and the next plan.
 */
export interface UnreadDemand {
  /**
   * How many messages lie on the queue and on its poison queue: visible, or hidden by the lease of a host that is at work on
   * them, or has died. Perhaps more than there are, never fewer. Throws UpstreamError.
   */
  count(): Promise<number>;
  /** Whether one of the first messages that are visible on the queue names the cluster. Takes nothing. Throws UpstreamError. */
  showsAnyOf(cluster: string): Promise<boolean>;
}

/**
 * The queue `job-demand`, from the sender's side.
 *
 * - Called by: `ccscale push`, `POST demand`, replays of rejected messages, the agent.
 * - Twice: yes: a sequence that took effect is ignored.
 * - Gone: does not happen: the queue is part of the deployment.
 * - Retries: the SDK; then the sender, with a higher sequence.
 */
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
