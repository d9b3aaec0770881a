import { HttpRequest, type HttpResponseInit, InvocationContext } from "@azure/functions";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { MemoryConfigStore } from "../../shared/stores/in-memory/index.ts";
import { served, service } from "../fuzz/served-world.ts";
import { handlerOf } from "../support/http-handlers.ts";
import { cluster, configOf } from "../support/world.ts";

beforeEach(() => served.renew());

const invocation = () => new InvocationContext({ invocationId: "i-1", logHandler: () => {} });

function clusters(headers: Record<string, string> = {}, name?: string): Promise<HttpResponseInit> {
  const params = name === undefined ? {} : { cluster: name };
  const request = new HttpRequest({ method: "GET", url: "http://127.0.0.1/api/x", params, headers });
  return handlerOf(name === undefined ? "clusters" : "rejects")(request, invocation());
}

function headerOf(response: HttpResponseInit, name: string): string | null {
  return new Headers(response.headers as Record<string, string>).get(name);
}

describe("the version of the API", () => {
  test.each([
    ["1", undefined],
    [" 1 ", undefined],
    ["2", 400],
    ["x".repeat(10_000), 400],
  ])("a caller that asks for version %j gets the status %j", async (version, status) => {
    const response = await clusters({ "api-version": version });
    expect(response.status).toBe(status);
    expect(headerOf(response, "api-version")).toBe("1");
    expect(JSON.stringify(response.jsonBody ?? null).length).toBeLessThan(500);
  });
});

test.each([
  [1024 * 1024, 202],
  [1024 * 1024 + 1, 503],
])(
  "while many large bodies wait, one that says that it has %i bytes gets the status %i",
  async (bytes, status) => {
    const held = Promise.withResolvers<void>();
    const waiting = Array.from({ length: 40 }, () => service.largeBodies.take("large", () => held.promise));
    const request = new HttpRequest({
      method: "POST",
      url: "http://127.0.0.1/api/x",
      params: { cluster },
      headers: { "content-type": "application/json", "content-length": `${bytes}` },
      body: {
        string: JSON.stringify({
          kind: "snapshot",
          source: "pbs",
          sequence: 3,
          sentAt: "2026-11-21T10:00:00Z",
          jobs: [],
        }),
      },
    });
    const response = await handlerOf("post-demand")(request, invocation());
    held.resolve();
    await Promise.all(waiting);
    expect(response.status).toBe(status);
  },
);

describe("what is thrown", () => {
  test("an unexpected error is in the log, under the invocation that the caller is told", async () => {
    const { ports, log } = served.world;
    onTestFinished(() => void vi.restoreAllMocks());
    vi.spyOn(ports.configs, "clusters").mockRejectedValue(new TypeError("x is undefined"));
    const response = await clusters({}, cluster);
    expect(response).toMatchObject({ status: 500, jsonBody: { invocationId: "i-1" } });
    expect(log.filter((line) => line.startsWith("error http"))).toEqual([
      expect.stringContaining("x is undefined"),
    ]);
  });
});

describe("what a configuration says about printing", () => {
  const configs = () => served.world.ports.configs as unknown as MemoryConfigStore;
  const settings = async (printing?: Record<string, unknown>) => {
    configs().put({ ...configOf({}), ...(printing && { printing }) });
    return headerOf(await clusters({}, cluster), "output-settings");
  };

  test("goes along with every answer about the cluster, in characters that a header may hold", async () => {
    const printing = { output_columns: { nodes: ["größe@vm_size", "名"] }, output_format: "csv" };
    const header = await settings(printing);
    expect(header).toMatch(/^[ -~]+$/);
    expect(JSON.parse(header ?? "")).toEqual(printing);
    expect(await settings()).toBeNull();
  });

  test("is left out where the configuration cannot be used", async () => {
    configs().delete(cluster);
    configs().putBroken(cluster, ["broken"]);
    const response = await clusters({}, cluster);
    expect(response.status).toBeUndefined();
    expect(headerOf(response, "output-settings")).toBeNull();
  });
});
