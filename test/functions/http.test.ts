import { HttpRequest, HttpResponse, type HttpResponseInit } from "@azure/functions";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  answer,
  answerForCluster,
  type Call,
  json,
  polled,
  readBody,
  readQuery,
} from "../../functions/support/http.ts";
import { problemSchema } from "../../shared/api/index.ts";
import {
  ConfigurationError,
  ConflictError,
  InvariantError,
  StaleSnapshotError,
  UpstreamError,
} from "../../shared/errors.ts";
import type { MemoryConfigStore } from "../../shared/stores/in-memory/index.ts";
import { cluster, configOf, createWorld } from "../support/world.ts";

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

function callOf(fields: Parameters<typeof requestOf>[0] = {}): Call & { readonly log: readonly string[] } {
  const { ports, log } = createWorld();
  return { request: requestOf(fields), ports, invocationId: "i-1", log };
}

function headerOf(response: HttpResponseInit, name: string): string | null {
  return new Headers(response.headers as Record<string, string>).get(name);
}

describe("answer", () => {
  const thrown = (error: unknown) => answer(callOf(), () => Promise.reject(error));

  test.each([
    [new ConfigurationError("it", ["a: missing", "b: too small"]), 500, "configuration", null],
    [new UpstreamError("Cannot reach it", { retryable: true }), 503, "upstream", "5"],
    [
      new UpstreamError("Busy", { retryable: true, status: 429, retryAfterSeconds: 30.2 }),
      503,
      "upstream",
      "31",
    ],
    [new UpstreamError("Not allowed", { retryable: false, status: 403 }), 502, "upstream", null],
    [new ConflictError("demand"), 409, "conflict", null],
    [new StaleSnapshotError("hpc", { ageSeconds: 900, maxAgeSeconds: 300 }), 503, "stale-snapshot", "60"],
    [new InvariantError("AccountKey=abc"), 500, "internal", null],
    [new TypeError("AccountKey=abc"), 500, "internal", null],
    ["a text", 500, "internal", null],
  ])("%s is answered with %i, %s", async (error, status, kind, retryAfter) => {
    const response = await thrown(error);
    expect(response.status).toBe(status);
    expect(headerOf(response, "content-type")).toBe("application/problem+json");
    expect(headerOf(response, "retry-after")).toBe(retryAfter);
    const body = problemSchema.strict().parse(response.jsonBody);
    expect(body).toMatchObject({ status, type: `urn:cyclecloud-autoscale:problem:${kind}` });
    expect(JSON.stringify(body)).not.toContain("AccountKey");
  });

  test("everything that is wrong with a configuration is named", async () => {
    const response = await thrown(new ConfigurationError("it", ["a: missing", "b: too small"]));
    expect(response.jsonBody).toMatchObject({ problems: ["a: missing", "b: too small"] });
  });

  test("an unexpected error is in the log, under the invocation that the caller is told", async () => {
    const call = callOf();
    const response = await answer(call, () => Promise.reject(new TypeError("x is undefined")));
    expect(response.jsonBody).toMatchObject({ invocationId: "i-1" });
    expect(call.log).toEqual([expect.stringContaining("error http")]);
    expect(call.log[0]).toContain("x is undefined");
  });

  test.each([
    ["1", undefined],
    [" 1 ", undefined],
    ["2", 400],
    ["x".repeat(10_000), 400],
  ])("a caller that asks for version %j gets the status %j", async (version, status) => {
    const call = callOf({ headers: { "api-version": version } });
    const response = await answer(call, async () => json({}));
    expect(response.status).toBe(status);
    expect(headerOf(response, "api-version")).toBe("1");
    expect(JSON.stringify(response.jsonBody).length).toBeLessThan(500);
  });
});

describe("answerForCluster", () => {
  test("a configured cluster is handed on", async () => {
    const call = callOf({ params: { cluster } });
    const response = await answerForCluster(call, async (known) => json({ cluster: known.cluster }));
    expect(response.jsonBody).toEqual({ cluster });
  });

  test.each(["hcp", "", "__proto__", "x".repeat(10_000)])("of %j there is none: 404", async (name) => {
    const response = await answerForCluster(callOf({ params: { cluster: name } }), async () => json({}));
    expect(response).toMatchObject({
      status: 404,
      jsonBody: { type: "urn:cyclecloud-autoscale:problem:unknown-cluster" },
    });
  });
});

