import { gunzipSync } from "node:zlib";
import { HttpRequest, HttpResponse, type HttpResponseInit } from "@azure/functions";
import { describe, expect, test } from "vitest";
import { callNamed, declaredBytes, readBody, toResponse } from "../../functions/support/http-response.ts";
import { problemSchema } from "../../shared/api/index.ts";
import { jsonLimitsFor } from "../../shared/json/json-limits.ts";
import { problem } from "../../shared/service/index.ts";

function requestOf(fields: {
  readonly query?: Record<string, string>;
  readonly headers?: Record<string, string>;
  readonly params?: Record<string, string>;
  readonly body?: string;
}): HttpRequest {
  const { body, ...rest } = fields;
  const method = body === undefined ? "GET" : "POST";
  const url = "http://127.0.0.1/api/x";
  return new HttpRequest({ method, url, ...rest, ...(body === undefined ? {} : { body: { string: body } }) });
}

function headerOf(response: HttpResponseInit, name: string): string | null {
  return new Headers(response.headers as Record<string, string>).get(name);
}

describe("an answer that is polled", () => {
  const polled = (request: HttpRequest, answer: object) =>
    toResponse(request, { polled: true }, { ok: true, answer });
  const etagOf = async (body: { readonly atSeconds: number; readonly next?: string | null }) =>
    headerOf(await polled(requestOf({}), body), "etag");

  test("the ETag depends on the content and not on when it was made", async () => {
    const first = { atSeconds: 1, nodes: 3 };
    expect(await etagOf({ ...first, atSeconds: 2 })).toBe(await etagOf(first));
    expect(await etagOf({ atSeconds: 1, nodes: 4 } as typeof first)).not.toBe(await etagOf(first));
  });

  test.each([
    ["the same", (etag: string) => etag, 304],
    ["the same among others", (etag: string) => `"a", ${etag}`, 304],
    ["the same, strong", (etag: string) => etag.replace("W/", ""), 304],
    ["any", () => "*", 304],
    ["another", () => 'W/"a"', undefined],
  ])("a caller that has %s gets %3$j", async (_, headerFor, status) => {
    const body = { atSeconds: 1, nodes: 3 };
    const known = headerFor((await etagOf(body)) ?? "");
    const response = await polled(requestOf({ headers: { "if-none-match": known } }), body);
    expect(response.status).toBe(status);
    expect(await new HttpResponse(response).text()).toBe(status === 304 ? "" : JSON.stringify(body));
    expect(headerOf(response, "etag")).toBe(await etagOf(body));
  });

  test("what is sent is all of the answer, as JSON", async () => {
    const body = { cluster: 'h"p}c{', atSeconds: 1.5, nodes: [{ name: "é" }], next: "abc", total: null };
    const response = new HttpResponse(await polled(requestOf({}), body));
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual(body);
  });

  test("a long one is packed for callers that can unpack it, and has the same ETag", async () => {
    const body = {
      atSeconds: 1,
      nodes: Array.from({ length: 1_000 }, (_, index) => ({ name: `htc-${index}` })),
    };
    const plain = await polled(requestOf({}), body);
    const packed = await polled(requestOf({ headers: { "accept-encoding": "br, gzip" } }), body);
    expect(headerOf(plain, "content-encoding")).toBeNull();
    expect(headerOf(packed, "content-encoding")).toBe("gzip");
    expect(headerOf(packed, "vary")).toBe("Accept-Encoding");
    expect(JSON.parse(gunzipSync(packed.body as Buffer).toString())).toEqual(body);
    expect(headerOf(packed, "etag")).toBe(headerOf(plain, "etag"));
    const short = await polled(requestOf({ headers: { "accept-encoding": "gzip" } }), { atSeconds: 1 });
    expect(headerOf(short, "content-encoding")).toBeNull();
  });

  test.each([
    [3_999, null],
    [4_000, "gzip"],
  ])("one of %d characters is packed: %j, polled or not", async (length, encoding) => {
    const body = { atSeconds: 1, text: "" };
    const long = { ...body, text: "x".repeat(length - JSON.stringify(body).length) };
    const request = requestOf({ headers: { "accept-encoding": "gzip" } });
    expect(headerOf(await polled(request, long), "content-encoding")).toBe(encoding);
    const once = await toResponse(request, {}, { ok: true, answer: long });
    expect(headerOf(once, "content-encoding")).toBe(encoding);
    if (encoding !== null) expect(JSON.parse(gunzipSync(once.body as Buffer).toString())).toEqual(long);
    else expect(once.jsonBody).toEqual(long);
  });

  test("the last page is another answer than one that goes on", async () => {
    const page = { atSeconds: 1, nodes: [], next: "abc" };
    expect(await etagOf({ ...page, next: "def" })).toBe(await etagOf(page));
    expect(await etagOf({ ...page, next: null })).not.toBe(await etagOf(page));
  });
});

