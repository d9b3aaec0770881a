import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import { refusals, SUPPORT_PARTS, supportQuery } from "../shared/api/index.ts";
import { showPlanArchive, showSupport } from "../shared/views/index.ts";
import { answerForCluster, callOf, readQuery, refusedQuery, refusedWith } from "./support/http.ts";
import { serve } from "./support/serve.ts";
import { service } from "./support/service.ts";
import { zippedJson } from "./support/zipped.ts";

/** `GET /api/clusters/{cluster}/support/{part}`: what is stored, without secrets. */
export function httpSupport(request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> {
  return answerForCluster(callOf(request, context, service), async ({ ports, cluster }) => {
    const query = readQuery(request, supportQuery);
    if (!query.ok) return query.response;
    const part = SUPPORT_PARTS.find((each) => each === request.params.part);
    if (part === undefined) return refusedWith(refusals.unknownSupportPart(request.params.part ?? ""));
    const { configFiles, knownSecrets, about } = service.operators;
    const options = { ...query.value, knownSecrets, about };
    return zippedJson(request, await showSupport({ ...ports, configFiles }, { cluster, part }, options));
  });
}

/** `GET /api/clusters/{cluster}/plans/{planId}/archive`: what a plan was made from, without secrets. */
export function httpPlanArchive(request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> {
  return answerForCluster(callOf(request, context, service), async ({ ports, cluster }) => {
    const refused = refusedQuery(request);
    if (refused !== undefined) return refused;
    const { knownSecrets } = service.operators;
    const planId = request.params.planId ?? "";
    const archive = await showPlanArchive(ports, cluster, planId, knownSecrets);
    return archive === undefined ? refusedWith(refusals.unknownPlan(planId)) : zippedJson(request, archive);
  });
}

serve("support", httpSupport);
serve("plan-archive", httpPlanArchive);
