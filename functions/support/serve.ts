import { app, type HttpRequest, type HttpResponseInit, type InvocationContext } from "@azure/functions";
import type { Route } from "../../shared/api/index.ts";
import { caught, type HttpHandler } from "./answer-http.ts";
import type { ServedRole } from "./guard.ts";
import { withVersion } from "./http-response.ts";
import { service } from "./service.ts";

/** Where a function is, and what its callers have to be. */
type Served = Pick<Route, "id" | "method" | "path"> & { readonly role: ServedRole };

/** Registers a route with the guard before it. Nothing else registers HTTP functions (`test/functions/guard.test.ts`). */
export function serve(served: Served, handler: HttpHandler): void {
  app.http(`http-${served.id}`, {
    route: served.path,
    methods: [served.method],
    authLevel: service.guard.authLevel(served.role),
    handler: (request, context) => guarded({ request, context, served, handler }),
  });
}

interface Guarded {
  readonly request: HttpRequest;
  readonly context: InvocationContext;
  readonly served: Served;
  readonly handler: HttpHandler;
}

async function guarded({ request, context, served, handler }: Guarded): Promise<HttpResponseInit> {
  const { id, role } = served;
  const { log } = service.portsFor(context);
  const response = await caught({ invocationId: context.invocationId, log }, async () => {
    const admission = await service.guard.admit(request, role, log);
    if (!admission.ok) return admission.response;
    const { caller } = admission;
    if (role === "operator" && caller !== undefined)
      log.info("operator-call", { call: id, cluster: request.params.cluster, by: caller.name });
    return handler(request, context, caller);
  });
  return withVersion(response);
}
