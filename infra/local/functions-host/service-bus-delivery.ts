import type { ServiceBusClient, ServiceBusReceivedMessage } from "@azure/service-bus";
import type { ServiceBusSettings } from "./host-json.ts";
import { describeError } from "./logger.ts";
import type { Settle } from "./service-bus-client.ts";
import { bodyText, serviceBusMetadata } from "./service-bus-message.ts";
import type { TriggerContext } from "./trigger.ts";

/** What the receiving loops of both kinds share. */
export interface ServiceBusTriggerParts extends TriggerContext {
  readonly client: ServiceBusClient;
  readonly queue: string;
  readonly settings: ServiceBusSettings;
  /** Logs a warning; the same one at most every half minute. */
  readonly warn: (message: string) => void;
}

/** Bodies stay bytes: the function's side parses them, by its own rules. */
export function receiverOptions({ maxAutoLockRenewalDuration }: ServiceBusSettings) {
  return {
    receiveMode: "peekLock",
    skipParsingBodyAsJson: true,
    maxAutoLockRenewalDurationInMs: maxAutoLockRenewalDuration,
  } as const;
}

/** How long a stop waits for the broker to answer; the client alone would wait a minute for one that is gone. */
export const settleMs = 2_000;

/** Runs the function for one message and settles it. Never rejects: an unsettled message comes back by itself. */
export async function runMessage(
  { target, invoke, queue, warn }: ServiceBusTriggerParts,
  message: ServiceBusReceivedMessage,
  settle: Settle,
): Promise<void> {
  const id = `message ${String(message.messageId)} of ${queue}`;
  const outcome = await invoke(target, {
    data: { string: bodyText(message.body) },
    metadata: serviceBusMetadata(message),
    reason: `${id}, delivery ${(message.deliveryCount ?? 0) + 1}`,
  });
  try {
    await settle(message, outcome.status === "succeeded" ? "complete" : "abandon");
  } catch (error) {
    warn(`cannot settle ${id}: ${describeError(error)}`);
  }
}
