import {
  bearerTokenAuthenticationPolicy,
  createDefaultHttpClient,
  createHttpHeaders,
  createPipelineFromOptions,
  createPipelineRequest,
  isRestError,
  type Pipeline,
  type PipelineResponse,
} from "@azure/core-rest-pipeline";
import type { z } from "zod";
import { apiVersion, printingHeader, type Route, routeOf } from "../../../shared/api/index.ts";
import { messageOf } from "../../../shared/errors/errors.ts";
import { jsonOr } from "../../../shared/json/json.ts";
import { isHttpToLoopback } from "../../../shared/machine/loopback.ts";
import { describeProblems } from "../../../shared/messages/index.ts";
import { withoutSlashesAtEnd } from "../../../shared/text/text.ts";
import { CommandFailure } from "../exit-code.ts";
import { version } from "../version.ts";
import { AnswerMemory } from "./answer-memory.ts";
import { toFailure } from "./problem-words.ts";
import type { AnswerOf, Call, RouteId, Service } from "./service.ts";
import { defaultCredential, signInFailure } from "./sign-in.ts";

/** The address of the HTTP API, with a key or a token as the app requires. Only a local host accepts a call without either. */
export interface ServiceAddress {
  /** Address of the function app, without `/api`. */
  readonly url: string;
  readonly key?: string;
  /** Identifier of the app's registration, such as `api://<id>`, for an Entra token from DefaultAzureCredential. */
  readonly audience?: string;
  /** For a whole call, with its retries and their pauses. Default 60,000. */
  readonly timeoutMs?: number;
  /** Default 3. Only calls that are safe to repeat are retried. */
  readonly maxRetries?: number;
  /** Keeps answers and asks again only for changed ones. For callers that repeat the same calls. */
  readonly remembers?: boolean;
}

/** Not retried: a repeated call may act twice, or be refused because of the first. */
const onceOnly: readonly string[] = ["actions", "put-config", "replay-reject"] satisfies RouteId[];

const defaultTimeoutMs = 60_000;

/** The HTTP API of a service, for one of its clusters. */
export function connectService(address: ServiceAddress, cluster: string): Service {
  const memory = address.remembers === true ? new AnswerMemory() : undefined;
  const send = createSender(address, memory);
  let printing: unknown;
  return {
    cluster,
    printing: () => printing,
    ask: async <Id extends RouteId>(id: Id, call: Call = {}): Promise<AnswerOf<Id>> => {
      const route = routeOf(id);
      const reply = await send(route, pathOf(route, { ...call.params, cluster }), call);
      const { status, body } = reply;
      if (reply.printing !== undefined) printing = reply.printing;
      const remembered = status === 304 ? memory?.of(reply) : undefined;
      if (remembered !== undefined) return remembered as AnswerOf<Id>;
      // A refused action is an answer: it lists the nodes that were left alone, and why.
      const answer = route.answer.safeParse(body);
      if (status >= 200 && status < 300) {
        const whole = checked(answer);
        memory?.keep(reply, whole);
        return whole as AnswerOf<Id>;
      }
      if (status === 409 && answer.success) return answer.data as AnswerOf<Id>;
      throw toFailure(status, body);
    },
  };
}

function checked(answer: z.ZodSafeParseResult<unknown>): unknown {
  if (answer.success) return answer.data;
  throw new CommandFailure(
    `The answer does not match version ${apiVersion} of the API: ${describeProblems(answer.error)[0]}`,
    `Check the address. If it is right, ccscale (${version}) and the service are different releases: upgrade the older one. A missing field means that the service is older.`,
  );
}

function pathOf({ path }: Route, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}

interface Reply {
  readonly url: string;
  readonly status: number;
  readonly body: unknown;
  readonly etag: string | undefined;
  /** The cluster's printing settings; undefined: none. */
  readonly printing: unknown;
}

