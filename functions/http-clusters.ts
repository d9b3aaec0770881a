import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import { listClusters } from "../shared/views/index.ts";
import { answer, callOf, polled, refusedQuery } from "./support/http.ts";
import { serve } from "./support/serve.ts";
import { service } from "./support/service.ts";

/** `GET /api/clusters`: all clusters that are configured. */
export function httpClusters(request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> {
  return answer(
    callOf(request, context, service),
    async ({ ports }) => refusedQuery(request) ?? polled(request, await listClusters(ports)),
  );
}

serve("clusters", httpClusters);
