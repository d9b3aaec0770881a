import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { HttpRequest, HttpResponseInit } from "@azure/functions";
import { apiVersion, type Problem, quoted, type Route } from "../../shared/api/index.ts";
import { onceFor } from "../../shared/collections/once-for.ts";
import { parseJson } from "../../shared/json/json.ts";
import {
  excessOfJson,
  type JsonLimits,
  smallestLimits,
  tooManyBytes,
} from "../../shared/json/json-limits.ts";
import { readAtMost } from "../../shared/json/read-at-most.ts";
import { type Answered, badRequest, problem, type RawBody } from "../../shared/service/index.ts";

const versionHeader = "api-version";
const defaultBodyBytes = 64 * 1024;
const longestShownPath = 200;
const zip = promisify(gzip);

/** Says which version of the API an answer speaks. */
export function withVersion(response: HttpResponseInit): HttpResponseInit {
  return { ...response, headers: { ...headersOf(response), [versionHeader]: apiVersion } };
}

export function withHeaders(
  response: HttpResponseInit,
  headers: Readonly<Record<string, string>>,
): HttpResponseInit {
  return { ...response, headers: { ...headersOf(response), ...headers } };
}

/** The answer to a caller that asks for another version of the API; undefined: it asks for none or for this one. */
export function refusedVersion(request: HttpRequest): HttpResponseInit | undefined {
  const wanted = request.headers.get(versionHeader);
  if (wanted === null || wanted.trim() === apiVersion) return undefined;
  const problems = [`${versionHeader}: ${quoted(wanted)}, expected "${apiVersion}"`];
  return refusedWith(badRequest("This version of the API is not supported", problems).problem);
}

/** What a route answered, as HTTP has it: with an ETag where callers poll, packed where it is long. */
export async function toResponse(
  request: HttpRequest,
  route: Pick<Route, "polled">,
  answered: Answered<object>,
): Promise<HttpResponseInit> {
  if (!answered.ok) return refusedWith(answered.problem);
  const { answer, isAccepted, etag } = answered;
  if (route.polled) return polled(request, answer as Polled);
  const response = json(answer, isAccepted === true ? { status: 202 } : {});
  const whole = etag === undefined ? response : withHeaders(response, { ETag: etag });
  return unpacks(request) ? packed(whole, JSON.stringify(answer)) : whole;
}

/** 200 (or what `status` says) with a JSON body. */
export function json(body: unknown, options: { readonly status?: number } = {}): HttpResponseInit {
  return { ...options, headers: { "Cache-Control": "no-store" }, jsonBody: body };
}

interface Polled {
  readonly atSeconds: number;
  readonly next?: string | null;
}

/**
 * What is made of an answer once, however many poll it, since some are of megabytes. Only what is packed is kept: the text
 * goes to who asks first.
 */
interface Sent {
  readonly etag: string;
  text: string | undefined;
  zipped?: Promise<Buffer>;
}

const sent = onceFor(({ atSeconds, next, ...rest }: Polled): Sent => {
  const content = JSON.stringify(rest);
  const digest = createHash("sha256")
    .update(content)
    .update(`${next === null}`)
    .digest("base64url");
  // Joins the JSON of two objects, neither of them empty, into one object.
  const text = `${JSON.stringify({ atSeconds, next }).slice(0, -1)},${content.slice(1)}`;
  return { etag: `W/"${digest.slice(0, 27)}"`, text };
});

/**
 * 200 with an ETag, or 304 when the caller has the same already (`If-None-Match`). When an answer was made is no part of
 * its content: `atSeconds` does not count, and of `next`, which holds that time too, only whether there is one.
 */
async function polled(request: HttpRequest, body: Polled): Promise<HttpResponseInit> {
  const made = sent(body);
  const { etag, text } = made;
  made.text = undefined;
  const headers = { ETag: etag, "Cache-Control": "no-cache", Vary: "Accept-Encoding" };
  const etags = request.headers.get("if-none-match")?.split(",") ?? [];
  const isKnown = etags.some((each) => each.trim() === "*" || opaque(each) === opaque(etag));
  if (isKnown) return { status: 304, headers };
  const whole = { ...headers, "Content-Type": "application/json" };
  if (made.zipped === undefined || !unpacks(request)) {
    const plain = text ?? JSON.stringify(body);
    if (!unpacks(request) || plain.length < leastZipped) return { headers: whole, body: plain };
    made.zipped = zip(plain, fast);
  }
  return { headers: { ...whole, "Content-Encoding": "gzip" }, body: await made.zipped };
}

