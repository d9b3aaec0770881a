import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import { openApiDocument } from "../shared/api/openapi.ts";
import { answer, callOf, json } from "./support/http.ts";
import { serve } from "./support/serve.ts";
import { service } from "./support/service.ts";

/** `GET /api/openapi.json`: what this API takes and answers. */
export function httpOpenapi(request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> {
  return answer(callOf(request, context, service), async () => json(openApiDocument()));
}

serve({ id: "openapi", method: "GET", path: "openapi.json", role: "reader" }, httpOpenapi);
