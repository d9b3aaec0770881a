import { generateCookie } from "hono/cookie";
import type { HttpCookie, HttpData, InvocationResponse, NullableString } from "./rpc.ts";
import { bodyBytes } from "./typed-data.ts";

/** Encodes a request for a function; the body of GET and HEAD is dropped, as the library would do with a warning. */
export async function toHttpData(
  request: Request,
  params: Readonly<Record<string, string>>,
): Promise<HttpData> {
  const { method, url } = request;
  const hasBody = method !== "GET" && method !== "HEAD";
  const bytes = hasBody ? new Uint8Array(await request.arrayBuffer()) : new Uint8Array();
  return {
    method,
    url,
    nullableHeaders: toNullable(request.headers),
    nullableQuery: toNullable(new URL(url).searchParams),
    nullableParams: toNullable(Object.entries(params)),
    ...(bytes.length === 0 ? {} : { body: { bytes } }),
  };
}

/** Azure joins the values of a name that comes more than once with a comma, in the query too. */
function toNullable(entries: Iterable<[string, string]>): Readonly<Record<string, NullableString>> {
  const joined = new Map<string, string>();
  for (const [name, value] of entries) {
    const before = joined.get(name);
    joined.set(name, before === undefined ? value : `${before},${value}`);
  }
  return Object.fromEntries([...joined].map(([name, value]) => [name, { value }]));
}

const statusesWithoutBody: readonly number[] = [204, 205, 304];

/** Decodes what an HTTP function returned; a function that returned nothing answers 204. */
export function toHttpResponse({ returnValue }: InvocationResponse, method: string): Response {
  const http = returnValue?.http;
  if (http === undefined) return new Response(null, { status: 204 });
  const status = Number(http.statusCode ?? 200);
  const headers = new Headers(http.headers);
  for (const cookie of http.cookies ?? []) headers.append("set-cookie", formatCookie(cookie));
  const body = bodyBytes(http.body);
  if (statusesWithoutBody.includes(status)) return new Response(null, { status, headers });
  if (method !== "HEAD") return new Response(Buffer.from(body), { status, headers });
  if (!headers.has("content-length")) headers.set("content-length", String(body.length));
  return new Response(null, { status, headers });
}

function formatCookie(cookie: HttpCookie): string {
  const { domain, path, expires, secure, httpOnly, sameSite, maxAge } = cookie;
  return generateCookie(cookie.name, cookie.value, {
    // Without a path the browser would take the folder of the URL.
    path: path?.value ?? "/",
    ...(domain?.value === undefined ? {} : { domain: domain.value }),
    ...(expires === undefined ? {} : { expires: new Date(expires.value.seconds * 1000) }),
    ...(maxAge === undefined ? {} : { maxAge: maxAge.value }),
    ...(secure === undefined ? {} : { secure: secure.value }),
    ...(httpOnly === undefined ? {} : { httpOnly: httpOnly.value }),
    ...(sameSite === undefined || sameSite === "none" ? {} : { sameSite: sameSiteNames[sameSite] }),
  });
}

const sameSiteNames = { lax: "Lax", strict: "Strict", explicitNone: "None" } as const;