describe("what a configuration says about printing", () => {
  const told = async (printing?: Record<string, unknown>) => {
    const call = callOf({ params: { cluster } });
    const configs = call.ports.configs as unknown as MemoryConfigStore;
    configs.put({ ...configOf({}), ...(printing && { printing }) });
    const response = await answerForCluster(call, async () => json({}));
    return headerOf(response, "output-settings");
  };

  test("goes along with every answer about the cluster, in characters that a header may hold", async () => {
    const printing = { output_columns: { nodes: ["größe@vm_size", "名"] }, output_format: "csv" };
    const header = await told(printing);
    expect(header).toMatch(/^[ -~]+$/);
    expect(JSON.parse(header ?? "")).toEqual(printing);
    expect(await told()).toBeNull();
  });

  test("is left out where the configuration cannot be used", async () => {
    const call = callOf({ params: { cluster } });
    (call.ports.configs as unknown as MemoryConfigStore).putBroken(cluster, ["broken"]);
    const response = await answerForCluster(call, async () => json({}));
    expect(response.status).toBeUndefined();
    expect(headerOf(response, "output-settings")).toBeNull();
  });
});

describe("polled", () => {
  const etagOf = (body: Parameters<typeof polled>[1]) => headerOf(polled(requestOf({}), body), "etag");

  test("what was said is told by the ETag, when it was said is not", () => {
    const first = { atSeconds: 1, nodes: 3 };
    expect(etagOf({ ...first, atSeconds: 2 })).toBe(etagOf(first));
    expect(etagOf({ atSeconds: 1, nodes: 4 } as typeof first)).not.toBe(etagOf(first));
  });

  test.each([
    ["the same", (etag: string) => etag, 304],
    ["the same among others", (etag: string) => `"a", ${etag}`, 304],
    ["the same, strong", (etag: string) => etag.replace("W/", ""), 304],
    ["any", () => "*", 304],
    ["another", () => 'W/"a"', undefined],
  ])("a caller that has %s gets %3$j", async (_, headerFor, status) => {
    const body = { atSeconds: 1, nodes: 3 };
    const known = headerFor(etagOf(body) ?? "");
    const response = polled(requestOf({ headers: { "if-none-match": known } }), body);
    expect(response.status).toBe(status);
    expect(await new HttpResponse(response).text()).toBe(status === 304 ? "" : JSON.stringify(body));
    expect(headerOf(response, "etag")).toBe(etagOf(body));
  });

  test("what is sent is all of the answer, as JSON", async () => {
    const body = { cluster: 'h"p}c{', atSeconds: 1.5, nodes: [{ name: "é" }], next: "abc", total: null };
    const response = new HttpResponse(polled(requestOf({}), body));
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual(body);
  });

  test("the last page is another answer than one that goes on", () => {
    const page = { atSeconds: 1, nodes: [], next: "abc" };
    expect(etagOf({ ...page, next: "def" })).toBe(etagOf(page));
    expect(etagOf({ ...page, next: null })).not.toBe(etagOf(page));
  });
});

describe("readBody", () => {
  const schema = z.object({ count: z.int().min(1), names: z.array(z.string()) });

  test("what validates is read", async () => {
    const request = requestOf({ body: '{"count":1,"names":[]}' });
    expect(await readBody(request, schema)).toEqual({ ok: true, value: { count: 1, names: [] } });
  });

  test.each([
    ["is not JSON", "{", 400, "expected JSON"],
    ["is empty", "", 400, "expected JSON"],
    ["has a wrong value", '{"count":0,"names":[]}', 400, "count: 0"],
    ["lacks a value", '{"count":1}', 400, "names: "],
    ["is nested too deeply", `${"[".repeat(50_000)}${"]".repeat(50_000)}`, 413, undefined],
    ["is too long", `"${"x".repeat(70_000)}"`, 413, undefined],
  ])("a body that %s is refused with what was wanted", async (_, body, status, problem) => {
    const read = await readBody(requestOf({ body }), schema);
    if (read.ok) throw new Error("it was read");
    expect(read.response.status).toBe(status);
    if (problem !== undefined) expect(JSON.stringify(read.response.jsonBody)).toContain(problem);
  });

  test("a body that says to be longer than is read is not read", async () => {
    const request = requestOf({ body: "{}", headers: { "content-length": "1000000000" } });
    expect(await readBody(request, schema)).toMatchObject({ ok: false, response: { status: 413 } });
  });

  test("a body within the size that runs the schema out of stack is refused", async () => {
    const deep: z.ZodType = z.lazy(() => z.array(deep));
    const body = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    expect(await readBody(requestOf({ body }), deep)).toMatchObject({ ok: false, response: { status: 400 } });
  });
});

describe("readQuery", () => {
  const schema = z.object({
    limit: z.coerce.number().int().min(1).default(10),
    state: z.string().optional(),
  });

  test.each([
    [{}, { limit: 10 }],
    [
      { limit: "5", state: "Ready" },
      { limit: 5, state: "Ready" },
    ],
    [{ code: "function-key" }, { limit: 10 }],
  ])("%j is read as %j", (query, value) => {
    expect(readQuery(requestOf({ query }), schema)).toEqual({ ok: true, value });
  });

  test.each([{ limit: "0" }, { limit: "many" }, { limits: "5" }])("%j is refused", (query) => {
    expect(readQuery(requestOf({ query }), schema)).toMatchObject({ ok: false, response: { status: 400 } });
  });
});
