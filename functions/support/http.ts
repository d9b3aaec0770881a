import { createHash } from "node:crypto";
import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import { z } from "zod";
import {
  API_VERSION,
  PRINTING_HEADER,
  type Problem,
  type ProblemKind,
  problemType,
  quoted,
  refusals,
} from "../../shared/api/index.ts";
import { ConfigurationError, kindOf, messageOf, UpstreamError } from "../../shared/errors.ts";
import { describeProblems } from "../../shared/messages/problems.ts";
import type { Ports } from "../../shared/ports/index.ts";
import type { Selected } from "../../shared/views/index.ts";
import type { Service } from "./wire.ts";

/** One call of an HTTP function. */
export interface Call {
  readonly request: HttpRequest;
  readonly ports: Ports;
  /** Of the run, for whoever looks for it in the logs. */
  readonly invocationId: string;
}

export function callOf(
  request: HttpRequest,
  context: InvocationContext,
  service: Pick<Service, "portsFor">,
): Call {
  return { request, ports: service.portsFor(context), invocationId: context.invocationId };
}

/** A call about a cluster that is configured. */
export interface ClusterCall extends Call {
  readonly cluster: string;
}

const versionHeader = "api-version";
const defaultRetryAfterSeconds = 5;
const longestShownPath = 200;

/** Answers a call in the version of the API that is spoken here; a caller that asks for another one is refused. */
export async function answer<C extends Call>(
  call: C,
  work: (call: C) => Promise<HttpResponseInit>,
): Promise<HttpResponseInit> {
  return withVersion(refusedVersion(call.request) ?? (await caught(call, work)));
}

/** Says which version of the API an answer speaks. */
export function withVersion(response: HttpResponseInit): HttpResponseInit {
  return { ...response, headers: { ...headersOf(response), [versionHeader]: API_VERSION } };
}

/** The same for a route with `{cluster}`: 404 when no such cluster is configured. */
export function answerForCluster(
  call: Call,
  work: (call: ClusterCall) => Promise<HttpResponseInit>,
): Promise<HttpResponseInit> {
  return answer(call, async () => {
    const cluster = call.request.params.cluster ?? "";
    const known = await call.ports.configs.clusters();
    if (!known.includes(cluster)) return unknownCluster(cluster);
    const printing = printingOf(call.ports, cluster);
    const response = await work({ ...call, cluster });
    return { ...response, headers: { ...headersOf(response), ...(await printing) } };
  });
}

/**
 * What the cluster's configuration says about printing goes along with every answer, so that `ccscale` needs no call for it.
 * It is read beside the work, and a configuration that cannot be read is the work's business.
 */
async function printingOf(
  { configs }: Pick<Ports, "configs">,
  cluster: string,
): Promise<Readonly<Record<string, string>>> {
  try {
    const printing = (await configs.load(cluster))?.printing;
    return printing === undefined ? {} : { [PRINTING_HEADER]: inAscii(JSON.stringify(printing)) };
  } catch {
    return {};
  }
}

