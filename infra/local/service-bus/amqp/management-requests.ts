import { Buffer } from "node:buffer";
import type { Receiver, Sender } from "rhea";
import message from "rhea/lib/message.js";
import types from "rhea/lib/types.js";
import type { Store } from "../store.ts";
import { accept } from "./settle-delivery.ts";

/** A request as $cbs and $management get it. */
export interface Request {
  readonly operation: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The receiver or sender on whose behalf the client asks. */
  readonly associatedLink?: string;
}

export interface Answer {
  readonly status: number;
  readonly description?: string;
  readonly condition?: string;
  readonly body?: object;
}

/** The two services spell the same three properties differently, and the SDK insists on the spelling. */
const propertyNames = {
  cbs: { status: "status-code", description: "status-description", condition: "error-condition" },
  management: { status: "statusCode", description: "statusDescription", condition: "errorCondition" },
} as const;

export interface RequestOptions {
  readonly dialect: keyof typeof propertyNames;
  readonly store: Store;
  /** The client's reply links by name: a request names the one it wants. */
  readonly replies: ReadonlyMap<string, Sender>;
  readonly handle: (request: Request) => Answer;
}

/** Answers every message of a request link on the reply link that it names, once its effects are kept. */
export function serveRequests(receiver: Receiver, options: RequestOptions): void {
  receiver.on("message", ({ message: payload, delivery }) => {
    if (!Buffer.isBuffer(payload) || delivery === undefined) return;
    const decoded = message.decode(payload);
    const answer = options.handle(toRequest(decoded));
    options.store.whenKept(() => {
      accept(delivery);
      const reply = options.replies.get(String(decoded.reply_to));
      const encoded = toMessage(answer, { dialect: options.dialect, correlationId: decoded.message_id });
      reply?.send(encoded, undefined, 0);
    });
  });
}

function toRequest(decoded: Record<string, unknown>): Request {
  const properties = recordOf(decoded.application_properties);
  const associatedLink = properties["associated-link-name"];
  return {
    operation: String(properties.operation),
    body: recordOf(decoded.body),
    ...(typeof associatedLink === "string" ? { associatedLink } : {}),
  };
}

function toMessage(
  answer: Answer,
  options: { readonly dialect: keyof typeof propertyNames; readonly correlationId: unknown },
): Buffer {
  const names = propertyNames[options.dialect];
  return message.encode({
    correlation_id: options.correlationId,
    application_properties: {
      [names.status]: types.wrap_int(answer.status),
      [names.description]: answer.description ?? "",
      ...(answer.condition === undefined ? {} : { [names.condition]: types.wrap_symbol(answer.condition) }),
    },
    body: answer.body,
  });
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
