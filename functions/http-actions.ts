import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import { actionBody } from "../shared/api/index.ts";
import { act } from "../shared/operate/act.ts";
import type { Caller } from "./support/guard.ts";
import { answerForCluster, callOf, json, problem, readBodyAlone, unknownCluster } from "./support/http.ts";
import { serve } from "./support/serve.ts";
import { service } from "./support/service.ts";

/** `POST /api/clusters/{cluster}/actions`: what an operator asks for. A name that is known for certain wins. */
export function httpActions(
  request: HttpRequest,
  context: InvocationContext,
  caller?: Caller,
): Promise<HttpResponseInit> {
  return answerForCluster(callOf(request, context, service), async ({ ports, cluster }) => {
    const body = await readBodyAlone(request, actionBody);
    if (!body.ok) return body.response;
    const by = caller?.name ?? body.value.by;
    const key = request.headers.get("idempotency-key") ?? undefined;
    const done = await act(ports, { cluster, body: { ...body.value, by }, key });
    switch (done.outcome) {
      case "answered":
        return json(done.answer);
      case "refused":
        return problem("refused", 409, { title: "Nothing was done", problems: done.problems });
      case "busy":
        return problem("busy", 503, { title: "Too many requests at the same moment", retryAfterSeconds: 2 });
      case "unknown-cluster":
        return unknownCluster(cluster);
    }
  });
}

serve("actions", httpActions);
