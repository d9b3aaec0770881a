import type { SchedulerEvent } from "../../shared/messages/scheduler-event.ts";
import type { FaultKind, FaultSource } from "./faults.ts";
import type { Timeline } from "./timeline.ts";

/** How often an agent looks for events. */
const pollSeconds = 10;
/** As the queue of an agent has it. */
const hiddenSeconds = 60;

interface Waiting {
  readonly event: SchedulerEvent;
  visibleAtSeconds: number;
}

/**
 * The queue `events-<source>` and the agent that takes from it: late, twice, out of order, and now and then an event is
 * gone because the agent died with it.
 */
export class EventQueue {
  readonly #parts: { readonly timeline: Timeline; readonly faults: FaultSource };
  readonly #kinds: readonly [FaultKind, ...FaultKind[]];
  #waiting: readonly Waiting[] = [];

  constructor(
    parts: { readonly timeline: Timeline; readonly faults: FaultSource },
    kinds: readonly [FaultKind, ...FaultKind[]] = ["lost", "late", "twice"],
  ) {
    this.#parts = parts;
    this.#kinds = kinds;
  }

  put(event: SchedulerEvent): void {
    const fault = this.#parts.faults.at("events queue", this.#kinds);
    if (fault?.kind === "lost") return;
    const late = fault?.kind === "late" ? fault.seconds : 0;
    this.#after(late, event);
    if (fault?.kind === "twice") this.#after(fault.seconds, event);
  }

  /** Everything that has come, and is gone from the queue with it. */
  take(): readonly SchedulerEvent[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken.map(({ event }) => event);
  }

  /** The same for an agent that says when it is done with an event: until then it comes again. */
  receive() {
    const now = this.#parts.timeline.nowSeconds;
    const taken = this.#waiting.filter(({ visibleAtSeconds }) => visibleAtSeconds <= now);
    for (const each of taken) each.visibleAtSeconds = now + hiddenSeconds;
    const events = taken.map((each) => ({
      event: each.event,
      isLastTry: false,
      done: async () => {
        this.#waiting = this.#waiting.filter((other) => other !== each);
      },
    }));
    return { events, refusals: [], problems: [] };
  }

  #after(seconds: number, event: SchedulerEvent): void {
    this.#parts.timeline.after(pollSeconds + seconds, () => {
      this.#waiting = [...this.#waiting, { event, visibleAtSeconds: 0 }];
    });
  }
}
