import { type QueueClient, type QueueServiceClient, RestError } from "@azure/storage-queue";
import { jsonOr } from "../../shared/json/json.ts";
import {
  type DemandRefused,
  type SchedulerEvent,
  type SourceEvent,
  schedulerEventSchema,
} from "../../shared/messages/index.ts";
import { readRecord } from "./drivers/records.ts";

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
  /** About nodes. Oldest first. */
  readonly events: readonly TakenEvent[];
  /** What of our demand was not taken. Gone from the queue: there is nothing to be done that could fail. */
  readonly refusals: readonly DemandRefused[];
  /** Why messages were thrown away. */
  readonly problems: readonly string[];
}

/** The queue `events-<source>`, which the service makes for its first event. */
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
    const refusals: DemandRefused[] = [];
    const problems: string[] = [];
    while (events.length + refusals.length < mostPerPass) {
      const batch = await this.#receive();
      for (const { messageText, messageId, popReceipt, dequeueCount } of batch) {
        const done = async () => this.#remove(messageId, popReceipt);
        const read = readRecord<SourceEvent>(schedulerEventSchema, toJson(messageText));
        if (!read.ok) {
          problems.push(`event ${messageId} thrown away: ${read.reason}`);
          await done();
          continue;
        }
        const event = read.record;
        if (event.cluster !== this.#cluster) continue;
        if (event.kind === "demand-refused") {
          refusals.push(event);
          await done();
        } else events.push({ event, isLastTry: dequeueCount >= mostTries, done });
      }
      if (batch.length < perCall) break;
    }
    const byTime = (a: { readonly atSeconds: number }, b: { readonly atSeconds: number }) =>
      a.atSeconds - b.atSeconds;
    return {
      events: events.sort((a, b) => byTime(a.event, b.event)),
      refusals: refusals.sort(byTime),
      problems,
    };
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

/** Messages are JSON, or that in base64. */
function toJson(text: string): unknown {
  return jsonOr(text, jsonOr(Buffer.from(text, "base64").toString("utf8")));
}

/** The SDK's texts may quote the request. */
function reasonOf(error: unknown): string {
  if (!(error instanceof RestError)) return error instanceof Error ? error.name : "unknown";
  return error.statusCode === undefined
    ? `no answer, ${error.code}`
    : `HTTP ${error.statusCode}, ${error.code}`;
}
