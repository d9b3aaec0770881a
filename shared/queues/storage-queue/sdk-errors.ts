import { RestError } from "@azure/storage-queue";
import { UpstreamError } from "../../errors/errors.ts";

/** Time-outs, and errors of the credential, which come without an answer of the queue. */
const otherSdkErrors =
  /^(AbortError|TimeoutError|CredentialUnavailable|Authentication|AggregateAuthentication)/;

/** The SDK's errors become ours, with the code instead of a text that may quote the request. */
export function toUpstream(call: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const status = error instanceof RestError ? error.statusCode : undefined;
  if (!(error instanceof RestError) && !otherSdkErrors.test(error.name)) return error;
  const code = error instanceof RestError ? (error.code ?? "no code") : error.name;
  const answer = status === undefined ? "no answer" : `HTTP ${status}`;
  return new UpstreamError(`Cannot ${call}: ${answer}, ${code}`, {
    ...(status === undefined ? {} : { status }),
    retryable: status === undefined || status === 408 || status === 409 || status === 429 || status >= 500,
    cause: error,
  });
}
