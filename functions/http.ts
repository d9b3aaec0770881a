import { openApiDocument, routes } from "../shared/api/index.ts";
import { answerOverHttp } from "./support/answer-http.ts";
import { json } from "./support/http-response.ts";
import { serve } from "./support/serve.ts";

// One function for each route, `http-<id>`. What it answers is in `shared/service`, where the command line has it too.
for (const route of routes) serve(route, answerOverHttp(route));

serve({ id: "openapi", method: "GET", path: "openapi.json", role: "reader" }, async () =>
  json(openApiDocument()),
);
