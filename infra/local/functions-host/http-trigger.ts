import { timingSafeEqual } from "node:crypto";
import type { HostedFunction } from "./hosted-function.ts";
import { toHttpData, toHttpResponse } from "./http-data.ts";
import { compileRoute, type Route } from "./http-route.ts";
import type { Invoke } from "./invoke.ts";

/** Keys that callers must show; a key that is not set is not asked for. */
export interface AccessKeys {
  /** For functions with authLevel "function"; the admin key opens them as well. */
  readonly function?: string;
  /** For authLevel "admin" and for /admin. */
  readonly admin?: string;
  /** For the webhook of Event Grid: Azure's system key `eventgrid_extension`. */
  readonly system?: string;
}

/** An HTTP function with its route. */
export interface HttpEndpoint {
  readonly target: HostedFunction;
  readonly route: Route;
  readonly authLevel: "anonymous" | "function" | "admin";
}

/** Reads the HTTP binding of a function. @throws Error for a route that cannot be read. */
export function httpEndpoint(target: HostedFunction, prefix: string): HttpEndpoint {
  const { route, methods, authLevel } = target.trigger;
  const template = typeof route === "string" ? route : target.name;
  const names = Array.isArray(methods) ? methods.map(String) : [];
  const level = String(authLevel ?? "anonymous").toLowerCase();
  return {
    target,
    route: compileRoute({ prefix, template, methods: names }),
    authLevel: level === "admin" || level === "function" ? level : "anonymous",
  };
}

interface HttpTriggerOptions {
  readonly endpoints: readonly HttpEndpoint[];
  readonly invoke: Invoke;
  readonly keys: AccessKeys;
}

/** Answers a request by the function whose route matches best; undefined when none does (404 in Azure). */
export type Dispatch = (request: Request) => Promise<Response | undefined>;

/** Builds the dispatcher over all HTTP functions. */
export function createDispatch({ endpoints, invoke, keys }: HttpTriggerOptions): Dispatch {
  const sorted = endpoints.toSorted((a, b) => (a.route.precedence < b.route.precedence ? -1 : 1));
  return async (request) => {
    const { pathname } = new URL(request.url);
    for (const endpoint of sorted) {
      const { methods } = endpoint.route;
      if (methods.length > 0 && !methods.includes(request.method)) continue;
      const params = endpoint.route.match(pathname);
      if (params === undefined) continue;
      if (!isAllowed(request, endpoint.authLevel, keys)) return new Response(null, { status: 401 });
      return await run({ endpoint, request, params, invoke });
    }
    return undefined;
  };
}

interface RunOptions {
  readonly endpoint: HttpEndpoint;
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly invoke: Invoke;
}

async function run({ endpoint, request, params, invoke }: RunOptions): Promise<Response> {
  const http = await toHttpData(request, params);
  const reason = `${request.method} ${new URL(request.url).pathname}`;
  const outcome = await invoke(endpoint.target, { data: { http }, reason });
  // The error is in the log; like Azure, the caller gets no detail.
  if (outcome.status === "failed") return new Response(null, { status: 500 });
  return toHttpResponse(outcome.response, request.method);
}

/** Whether a request shows the key that its level asks for, in header `x-functions-key` or query `code`. */
export function isAllowed(
  request: Request,
  level: HttpEndpoint["authLevel"] | "system",
  keys: AccessKeys,
): boolean {
  const { function: functionKey, admin, system } = keys;
  const wanted = { anonymous: undefined, function: functionKey, admin, system }[level];
  if (wanted === undefined) return true;
  const shown = request.headers.get("x-functions-key") ?? new URL(request.url).searchParams.get("code") ?? "";
  return isSame(shown, wanted) || (keys.admin !== undefined && isSame(shown, keys.admin));
}

function isSame(shown: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(shown), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
