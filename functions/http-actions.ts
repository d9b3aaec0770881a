import { app, type HttpRequest, type HttpResponseInit, type InvocationContext } from "@azure/functions";
import { actionBody } from "../shared/api/index.ts";
import { act } from "../shared/cycle/act/act.ts";
import { answerForCluster, callOf, json, problem, readBody, unknownCluster } from "./support/http.ts";
import { service } from "./support/service.ts";

/** Set by the platform where it signs callers in. */
const principalHeader = "x-ms-client-principal-name";

/** `POST /api/clusters/{cluster}/actions`: what an operator asks for. */
export function httpActions(request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> {
  return answerForCluster(callOf(request, context, service), async ({ ports, cluster }) => {
    const body = await readBody(request, actionBody);
    if (!body.ok) return body.response;
    const by = request.headers.get(principalHeader)?.trim().slice(0, 200) || body.value.by;
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

app.http("http-actions", {
  route: "clusters/{cluster}/actions",
  methods: ["POST"],
  authLevel: "function",
  handler: httpActions,
});
