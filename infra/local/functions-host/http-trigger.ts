import type { HostedFunction } from "./hosted-function.ts";
import { toHttpData, toHttpResponse } from "./http-data.ts";
import { compileRoute, type Route } from "./http-route.ts";
import type { Invoke } from "./invoke.ts";

/** An HTTP function with its route. */
export interface HttpEndpoint {
  readonly target: HostedFunction;
  readonly route: Route;
}

/** Reads the HTTP binding of a function. @throws Error for a route that cannot be read. */
export function httpEndpoint(target: HostedFunction, prefix: string): HttpEndpoint {
  const { route, methods } = target.trigger;
  const template = typeof route === "string" ? route : target.name;
  const names = Array.isArray(methods) ? methods.map(String) : [];
  return { target, route: compileRoute({ prefix, template, methods: names }) };
}

interface HttpTriggerOptions {
  readonly endpoints: readonly HttpEndpoint[];
  readonly invoke: Invoke;
}

/** Answers a request by the function whose route matches best; undefined when none does (404 in Azure). */
export type Dispatch = (request: Request) => Promise<Response | undefined>;

/** Builds the dispatcher over all HTTP functions. */
export function createDispatch({ endpoints, invoke }: HttpTriggerOptions): Dispatch {
  const sorted = endpoints.toSorted((a, b) => (a.route.precedence < b.route.precedence ? -1 : 1));
  return async (request) => {
    const { pathname } = new URL(request.url);
    for (const endpoint of sorted) {
      const { methods } = endpoint.route;
      if (methods.length > 0 && !methods.includes(request.method)) continue;
      const params = endpoint.route.match(pathname);
      if (params === undefined) continue;
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
