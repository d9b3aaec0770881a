import { claimedOrigin } from "../../shared/messages/index.ts";
import type { FaultSource } from "./faults.ts";
import type { Fleet, Outcome, Run } from "./fleet.ts";
import type { Timeline } from "./timeline.ts";

export interface QueueMessage {
  readonly messageId: string;
  readonly body: unknown;
  /** Called each time that it was done with, as good or as poison. */
  readonly onDone?: (() => void) | undefined;
}

export interface DemandQueueHandlers {
  readonly receive: (run: Run, message: QueueMessage) => Promise<unknown>;
  /** Takes what failed in every attempt. */
  readonly receivePoison: (run: Run, message: QueueMessage) => Promise<unknown>;
}

const maxDequeueCount = 5;
const visibilitySeconds = 5;
/** How long a message stays hidden when the machine that held it has died. */
const leaseSeconds = 120;

/** A Storage queue with its trigger: at least once, in no order, and a poison queue after five attempts. */
export class DemandQueue {
  readonly #timeline: Timeline;
  readonly #fleet: Fleet;
  readonly #faults: FaultSource;
  readonly #handlers: DemandQueueHandlers;
  /** By id, those that are not done with; true: a machine has taken it. */
  readonly #waiting = new Map<string, { readonly body: unknown; isHidden: boolean }>();
  readonly poisoned: string[] = [];
  #messages = 0;

  constructor(
    parts: { readonly timeline: Timeline; readonly fleet: Fleet; readonly faults: FaultSource },
    handlers: DemandQueueHandlers,
  ) {
    this.#timeline = parts.timeline;
    this.#fleet = parts.fleet;
    this.#faults = parts.faults;
    this.#handlers = handlers;
  }

  /** Messages that are not done with, poison included. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Whether a message that no machine has taken names the cluster. */
  showsAnyOf(cluster: string): boolean {
    return [...this.#waiting.values()].some(
      ({ body, isHidden }) => !isHidden && claimedOrigin(body).cluster === cluster,
    );
  }

  /** Returns the id that the queue gives the message. */
  put(body: unknown, onDone?: () => void): string {
    this.#messages += 1;
    const message: QueueMessage = { messageId: `demand-${this.#messages}`, body, onDone };
    this.#waiting.set(message.messageId, { body, isHidden: false });
    const late = this.#faults.at("job-demand queue", ["late", "twice"]);
    const delay = 0.2 + (late?.kind === "late" ? late.seconds : 0);
    this.#timeline.after(delay, () => this.#deliver(message, 1));
    if (late?.kind === "twice") this.#timeline.after(delay + late.seconds, () => this.#deliver(message, 1));
    return message.messageId;
  }

  #hide({ messageId }: QueueMessage, isHidden: boolean): void {
    const waiting = this.#waiting.get(messageId);
    if (waiting !== undefined) waiting.isHidden = isHidden;
  }

  #deliver(message: QueueMessage, attempt: number): void {
    this.#hide(message, true);
    const work = (run: Run) => this.#handlers.receive(run, message);
    const end = ({ error }: Outcome) => {
      if (error === undefined) this.#end(message);
      else this.#again(message, attempt, visibilitySeconds);
    };
    const run = this.#fleet.start(`accept-demand ${message.messageId}`, work, end);
    this.#whenDead(run, () => this.#again(message, attempt, 0));
    const fault = this.#faults.at("job-demand delivery", ["host-dies"]);
    if (fault !== undefined) void this.#fleet.kill(run.machine);
  }

  #again(message: QueueMessage, attempt: number, delaySeconds: number): void {
    if (attempt < maxDequeueCount) {
      this.#hide(message, false);
      this.#timeline.after(delaySeconds, () => this.#deliver(message, attempt + 1));
      return;
    }
    this.poisoned.push(message.messageId);
    this.#deliverPoison(message);
  }

  #deliverPoison(message: QueueMessage): void {
    const work = (run: Run) => this.#handlers.receivePoison(run, message);
    const end = ({ error }: Outcome) => {
      if (error === undefined) this.#end(message);
      else this.#timeline.after(visibilitySeconds, () => this.#deliverPoison(message));
    };
    const run = this.#fleet.start(`watch-rejects ${message.messageId}`, work, end);
    this.#whenDead(run, () => this.#deliverPoison(message));
  }

  #end({ messageId, onDone }: QueueMessage): void {
    this.#waiting.delete(messageId);
    onDone?.();
  }

  /** The host renews what it holds, so only death lets it go. */
  #whenDead(run: Run, then: () => void): void {
    this.#timeline.after(leaseSeconds, () => {
      if (run.isDead) then();
      else if (!run.isOver) this.#whenDead(run, then);
    });
  }
}
