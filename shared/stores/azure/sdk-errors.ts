import { RestError } from "@azure/core-rest-pipeline";
import { ConflictError, UpstreamError } from "../../errors/errors.ts";

/** Errors of the credential, which come without an answer of the store. */
const credentialErrors = /^(CredentialUnavailable|Authentication|AggregateAuthentication)/;

/** Runs one call of the SDK; its errors become UpstreamError, with the call named: `write blob "a" of "plans"`. */
export async function calling<T>(call: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw toUpstream(call, error);
  }
}

/** Like `calling`, and a lost race (ETag differs, exists already, is gone) becomes a ConflictError about the record. */
export async function saving<T>(record: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw isLostRace(error) ? new ConflictError(record, error) : toUpstream(`save ${record}`, error);
  }
}

/** Runs a read; undefined when there is no such thing. */
export async function reading<T>(call: string, run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw toUpstream(call, error);
  }
}

/** The HTTP status of an SDK's error; undefined for every other value. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof RestError ? error.statusCode : undefined;
}

function isLostRace(error: unknown): boolean {
  const status = statusOf(error);
  if (status === 412 || status === 404) return true;
  return (
    status === 409 && error instanceof RestError && /AlreadyExists/.test(`${error.code} ${error.message}`)
  );
}

/** Converts an SDK error to one of ours. Any other error is a bug and is returned unchanged. */
function toUpstream(call: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const isSdk =
    error instanceof RestError ||
    error.name === "AbortError" ||
    error.name === "TimeoutError" ||
    credentialErrors.test(error.name);
  if (!isSdk) return error;
  const status = statusOf(error);
  const retryAfterSeconds = retryAfterOf(error);
  return new UpstreamError(`Cannot ${call}: ${describe(error)}`, {
    ...(status === undefined ? {} : { status }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    // 409 besides a lost race: the table or container is being deleted, and can be made again in a while.
    retryable: status === undefined || status === 408 || status === 409 || status === 429 || status >= 500,
    cause: error,
  });
}

function retryAfterOf(error: Error): number | undefined {
  const header = error instanceof RestError ? error.response?.headers.get("retry-after") : undefined;
  return header !== undefined && /^\d+$/.test(header) ? Number(header) : undefined;
}

/** Status, code and the first line of the message, without texts in the form of signatures or keys. */
function describe(error: Error): string {
  const status = statusOf(error);
  const code = error instanceof RestError ? error.code : undefined;
  const firstLine = error.message.split("\n", 1)[0] ?? "";
  const safe = firstLine.replace(/\?\S*/g, "").replace(/(AccountKey|sig|signature)=\S+/gi, "$1=…");
  return [status === undefined ? "no answer" : `HTTP ${status}`, code, safe].filter(Boolean).join(", ");
}
