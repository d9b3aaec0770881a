import { app, type HttpRequest, type HttpResponseInit, type InvocationContext } from "@azure/functions";
import { openApiDocument } from "../shared/api/openapi.ts";
import { answer, callOf, json } from "./support/http.ts";
import { service } from "./support/service.ts";

/** `GET /api/openapi.json`: what this API takes and answers. */
export function httpOpenapi(request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> {
  return answer(callOf(request, context, service), async () => json(openApiDocument()));
}

app.http("http-openapi", {
  route: "openapi.json",
  methods: ["GET"],
  authLevel: "function",
  handler: httpOpenapi,
});
