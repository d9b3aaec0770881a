import type { InvocationContext } from "@azure/functions";
import { z } from "zod";
import type { DeadLetter, RawMessage } from "../../shared/cycle/index.ts";
import { decodeQueueText } from "../../shared/messages/index.ts";

/** A Storage queue message. A JSON body can hide the queue's metadata of the same name: what is not of its type is not the queue's. */
export function queueMessageOf(
  body: unknown,
  context: Pick<InvocationContext, "invocationId" | "triggerMetadata">,
  queue: string,
): RawMessage {
  const { id, dequeueCount } = context.triggerMetadata ?? {};
  return {
    body: decodeQueueText(body),
    messageId: typeof id === "string" ? id : context.invocationId,
    queue,
    attempts: typeof dequeueCount === "number" ? dequeueCount : undefined,
  };
}

const text = z.string().optional().catch(undefined);

/** The library lower-cases the first letter of every name, those of application properties included. */
const metadataSchema = z
  .object({
    messageId: text,
    deliveryCount: z.int().optional().catch(undefined),
    applicationProperties: z.object({ deadLetterReason: text, deadLetterErrorDescription: text }).catch({}),
  })
  .catch({ applicationProperties: {} });

/** A message of a dead-letter queue, with why the broker put it there and after how many deliveries. */
export function deadLetterOf(
  message: { readonly body: unknown; readonly queue: string },
  context: Pick<InvocationContext, "invocationId" | "triggerMetadata">,
): DeadLetter {
  const { messageId, deliveryCount, applicationProperties } = metadataSchema.parse(context.triggerMetadata);
  const { deadLetterReason, deadLetterErrorDescription } = applicationProperties;
  const words = [deadLetterReason, deadLetterErrorDescription].filter((word) => word !== undefined);
  return {
    ...message,
    messageId: messageId ?? context.invocationId,
    // Deliveries from the queue itself: the one from its dead-letter queue, which is going on, is not one of them.
    attempts: deliveryCount === undefined ? undefined : Math.max(deliveryCount - 1, 0),
    reason: words.length === 0 ? "no reason given" : words.join(", "),
  };
}
