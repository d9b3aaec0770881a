import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import { z } from "zod";
import { autoscaleQuery } from "../shared/api/index.ts";
import { requestTargets } from "../shared/operate/request-targets.ts";
import type { Caller } from "./support/guard.ts";
import { answerForCluster, badRequest, callOf, json, readBody, readQuery } from "./support/http.ts";
import { noteClaim, serve } from "./support/serve.ts";
import { service } from "./support/service.ts";

/**
 * `POST /api/clusters/{cluster}/autoscale?request_set=standard&expiration_interval=300` with a list of node array
 * definitions: 202 with what was understood of it; with `dry_run` 200, and what the plan would then do.
 */
export async function httpAutoscale(
  request: HttpRequest,
  context: InvocationContext,
  caller?: Caller,
): Promise<HttpResponseInit> {
  return answerForCluster(callOf(request, context, service), async (call) => {
    const { ports, cluster } = call;
    const query = readQuery(request, autoscaleQuery);
    if (!query.ok) return query.response;
    const {
      request_set: requestSet,
      expiration_interval: expirationInterval,
      dry_run: dryRun,
      by,
    } = query.value;
    const body = await readBody(request, z.unknown());
    if (!body.ok) return body.response;
    noteClaim(call, { call: "autoscale", by, caller });
    const asked = await requestTargets(ports, {
      cluster,
      requestSet,
      expirationInterval,
      arrays: body.value,
      dryRun,
    });
    return asked.outcome === "accepted"
      ? json(asked.answer, { status: dryRun ? 200 : 202 })
      : badRequest("This is no list of node array definitions that can be followed", asked.problems);
  });
}

serve("autoscale", httpAutoscale);
