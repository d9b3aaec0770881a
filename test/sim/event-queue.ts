import type { SchedulerEvent } from "../../shared/messages/scheduler-event.ts";
import type { FaultSource } from "./faults.ts";
import type { Timeline } from "./timeline.ts";

/** How often an agent looks for events. */
const pollSeconds = 10;

/**
 * The queue `events-<source>` and the agent that takes from it: late, twice, out of order, and now and then an event is
 * gone because the agent died with it.
 */
export class EventQueue {
  readonly #parts: { readonly timeline: Timeline; readonly faults: FaultSource };
  #waiting: readonly SchedulerEvent[] = [];

  constructor(parts: { readonly timeline: Timeline; readonly faults: FaultSource }) {
    this.#parts = parts;
  }

  put(event: SchedulerEvent): void {
    const fault = this.#parts.faults.at("events queue", ["lost", "late", "twice"]);
    if (fault?.kind === "lost") return;
    const late = fault?.kind === "late" ? fault.seconds : 0;
    this.#after(late, event);
    if (fault?.kind === "twice") this.#after(fault.seconds, event);
  }

  /** Everything that has come, and is gone from the queue with it. */
  take(): readonly SchedulerEvent[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }

  #after(seconds: number, event: SchedulerEvent): void {
    this.#parts.timeline.after(pollSeconds + seconds, () => {
      this.#waiting = [...this.#waiting, event];
    });
  }
}
