import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import { clusterStatus } from "../shared/views/status.ts";
import { answerForCluster, callOf, polled, refusedQuery, unknownCluster } from "./support/http.ts";
import { serve } from "./support/serve.ts";
import { service } from "./support/service.ts";

/** `GET /api/clusters/{cluster}/status`: a cluster on one page. */
export function httpStatus(request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> {
  return answerForCluster(callOf(request, context, service), async ({ ports, cluster }) => {
    const refused = refusedQuery(request);
    if (refused !== undefined) return refused;
    const status = await clusterStatus(ports, cluster);
    return status === undefined ? unknownCluster(cluster) : polled(request, status);
  });
}

serve("status", httpStatus);
