import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import { listBuckets, listLimits } from "../shared/cycle/views/index.ts";
import { callOf, nothing, polled } from "./support/http.ts";
import { answerFromOutlook } from "./support/outlook.ts";
import { serve } from "./support/serve.ts";
import { service } from "./support/service.ts";

/** `GET /api/clusters/{cluster}/buckets`: what new nodes come from, and the limits there. */
export function httpBuckets(request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> {
  return answerFromOutlook(callOf(request, context, service), nothing, (outlook) =>
    polled(request, listBuckets(outlook)),
  );
}

/** `GET /api/clusters/{cluster}/limits`: every limit once. */
export function httpLimits(request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> {
  return answerFromOutlook(callOf(request, context, service), nothing, (outlook) =>
    polled(request, listLimits(outlook)),
  );
}

serve("buckets", httpBuckets);
serve("limits", httpLimits);
