import { app, type HttpRequest, type HttpResponseInit, type InvocationContext } from "@azure/functions";
import { clusterStatus } from "../shared/cycle/status.ts";
import { service } from "./support/service.ts";

/** `GET /api/clusters/{cluster}/status`: a cluster on one page. */
export async function httpStatus(
  request: HttpRequest,
  context: InvocationContext,
): Promise<HttpResponseInit> {
  const cluster = request.params.cluster ?? "";
  const status = await clusterStatus(service.portsFor(context), cluster);
  return status === undefined
    ? { status: 404, jsonBody: { title: `No cluster "${cluster}" is configured`, status: 404 } }
    : { jsonBody: status };
}

app.http("http-status", {
  route: "clusters/{cluster}/status",
  methods: ["GET"],
  authLevel: "function",
  handler: httpStatus,
});
