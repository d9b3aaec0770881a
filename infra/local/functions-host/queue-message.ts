import type { DequeuedMessageItem } from "@azure/storage-queue";
import type { TypedData } from "./rpc.ts";
import { toMetadata } from "./typed-data.ts";

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The body of a queue message; undefined when it should be base64 and is not. White space is let pass, as in .NET. */
export function decodeBody(text: string, encoding: "base64" | "none"): string | undefined {
  if (encoding === "none") return text;
  const packed = text.replaceAll(/\s/g, "");
  return base64.test(packed) ? Buffer.from(packed, "base64").toString("utf8") : undefined;
}

/** Trigger metadata of a queue message; the library makes `queueTrigger`, `dequeueCount`, … of the names. */
export function queueMetadata(
  message: DequeuedMessageItem,
  body: string,
): Readonly<Record<string, TypedData>> {
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