/** JSON that may stand in a header. */
function inAscii(json: string): string {
  return json.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** 200 (or what `status` says) with a JSON body. */
export function json(body: unknown, options: { readonly status?: number } = {}): HttpResponseInit {
  return { ...options, headers: { "Cache-Control": "no-store" }, jsonBody: body };
}

/**
 * 200 with an ETag, or 304 when the caller has the same already (`If-None-Match`). When an answer was made is no part of
 * what it says: `atSeconds` does not count, and of `next`, which tells it too, only whether there is one.
 */
export function polled(
  request: HttpRequest,
  body: { readonly atSeconds: number; readonly next?: string | null },
): HttpResponseInit {
  const { atSeconds, next, ...rest } = body;
  // Once for both, the ETag and what is sent: some answers are of megabytes.
  const said = JSON.stringify(rest);
  const digest = createHash("sha256")
    .update(said)
    .update(`${next === null}`)
    .digest("base64url");
  const etag = `W/"${digest.slice(0, 27)}"`;
  const headers = { ETag: etag, "Cache-Control": "no-cache" };
  const known = request.headers.get("if-none-match")?.split(",") ?? [];
  const isKnown = known.some((each) => each.trim() === "*" || opaque(each) === opaque(etag));
  if (isKnown) return { status: 304, headers };
  const text = joined(JSON.stringify({ atSeconds, next }), said);
  return { headers: { ...headers, "Content-Type": "application/json" }, body: text };
}

/** One object's JSON of those of two, neither of which is empty. */
function joined(first: string, second: string): string {
  return `${first.slice(0, -1)},${second.slice(1)}`;
}

/** Weak comparison: `W/` makes no difference. */
function opaque(etag: string): string {
  return etag.trim().replace(/^W\//, "");
}

/** An answer that is no success, as RFC 9457 wants it. */
export function problem(
  kind: ProblemKind,
  status: number,
  words: Omit<Problem, "type" | "status">,
): HttpResponseInit {
  return refusedWith({ type: problemType(kind), status, ...words });
}

/** The same, of a problem that is told elsewhere too. */
export function refusedWith(body: Problem): HttpResponseInit {
  const { status, retryAfterSeconds } = body;
  // The header takes whole seconds, and nobody needs to know it better.
  const wait = retryAfterSeconds === undefined ? undefined : Math.max(1, Math.ceil(retryAfterSeconds));
  const headers = {
    "Content-Type": "application/problem+json",
    "Cache-Control": "no-store",
    ...(wait === undefined ? {} : { "Retry-After": String(wait) }),
  };
  return { status, headers, jsonBody: wait === undefined ? body : { ...body, retryAfterSeconds: wait } };
}

export function badRequest(title: string, problems: readonly string[], detail?: string): HttpResponseInit {
  return problem("bad-request", 400, { title, problems, ...(detail === undefined ? {} : { detail }) });
}

/** What was drawn up of a selection, or every reason why it cannot be made. */
export function ifSelected<T>(
  selected: Selected<T>,
  respond: (answer: T) => HttpResponseInit,
): HttpResponseInit {
  return selected.ok
    ? respond(selected.answer)
    : badRequest("The nodes cannot be selected", selected.problems);
}

export function notFound(title: string, detail?: string): HttpResponseInit {
  return problem("not-found", 404, { title, ...(detail === undefined ? {} : { detail }) });
}

/** A value that was checked, or the answer that says what is wrong with it. */
export type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly response: HttpResponseInit };

/** The body as JSON of that schema: 413 when it is larger than `mostBytes`, 400 with every problem when it is not. */
export async function readBody<S extends z.ZodType>(
  request: HttpRequest,
  schema: S,
  { mostBytes = 64 * 1024 }: { readonly mostBytes?: number } = {},
): Promise<Read<z.output<S>>> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  const bytes = declared > mostBytes ? undefined : Buffer.from(await request.arrayBuffer());
  if (bytes === undefined || bytes.byteLength > mostBytes) {
    const title = `Cannot read the body: ${bytes?.byteLength ?? declared} bytes, expected at most ${mostBytes}`;
    return { ok: false, response: problem("too-large", 413, { title }) };
  }
  const parsed = parseJson(bytes);
  return parsed === undefined
    ? {
        ok: false,
        response: badRequest("The body is not JSON", [
          `body: ${bytes.byteLength} bytes, expected JSON in UTF-8`,
        ]),
      }
    : checked(schema, parsed.json, `The body is not what ${callNamed(request)} takes`);
}

/** The same of a route that takes a body and no query. */
export async function readBodyAlone<S extends z.ZodType>(
  request: HttpRequest,
  schema: S,
  options: Parameters<typeof readBody>[2] = {},
): Promise<Read<z.output<S>>> {
  const refused = refusedQuery(request);
  return refused === undefined ? readBody(request, schema, options) : { ok: false, response: refused };
}

/** The query of that schema; a parameter that comes twice counts once, its last value. Unknown ones are refused. */
export function readQuery<S extends z.ZodObject>(request: HttpRequest, schema: S): Read<z.output<S>> {
  const given = Object.fromEntries(request.query);
  // The platform's own: a function key in the query.
  delete given.code;
  delete given.clientId;
  return checked(schema.strict(), given, `The query is not what ${callNamed(request)} takes`) as Read<
    z.output<S>
  >;
}

