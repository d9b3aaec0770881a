import type { Refusal } from "../broker/message.ts";
import type { AmqpError } from "./settle-delivery.ts";

/** An error with the status that a management response carries beside it. */
export interface StatusError extends AmqpError {
  readonly status: number;
}

const refusals: Readonly<Record<Refusal, StatusError>> = {
  "message-lock-lost": {
    status: 410,
    condition: "com.microsoft:message-lock-lost",
    description: "The lock is not valid: it expired, or the message is no longer in the queue.",
  },
  "session-lock-lost": {
    status: 410,
    condition: "com.microsoft:session-lock-lost",
    description: "The session lock expired or was given up. Accept the session again.",
  },
  "session-cannot-be-locked": {
    status: 409,
    condition: "com.microsoft:session-cannot-be-locked",
    description: "The session cannot be accepted: another receiver has locked it.",
  },
  "session-id-missing": {
    status: 400,
    condition: "amqp:not-allowed",
    description: "The entity requires sessions: every message sent to it needs a session id.",
  },
  "session-required": {
    status: 400,
    condition: "amqp:not-allowed",
    description:
      "It is not possible for an entity that requires sessions to create a non-sessionful message receiver.",
  },
  "session-not-supported": {
    status: 400,
    condition: "amqp:not-allowed",
    description: "The entity does not require sessions: its messages cannot be received by session.",
  },
  "dead-letter-not-supported": {
    status: 400,
    condition: "amqp:not-allowed",
    description: "A message of a dead-letter queue cannot be dead-lettered again.",
  },
};

export function errorOf(refusal: Refusal): StatusError {
  return refusals[refusal];
}

/** The SDK recognises a missing queue by this wording, not by the condition. */
export function notFound(entity: string): StatusError {
  return {
    status: 404,
    condition: "amqp:not-found",
    description: `The messaging entity '${entity}' could not be found.`,
  };
}

export function notImplemented(what: string): StatusError {
  return {
    status: 501,
    condition: "amqp:not-implemented",
    description: `The local Service Bus emulator does not implement ${what}.`,
  };
}

export function badRequest(description: string): StatusError {
  return { status: 400, condition: "amqp:decode-error", description };
}
