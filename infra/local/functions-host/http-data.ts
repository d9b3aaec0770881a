import type { HttpData, InvocationResponse, NullableString } from "./rpc.ts";
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
  const body = bodyBytes(http.body);
  if (statusesWithoutBody.includes(status)) return new Response(null, { status, headers });
  if (method !== "HEAD") return new Response(Buffer.from(body), { status, headers });
  if (!headers.has("content-length")) headers.set("content-length", String(body.length));
  return new Response(null, { status, headers });
}
