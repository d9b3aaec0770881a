import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import { type Problem, printingHeader, type Route, type RouteId } from "../../shared/api/index.ts";
import { kindOf, messageOf } from "../../shared/errors/errors.ts";
import type { Ports } from "../../shared/ports/index.ts";
import {
  answerCall,
  answers,
  problem,
  problemOf,
  type Seen,
  type ServicePorts,
} from "../../shared/service/index.ts";
import { refusedForgery } from "./forged.ts";
import type { Caller } from "./guard.ts";
import {
  callNamed,
  declaredBytes,
  queryOf,
  readBody,
  refusedVersion,
  refusedWith,
  toResponse,
  withHeaders,
  withVersion,
} from "./http-response.ts";
import { refusedNodeLogin } from "./node-login.ts";
import { service } from "./service.ts";

/** Answers a call that the guard let in. `caller`: undefined when the platform checked only a key. */
export type HttpHandler = (
  request: HttpRequest,
  context: InvocationContext,
  caller?: Caller,
) => Promise<HttpResponseInit>;

export function answerOverHttp(route: Route & { readonly id: RouteId }): HttpHandler {
  return async (request, context, caller) => {
    const ports = service.portsFor(context);
    const { invocationId } = context;
    const response = await caught({ invocationId, log: ports.log }, () =>
      inTurn(route, request, () => answerRequest(route, { request, ports, caller })),
    );
    return withVersion(response);
  };
}

/** Larger bodies than that wait for each other. */
const largeBodyBytes = 1024 * 1024;

async function inTurn(
  { mostBodyBytes }: Route,
  request: HttpRequest,
  work: () => Promise<HttpResponseInit>,
): Promise<HttpResponseInit> {
  if (declaredBytes(request, mostBodyBytes) <= largeBodyBytes) return work();
  const title = "Too many large bodies wait to be read";
  return (
    (await service.largeBodies.take("large", work)) ??
    refusedWith(problem("busy", 503, { title, retryAfterSeconds: 10 }).problem)
  );
}

async function answerRequest(
  route: Route & { readonly id: RouteId },
  { request, ports, caller }: { request: HttpRequest; ports: Ports; caller: Caller | undefined },
): Promise<HttpResponseInit> {
  const forged = refusedForgery(request, route);
  if (forged !== undefined) return refusedWith(forged.problem);
  const refused = refusedVersion(request) ?? (await refusedNode(route, { request, ports }));
  if (refused !== undefined) return refused;
  const printing = printingOf(ports, request.params.cluster);
  const answered = await answerCall(answers, route.id, {
    ports: portsOf(ports),
    call: {
      name: callNamed(request),
      params: request.params,
      query: queryOf(request),
      body: () => readBody(request, route.mostBodyBytes, service.jsonLimits),
      callerName: caller?.name,
      seen: seenBy(request),
      idempotencyKey: request.headers.get("idempotency-key") ?? undefined,
    },
  });
  return withHeaders(await toResponse(request, route, answered), await printing);
}

/** The platform asks nodes for nothing where they show the login of their cluster: then we do. */
async function refusedNode(
  { role }: Route,
  { request, ports }: { readonly request: HttpRequest; readonly ports: Ports },
): Promise<HttpResponseInit | undefined> {
  const { stops } = service;
  if (role !== "node" || stops.login !== "basic") return undefined;
  return refusedNodeLogin(request, { ports, cluster: request.params.cluster ?? "", stops });
}

/** What `work` answers; whatever it throws becomes a problem, and a line of the log. */
export async function caught(
  { invocationId, log }: { readonly invocationId: string; readonly log: Ports["log"] },
  work: () => Promise<HttpResponseInit>,
): Promise<HttpResponseInit> {
  try {
    return await work();
  } catch (error) {
    const problem: Problem = problemOf(error, invocationId);
    const fields = { invocationId, status: problem.status, kind: kindOf(error), message: messageOf(error) };
    if (problem.type.endsWith(":internal")) log.error("http", fields);
    else log.warn("http", fields);
    return refusedWith(problem);
  }
}

function portsOf(ports: Ports): ServicePorts {
  const { outlooks, operators, stops } = service;
  return {
    ...outlooks.remembering(ports),
    ...operators,
    stops,
    lookAhead: async (cluster, madeAtSeconds) => {
      const nowSeconds = ports.clock.nowSeconds();
      const held =
        madeAtSeconds === undefined ? undefined : outlooks.held(cluster, madeAtSeconds, nowSeconds);
      return held ?? outlooks.lookAhead(ports, cluster);
    },
  };
}

/** The configuration's words about printing go along with every answer: `ccscale` needs no call for them. */
async function printingOf(
  { configs }: Pick<Ports, "configs">,
  cluster: string | undefined,
): Promise<Readonly<Record<string, string>>> {
  if (cluster === undefined) return {};
  try {
    const printing = (await configs.load(cluster))?.printing;
    return printing === undefined ? {} : { [printingHeader]: inAscii(JSON.stringify(printing)) };
  } catch {
    return {};
  }
}

/** JSON that may stand in a header. */
function inAscii(json: string): string {
  return json.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** What the caller says to have seen; undefined: it does not say. */
function seenBy({ headers }: HttpRequest): Seen | undefined {
  const match = headers.get("if-match")?.trim();
  if (match) return match === "*" ? "some" : { etag: match };
  return headers.get("if-none-match")?.trim() === "*" ? "none" : undefined;
}