/** Shorter answers fit into a packet or a few. */
const leastZipped = 4_000;
/** 10,000 nodes take half of the usual time, and a tenth more bytes. */
const fast = { level: 3 };

/** Weak comparison: `W/` makes no difference. */
function opaque(etag: string): string {
  const text = etag.trim();
  return text.startsWith("W/") ? text.slice(2) : text;
}

/** 100,000 jobs as they are stored are 19 MB, and 0.7 MB packed. The platform packs nothing by itself. */
async function packed({ jsonBody, ...response }: HttpResponseInit, text: string): Promise<HttpResponseInit> {
  if (text.length < leastZipped) return { ...response, jsonBody };
  const headers = { "content-type": "application/json", "content-encoding": "gzip", vary: "Accept-Encoding" };
  return withHeaders({ ...response, body: await zip(text, fast) }, headers);
}

function unpacks({ headers }: HttpRequest): boolean {
  return /\bgzip\b/.test(headers.get("accept-encoding") ?? "");
}

/** An answer that is no success, as RFC 9457 wants it. */
export function refusedWith(body: Problem): HttpResponseInit {
  const { status, retryAfterSeconds } = body;
  // The header takes whole seconds.
  const wait = retryAfterSeconds === undefined ? undefined : Math.max(1, Math.ceil(retryAfterSeconds));
  const headers = {
    "Content-Type": "application/problem+json",
    "Cache-Control": "no-store",
    ...(wait === undefined ? {} : { "Retry-After": String(wait) }),
  };
  return { status, headers, jsonBody: wait === undefined ? body : { ...body, retryAfterSeconds: wait } };
}

/** How many bytes the caller says are in the body; without a length, as many as are read at most. */
export function declaredBytes(request: HttpRequest, mostBytes: number = defaultBodyBytes): number {
  const declared = Number(request.headers.get("content-length") ?? Number.NaN);
  return Number.isNaN(declared) ? mostBytes : declared;
}

/** The body as JSON: 413 when it is larger than `mostBytes` or takes too much memory, 400 when it is no JSON. */
export async function readBody(
  request: HttpRequest,
  mostBytes: number = defaultBodyBytes,
  limits: JsonLimits = smallestLimits,
): Promise<RawBody> {
  const most = { ...limits, bytes: Math.min(mostBytes, limits.bytes) };
  const declared = request.headers.get("content-length");
  const bytes = Number(declared ?? 0) > most.bytes ? undefined : await bytesOf(request, most.bytes);
  if (bytes === undefined) {
    const size = declared === null ? `more than ${most.bytes}` : declared;
    return tooLarge(tooManyBytes(size, most));
  }
  const excess = excessOfJson(bytes, most);
  if (excess !== undefined) return tooLarge(excess);
  try {
    return { ok: true, json: parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) };
  } catch {
    return badRequest("The body is not JSON", [`body: ${bytes.byteLength} bytes, expected JSON in UTF-8`]);
  }
}

/** Undefined as soon as there are more. */
async function bytesOf({ body }: HttpRequest, mostBytes: number): Promise<Buffer | undefined> {
  return body === null ? Buffer.alloc(0) : readAtMost(body as AsyncIterable<Uint8Array>, mostBytes);
}

function tooLarge(why: string): RawBody {
  return problem("too-large", 413, { title: `Cannot read the body: ${why}` });
}

/** A parameter that comes twice counts once, its last value. */
export function queryOf(request: HttpRequest): Readonly<Record<string, string>> {
  const given = Object.fromEntries(request.query);
  // The platform's own: a function key in the query.
  delete given.code;
  delete given.clientId;
  return given;
}

/** `POST /api/clusters/hpc/actions`. */
export function callNamed({ method, url }: HttpRequest): string {
  const { pathname } = new URL(url);
  return `${method} ${pathname.length <= longestShownPath ? pathname : `${pathname.slice(0, longestShownPath)}…`}`;
}

function headersOf({ headers = {} }: HttpResponseInit): Record<string, string> {
  return Object.fromEntries(new Headers(headers as Record<string, string>));
}
