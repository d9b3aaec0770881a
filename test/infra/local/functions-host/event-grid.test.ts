import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FunctionsHost, start } from "../../../../infra/local/functions-host/host.ts";
import { Records } from "./records.ts";

const appDir = join(import.meta.dirname, "app");
const stateDir = mkdtempSync(join(tmpdir(), "functions-host-"));
const records = new Records();
let host: FunctionsHost;

beforeAll(async () => {
  host = await start({ appDir, stateDir, logger: records.logger });
});
afterAll(async () => {
  await host.stop();
  rmSync(stateDir, { recursive: true });
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

function post(type: string | undefined, body: unknown, query = "functionName=on-event") {
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
    const response = await post("SubscriptionValidation", [{ ...event, eventType, data }]);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ validationResponse: "code-1" });
  });

  test("events arrive one by one, as they were sent, with their data as metadata", async () => {
    const response = await post("Notification", [event, { ...event, id: "e-2" }]);
    expect(response.status).toBe(202);
    const lines = records.userLines("on-event").map((line) => JSON.parse(line));
    expect(lines).toHaveLength(2);
    expect(lines).toContainEqual(
      expect.objectContaining({ event, metadata: expect.objectContaining({ data: event.data }) }),
    );
  });

  test("one that fails makes Event Grid offer the list again", async () => {
    const broken = { ...event, data: { broken: true } };
    expect((await post("Notification", [event, broken])).status).toBe(500);
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
    expect((await post(type, body, query)).status).toBe(status);
  });
});
