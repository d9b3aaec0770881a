import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import { autostopQuery } from "../shared/api/index.ts";
import { kindOf, messageOf } from "../shared/errors.ts";
import type { AutostopSettings } from "../shared/ports/index.ts";
import { answerStop } from "./support/answer-stop.ts";
import { answer, type Call, callOf, problem, readQuery } from "./support/http.ts";
import { isLogin } from "./support/node-login.ts";
import { serve } from "./support/serve.ts";
import { service } from "./support/service.ts";

/**
 * `GET /api/clusters/{cluster}/autostop?instance=ID`: a node asks whether it may stop. 200: it is going to be deleted;
 * 409: it has to stay, and why; 404: no such node, which may be gone already.
 */
export async function httpAutostop(
  request: HttpRequest,
  context: InvocationContext,
): Promise<HttpResponseInit> {
  return answer(callOf(request, context, service), async (call) => {
    const cluster = request.params.cluster ?? "";
    const refusal = service.stops.login === "basic" ? await refusedLogin(call, cluster) : undefined;
    if (refusal !== undefined) return refusal;
    const query = readQuery(request, autostopQuery);
    if (!query.ok) return query.response;
    const { instance } = query.value;
    const requestedBy = { who: `node with instance id ${instance}`, why: "autostop" };
    return answerStop(call, service.stops, { cluster, instance, requestedBy, afterIdleTime: true });
  });
}

/** Says the same of a wrong login and of a cluster that is not there: who cannot log in learns of no cluster. */
async function refusedLogin(
  { request, ports }: Call,
  cluster: string,
): Promise<HttpResponseInit | undefined> {
  const header = request.headers.get("authorization");
  const login = await loginOf(ports, cluster);
  const password = login === null ? undefined : service.stops.passwordOf(login.passwordSetting);
  if (login !== null && password === undefined)
    ports.log.error("autostop-login", { cluster, missingSetting: login.passwordSetting });
  const isRight = login !== null && password !== undefined && isLogin(header, { ...login, password });
  if (isRight) return undefined;
  ports.log.warn("autostop-login", { cluster, isSetUp: password !== undefined });
  const refused = problem("unauthorized", 401, { title: "Log in with the name and password of nodes" });
  return { ...refused, headers: { ...refused.headers, "WWW-Authenticate": 'Basic realm="autostop"' } };
}

/** A configuration that cannot be used is the operator's business, not that of somebody who is not logged in. */
async function loginOf(ports: Call["ports"], cluster: string): Promise<AutostopSettings["login"]> {
  try {
    return (await ports.configs.load(cluster))?.autostop.login ?? null;
  } catch (error) {
    if (kindOf(error) !== "configuration") throw error;
    ports.log.error("autostop-login", { cluster, message: messageOf(error) });
    return null;
  }
}

// The guard leaves nodes to the platform, which asks for a key, or to the login that is asked for above.
serve("autostop", httpAutostop);