describe("an answer that is no success", () => {
  test.each([
    [30.2, "31"],
    [0.2, "1"],
    [undefined, null],
  ])("a wait of %j seconds becomes Retry-After %j", async (retryAfterSeconds, header) => {
    const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    const response = await toResponse(requestOf({}), {}, problem("busy", 503, { title: "Busy", ...wait }));
    expect(response.status).toBe(503);
    expect(headerOf(response, "content-type")).toBe("application/problem+json");
    expect(headerOf(response, "retry-after")).toBe(header);
    expect(problemSchema.strict().parse(response.jsonBody).title).toBe("Busy");
  });
});

test.each([200, 201])("a call is named by its method and %d characters of its path", (length) => {
  const path = `/${"x".repeat(length - 1)}`;
  const request = new HttpRequest({ method: "GET", url: `http://127.0.0.1${path}?code=a` });
  expect(callNamed(request)).toBe(`GET ${path.slice(0, 200)}${length > 200 ? "…" : ""}`);
});

describe("readBody", () => {
  test("what is JSON is read", async () => {
    expect(await readBody(requestOf({ body: '{"count":1}' }))).toEqual({ ok: true, json: { count: 1 } });
  });

  test("one of 64 KiB is read, as many bytes as one without a length may have", async () => {
    const text = "x".repeat(64 * 1024 - 2);
    expect(await readBody(requestOf({ body: JSON.stringify(text) }))).toEqual({ ok: true, json: text });
    expect(declaredBytes(requestOf({ body: "{}" }))).toBe(64 * 1024);
    expect(declaredBytes(requestOf({ headers: { "content-length": "7" } }))).toBe(7);
  });

  test.each([
    ["is not JSON", "{", 400],
    ["is empty", "", 400],
    ["has a byte more than 64 KiB", `"${"x".repeat(64 * 1024 - 1)}"`, 413],
    ["is nested too deeply", `${"[".repeat(50_000)}${"]".repeat(50_000)}`, 413],
    ["is too long", `"${"x".repeat(70_000)}"`, 413],
  ])("a body that %s is refused", async (_, body, status) => {
    expect(await readBody(requestOf({ body }))).toMatchObject({ ok: false, problem: { status } });
  });

  test("a request without a body has one of 0 bytes, which is no JSON", async () => {
    const request = { headers: new Headers(), body: null } as unknown as HttpRequest;
    expect(await readBody(request)).toMatchObject({
      problem: { status: 400, problems: ["body: 0 bytes, expected JSON in UTF-8"] },
    });
  });

  test("a body of few bytes and too many values for the memory is refused before it is parsed", async () => {
    const body = `[${"{},".repeat(60_000)}{}]`;
    const limits = jsonLimitsFor(16 * 1024 * 1024);
    expect(await readBody(requestOf({ body }), 1024 * 1024, limits)).toMatchObject({
      problem: {
        status: 413,
        title: expect.stringMatching(
          /more than 100000 values, the most that 16 MiB of memory take: send less/,
        ),
      },
    });
  });

  test("a body without a length is read no further than is allowed", async () => {
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(1_000));
      },
    });
    const request = { headers: new Headers(), body } as unknown as HttpRequest;
    expect(await readBody(request, 10_000)).toMatchObject({
      problem: { status: 413, title: expect.stringContaining("more than 10000 bytes") },
    });
    expect(pulled).toBeLessThan(20);
  });

  test("a body that declares to be longer than is read is not read", async () => {
    const request = requestOf({ body: "{}", headers: { "content-length": "1000000000" } });
    expect(await readBody(request)).toMatchObject({ ok: false, problem: { status: 413 } });
  });
});
