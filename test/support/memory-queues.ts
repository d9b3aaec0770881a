import { UpstreamError } from "../../shared/errors/errors.ts";
import {
  claimedOrigin,
  type DemandRefused,
  decodeQueueText,
  type ScaleAction,
  type SchedulerEvent,
  type SourceEvent,
} from "../../shared/messages/index.ts";
import type {
  DemandQueue,
  DemandSent,
  DemandToSend,
  PlanRequests,
  ScaleActions,
  ScheduledPlanRequest,
  SchedulerEvents,
  UnreadDemand,
} from "../../shared/ports/index.ts";
import { azureLimits } from "../../shared/ports/index.ts";

/** A queue of plan requests that drops a repeated message id, also after the first was taken, as the broker does. */
class MemoryPlanRequests implements PlanRequests {
  readonly #seen = new Set<string>();
  #scheduled: readonly ScheduledPlanRequest[] = [];

  async send(scheduled: ScheduledPlanRequest): Promise<void> {
    if (this.#seen.has(scheduled.messageId)) return;
    this.#seen.add(scheduled.messageId);
    this.#scheduled = [...this.#scheduled, structuredClone(scheduled)];
  }

  /** Waiting actions, in the order of sending. */
  get scheduled(): readonly ScheduledPlanRequest[] {
    return structuredClone(this.#scheduled);
  }

  /** Removes and returns what is due, soonest first. */
  takeDue(nowSeconds: number): readonly ScheduledPlanRequest[] {
    const isDue = (request: ScheduledPlanRequest) => request.deliverAtSeconds <= nowSeconds;
    const due = this.#scheduled.filter(isDue);
    this.#scheduled = this.#scheduled.filter((request) => !isDue(request));
    return due.sort((a, b) => a.deliverAtSeconds - b.deliverAtSeconds);
  }
}

/** Room for the header: session and message id, subject, times. */
const headerBytes = 2_048;

/** The broker counts bytes. Throws UpstreamError, as sending to it does. */
function checkSize(action: ScaleAction): void {
  const most = azureLimits.serviceBus.messageBytes - headerBytes;
  const bytes = Buffer.byteLength(JSON.stringify(action));
  if (bytes > most)
    throw new UpstreamError(
      `Cannot send message "${action.actionId}": ${bytes} bytes, expected below ${most}`,
      { retryable: false },
    );
}

type Retry = Parameters<ScaleActions["sendLater"]>[1];

/** A copy for another try, and when it is due. */
interface DelayedAction {
  readonly action: ScaleAction;
  readonly atSeconds: number;
}

/** A queue of actions that keeps their order and drops a repeated action id. */
class MemoryScaleActions implements ScaleActions {
  readonly #seen = new Set<string>();
  #waiting: readonly ScaleAction[] = [];
  #delayed: readonly DelayedAction[] = [];

  async send(actions: readonly ScaleAction[]): Promise<void> {
    for (const action of actions) checkSize(action);
    for (const action of actions) {
      if (this.#seen.has(action.actionId)) continue;
      this.#seen.add(action.actionId);
      this.#waiting = [...this.#waiting, structuredClone(action)];
    }
  }

  async sendLater(action: ScaleAction, { attempt, atSeconds }: Retry): Promise<void> {
    const messageId = `${action.actionId}:attempt-${attempt}`;
    checkSize(action);
    if (this.#seen.has(messageId)) return;
    this.#seen.add(messageId);
    this.#delayed = [...this.#delayed, structuredClone({ action, atSeconds })];
  }

  /** Copies whose time has not come, in the order of sending. */
  get delayed(): readonly DelayedAction[] {
    return structuredClone(this.#delayed);
  }

  get waiting(): readonly ScaleAction[] {
    return structuredClone(this.#waiting);
  }

  /** Removes and returns the oldest action; copies count from their time on, which without a time never comes. */
  take(nowSeconds = Number.NEGATIVE_INFINITY): ScaleAction | undefined {
    const isDue = ({ atSeconds }: DelayedAction) => atSeconds <= nowSeconds;
    const due = this.#delayed.filter(isDue).sort((a, b) => a.atSeconds - b.atSeconds);
    this.#waiting = [...this.#waiting, ...due.map(({ action }) => action)];
    this.#delayed = this.#delayed.filter((delayed) => !isDue(delayed));
    const [first, ...rest] = this.#waiting;
    this.#waiting = rest;
    return first;
  }
}

/** One list of events per source. */
class MemorySchedulerEvents implements SchedulerEvents {
  readonly #events = new Map<string, readonly SourceEvent[]>();

  async send(event: SourceEvent): Promise<void> {
    this.#events.set(event.source, [...(this.#events.get(event.source) ?? []), structuredClone(event)]);
  }

  async forget(source: string): Promise<void> {
    this.#events.delete(source);
  }

  /** Everything about nodes that was sent to the source, oldest first. */
  of(source: string): readonly SchedulerEvent[] {
    return this.#all(source).filter((event) => event.kind !== "demand-refused");
  }

  /** Events that the source got about its demand, oldest first. */
  refusalsOf(source: string): readonly DemandRefused[] {
    return this.#all(source).filter((event) => event.kind === "demand-refused");
  }

  #all(source: string): readonly SourceEvent[] {
    return structuredClone(this.#events.get(source) ?? []);
  }
}

interface QueuedText {
  readonly text: string;
  /** A host has taken it. */
  readonly isHidden: boolean;
}

/** The queue of demand as texts, oldest first; whatever is sent is one message. Both its ends, and its poison queue. */
export class MemoryDemandQueue implements DemandQueue, UnreadDemand {
  #messages: readonly QueuedText[] = [];
  #poison = 0;

  async post(text: string): Promise<void> {
    const most = azureLimits.storageQueue.messageBytes;
    const bytes = Buffer.byteLength(text);
    if (bytes > most)
      throw new UpstreamError(`Cannot send: ${bytes} bytes, expected at most ${most}`, { retryable: false });
    this.#put(text);
  }

  async send(demand: DemandToSend): Promise<DemandSent> {
    this.#put(JSON.stringify(demand));
    return { outcome: "sent", messages: 1 };
  }

  async count(): Promise<number> {
    return this.#messages.length + this.#poison;
  }

  async showsAnyOf(cluster: string): Promise<boolean> {
    return this.#messages.some(
      ({ text, isHidden }) => !isHidden && claimedOrigin(decodeQueueText(text)).cluster === cluster,
    );
  }

  /** Hides the oldest visible message, as a host does that takes it; undefined: none is visible. */
  take(): string | undefined {
    const taken = this.#messages.find(({ isHidden }) => !isHidden);
    if (taken === undefined) return undefined;
    this.#messages = this.#messages.map((each) => (each === taken ? { ...each, isHidden: true } : each));
    return taken.text;
  }

  /** Completes the oldest hidden message. */
  done(): void {
    const done = this.#messages.find(({ isHidden }) => isHidden);
    this.#messages = this.#messages.filter((each) => each !== done);
  }

  /** Moves the oldest hidden message to the poison queue. */
  giveUp(): void {
    const before = this.#messages.length;
    this.done();
    this.#poison += before - this.#messages.length;
  }

  get texts(): readonly string[] {
    return this.#messages.map(({ text }) => text);
  }

  #put(text: string): void {
    this.#messages = [...this.#messages, { text, isHidden: false }];
  }
}

/** The queues of the cycle, in memory. */
export interface MemoryQueues {
  readonly planRequests: MemoryPlanRequests;
  readonly scaleActions: MemoryScaleActions;
  readonly schedulerEvents: MemorySchedulerEvents;
  readonly unreadDemand: MemoryDemandQueue;
}

/** Empty queues, under the names that `Ports` gives them. */
export function createMemoryQueues(): MemoryQueues {
  return {
    planRequests: new MemoryPlanRequests(),
    scaleActions: new MemoryScaleActions(),
    schedulerEvents: new MemorySchedulerEvents(),
    unreadDemand: new MemoryDemandQueue(),
  };
}
