import { DefaultAzureCredential } from "@azure/identity";
import {
  type DequeuedMessageItem,
  type QueueClient,
  QueueServiceClient,
  RestError,
} from "@azure/storage-queue";
import { sleep } from "./clock.ts";
import type { Connection } from "./connections.ts";
import type { QueueSettings } from "./host-json.ts";
import { describeError, logOncePer } from "./logger.ts";
import type { TypedData } from "./rpc.ts";
import { requireOption, type Trigger, type TriggerContext } from "./trigger.ts";
import { toMetadata } from "./typed-data.ts";

/** Pause before the first poll of an idle queue; doubles up to maxPollingInterval, as in Azure. */
const shortestPauseMs = 100;
const poisonSuffix = "-poison";

interface QueueTriggerOptions extends TriggerContext {
  readonly settings: QueueSettings;
  readonly connection: Connection;
  /**
   * How long a message stays hidden before its hiding is extended. Azure takes 600 s; here a host that was killed
   * must not hold its messages for that long.
   */
  readonly leaseSeconds: number;
}

/**
 * Runs a function for each message of a storage queue. A message is deleted after a good run; after a bad one it comes
 * back when visibilityTimeout has passed, and goes to `<queue>-poison` after maxDequeueCount tries or when it cannot be
 * decoded. A queue that does not exist is waited for and not created.
 */
export function startQueueTrigger(options: QueueTriggerOptions): Trigger {
  const queueName = requireOption(options.target, "queueName");
  const trigger = new QueueTrigger(options, { service: connectQueues(options.connection), queueName });
  trigger.start();
  return trigger;
}

/** @throws Error when the connection string cannot be read. */
function connectQueues(connection: Connection): QueueServiceClient {
  // The trigger polls again anyway; long retries inside the client would only delay the stop.
  const pipeline = { retryOptions: { maxTries: 2, retryDelayInMs: 100, maxRetryDelayInMs: 500 } };
  if (connection.kind === "connection-string") {
    return QueueServiceClient.fromConnectionString(connection.connectionString, pipeline);
  }
  const { address, clientId } = connection;
  const credential = new DefaultAzureCredential(
    clientId === undefined ? {} : { managedIdentityClientId: clientId },
  );
  return new QueueServiceClient(address, credential, pipeline);
}

