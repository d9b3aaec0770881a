import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import { explainTargetQuery, quoted } from "../shared/api/index.ts";
import { explainTarget } from "../shared/views/index.ts";
import { badRequest, callOf, json, notFound, readQuery } from "./support/http.ts";
import { answerFromOutlook } from "./support/outlook.ts";
import { serve } from "./support/serve.ts";
import { service } from "./support/service.ts";

/** `GET /api/clusters/{cluster}/targets/{target}/explain`: why it is not met, or what it has. */
export function httpExplainTarget(
  request: HttpRequest,
  context: InvocationContext,
): Promise<HttpResponseInit> {
  const read = readQuery(request, explainTargetQuery);
  return answerFromOutlook(callOf(request, context, service), read, (outlook, { requestSet }) => {
    const explained = explainTarget(outlook, request.params.target ?? "", requestSet);
    switch (explained.outcome) {
      case "explained":
        return json(explained.answer);
      case "unknown-target":
        return notFound(
          `No request set has a target ${quoted(request.params.target ?? "")}`,
          targetsThereAre(explained.names),
        );
      case "ambiguous":
        return badRequest(
          "Several request sets have a target of this name",
          [
            `requestSet: missing, expected one of ${explained.requestSets.map((set) => `"${set}"`).join(", ")}`,
          ],
          explained.next,
        );
    }
  });
}

function targetsThereAre(names: readonly string[]): string {
  return names.length === 0
    ? "No target was asked for"
    : `Targets are ${names.map((name) => `"${name}"`).join(", ")}`;
}

serve("explain-target", httpExplainTarget);
