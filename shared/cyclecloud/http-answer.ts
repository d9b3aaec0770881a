import {
  type HttpHeaders,
  isRestError,
  type PipelinePolicy,
  type PipelineResponse,
} from "@azure/core-rest-pipeline";
import { LoginRefusedError, messageOf, UpstreamError } from "../errors/errors.ts";
import { readAtMost } from "../json/read-at-most.ts";
import { pinMismatch } from "./pinned-agent.ts";

export interface HttpCall {
  /** For messages, after "Cannot": `read the status of cluster "c"`. */
  readonly doing: string;
  readonly method: "GET" | "POST";
  /** With its query, below the server's URL. */
  readonly path: string;
  readonly body?: unknown;
  /** Statuses besides 2xx that the caller understands; all others are an UpstreamError. */
  readonly understood?: readonly number[];
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** The name of a call, and a function that removes secrets, for messages about the call. */
interface Failing {
  readonly call: HttpCall;
  readonly redact: (text: string) => string;
}

/** The answer when the caller understands it; else throws UpstreamError with the call named. */
export function understand(response: PipelineResponse, failing: Failing): HttpAnswer {
  const { status, bodyAsText } = response;
  const isSuccess = status >= 200 && status < 300;
  if (!isSuccess && !failing.call.understood?.includes(status)) throw badStatus(response, failing);
  return { status, text: isSuccess ? (bodyAsText ?? "") : failing.redact(bodyAsText ?? "") };
}

function badStatus(response: PipelineResponse, { call, redact }: Failing): UpstreamError {
  const { status } = response;
  const words = redact((response.bodyAsText ?? "").trim()).slice(0, 300);
  const said = words === "" ? "" : ` ${JSON.stringify(words)}`;
  const advice =
    status === 401 ? " (check username and password; five failed logins in a minute lock the account)" : "";
  const message = `Cannot ${call.doing}: HTTP ${status}${said}, expected success${advice}`;
  if (status === 401) return new LoginRefusedError(message);
  const seconds = retryAfterSeconds(response.headers);
  return new UpstreamError(message, {
    status,
    retryable: status === 408 || status === 429 || status >= 500,
    ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
  });
}

/** Never keeps the pipeline's own error as the cause: it holds the request, and that holds the password. */
export function toUpstreamError(error: unknown, failing: Failing): UpstreamError {
  const { call, redact } = failing;
  if (error instanceof UpstreamError) return error;
  if (error instanceof LongPause) return badStatus(error.response, failing);
  if (error instanceof Error && error.name === "AbortError")
    return new UpstreamError(`Cannot ${call.doing}: no whole answer in time`, { retryable: true });
  const code = isRestError(error) ? (error.code ?? "") : "";
  const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)/.test(code);
  const isUntrusted = isCertificate && code !== pinMismatch;
  const advice = isUntrusted
    ? `, expected a trusted certificate (give its authority in "certificate_authority", or its fingerprint in "certificate_fingerprint")`
    : "";
  const why = redact(`${code} ${messageOf(error)}`.trim());
  return new UpstreamError(`Cannot ${call.doing}: ${why}${advice}`, { retryable: !isCertificate });
}

/** Seconds from now until `Retry-After`, which holds seconds or a date. Undefined if it is absent or invalid. */
function retryAfterSeconds(headers: HttpHeaders): number | undefined {
  const value = headers.get("Retry-After")?.trim();
  if (value === undefined || value === "") return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const until = (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(until) ? Math.max(0, until) : undefined;
}

/** The server asks for a longer pause than a call can wait; the message is retried later instead. */
class LongPause extends Error {
  readonly response: PipelineResponse;

  constructor(response: PipelineResponse) {
    super(`HTTP ${response.status} with a long Retry-After`);
    this.response = response;
  }
}

/** Placed inside the retry policy, which would wait for any `Retry-After`, even an hour. */
export function refuseLongPauses(longestPauseMs: number): PipelinePolicy {
  return {
    name: "refuseLongPauses",
    async sendRequest(request, next) {
      const response = await next(request);
      const seconds = [429, 503].includes(response.status) ? retryAfterSeconds(response.headers) : undefined;
      if (seconds !== undefined && seconds * 1000 > longestPauseMs) throw new LongPause(response);
      return response;
    },
  };
}

/** The status of 10,000 nodes takes some 40 MiB. */
export const largestAnswerBytes = 64 * 1024 * 1024;

/**
 * Reads the body of every answer, successful or not, and stops when it is too large: the pipeline itself has no limit.
 */
export function readAnswers(mostBytes: number): PipelinePolicy {
  return {
    name: "readAnswers",
    async sendRequest(request, next) {
      request.streamResponseStatusCodes = new Set([Number.POSITIVE_INFINITY]);
      const { readableStreamBody: stream, ...response } = await next(request);
      if (stream === undefined) return response;
      const body = await readAtMost(stream as AsyncIterable<Uint8Array>, mostBytes).catch((error) => {
        // The stream's own error reports only that the connection ended.
        throw request.abortSignal?.aborted === true
          ? new DOMException("no whole answer", "AbortError")
          : error;
      });
      if (body === undefined)
        throw new UpstreamError(
          `${request.method} ${new URL(request.url).pathname}: an answer of more than ${mostBytes} bytes, expected fewer`,
          { status: response.status, retryable: false },
        );
      return { ...response, bodyAsText: body.toString("utf8") };
    },
  };
}
