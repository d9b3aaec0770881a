import type { PlanRequests, ScaleActions, ScheduledPlanRequest, SchedulerEvents } from "../ports.ts";
import type { ScaleAction } from "./scale-action.ts";
import type { SchedulerEvent } from "./scheduler-event.ts";

/** A queue of plan requests that drops a repeated message id, also after the first was taken, as the broker does. */
export class MemoryPlanRequests implements PlanRequests {
  readonly #seen = new Set<string>();
  #scheduled: readonly ScheduledPlanRequest[] = [];

  async send(scheduled: ScheduledPlanRequest): Promise<void> {
    if (this.#seen.has(scheduled.messageId)) return;
    this.#seen.add(scheduled.messageId);
    this.#scheduled = [...this.#scheduled, structuredClone(scheduled)];
  }

  /** What waits, in the order of sending. */
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

/** A queue of actions that keeps their order and drops a repeated action id. */
export class MemoryScaleActions implements ScaleActions {
  readonly #seen = new Set<string>();
  #waiting: readonly ScaleAction[] = [];

  async send(actions: readonly ScaleAction[]): Promise<void> {
    for (const action of actions) {
      if (this.#seen.has(action.actionId)) continue;
      this.#seen.add(action.actionId);
      this.#waiting = [...this.#waiting, structuredClone(action)];
    }
  }

  get waiting(): readonly ScaleAction[] {
    return structuredClone(this.#waiting);
  }

  /** Removes and returns the oldest action. */
  take(): ScaleAction | undefined {
    const [first, ...rest] = this.#waiting;
    this.#waiting = rest;
    return first;
  }
}

/** One list of events per source. */
export class MemorySchedulerEvents implements SchedulerEvents {
  readonly #events = new Map<string, readonly SchedulerEvent[]>();

  async send(event: SchedulerEvent): Promise<void> {
    this.#events.set(event.source, [...(this.#events.get(event.source) ?? []), structuredClone(event)]);
  }

  /** Everything that was sent to the source, oldest first. */
  of(source: string): readonly SchedulerEvent[] {
    return structuredClone(this.#events.get(source) ?? []);
  }
}

/** The three queues, in memory. */
export interface MemoryQueues {
  readonly planRequests: MemoryPlanRequests;
  readonly scaleActions: MemoryScaleActions;
  readonly schedulerEvents: MemorySchedulerEvents;
}

/** Empty queues, under the names that `Ports` gives them. */
export function createMemoryQueues(): MemoryQueues {
  return {
    planRequests: new MemoryPlanRequests(),
    scaleActions: new MemoryScaleActions(),
    schedulerEvents: new MemorySchedulerEvents(),
  };
}
