import type { Problem } from "../../../shared/api/index.ts";
import { session } from "./session.ts";

/** An answer that is no success, or none at all. */
export class CallError extends Error {
  /** Undefined: the service did not answer. */
  readonly status: number | undefined;
  /** The kind of problem; undefined: the answer was not the service's own. */
  readonly type: string | undefined;
  readonly problems: readonly string[];
  readonly retryAfterSeconds: number | undefined;

  constructor(problem: Partial<Problem> & { readonly title: string }) {
    super(problem.detail === undefined ? problem.title : `${problem.title}. ${problem.detail}.`);
    this.name = "CallError";
    this.status = problem.status;
    this.type = problem.type;
    this.problems = problem.problems ?? [];
    this.retryAfterSeconds = problem.retryAfterSeconds;
  }
}

export interface CallOptions {
  readonly method?: "GET" | "POST" | "PUT";
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** A key is tried for the first time: its refusal ends nothing. */
  readonly isTrial?: boolean;
}

export interface Called<T> {
  /** Undefined: nothing has changed since the ETag that was sent. */
  readonly answer: T | undefined;
  readonly etag: string | undefined;
}

/** Longer than any answer takes. */
const mostMs = 60_000;

/** Where the API is: the script is two levels below it, whatever stands before the app. */
const root = new URL("../", import.meta.url);

/** A path below `/api/`, its parts encoded: names come from outside. */
export function pathOf(...parts: readonly string[]): string {
  return parts.map(encodeURIComponent).join("/");
}

/** An address with a query, without what is empty. */
export function addressOf(path: string, query: Readonly<Record<string, string>>): string {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  return `${path}?${new URLSearchParams(given)}`;
}

/** Calls the service. Throws CallError. */
export async function call<T>(path: string, options: CallOptions = {}): Promise<Called<T>> {
  const { method = "GET", query = {}, body, headers, signal, isTrial = false } = options;
  const timeout = AbortSignal.timeout(mostMs);
  await session.freshen();
  const shown = session.credentials;
  const url = new URL(path, root);
  for (const [name, value] of Object.entries(query)) if (value) url.searchParams.set(name, value);
  const response = await fetch(url, {
    method,
    headers: {
      ...session.headers(),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    // The page keeps what it has; nothing about a cluster stays in the browser's cache.
    cache: "no-store",
    credentials: "same-origin",
    redirect: "error",
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    throw new CallError({ title: "The service does not answer" });
  });
  const etag = response.headers.get("etag") ?? undefined;
  if (response.status === 304) return { answer: undefined, etag };
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok && answer !== undefined) return { answer: answer as T, etag };
  if (response.ok) throw new CallError({ title: "The answer of the service broke off" });
  const problem = problemIn(answer, response.status);
  // These credentials are no longer accepted.
  if (response.status === 401 && shown.kind !== "none" && !isTrial && session.credentials === shown)
    session.end(`${problem.title}: sign in again`);
  throw new CallError(problem);
}

function problemIn(answer: unknown, status: number): Partial<Problem> & { readonly title: string } {
  if (typeof answer === "object" && answer !== null && "title" in answer && typeof answer.title === "string")
    return { ...(answer as Partial<Problem>), title: answer.title, status };
  return {
    title: status === 401 ? "The key or token is not accepted" : `The service answered ${status}`,
    status,
  };
}