function createSender(address: ServiceAddress, memory: AnswerMemory | undefined) {
  const base = baseOf(address.url);
  const client = createDefaultHttpClient();
  const reading = createPipeline(address, address.maxRetries ?? 3);
  const writing = createPipeline(address, 0);
  return async (route: Route, path: string, { query, body, seen, key }: Call): Promise<Reply> => {
    const url = new URL(`${base.href}api/${path}`);
    for (const [name, value] of Object.entries(query ?? {}))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const etag = memory?.etagOf(url.href);
    const request = createPipelineRequest({
      url: url.href,
      method: route.method,
      headers: createHttpHeaders({
        Accept: "application/json",
        "api-version": apiVersion,
        ...(address.key !== undefined && { "x-functions-key": address.key }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...(seen !== undefined && (seen === "none" ? { "If-None-Match": "*" } : { "If-Match": seen.etag })),
        ...(etag !== undefined && { "If-None-Match": etag }),
        ...(key !== undefined && { "Idempotency-Key": key }),
      }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      abortSignal: AbortSignal.timeout(address.timeoutMs ?? defaultTimeoutMs),
      allowInsecureConnection: isHttpToLoopback(base),
    });
    const pipeline = onceOnly.includes(route.id) ? writing : reading;
    try {
      return replyOf(await pipeline.sendRequest(client, request));
    } catch (error) {
      throw signInFailure(error, address.audience ?? "") ?? unreachable(error, base);
    }
  };
}

function createPipeline({ audience }: ServiceAddress, maxRetries: number): Pipeline {
  const pipeline = createPipelineFromOptions({
    retryOptions: { maxRetries, retryDelayInMs: 500, maxRetryDelayInMs: 10_000 },
    // A redirect leads to a sign-in page.
    redirectOptions: { maxRetries: 0 },
    userAgentOptions: { userAgentPrefix: "ccscale" },
  });
  if (audience !== undefined) {
    const credential = defaultCredential();
    const scopes = [audience.endsWith("/.default") ? audience : `${audience}/.default`];
    pipeline.addPolicy(bearerTokenAuthenticationPolicy({ credential, scopes }), { afterPhase: "Retry" });
  }
  return pipeline;
}

function replyOf({ request, status, headers, bodyAsText }: PipelineResponse): Reply {
  return {
    url: request.url,
    status,
    body: jsonOr(bodyAsText ?? ""),
    etag: headers.get("etag"),
    printing: jsonOr(headers.get(printingHeader) ?? ""),
  };
}

function unreachable(error: unknown, base: URL): CommandFailure {
  const [why = ""] = messageOf(error).split("\n");
  if (error instanceof Error && (error.name === "AbortError" || error.name === "TimeoutError"))
    return new CommandFailure(
      `No answer from ${base.origin} in time`,
      "Try again: the service may be busy or starting.",
    );
  const code = isRestError(error) && error.code !== undefined ? ` (${error.code})` : "";
  return new CommandFailure(
    `Cannot reach ${base.origin}${code}: ${why}`,
    "Check the address (--url or CCSCALE_URL) and the network; --local finds a running local environment.",
  );
}

function baseOf(text: string): URL {
  const url = URL.parse(text);
  const refuse = (what: string): never => {
    throw new CommandFailure(
      `Cannot use the address of the service: ${what}`,
      'Give one such as "https://my-autoscaler.azurewebsites.net" with --url or CCSCALE_URL.',
    );
  };
  if (url === null) return refuse(`"${text}", expected an address`);
  // Not quoted, because it contains a secret.
  if (url.username !== "" || url.password !== "" || url.search !== "")
    return refuse("it holds a login or a query, expected the address alone (the key goes into CCSCALE_KEY)");
  if (url.protocol !== "https:" && !isHttpToLoopback(url))
    return refuse(`"${text}", expected https (http is for this machine only)`);
  const path = withoutSlashesAtEnd(url.pathname).replace(/\/api$/, "");
  return new URL(`${url.origin}${path}/`);
}
