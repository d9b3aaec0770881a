import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import type { TypedData } from "./rpc.ts";
import { toMetadata } from "./typed-data.ts";

/** What .NET reports for a message that never expires. */
const endOfTime = "9999-12-31T23:59:59.9999999";

/** The body as text, which is what a function without a data type gets. The receiver must leave bodies unparsed. */
export function bodyText(body: unknown): string {
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return Buffer.from(body).toString("utf8");
  return body === undefined || body === null ? "" : JSON.stringify(body);
}

/**
 * Trigger metadata of a message. Two kinds of names are there twice, for the old and the new .NET SDK (Label and
 * Subject, UserProperties and ApplicationProperties), as in Azure. The library lower-cases the first letter of every
 * name, those of application properties included.
 */
export function serviceBusMetadata(message: ServiceBusReceivedMessage): Readonly<Record<string, TypedData>> {
  const enqueued = message.enqueuedTimeUtc?.toISOString();
  const expires = message.expiresAtUtc?.toISOString();
  const properties = message.applicationProperties ?? {};
  return toMetadata({
    MessageId: asText(message.messageId),
    SequenceNumber: message.sequenceNumber?.toNumber(),
    // The .NET client counts the delivery that is going on, the JavaScript client only those before.
    DeliveryCount: (message.deliveryCount ?? 0) + 1,
    LockToken: message.lockToken,
    EnqueuedTimeUtc: asJson(enqueued),
    EnqueuedTime: asJson(enqueued?.replace("Z", "+00:00")),
    ExpiresAtUtc: asJson(expires ?? `${endOfTime}Z`),
    ExpiresAt: asJson(expires?.replace("Z", "+00:00") ?? `${endOfTime}+00:00`),
    ContentType: message.contentType,
    CorrelationId: asText(message.correlationId),
    Subject: message.subject,
    Label: message.subject,
    To: message.to,
    ReplyTo: message.replyTo,
    SessionId: message.sessionId,
    ReplyToSessionId: message.replyToSessionId,
    PartitionKey: message.partitionKey,
    DeadLetterSource: message.deadLetterSource,
    ApplicationProperties: properties,
    UserProperties: properties,
  });
}

function asText(id: unknown): string | undefined {
  if (id === undefined || id === null) return undefined;
  return id instanceof Uint8Array ? Buffer.from(id).toString("hex") : String(id);
}

/** Dates travel as JSON; the wrapper keeps text from being encoded as `string`. */
function asJson(text: string | undefined): { toJSON(): string } | undefined {
  return text === undefined ? undefined : { toJSON: () => text };
}
