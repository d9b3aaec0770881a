import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import { postDemandBody, postDemandQuery, refusals } from "../shared/api/index.ts";
import { postDemand } from "../shared/operate/post-demand.ts";
import type { Caller } from "./support/guard.ts";
import { answerForCluster, callOf, json, readBody, readQuery, refusedWith } from "./support/http.ts";
import { noteClaim, serve } from "./support/serve.ts";
import { service } from "./support/service.ts";

/** As much as an upload of a sender may hold. */
const mostDemandBytes = 32 * 1024 * 1024;

/** `POST /api/clusters/{cluster}/demand`: 202 when it was checked and is on the queue. */
export function httpPostDemand(
  request: HttpRequest,
  context: InvocationContext,
  caller?: Caller,
): Promise<HttpResponseInit> {
  return answerForCluster(callOf(request, context, service), async (call) => {
    const { ports, cluster } = call;
    const query = readQuery(request, postDemandQuery);
    if (!query.ok) return query.response;
    const body = await readBody(request, postDemandBody, { mostBytes: mostDemandBytes });
    if (!body.ok) return body.response;
    const { demandQueue } = service.operators;
    const { dry_run: dryRun, by } = query.value;
    noteClaim(call, { call: "post-demand", by, caller });
    const posted = await postDemand({ ...ports, demandQueue }, { cluster, message: body.value, dryRun });
    return posted.outcome === "answered"
      ? json(posted.answer, { status: dryRun ? 200 : 202 })
      : refusedWith(refusals.demandUnusable(posted.problems));
  });
}

serve("post-demand", httpPostDemand);
