import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import { bucketsQuery } from "../shared/api/index.ts";
import { listBuckets, listLimits } from "../shared/views/index.ts";
import { callOf, ifSelected, polled, readQuery } from "./support/http.ts";
import { answerFromOutlook } from "./support/outlook.ts";
import { serve } from "./support/serve.ts";
import { service } from "./support/service.ts";

/** `GET /api/clusters/{cluster}/buckets`: what new nodes come from, and the limits there. */
export function httpBuckets(request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> {
  const read = readQuery(request, bucketsQuery);
  return answerFromOutlook(callOf(request, context, service), read, (outlook, query) =>
    ifSelected(listBuckets(outlook, query), (answer) => polled(request, answer)),
  );
}

/** `GET /api/clusters/{cluster}/limits`: every limit once. */
export function httpLimits(request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> {
  const read = readQuery(request, bucketsQuery);
  return answerFromOutlook(callOf(request, context, service), read, (outlook, query) =>
    ifSelected(listLimits(outlook, query), (answer) => polled(request, answer)),
  );
}

serve("buckets", httpBuckets);
serve("limits", httpLimits);
