import {
  createDefaultHttpClient,
  createEmptyPipeline,
  createHttpHeaders,
  createPipelineRequest,
  defaultRetryPolicy,
  type Pipeline,
  proxyPolicy,
  userAgentPolicy,
} from "@azure/core-rest-pipeline";
import { isHttpToLoopback } from "../machine/loopback.ts";
import type { Destination, Notice, Notifier, Sent } from "../ports/index.ts";
import { contentFor } from "./message-content.ts";

export interface WebhookOptions {
  /** The address in an app setting; undefined when there is none. */
  readonly addressIn: (setting: string) => string | undefined;
  /** For one message with its retries. Default 8 s. */
  readonly timeoutMs?: number;
  readonly maxRetries?: number;
  readonly retryDelayInMs?: number;
}

const usualTimeoutMs = 8_000;

/**
 * Posts messages to webhooks. Whoever knows the address of one can post there, so it is in no error and no log: only the
 * name of its setting is. A redirect is a failure, because it would send the message to somebody else.
 */
export function createWebhooks(options: WebhookOptions): Notifier {
  const client = createDefaultHttpClient();
  const pipeline = pipelineOf(options);
  const { addressIn, timeoutMs = usualTimeoutMs } = options;
  return {
    async send(destination, notice) {
      const address = usableAddress(addressIn(destination.urlSetting), destination);
      if (typeof address === "string") return { ok: false, why: address };
      const abortSignal = AbortSignal.timeout(timeoutMs);
      const request = createPipelineRequest({
        url: address.href,
        method: "POST",
        headers: createHttpHeaders({ "Content-Type": "application/json" }),
        body: bodyOf(destination, notice),
        abortSignal,
        allowInsecureConnection: isHttpToLoopback(address),
        // Its body is of no interest, and may be of any length: nothing of it is read.
        streamResponseStatusCodes: new Set([Number.POSITIVE_INFINITY]),
      });
      try {
        const { status, readableStreamBody } = await pipeline.sendRequest(client, request);
        dropped(readableStreamBody);
        return outcomeOf(status);
      } catch (error) {
        return { ok: false, why: abortSignal.aborted ? "no answer in time" : unreachable(error) };
      }
    },
  };
}

function usableAddress(address: string | undefined, { urlSetting }: Destination): URL | string {
  if (address === undefined)
    return `app setting ${urlSetting} is not set, expected the address of the webhook`;
  const url = URL.parse(address.trim());
  const isUsable =
    url !== null && (url.protocol === "https:" || isHttpToLoopback(url)) && url.username === "";
  return isUsable ? url : `app setting ${urlSetting} holds no address that begins with https://`;
}

function bodyOf({ format }: Destination, notice: Notice): string {
  return JSON.stringify(contentFor(format, notice));
}

function outcomeOf(status: number): Sent {
  return status >= 200 && status < 300 ? { ok: true } : { ok: false, why: `HTTP ${status}, expected 2xx` };
}

/** The message of such an error may hold the address; its code does not. */
function unreachable(error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  const known = typeof code === "string" && /^[A-Z_]{1,60}$/.test(code) ? ` (${code})` : "";
  return `the server cannot be reached${known}`;
}

function dropped(stream: NodeJS.ReadableStream | undefined): void {
  if (stream === undefined) return;
  stream.on("error", () => undefined);
  if ("destroy" in stream && typeof stream.destroy === "function") stream.destroy();
}

/** Without the policies that log and trace requests: they would write the address down. */
function pipelineOf({ maxRetries = 2, retryDelayInMs = 500 }: WebhookOptions): Pipeline {
  const pipeline = createEmptyPipeline();
  const proxy = proxyPolicy();
  pipeline.addPolicy(proxy);
  pipeline.addPolicy(userAgentPolicy({ userAgentPrefix: "cyclecloud-autoscale/0.1.0" }));
  pipeline.addPolicy(defaultRetryPolicy({ maxRetries, retryDelayInMs, maxRetryDelayInMs: 4_000 }), {
    phase: "Retry",
  });
  return pipeline;
}