/** `POST /api/clusters/hpc/actions`. */
function callNamed({ method, url }: HttpRequest): string {
  const { pathname } = new URL(url);
  return `${method} ${pathname.length <= longestShownPath ? pathname : `${pathname.slice(0, longestShownPath)}…`}`;
}

const nothing = z.object({});

/** Of a route that takes no query: the answer to one that comes with parameters all the same. */
export function refusedQuery(request: HttpRequest): HttpResponseInit | undefined {
  const read = readQuery(request, nothing);
  return read.ok ? undefined : read.response;
}

function checked<S extends z.ZodType>(schema: S, value: unknown, title: string): Read<z.output<S>> {
  try {
    const parsed = schema.safeParse(value, { reportInput: true });
    if (parsed.success) return { ok: true, value: parsed.data };
    return { ok: false, response: badRequest(title, describeProblems(parsed.error)) };
  } catch (error) {
    // A body that is nested some thousand levels deep: the schema runs out of stack.
    if (!(error instanceof RangeError)) throw error;
    return { ok: false, response: badRequest(title, ["body: nested too deeply to be read"]) };
  }
}

function parseJson(bytes: Uint8Array): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) };
  } catch {
    return undefined;
  }
}

function refusedVersion(request: HttpRequest): HttpResponseInit | undefined {
  const wanted = request.headers.get(versionHeader);
  if (wanted === null || wanted.trim() === API_VERSION) return undefined;
  const problems = [`${versionHeader}: ${quoted(wanted)}, expected "${API_VERSION}"`];
  return badRequest("This version of the API is not spoken here", problems);
}

export function unknownCluster(cluster: string): HttpResponseInit {
  return refusedWith(refusals.unknownCluster(cluster));
}

/** What `work` answers; whatever it throws becomes a problem with the status of its kind. */
export async function caught<C extends Call>(
  call: C,
  work: (call: C) => Promise<HttpResponseInit>,
): Promise<HttpResponseInit> {
  try {
    return await work(call);
  } catch (error) {
    const { invocationId } = call;
    const response = problemOf(error, invocationId);
    const fields = { invocationId, status: response.status, kind: kindOf(error), message: messageOf(error) };
    if (response.status === 500) call.ports.log.error("http", fields);
    else call.ports.log.warn("http", fields);
    return response;
  }
}

/** What is thrown says to whom it matters: the operator (configuration), nobody but time (upstream, stale), or us. */
function problemOf(error: unknown, invocationId: string): HttpResponseInit {
  if (error instanceof ConfigurationError)
    return problem("configuration", 500, {
      title: "The configuration of the cluster cannot be used",
      detail: "Mend the configuration, then call again",
      problems: error.problems,
    });
  if (error instanceof UpstreamError) return upstreamProblem(error);
  switch (kindOf(error)) {
    case "conflict":
      return problem("conflict", 409, { title: messageOf(error), detail: "Look again, then try again" });
    case "stale-snapshot":
      return problem("stale-snapshot", 503, {
        title: messageOf(error),
        detail: "Nothing is said of a cluster that cannot be seen; the next snapshot mends it",
        retryAfterSeconds: 60,
      });
    default:
      // Its message may hold anything, so it goes to the log alone.
      return problem("internal", 500, {
        title: "Something unexpected happened",
        detail: "The log of this invocation tells more",
        invocationId,
      });
  }
}

function upstreamProblem({ message, retryable, retryAfterSeconds }: UpstreamError): HttpResponseInit {
  if (!retryable) return problem("upstream", 502, { title: message });
  return problem("upstream", 503, {
    title: message,
    retryAfterSeconds: retryAfterSeconds ?? defaultRetryAfterSeconds,
  });
}

function headersOf({ headers = {} }: HttpResponseInit): Record<string, string> {
  return Object.fromEntries(new Headers(headers as Record<string, string>));
}
