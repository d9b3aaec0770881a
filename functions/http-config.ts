import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import { configBody, refusals } from "../shared/api/index.ts";
import { type ConfigWish, changeConfig } from "../shared/operate/change-config.ts";
import { showConfig } from "../shared/views/index.ts";
import type { Caller } from "./support/guard.ts";
import {
  answer,
  answerForCluster,
  callOf,
  json,
  problem,
  readBodyAlone,
  refusedQuery,
  refusedWith,
  unknownCluster,
} from "./support/http.ts";
import { serve } from "./support/serve.ts";
import { service } from "./support/service.ts";

const mostConfigBytes = 1024 * 1024;

/** `GET /api/clusters/{cluster}/config`: what is stored, usable or not, without secrets. */
export function httpConfig(request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> {
  return answerForCluster(callOf(request, context, service), async ({ ports, cluster }) => {
    const refused = refusedQuery(request);
    if (refused !== undefined) return refused;
    const { configFiles, knownSecrets } = service.operators;
    const config = await showConfig({ ...ports, configFiles }, cluster, knownSecrets);
    if (config === undefined) return unknownCluster(cluster);
    const answered = json(config);
    return { ...answered, headers: { ...answered.headers, ETag: config.etag } };
  });
}

/** `PUT /api/clusters/{cluster}/config`: checks a configuration, also of a cluster that has none yet, and stores it. */
export function httpPutConfig(
  request: HttpRequest,
  context: InvocationContext,
  caller?: Caller,
): Promise<HttpResponseInit> {
  return answer(callOf(request, context, service), async ({ ports }) => {
    const body = await readBodyAlone(request, configBody, { mostBytes: mostConfigBytes });
    if (!body.ok) return body.response;
    const { configFiles, configChanges: allowed, knownSecrets } = service.operators;
    const cluster = request.params.cluster ?? "";
    // Who only asks needs to have seen nothing.
    const seen = seenBy(request) ?? (body.value.dryRun ? "any" : undefined);
    if (seen === undefined)
      return problem("bad-request", 428, {
        title: "What is to be replaced is not said",
        problems: [
          'If-Match: missing, expected the ETag of GET config; or "If-None-Match: *" for a new cluster',
        ],
      });
    const asked = { ...body.value, by: caller?.name ?? body.value.by };
    const changed = await changeConfig(
      { ...ports, configFiles },
      { cluster, body: asked, seen, allowed, knownSecrets },
    );
    switch (changed.outcome) {
      case "answered":
        return json(changed.answer);
      case "unusable":
        return refusedWith(refusals.configUnusable(changed.problems));
      case "forbidden":
        return problem("forbidden", 403, {
          title: "This may not be changed here",
          detail:
            "Store it with storage rights (ccscale config push --storage), or set AUTOSCALE_CONFIG_CHANGES of the app",
          problems: changed.problems,
        });
      case "changed-meanwhile":
        return refusedWith(refusals.configChangedMeanwhile(cluster.slice(0, 100)));
    }
  });
}

/** What the caller says to have seen; undefined: nothing is said. */
function seenBy({ headers }: HttpRequest): ConfigWish["seen"] | undefined {
  const match = headers.get("if-match")?.trim();
  if (match) return match === "*" ? "some" : { etag: match };
  return headers.get("if-none-match")?.trim() === "*" ? "none" : undefined;
}

serve("config", httpConfig);
serve("put-config", httpPutConfig);
