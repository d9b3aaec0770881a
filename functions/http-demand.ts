import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import { demandQuery, validateConstraintBody, whatIfBody } from "../shared/api/index.ts";
import { drawUpDemand, loadKnown, selectingOf, validateConstraint, whatIf } from "../shared/views/index.ts";
import {
  answerForCluster,
  badRequest,
  callOf,
  ifSelected,
  json,
  readBodyAlone,
  readQuery,
  unknownCluster,
} from "./support/http.ts";
import { answerFromOutlook } from "./support/outlook.ts";
import { serve } from "./support/serve.ts";
import { service } from "./support/service.ts";

/** `GET /api/clusters/{cluster}/demand`: what a plan would do now. */
export function httpDemand(request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> {
  const read = readQuery(request, demandQuery);
  return answerFromOutlook(callOf(request, context, service), read, (outlook, query) =>
    ifSelected(drawUpDemand(outlook, selectingOf(query)), json),
  );
}

/** `POST /api/clusters/{cluster}/what-if`: the same with extra jobs. */
export function httpWhatIf(request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> {
  return answerForCluster(callOf(request, context, service), async ({ ports, cluster }) => {
    const body = await readBodyAlone(request, whatIfBody, { mostBytes: 1024 * 1024 });
    if (!body.ok) return body.response;
    const known = await loadKnown(ports, cluster);
    if (known === undefined) return unknownCluster(cluster);
    const result = whatIf(known, body.value, ports.clock.nowSeconds());
    return result.ok ? json(result.answer) : badRequest("This cannot be planned", result.problems);
  });
}

/** `POST /api/clusters/{cluster}/validate-constraint`: what satisfies constraints. */
export async function httpValidateConstraint(
  request: HttpRequest,
  context: InvocationContext,
): Promise<HttpResponseInit> {
  const read = await readBodyAlone(request, validateConstraintBody);
  return answerFromOutlook(callOf(request, context, service), read, (outlook, body) =>
    ifSelected(validateConstraint(outlook, body), json),
  );
}

serve("demand", httpDemand);
serve("what-if", httpWhatIf);
serve("validate-constraint", httpValidateConstraint);
