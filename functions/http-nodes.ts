import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import { nodesQuery } from "../shared/api/index.ts";
import { listNodes } from "../shared/views/index.ts";
import { callOf, ifSelected, polled, readQuery } from "./support/http.ts";
import { answerFromOutlook } from "./support/outlook.ts";
import { serve } from "./support/serve.ts";
import { service } from "./support/service.ts";

/** `GET /api/clusters/{cluster}/nodes`: nodes with their jobs and what is left of them. */
export function httpNodes(request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> {
  const read = readQuery(request, nodesQuery);
  return answerFromOutlook(callOf(request, context, service), read, (outlook, query) =>
    ifSelected(listNodes(outlook, query), (answer) => polled(request, answer)),
  );
}

serve("nodes", httpNodes);
