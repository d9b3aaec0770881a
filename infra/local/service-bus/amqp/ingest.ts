import { Buffer } from "node:buffer";
import type { Receiver } from "rhea";
import type { NewMessage, Refusal } from "../broker/message.ts";
import type { Queue } from "../broker/queue.ts";
import type { Store } from "../store.ts";
import { excessOf } from "./link-limits.ts";
import { badRequest, errorOf } from "./refusals.ts";
import { parseMessage, unbatch } from "./sections.ts";
import { type AmqpError, accept, refuse } from "./settle-delivery.ts";

/** Puts whatever the client sends into a queue: accepted once it is kept, a batch as a whole or not at all. */
export function ingest(receiver: Receiver, options: { readonly queue: Queue; readonly store: Store }): void {
  receiver.on("message", ({ message: payload, delivery }) => {
    if (!Buffer.isBuffer(payload) || delivery === undefined) return;
    const error = enqueue(payload, { queue: options.queue, format: delivery.format });
    options.store.whenKept(() => (error === undefined ? accept(delivery) : refuse(delivery, error)));
  });
}

function enqueue(
  payload: Buffer,
  { queue, format }: { queue: Queue; format: number },
): AmqpError | undefined {
  const excess = excessOf("message", payload.length);
  if (excess !== undefined) return excess;
  const messages = parse(payload, format);
  if ("condition" in messages) return messages;
  const sent: readonly number[] | Refusal = queue.send(messages);
  return typeof sent === "string" ? errorOf(sent) : undefined;
}

function parse(payload: Buffer, format: number): readonly NewMessage[] | AmqpError {
  try {
    return unbatch(payload, format).map((encoded) => parseMessage(encoded));
  } catch (error) {
    return badRequest(error instanceof Error ? error.message : String(error));
  }
}
