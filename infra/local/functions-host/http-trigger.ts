import type { Hono } from "hono";
import type { HostedFunction } from "./hosted-function.ts";
import { toHttpData, toHttpResponse } from "./http-data.ts";
import type { Invoke } from "./invoke.ts";

/** An HTTP function with its route. */
export interface HttpEndpoint {
  readonly target: HostedFunction;
  /** Upper-case methods; empty means all. */
  readonly methods: readonly string[];
  /** Absolute path template: `/api/clusters/{name}`. */
  readonly template: string;
}

const segmentPattern = /^(?:[\w.~-]+|\{\w+\})$/;

/** Reads the HTTP binding of a function. @throws Error for a route that is more than names and whole `{parameters}`. */
export function httpEndpoint(target: HostedFunction, prefix: string): HttpEndpoint {
  const { route, methods } = target.trigger;
  const template = typeof route === "string" ? route : target.name;
  const names = Array.isArray(methods) ? methods.map(String) : [];
  const segments = `${prefix}/${template}`.split("/").filter((segment) => segment !== "");
  const bad = segments.find((segment) => !segmentPattern.test(segment));
  if (bad !== undefined)
    throw new Error(`Cannot read route "${template}": segment "${bad}", expected text or one {parameter}`);
  return {
    target,
    methods: names.map((method) => method.toUpperCase()),
    template: `/${segments.join("/")}`,
  };
}

/** Serves all HTTP functions. A path that two routes match is that of the one with the earlier literal segment. */
export function addEndpoints(app: Hono, endpoints: readonly HttpEndpoint[], invoke: Invoke): void {
  // A brace sorts behind every letter and digit.
  for (const { target, methods, template } of endpoints.toSorted((a, b) =>
    a.template < b.template ? -1 : 1,
  )) {
    const path = template.replaceAll(/\{(\w+)\}/g, ":$1");
    app.all(path, async (context, next) => {
      const { method } = context.req;
      if (methods.length > 0 && !methods.includes(method)) return next();
      const http = await toHttpData(context.req.raw, context.req.param());
      const outcome = await invoke(target, { data: { http }, reason: `${method} ${context.req.path}` });
      // The error is in the log; like Azure, the caller gets no detail.
      if (outcome.status === "failed") return new Response(null, { status: 500 });
      return toHttpResponse(outcome.response, method);
    });
  }
}
