import { type QueueClient, type QueueServiceClient, RestError } from "@azure/storage-queue";
import { describeProblems } from "../../shared/messages/problems.ts";
import { type SchedulerEvent, schedulerEventSchema } from "../../shared/messages/scheduler-event.ts";

/** For so long nobody else sees an event that was taken; then it comes back, unless it was done with. */
const hiddenSeconds = 60;
const mostPerPass = 320;
const perCall = 32;
/** An event that could not be acted on so often is given up. */
const mostTries = 20;

export interface TakenEvent {
  readonly event: SchedulerEvent;
  readonly isLastTry: boolean;
  /** Removes it from the queue. */
  done(): Promise<void>;
}

export interface Taken {
  /** Oldest first. */
  readonly events: readonly TakenEvent[];
  /** Why messages were thrown away. */
  readonly problems: readonly string[];
}

/** The queue `events-<source>`, which the service makes when it has something to tell. */
export class EventQueue {
  readonly #queue: QueueClient;
  readonly #cluster: string;

  constructor(service: QueueServiceClient, agent: { readonly source: string; readonly cluster: string }) {
    this.#queue = service.getQueueClient(`events-${agent.source}`);
    this.#cluster = agent.cluster;
  }

  /** Throws an Error when the queue does not answer. Events of other clusters stay in the queue. */
  async take(): Promise<Taken> {
    const events: TakenEvent[] = [];
    const problems: string[] = [];
    while (events.length < mostPerPass) {
      const batch = await this.#receive();
      for (const { messageText, messageId, popReceipt, dequeueCount } of batch) {
        const done = async () => this.#remove(messageId, popReceipt);
        const parsed = schedulerEventSchema.safeParse(toJson(messageText), { reportInput: true });
        if (!parsed.success) {
          problems.push(`event ${messageId} thrown away: ${describeProblems(parsed.error).join("; ")}`);
          await done();
        } else if (parsed.data.cluster === this.#cluster) {
          events.push({ event: parsed.data, isLastTry: dequeueCount >= mostTries, done });
        }
      }
      if (batch.length < perCall) break;
    }
    return { events: events.sort((a, b) => a.event.atSeconds - b.event.atSeconds), problems };
  }

  async #receive() {
    try {
      const options = { numberOfMessages: perCall, visibilityTimeout: hiddenSeconds };
      return (await this.#queue.receiveMessages(options)).receivedMessageItems;
    } catch (error) {
      if (error instanceof RestError && error.statusCode === 404) return [];
      throw new Error(`Cannot read queue "${this.#queue.name}": ${reasonOf(error)}`, { cause: error });
    }
  }

  /** One that came back to the queue meanwhile comes again, and is no news then. */
  async #remove(messageId: string, popReceipt: string): Promise<void> {
    try {
      await this.#queue.deleteMessage(messageId, popReceipt);
    } catch (error) {
      if (error instanceof RestError && (error.statusCode === 404 || error.statusCode === 400)) return;
      throw new Error(`Cannot remove from queue "${this.#queue.name}": ${reasonOf(error)}`, { cause: error });
    }
  }
}

function toJson(text: string): unknown {
  for (const candidate of [text, Buffer.from(text, "base64").toString("utf8")]) {
    try {
      return JSON.parse(candidate);
    } catch {}
  }
  return undefined;
}

/** The SDK's texts may quote the request. */
function reasonOf(error: unknown): string {
  if (!(error instanceof RestError)) return error instanceof Error ? error.name : "unknown";
  return error.statusCode === undefined
    ? `no answer, ${error.code}`
    : `HTTP ${error.statusCode}, ${error.code}`;
}
