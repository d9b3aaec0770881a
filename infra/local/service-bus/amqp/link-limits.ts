import type { StatusError } from "./refusals.ts";

/** The quota of Azure's Standard tier: a message with its header has at most 256 KB. */
export const maxMessageBytes = 262_144;
/** Longest message id and session id. */
export const maxIdCharacters = 128;

/** Why a message is too large to be kept; undefined: it is not. The client counts as the broker does: in bytes. */
export function excessOf(bytes: number): StatusError | undefined {
  if (bytes <= maxMessageBytes) return undefined;
  return {
    status: 400,
    condition: "amqp:link:message-size-exceeded",
    description: `The message has ${bytes} bytes, more than the ${maxMessageBytes} that the queue takes.`,
  };
}
