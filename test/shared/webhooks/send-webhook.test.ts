import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWebhooks, type WebhookOptions } from "../../../shared/webhooks/index.ts";
import { type ScriptedServer, startScriptedServer } from "../../support/scripted-server.ts";
import { noticeOf } from "./notice.ts";

let server: ScriptedServer;
let elsewhere: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
  elsewhere = await startScriptedServer();
});
afterAll(() => Promise.all([server.close(), elsewhere.close()]));

const secretPath = "/workflows/0123456789abcdef?sig=geheim-4711";
const destination = { urlSetting: "OPS_WEBHOOK", format: "json", kinds: ["stuck"] } as const;

function send(
  address: string | undefined = `${server.url}${secretPath}`,
  options: Partial<WebhookOptions> = {},
) {
  const addressIn = (setting: string) => (setting === "OPS_WEBHOOK" ? address : undefined);
  const webhooks = createWebhooks({ addressIn, maxRetries: 2, retryDelayInMs: 1, ...options });
  return webhooks.send(destination, noticeOf());
}

describe("sending to a webhook", () => {
  test.each([200, 202, 204])("HTTP %s: it arrived, once, as JSON", async (status) => {
    server.answer({ status });
    expect(await send()).toEqual({ ok: true });
    expect(server.calls).toHaveLength(1);
    const [call] = server.calls;
    expect(call).toMatchObject({ method: "POST", path: secretPath });
    expect(call?.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(call?.body ?? "")).toMatchObject({ version: 1, id: "i-1-begun", phase: "begun" });
  });

  test("a receiver that is busy is asked again, for as long as it says", async () => {
    server.answer({ status: 503 }, { status: 429, headers: { "Retry-After": "0" } }, { status: 200 });
    expect(await send()).toEqual({ ok: true });
    expect(server.calls).toHaveLength(3);
  });

  test.each([
    { status: 404, calls: 1 },
    { status: 400, calls: 1 },
    { status: 500, calls: 3 },
  ])("HTTP $status is a failure after $calls calls", async ({ status, calls }) => {
    server.answer({ status, body: `no such webhook ${secretPath}` });
    expect(await send()).toEqual({ ok: false, why: `HTTP ${status}, expected 2xx` });
    expect(server.calls).toHaveLength(calls);
  });

  test.each([301, 302, 307, 308])("HTTP %s is not followed", async (status) => {
    elsewhere.answer({ status: 200 });
    server.answer({ status, headers: { Location: `${elsewhere.url}/` } });
    expect(await send()).toEqual({ ok: false, why: `HTTP ${status}, expected 2xx` });
    expect(elsewhere.calls).toEqual([]);
  });

  test("an endless answer is not read", async () => {
    let isClosed = false;
    server.answer((response) => {
      response.writeHead(200).write("x".repeat(1_000_000));
      response.on("close", () => {
        isClosed = true;
      });
    });
    expect(await send()).toEqual({ ok: true });
    await expect.poll(() => isClosed, { timeout: 240_000 }).toBe(true);
  });

  test("a receiver that never answers is given up", async () => {
    server.answer(() => undefined);
    expect(await send(undefined, { timeoutMs: 50 })).toEqual({ ok: false, why: "no answer in time" });
  });

  test("a server that is not there is named by the kind of failure alone", async () => {
    const gone = await startScriptedServer();
    await gone.close();
    const outcome = await send(`${gone.url}${secretPath}`);
    expect(outcome).toEqual({ ok: false, why: "the server cannot be reached (ECONNREFUSED)" });
  });

  test.each([
    { name: "plain http", address: "http://receiver.example/geheim-4711" },
    { name: "no address", address: "geheim-4711" },
    { name: "a login in it", address: "https://me:geheim-4711@receiver.example/" },
    { name: "another scheme", address: "file:///geheim-4711" },
  ])("$name is not used, and not quoted", async ({ address }) => {
    const outcome = await send(address);
    expect(outcome).toEqual({
      ok: false,
      why: "app setting OPS_WEBHOOK holds no address that begins with https://",
    });
  });

  test("a setting that is missing is named", async () => {
    const webhooks = createWebhooks({ addressIn: () => undefined });
    expect(await webhooks.send(destination, noticeOf())).toEqual({
      ok: false,
      why: "app setting OPS_WEBHOOK is not set, expected the address of the webhook",
    });
  });
});
