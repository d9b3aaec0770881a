import { Buffer } from "node:buffer";
import type { Connection, Receiver, Sender } from "rhea";
import type { Broker } from "../broker/broker.ts";
import type { NewMessage, Refusal } from "../broker/message.ts";
import type { Queue } from "../broker/queue.ts";
import type { SessionLease } from "../broker/session.ts";
import type { Store } from "../store.ts";
import { acceptLink, refuseLink, sendSettled, takeRawPayloads } from "./attach.ts";
import { consumerOf, dispatch } from "./dispatch.ts";
import { excessOf } from "./link-limits.ts";
import { answerManagement } from "./management.ts";
import { type Answer, type Request, serveRequests } from "./management-requests.ts";
import { badRequest, errorOf, notFound } from "./refusals.ts";
import { parseMessage, unbatch } from "./sections.ts";
import { openSession, sessionFilterOf } from "./session-link.ts";
import { type AmqpError, accept, refuse } from "./settle-delivery.ts";

export interface Services {
  readonly broker: Broker;
  readonly store: Store;
  /** Receives warnings for the log. */
  readonly log: (line: string) => void;
}

/** How many messages a client may have on the way to us per link. A sender is usable only when it has credit. */
const credit = 1000;

/**
 * Events that need nothing done. rhea prints to the console, or throws, when nobody listens to them; what follows
 * from a lost connection or link is done by its own listener.
 */
const quietEvents = [
  "connection_error",
  "disconnected",
  "receiver_error",
  "sender_error",
  "session_error",
  "settled",
];

/**
 * One client: routes each link that it attaches, and ends all of them when it goes away, however it goes.
 * Returns that end; calling it again does nothing.
 */
export function serveConnection(connection: Connection, services: Services): () => void {
  const replies = new Map<string, Sender>();
  const leases = new Map<string, SessionLease>();
  const ends = new Map<Sender, () => void>();
  const client: Client = { ...services, replies, leases, ends };
  const end = () => {
    for (const endLink of ends.values()) endLink();
    ends.clear();
  };
  for (const event of quietEvents) connection.on(event, () => {});
  // rhea catches what goes wrong while it reads, also in our own listeners, and ends the connection.
  for (const event of ["error", "protocol_error"]) {
    connection.on(event, (error) =>
      services.log(`Service Bus emulator: connection ended by ${describe(error)}`),
    );
  }
  connection.on("session_open", ({ session }) => {
    if (session !== undefined) takeRawPayloads(session);
  });
  connection.on(
    "receiver_open",
    ({ receiver }) => receiver !== undefined && openForSending(receiver, client),
  );
  connection.on("sender_open", ({ sender }) => {
    if (sender !== undefined) openForReceiving(sender, client);
  });
  connection.on("connection_close", end);
  return end;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

interface Client extends Services {
  readonly replies: Map<string, Sender>;
  readonly leases: Map<string, SessionLease>;
  /** Clean-up of each link: no event reports that the link of a lost connection is gone. */
  readonly ends: Map<Sender, () => void>;
}

/** The client sends on this link: messages to a queue, or requests. */
function openForSending(receiver: Receiver, client: Client): void {
  const { broker, store, replies, leases } = client;
  const address = parseAddress(receiver.target?.address ?? "");
  if (address.kind === "cbs") {
    serveRequests(receiver, { dialect: "cbs", store, replies, handle: answerCbs });
    acceptForSending(receiver);
    return;
  }
  const queue = broker.queue(address.queue);
  if (queue === undefined) {
    refuseLink(receiver, notFound(address.queue));
    return;
  }
  if (address.kind === "queue") ingest(receiver, { queue, store });
  else {
    const handle = (request: Request) => answerManagement(request, { queue, leases });
    serveRequests(receiver, { dialect: "management", store, replies, handle });
  }
  acceptForSending(receiver);
}

function acceptForSending(receiver: Receiver): void {
  acceptLink(receiver);
  receiver.set_credit_window(credit);
  receiver.add_credit(credit);
}

/** The client receives on this link: messages of a queue or of one of its sessions, or answers. */
function openForReceiving(sender: Sender, client: Client): void {
  const address = parseAddress(sender.source?.address ?? "");
  if (address.kind !== "queue") {
    acceptLink(sender);
    sendSettled(sender);
    client.replies.set(sender.name, sender);
    sender.once("sender_close", () => client.replies.delete(sender.name));
    return;
  }
  const queue = client.broker.queue(address.queue);
  if (queue === undefined) refuseLink(sender, notFound(address.queue));
  else openConsumer(sender, { queue, client });
}

function openConsumer(sender: Sender, { queue, client }: { queue: Queue; client: Client }): void {
  const { store, leases, ends } = client;
  const { sessions } = queue;
  const consumer = consumerOf(sender);
  const wanted = sessionFilterOf(sender);
  if (sessions === undefined && wanted === undefined) {
    acceptLink(sender);
    dispatch(sender, { queue, store });
    ends.set(sender, queue.attach(consumer).leave);
  } else if (sessions === undefined) {
    refuseLink(sender, errorOf("session-not-supported"));
  } else if (wanted === undefined) {
    refuseLink(sender, errorOf("session-required"));
  } else {
    const granted = (lease: SessionLease) => leases.set(sender.name, lease);
    ends.set(sender, openSession(sender, wanted, { queue, store, sessions, consumer, granted }));
  }
  sender.once("sender_close", () => {
    ends.get(sender)?.();
    ends.delete(sender);
    leases.delete(sender.name);
  });
}

/**
 * Claims-based security: the client puts a token for every entity before it uses it, and again every 45 minutes.
 * Any token is accepted: every client that reaches the port may do anything.
 */
function answerCbs({ operation }: Request): Answer {
  if (operation === "put-token") return { status: 202, description: "Accepted" };
  return { status: 400, description: `Unknown operation ${operation}` };
}

/** What a link's address means. */
type Address =
  | { readonly kind: "cbs" }
  | { readonly kind: "management"; readonly queue: string }
  | { readonly kind: "queue"; readonly queue: string };

const managementSuffix = /\/\$management$/i;

/**
 * Reads an address as clients write it: the name of a queue or of its dead-letter queue, perhaps with a scheme and
 * host before it or "/$management" behind it. Case is left as it is; names are compared without it.
 */
export function parseAddress(address: string): Address {
  const path = address.replace(/^(amqps?|sb):\/\/[^/]*/i, "").replace(/^\//, "");
  if (path.toLowerCase() === "$cbs") return { kind: "cbs" };
  const queue = path.replace(managementSuffix, "");
  return { kind: queue === path ? "queue" : "management", queue };
}

/** Puts whatever the client sends into a queue: accepted once it is kept, a batch as a whole or not at all. */
function ingest(receiver: Receiver, options: { readonly queue: Queue; readonly store: Store }): void {
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
  const excess = excessOf(payload.length);
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