class QueueTrigger implements Trigger {
  readonly #options: QueueTriggerOptions;
  readonly #queue: QueueClient;
  /** Undefined for a queue that is itself a poison queue. */
  readonly #poison: QueueClient | undefined;
  readonly #stopped = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #warn: (message: string) => void;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: QueueTriggerOptions, at: { service: QueueServiceClient; queueName: string }) {
    this.#options = options;
    this.#queue = at.service.getQueueClient(at.queueName);
    const isPoison = at.queueName.endsWith(poisonSuffix);
    this.#poison = isPoison ? undefined : at.service.getQueueClient(`${at.queueName}${poisonSuffix}`);
    this.#warn = logOncePer(30_000, options.clock.now, (message) => options.log("warning", message));
  }

  start(): void {
    this.#loop = this.#poll();
  }

  async #poll(): Promise<void> {
    const { settings, clock } = this.#options;
    const { signal } = this.#stopped;
    let pauseMs = shortestPauseMs;
    while (!signal.aborted) {
      const messages = await this.#receive();
      for (const message of messages) this.#track(this.#process(message));
      if (messages.length > 0) {
        pauseMs = shortestPauseMs;
        await this.#waitForRoom();
      } else {
        await sleep(clock, pauseMs, signal);
        pauseMs = Math.min(pauseMs * 2, settings.maxPollingInterval);
      }
    }
  }

  /** Next messages; none when the queue is empty, not there yet or out of reach. */
  async #receive(): Promise<readonly DequeuedMessageItem[]> {
    const { settings, leaseSeconds, log } = this.#options;
    try {
      const { receivedMessageItems } = await this.#queue.receiveMessages({
        numberOfMessages: settings.batchSize,
        visibilityTimeout: leaseSeconds,
        abortSignal: this.#stopped.signal,
      });
      return receivedMessageItems;
    } catch (error) {
      if (this.#stopped.signal.aborted) return [];
      if (isStatus(error, 404)) log("debug", `queue "${this.#queue.name}" is not there yet`);
      else this.#warn(`cannot receive from queue "${this.#queue.name}": ${describeError(error)}`);
      return [];
    }
  }

  #track(work: Promise<void>): void {
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }

  /** Azure asks for the next batch when no more than newBatchThreshold messages are in work. */
  async #waitForRoom(): Promise<void> {
    while (this.#running.size > this.#options.settings.newBatchThreshold) await Promise.race(this.#running);
  }

  async #process(message: DequeuedMessageItem): Promise<void> {
    try {
      await this.#settle(message);
    } catch (error) {
      // The message shows again when its hiding ends, so nothing is lost.
      this.#warn(`cannot settle a message of queue "${this.#queue.name}": ${describeError(error)}`);
    }
  }

  async #settle(message: DequeuedMessageItem): Promise<void> {
    const { settings, log } = this.#options;
    const body = decodeBody(message.messageText, settings.messageEncoding);
    if (body === undefined)
      log("error", `message ${message.messageId} is not base64 and goes to the poison queue`);
    if (body === undefined || message.dequeueCount > settings.maxDequeueCount) return this.#toPoison(message);

    const { succeeded, popReceipt } = await this.#runHidden(message, body);
    const current = { ...message, popReceipt };
    if (succeeded) await this.#delete(current);
    else if (message.dequeueCount >= settings.maxDequeueCount) await this.#toPoison(current);
    else if (this.#poison !== undefined) await this.#release(current);
    // A message of a poison queue just stays hidden for the rest of its lease: it must not fail in a tight loop.
  }

  /** Runs the function and extends the hiding of the message at half-time, again and again. */
  async #runHidden(
    message: DequeuedMessageItem,
    body: string,
  ): Promise<{ succeeded: boolean; popReceipt: string }> {
    const { target, invoke } = this.#options;
    const done = new AbortController();
    const renewed = this.#extend(message, done.signal);
    const outcome = await invoke(target, {
      data: { string: body },
      metadata: queueMetadata(message, body),
      reason: `message ${message.messageId} of queue ${this.#queue.name}, try ${message.dequeueCount}`,
    });
    done.abort();
    return { succeeded: outcome.status === "succeeded", popReceipt: await renewed };
  }

  /** Keeps a message hidden until the signal; gives its last pop receipt. */
  async #extend(message: DequeuedMessageItem, signal: AbortSignal): Promise<string> {
    const { clock, leaseSeconds } = this.#options;
    let { popReceipt } = message;
    for (;;) {
      await sleep(clock, leaseSeconds * 500, signal);
      if (signal.aborted) return popReceipt;
      try {
        const renewal = await this.#queue.updateMessage(
          message.messageId,
          popReceipt,
          undefined,
          leaseSeconds,
        );
        popReceipt = renewal.popReceipt ?? popReceipt;
      } catch (error) {
        this.#warn(`cannot extend the hiding of message ${message.messageId}: ${describeError(error)}`);
        if (isGone(error)) return popReceipt;
      }
    }
  }

  async #release({ messageId, popReceipt }: DequeuedMessageItem): Promise<void> {
    const seconds = Math.ceil(this.#options.settings.visibilityTimeout / 1000);
    await this.#queue.updateMessage(messageId, popReceipt, undefined, seconds);
  }

  async #toPoison(message: DequeuedMessageItem): Promise<void> {
    // A message of a poison queue that cannot be handled stays there, hidden for the rest of its lease.
    if (this.#poison === undefined) return;
    await this.#poison.createIfNotExists();
    await this.#poison.sendMessage(message.messageText, { messageTimeToLive: -1 });
    this.#options.log("warning", `message ${message.messageId} moved to queue "${this.#poison.name}"`);
    await this.#delete(message);
  }

  async #delete({ messageId, popReceipt }: DequeuedMessageItem): Promise<void> {
    try {
      await this.#queue.deleteMessage(messageId, popReceipt);
    } catch (error) {
      // Another receiver got the message meanwhile, or deleted it.
      if (!isGone(error)) throw error;
    }
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
  }

  async close(): Promise<void> {
    await this.#loop;
    await Promise.all(this.#running);
  }
}

function isStatus(error: unknown, status: number): boolean {
  return error instanceof RestError && error.statusCode === status;
}

/** The message was deleted, or another receiver has it by now. */
function isGone(error: unknown): boolean {
  return isStatus(error, 404) || (error instanceof RestError && error.code === "PopReceiptMismatch");
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The body of a queue message; undefined when it should be base64 and is not. White space is let pass, as in .NET. */
export function decodeBody(text: string, encoding: "base64" | "none"): string | undefined {
  if (encoding === "none") return text;
  const packed = text.replaceAll(/\s/g, "");
  return base64.test(packed) ? Buffer.from(packed, "base64").toString("utf8") : undefined;
}

/** Trigger metadata of a queue message; the library makes `queueTrigger`, `dequeueCount`, … of the names. */
function queueMetadata(message: DequeuedMessageItem, body: string): Readonly<Record<string, TypedData>> {
  return toMetadata({
    QueueTrigger: body,
    DequeueCount: message.dequeueCount,
    ExpirationTime: withOffset(message.expiresOn),
    Id: message.messageId,
    InsertionTime: withOffset(message.insertedOn),
    NextVisibleTime: withOffset(message.nextVisibleOn),
    PopReceipt: message.popReceipt,
  });
}

/** A .NET DateTimeOffset as JSON shows it; wrapped so that it stays a date and is not taken for text. */
function withOffset(date: Date | undefined): { toJSON(): string } | undefined {
  if (date === undefined) return undefined;
  return { toJSON: () => date.toISOString().replace("Z", "+00:00") };
}
