import { Buffer } from "node:buffer";
import types from "rhea/lib/types.js";
import type { Outcome } from "../broker/message.ts";
import type { Queue } from "../broker/queue.ts";
import type { SessionLease } from "../broker/session.ts";
import { excessOf, maxMessageBytes } from "./link-limits.ts";
import { tokenOfUuid } from "./lock-token.ts";
import type { Answer, Request } from "./management-requests.ts";
import { badRequest, errorOf, notImplemented } from "./refusals.ts";
import { encodeDelivery, parseMessage } from "./sections.ts";

/** Whom a request is about: the queue, and the session leases that this connection holds by link name. */
export interface Subject {
  readonly queue: Queue;
  readonly leases: ReadonlyMap<string, SessionLease>;
}

type Operation = (request: Request, subject: Subject) => Answer;

const longArray = 0x81;
const timestampArray = 0x83;

const operations: Readonly<Record<string, Operation>> = {
  "com.microsoft:peek-message": peek,
  "com.microsoft:renew-lock": renewLocks,
  "com.microsoft:schedule-message": schedule,
  "com.microsoft:update-disposition": updateDisposition,
  "com.microsoft:renew-session-lock": renewSession,
};

/** Answers what the SDK asks a queue's $management node; everything else is "not implemented". */
export function answerManagement(request: Request, subject: Subject): Answer {
  const operation = operations[request.operation];
  if (operation === undefined) return notImplemented(`the operation "${request.operation}"`);
  try {
    return operation(request, subject);
  } catch (error) {
    // A malformed body is the client's mistake; anything else is ours and must be seen.
    if (error instanceof RangeError) return badRequest(error.message);
    throw error;
  }
}

function peek({ body }: Request, { queue }: Subject): Answer {
  const sessionId = body["session-id"];
  const from = numberOf(body["from-sequence-number"]);
  const messages: { readonly message: Buffer }[] = [];
  let bytes = 0;
  for (const peeked of queue.peek({ from, ...(typeof sessionId === "string" ? { sessionId } : {}) })) {
    if (messages.length >= numberOf(body["message-count"])) break;
    const { message, phase, lockedUntil } = peeked;
    const encoded = encodeDelivery(message.payload, {
      ...message,
      scheduled: phase === "scheduled",
      ...(lockedUntil === undefined ? {} : { lockedUntil }),
    });
    bytes += encoded.length;
    if (bytes > maxMessageBytes && messages.length > 0) break;
    messages.push({ message: encoded });
  }
  return messages.length === 0 ? { status: 204 } : { status: 200, body: { messages } };
}

function renewLocks({ body }: Request, { queue }: Subject): Answer {
  const renewed = queue.renew(tokensOf(body["lock-tokens"]));
  if (typeof renewed === "string") return errorOf(renewed);
  return { status: 200, body: { expirations: types.wrap_array(renewed, timestampArray) } };
}

function schedule({ body }: Request, { queue }: Subject): Answer {
  const encoded = listOf(body.messages).map((item) => bytesOf(Object(item).message));
  for (const { length } of encoded) {
    const excess = excessOf(length);
    if (excess !== undefined) return excess;
  }
  const messages = encoded.map(parseMessage);
  const sequences = queue.send(messages);
  if (typeof sequences === "string") return errorOf(sequences);
  return { status: 200, body: { "sequence-numbers": types.wrap_array(sequences, longArray) } };
}

/** Comes when the link on which a message was received is closed: locks of a queue outlive their link. */
function updateDisposition({ body }: Request, { queue }: Subject): Answer {
  const outcome = outcomeOf(body);
  if (outcome === undefined) return notImplemented("deferral");
  const refusals = tokensOf(body["lock-tokens"]).map((token) => queue.settle(token, outcome));
  const refusal = refusals.find((each) => each !== undefined);
  return refusal === undefined ? { status: 200 } : errorOf(refusal);
}

function outcomeOf(body: Request["body"]): Outcome | undefined {
  const edits = { ...Object(body["properties-to-modify"]) };
  switch (body["disposition-status"]) {
    case "completed":
      return { kind: "complete" };
    case "abandoned":
      return { kind: "abandon", edits };
    case "suspended": {
      const reason = body["deadletter-reason"];
      const description = body["deadletter-description"];
      if (reason !== undefined) edits.DeadLetterReason = reason;
      if (description !== undefined) edits.DeadLetterErrorDescription = description;
      return { kind: "dead-letter", edits };
    }
    default:
      return undefined;
  }
}

function renewSession(request: Request, subject: Subject): Answer {
  const until = leaseOf(request, subject)?.renew() ?? "session-lock-lost";
  if (typeof until === "string") return errorOf(until);
  return { status: 200, body: { expiration: types.wrap_timestamp(until) } };
}

/** The link's own lease where the request names a link; another receiver may hold the session by now. */
function leaseOf({ body, associatedLink }: Request, { queue, leases }: Subject): SessionLease | undefined {
  if (associatedLink !== undefined) return leases.get(associatedLink);
  return queue.sessions?.leaseOf(String(body["session-id"]));
}

function tokensOf(value: unknown): readonly string[] {
  return listOf(value).map((item) => tokenOfUuid(bytesOf(item)));
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new RangeError("Cannot read management request: expected a list");
}

function bytesOf(value: unknown): Buffer {
  if (Buffer.isBuffer(value)) return value;
  throw new RangeError("Cannot read management request: expected binary");
}

/** Longs beyond 2^53 arrive as bytes; no sequence number here gets that far, so they match nothing. */
function numberOf(value: unknown): number {
  if (typeof value === "number") return value;
  return Buffer.isBuffer(value) ? Number(value.readBigInt64BE()) : Number.NaN;
}
