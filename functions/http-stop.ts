import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import { stopQuery } from "../shared/api/index.ts";
import { answerStop } from "./support/answer-stop.ts";
import type { Caller } from "./support/guard.ts";
import { answerForCluster, callOf, readQuery } from "./support/http.ts";
import { serve } from "./support/serve.ts";
import { service } from "./support/service.ts";

/**
 * `POST /api/clusters/{cluster}/stop?instance=ID&reason=WHY`: the same question in somebody's name. The demand decides as
 * ever; how long the node has been idle does not count.
 */
export async function httpStop(
  request: HttpRequest,
  context: InvocationContext,
  caller?: Caller,
): Promise<HttpResponseInit> {
  return answerForCluster(callOf(request, context, service), async (call) => {
    const query = readQuery(request, stopQuery);
    if (!query.ok) return query.response;
    const { instance, reason, by } = query.value;
    const requestedBy = { who: caller?.name ?? by, why: reason };
    const { cluster } = call;
    return answerStop(call, service.stops, { cluster, instance, requestedBy, afterIdleTime: false });
  });
}

serve("stop", httpStop);
