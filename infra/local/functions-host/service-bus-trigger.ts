import type { ServiceBusReceivedMessage, ServiceBusReceiver } from "@azure/service-bus";
import { waitAtMost } from "./clock.ts";
import type { Connection } from "./connections.ts";
import type { ServiceBusSettings } from "./host-json.ts";
import { describeError, logOncePer } from "./logger.ts";
import { connectServiceBus, settleInTurn } from "./service-bus-client.ts";
import {
  receiverOptions,
  runMessage,
  type ServiceBusTriggerParts,
  settleMs,
} from "./service-bus-delivery.ts";
import { SessionTrigger } from "./service-bus-sessions.ts";
import { requireOption, type Trigger, type TriggerContext } from "./trigger.ts";

interface ServiceBusTriggerOptions extends TriggerContext {
  readonly settings: ServiceBusSettings;
  readonly connection: Connection;
}

/**
 * Runs a function for each message of a Service Bus queue: completed after a good run, abandoned after
 * a bad one, so that the broker counts the delivery and dead-letters in the end. With sessions, one message at a time
 * per session. Comes back by itself when the broker was away.
 */
export function startServiceBusTrigger(options: ServiceBusTriggerOptions): Trigger {
  const { target, settings, connection, clock, log } = options;
  const queue = requireOption(target, "queueName");
  const warn = logOncePer(30_000, clock.now, (message) => log("warning", message));
  const client = connectServiceBus(connection, settings.clientRetryOptions.tryTimeout);
  const parts = { ...options, client, queue, warn };
  const trigger =
    target.trigger.isSessionsEnabled === true ? new SessionTrigger(parts) : new MessageTrigger(parts);
  trigger.start();
  return trigger;
}

/** Receives from a queue without sessions, maxConcurrentCalls messages at a time. */
class MessageTrigger implements Trigger {
  readonly #parts: ServiceBusTriggerParts;
  readonly #receiver: ServiceBusReceiver;
  readonly #running = new Set<Promise<void>>();
  #subscription: { close(): Promise<void> } | undefined;

  constructor(parts: ServiceBusTriggerParts) {
    const { client, queue, settings } = parts;
    this.#parts = parts;
    this.#receiver = client.createReceiver(queue, receiverOptions(settings));
  }

  start(): void {
    const { settings, queue, warn } = this.#parts;
    const settle = settleInTurn(this.#receiver);
    const processMessage = (message: ServiceBusReceivedMessage): Promise<void> => {
      const work = runMessage(this.#parts, message, settle);
      this.#running.add(work);
      return work.finally(() => this.#running.delete(work));
    };
    // The subscription goes on after every error, and connects again for ever.
    const processError = async ({ error }: { error: Error }): Promise<void> =>
      warn(`cannot receive from "${queue}": ${describeError(error)}`);
    const options = { autoCompleteMessages: false, maxConcurrentCalls: settings.maxConcurrentCalls };
    this.#subscription = this.#receiver.subscribe({ processMessage, processError }, options);
  }

  async stop(): Promise<void> {
    await this.#subscription?.close();
  }

  async close(): Promise<void> {
    await waitAtMost(this.#parts.clock, settleMs, Promise.all(this.#running));
    await this.#parts.client.close();
  }
}
