import type { SourceEvent } from "../../messages/index.ts";
import type { DemandSource } from "./demand-source.ts";
import type { Delays } from "./run-input.ts";
import { rank, type Timeline } from "./timeline.ts";

interface Parts {
  readonly delays: Delays;
  readonly timeline: Timeline;
  readonly nowSeconds: () => number;
  readonly source: DemandSource;
  /** The scheduler takes a host out, or back. */
  readonly close: (hostname: string, isOut: boolean) => void;
  /** The service takes the message off its queue. */
  readonly post: () => Promise<void>;
}

/**
 * The agent beside the scheduler. It passes at an interval: it follows the events that have come, and sends what changed. What a
 * pass sends is made when the service takes it, so it has what changed on its way too.
 */
export class Agent {
  readonly #parts: Parts;
  readonly #events: SourceEvent[] = [];
  #postedAtSeconds = Number.NEGATIVE_INFINITY;
  #isPostDue = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether a message is on its way, or will be with the next pass. */
  get isPostDue(): boolean {
    return this.#isPostDue;
  }

  /** Jobs or hosts have changed: the next pass sends the change. */
  changed(): void {
    if (this.#isPostDue) return;
    this.#isPostDue = true;
    const { timeline, nowSeconds, post, delays } = this.#parts;
    const dueSeconds = Math.max(nowSeconds(), this.#postedAtSeconds + delays.postSeconds);
    const passSeconds = passAt(dueSeconds, delays.passSeconds);
    timeline.at(passSeconds + delays.queueSeconds, rank.control, async () => {
      this.#isPostDue = false;
      this.#postedAtSeconds = passSeconds;
      await post();
    });
  }

  /** Puts an event onto the queue of the source. */
  tell(event: SourceEvent): void {
    this.#events.push(event);
    if (this.#events.length > 1) return;
    const { timeline, nowSeconds, delays } = this.#parts;
    timeline.at(passAt(nowSeconds(), delays.eventSeconds), rank.control, () => this.#follow());
  }

  #follow(): void {
    const { source, close } = this.#parts;
    for (const event of this.#events.splice(0)) {
      if (event.kind === "demand-refused") continue;
      for (const { hostname, isOut } of source.obey(event)) {
        close(hostname, isOut);
        this.changed();
      }
    }
  }
}

/**
 * The first pass from then on. Passes lie between the beats of the service's timer, as far from them as they can: the two are
 * not in step, and this is the wait that they have on average.
 */
function passAt(fromSeconds: number, gapSeconds: number): number {
  const pass = (Math.ceil(fromSeconds / gapSeconds - 0.5) + 0.5) * gapSeconds;
  return Math.max(pass, fromSeconds);
}
