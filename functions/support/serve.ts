import { app, type HttpRequest, type HttpResponseInit, type InvocationContext } from "@azure/functions";
import { type Route, type RouteId, routes } from "../../shared/api/index.ts";
import type { Caller } from "./guard.ts";
import { type ClusterCall, callOf, caught, withVersion } from "./http.ts";
import { service } from "./service.ts";

/** Answers a call that the guard let in. `caller`: undefined where the platform knows a key and nobody's name. */
export type HttpHandler = (
  request: HttpRequest,
  context: InvocationContext,
  caller?: Caller,
) => Promise<HttpResponseInit>;

/** Where a function is, and what its callers have to be. */
type Served = Pick<Route, "id" | "method" | "path" | "role">;

/**
 * Registers the function of a route, with the guard before it. Nothing else registers HTTP functions
 * (`test/functions/guard.test.ts`), so that none is without.
 */
export function serve(served: RouteId | Served, handler: HttpHandler): void {
  const { id, method, path, role } = typeof served === "string" ? routeOf(served) : served;
  app.http(`http-${id}`, {
    route: path,
    methods: [method],
    authLevel: service.guard.authLevel(role),
    handler: (request, context) => guarded({ request, context, served: { id, role }, handler }),
  });
}

function routeOf(id: RouteId): Served {
  // There is one route of each id: its type is made of them.
  return routes.find((route) => route.id === id) as Served;
}

/**
 * For calls whose record has no place for a name: who the caller says to be, into the log. One who is known for certain is
 * there already.
 */
export function noteClaim(
  { ports, cluster }: ClusterCall,
  claim: { readonly call: RouteId; readonly by: string | undefined; readonly caller: Caller | undefined },
): void {
  const { call, by, caller } = claim;
  if (caller === undefined && by !== undefined) ports.log.info("operator-call", { call, cluster, by });
}

interface Guarded {
  readonly request: HttpRequest;
  readonly context: InvocationContext;
  readonly served: Pick<Served, "id" | "role">;
  readonly handler: HttpHandler;
}

async function guarded({ request, context, served, handler }: Guarded): Promise<HttpResponseInit> {
  const { id, role } = served;
  const response = await caught(callOf(request, context, service), async ({ ports }) => {
    const admission = await service.guard.admit(request, role, ports.log);
    if (!admission.ok) return admission.response;
    const { caller } = admission;
    if (role === "operator" && caller !== undefined)
      ports.log.info("operator-call", { call: id, cluster: request.params.cluster, by: caller.name });
    return handler(request, context, caller);
  });
  return withVersion(response);
}
