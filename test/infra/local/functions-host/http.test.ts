import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FunctionsHost, start } from "../../../../infra/local/functions-host/host.ts";
import { Records } from "./records.ts";

const appDir = join(import.meta.dirname, "app");
const records = new Records();
let host: FunctionsHost;

beforeAll(async () => {
  host = await start({ appDir, logger: records.logger });
});
afterAll(() => host.stop());

function request(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${host.url}${path}`, init);
}

describe("app", () => {
  test("functions that cannot start are listed with the reason, and do not keep others from starting", () => {
    const problems = Object.fromEntries(host.functions.map(({ name, problem }) => [name, problem]));
    expect(problems["on-job"]).toContain('expected "JOB_QUEUE"');
    expect(problems["on-message"]).toContain('setting "Bus"');
    expect(problems["on-batch"]).toContain("cardinality");
    expect(problems["on-unsettled"]).toContain("autoCompleteMessages");
    expect(problems.files).toContain("{*path}");
    expect(problems.echo).toBeUndefined();
  });

  test("the list says what starts a function", () => {
    const triggers = Object.fromEntries(host.functions.map(({ name, trigger }) => [name, trigger]));
    expect(triggers).toMatchObject({
      echo: "GET,POST,HEAD /api/echo/{name}/{id}",
      yearly: "timer 0 0 0 1 1 *",
    });
  });
});

describe("HTTP", () => {
  test("a request arrives whole and the answer goes back whole", async () => {
    const response = await request("/api/echo/b%C3%B6b%20x%2Fy%25z/12?a=1&a=2&empty=", {
      method: "POST",
      headers: { "x-custom": "v" },
      body: "töxt",
    });
    expect(response.status).toBe(201);
    expect(response.headers.get("x-method")).toBe("POST");
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({
      url: `${host.url}/api/echo/b%C3%B6b%20x%2Fy%25z/12?a=1&a=2&empty=`,
      params: { name: "böb x/y%z", id: "12" },
      query: { a: "1,2", empty: "" },
      header: "v",
      body: "töxt",
      triggerMetadata: null,
    });
  });

  test("bytes go through untouched both ways", async () => {
    const body = Uint8Array.from({ length: 256 }, (_, index) => index);
    const response = await request("/api/bytes", { method: "PUT", body });
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(body.toReversed());
  });

  test("HEAD is answered with headers and no body", async () => {
    const response = await request("/api/echo/x/1", { method: "HEAD" });
    expect(response.status).toBe(201);
    expect(response.headers.get("x-method")).toBe("HEAD");
    expect(await response.text()).toBe("");
  });

  test.each([
    ["a literal route wins over a parameter", "GET", "/api/echo/x/all", 200],
    ["a slash at the end", "GET", "/api/echo/x/all/", 200],
    ["a function that returns nothing", "GET", "/api/nothing", 204],
    ["a function that throws", "GET", "/api/broken", 500],
    ["an unknown path", "GET", "/api/none", 404],
    ["a path without the prefix", "GET", "/echo/x", 404],
    ["another method", "DELETE", "/api/echo/x/1", 404],
    ["the root", "GET", "/", 200],
  ])("%s: %s %s is %d", async (_name, method, path, status) => {
    expect((await request(path, { method })).status).toBe(status);
  });

  test("an invocation past the functionTimeout is a logged failure", async () => {
    expect((await request("/api/stuck")).status).toBe(500);
    expect(records.entries.map(({ message }) => message)).toContainEqual(
      expect.stringContaining("functionTimeout"),
    );
  });
});

describe("admin", () => {
  const json = { "content-type": "application/json" };
  const run = (name: string, body: string, headers: Record<string, string> = json) =>
    request(`/admin/functions/${name}`, { method: "POST", headers, body });

  test("runs a timer by hand", async () => {
    expect((await run("yearly", '{"input": ""}')).status).toBe(202);
    await records.until(() => records.userLines("yearly").length > 0);
    expect(JSON.parse(records.userLines("yearly")[0] ?? "")).toEqual({
      input: { schedule: { adjustForDST: true }, scheduleStatus: null, isPastDue: false },
    });
  });

  test.each([
    ["as text", { "content-type": "text/plain" }],
    ["as a form", { "content-type": "application/x-www-form-urlencoded" }],
    ["as text that names JSON", { "content-type": "text/plain; application/json" }],
  ])("what any web page can send is not run: %s", async (_, headers) => {
    expect((await run("yearly", '{"input": ""}', headers)).status).toBe(415);
  });

  test.each([
    ["an unknown function", "none", "{}", 404],
    ["a function that did not start", "on-job", "{}", 404],
    ["an HTTP function", "echo", "{}", 400],
    ["no JSON", "yearly", "input", 400],
  ])("%s is refused", async (_name, name, body, status) => {
    expect((await run(name, body)).status).toBe(status);
  });
});

const event = {
  id: "e-1",
  topic: "/topics/t",
  subject: "/sites/s",
  eventType: "Microsoft.CycleCloud.NodeCreated",
  eventTime: "2026-11-21T10:00:00.000Z",
  dataVersion: "1",
  metadataVersion: "1",
  data: { clusterName: "hpc" },
};

function offer(type: string | undefined, body: unknown, query = "functionName=on-event") {
  return fetch(`${host.url}/runtime/webhooks/EventGrid?${query}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(type === undefined ? {} : { "aeg-event-type": type }),
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

describe("Event Grid", () => {
  test("the handshake of a new subscription is answered with its code", async () => {
    const data = { validationCode: "code-1", validationUrl: "https://example.com" };
    const eventType = "Microsoft.EventGrid.SubscriptionValidationEvent";
    const response = await offer("SubscriptionValidation", [{ ...event, eventType, data }]);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ validationResponse: "code-1" });
  });

  test("events arrive one by one, as they were sent, with their data as metadata", async () => {
    const response = await offer("Notification", [event, { ...event, id: "e-2" }]);
    expect(response.status).toBe(202);
    const lines = records.userLines("on-event").map((line) => JSON.parse(line));
    expect(lines).toHaveLength(2);
    expect(lines).toContainEqual(
      expect.objectContaining({ event, metadata: expect.objectContaining({ data: event.data }) }),
    );
  });

  test("one that fails makes Event Grid offer the list again", async () => {
    const broken = { ...event, data: { broken: true } };
    expect((await offer("Notification", [event, broken])).status).toBe(500);
  });

  test.each([
    ["the end of a subscription", "Unsubscribe", [], undefined, 202],
    ["no type", undefined, [event], undefined, 400],
    ["another type", "Else", [event], undefined, 400],
    ["no JSON", "Notification", "}{", undefined, 400],
    ["no events", "Notification", [7], undefined, 400],
    ["a handshake without a code", "SubscriptionValidation", [event], undefined, 400],
    ["another function", "Notification", [event], "functionName=echo", 404],
    ["no function", "Notification", [event], "", 404],
  ])("%s: %s is %d", async (_, type, body, query, status) => {
    expect((await offer(type, body, query)).status).toBe(status);
  });
});
