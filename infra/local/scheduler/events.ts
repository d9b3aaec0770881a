import { type QueueClient, RestError } from "@azure/storage-queue";
import type { HostEvent } from "../../../shared/backtest/index.ts";
import { schedulerEventSchema } from "../../../shared/messages/index.ts";

const mostAtOnce = 32;

/** Passes every waiting event to `obey` and then deletes it, so an event that was not handled is delivered again. */
export async function takeEvents(queue: QueueClient, obey: (event: HostEvent) => void): Promise<void> {
  const messages = await receive(queue);
  for (const { messageId, popReceipt, messageText } of messages) {
    const event = schedulerEventSchema.parse(JSON.parse(Buffer.from(messageText, "base64").toString()));
    if (event.kind !== "demand-refused") obey(event);
    await queue.deleteMessage(messageId, popReceipt);
  }
}

/** The queue is made when the first event is sent: until then there is none. */
async function receive(queue: QueueClient) {
  try {
    const { receivedMessageItems } = await queue.receiveMessages({ numberOfMessages: mostAtOnce });
    return receivedMessageItems;
  } catch (error) {
    if (error instanceof RestError && error.statusCode === 404) return [];
    throw error;
  }
}
