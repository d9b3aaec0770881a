import { createHash } from "node:crypto";
import {
  isServiceBusError,
  type ServiceBusClient,
  type ServiceBusMessage,
  type ServiceBusSender,
} from "@azure/service-bus";
import { messageOf, UpstreamError } from "../../errors/errors.ts";
import type { ScaleAction } from "../../messages/index.ts";
import type { Clock, PlanRequests, ScaleActions, ScheduledPlanRequest } from "../../ports/index.ts";
import { azureLimits } from "../../ports/index.ts";

/** The broker's limit for session ids and message ids; long enough for a subject. */
const longestProperty = azureLimits.serviceBus.idCharacters;
const shortestTtlMs = 1_000;
/** A copy is delivered even after its action expired: it closes the operation, which would otherwise wait for its time-out. */
const shortestRetryTtlMs = 60_000;

/** Errors that a retry of the same message cannot avoid. */
const lastingCodes: readonly string[] = [
  "MessageSizeExceeded",
  "MessagingEntityNotFound",
  "MessagingEntityDisabled",
  "UnauthorizedAccess",
];

const credentialErrors = /^(CredentialUnavailable|Authentication|AggregateAuthentication)/;

export interface ServiceBusOptions {
  /** Owned by the caller, who closes it; it reconnects by itself. */
  readonly client: ServiceBusClient;
  readonly clock: Clock;
  readonly planRequestsQueue?: string;
  readonly scaleActionsQueue?: string;
}

/** The two session queues, for sending; both need duplicate detection. `close` ends their links, not the client. */
export interface ServiceBusQueues {
  readonly planRequests: PlanRequests;
  readonly scaleActions: ScaleActions;
  close(): Promise<void>;
}

/** Nothing is sent, nor connected, before the first message. Sending throws UpstreamError. */
export function createServiceBus(options: ServiceBusOptions): ServiceBusQueues {
  const { client, clock } = options;
  const plans = new QueueSender(client, options.planRequestsQueue ?? "plan-requests");
  const actions = new QueueSender(client, options.scaleActionsQueue ?? "scale-actions");
  return {
    planRequests: { send: (scheduled) => plans.send([toPlanMessage(scheduled)]) },
    scaleActions: {
      send: (some) => actions.send(some.map((action) => toActionMessage(action, clock.nowSeconds()))),
      sendLater: (action, retry) => actions.send([toRetryMessage(action, retry)]),
    },
    async close() {
      await Promise.all([plans.close(), actions.close()]);
    },
  };
}

/** The session of a cluster: one planner and one executor at a time, in order. */
export function sessionIdOf(cluster: string): string {
  return fitting(`cluster:${cluster}`);
}

function toPlanMessage({ request, messageId, deliverAtSeconds }: ScheduledPlanRequest): ServiceBusMessage {
  return {
    body: request,
    contentType: "application/json",
    subject: request.reason.slice(0, longestProperty).toWellFormed(),
    sessionId: sessionIdOf(request.cluster),
    messageId: fitting(messageId),
    scheduledEnqueueTimeUtc: new Date(deliverAtSeconds * 1000),
  };
}

/** An expired action is still sent, with one second to live, so that the executor can record that it expired. */
function toActionMessage(action: ScaleAction, nowSeconds: number): ServiceBusMessage {
  const leftMs = Math.round((action.expiresAtSeconds - nowSeconds) * 1000);
  return {
    body: action,
    contentType: "application/json",
    subject: action.kind,
    sessionId: sessionIdOf(action.cluster),
    messageId: fitting(action.actionId),
    timeToLive: Math.max(leftMs, shortestTtlMs),
  };
}

/** Its time to live begins when it is delivered. */
function toRetryMessage(
  action: ScaleAction,
  { attempt, atSeconds }: Parameters<ScaleActions["sendLater"]>[1],
): ServiceBusMessage {
  const message = toActionMessage(action, atSeconds);
  return {
    ...message,
    messageId: fitting(`${action.actionId}:attempt-${attempt}`),
    scheduledEnqueueTimeUtc: new Date(atSeconds * 1000),
    timeToLive: Math.max(message.timeToLive ?? 0, shortestRetryTtlMs),
  };
}

/** Long ids keep their start, followed by a digest: the same id gives the same text, another gives another. */
function fitting(id: string): string {
  if (id.length <= longestProperty) return id;
  const digest = createHash("sha256").update(Buffer.from(id, "utf16le")).digest("hex").slice(0, 32);
  return `${id.slice(0, longestProperty - digest.length - 1).toWellFormed()}:${digest}`;
}

/** Sends to one queue over one link, in batches as large as the broker takes, one after the other. */
class QueueSender {
  readonly #client: ServiceBusClient;
  readonly #queue: string;
  #sender: ServiceBusSender | undefined;

  constructor(client: ServiceBusClient, queue: string) {
    this.#client = client;
    this.#queue = queue;
  }

  async send(messages: readonly ServiceBusMessage[]): Promise<void> {
    if (messages.length === 0) return;
    try {
      await this.#sendInBatches(this.#link(), messages);
    } catch (error) {
      throw toUpstream(this.#queue, error);
    }
  }

  async close(): Promise<void> {
    await this.#sender?.close();
    this.#sender = undefined;
  }

  /** A lost connection is opened again by the SDK; a link that was closed for good is replaced. */
  #link(): ServiceBusSender {
    if (this.#sender === undefined || this.#sender.isClosed) {
      this.#sender = this.#client.createSender(this.#queue);
    }
    return this.#sender;
  }

  async #sendInBatches(sender: ServiceBusSender, messages: readonly ServiceBusMessage[]): Promise<void> {
    const [only, ...more] = messages;
    if (only !== undefined && more.length === 0) return sender.sendMessages(only);
    let batch = await sender.createMessageBatch();
    for (const message of messages) {
      if (batch.tryAddMessage(message)) continue;
      if (batch.count > 0) await sender.sendMessages(batch);
      batch = await sender.createMessageBatch();
      if (!batch.tryAddMessage(message)) throw tooLarge(this.#queue, message, batch.maxSizeInBytes);
    }
    await sender.sendMessages(batch);
  }
}

function tooLarge(queue: string, message: ServiceBusMessage, mostBytes: number): UpstreamError {
  const bytes = Buffer.byteLength(JSON.stringify(message.body));
  return new UpstreamError(
    `Cannot send message "${message.messageId}" to queue "${queue}": ${bytes} bytes, expected below ${mostBytes}`,
    { retryable: false },
  );
}

/** Converts errors of the SDK to ours; any other error is returned unchanged. */
function toUpstream(queue: string, error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  const words = messageOf(error).replace(/(SharedAccess(Key|Signature)|sig)=[^;\s]+/gi, "$1=…");
  return new UpstreamError(`Cannot send to queue "${queue}": ${code}, ${words}`, {
    retryable: !lastingCodes.includes(code),
    cause: error,
  });
}

/** The name of an error of the SDK or of the credential; undefined for every other value. */
function codeOf(error: unknown): string | undefined {
  if (isServiceBusError(error)) return error.code;
  const name = error instanceof Error ? error.name : "";
  return credentialErrors.test(name) ? name : undefined;
}
