import { join } from "node:path";
import { ServiceBusClient, type ServiceBusMessage } from "@azure/service-bus";
import { describe, expect, onTestFinished, test } from "vitest";
import { start } from "../../../../infra/local/functions-host/host.ts";
import { parseConfig, startServiceBus } from "../../../../infra/local/service-bus/index.ts";
import { ownFolder } from "../../../support/own-folder.ts";
import { undisturbed } from "../../../support/undisturbed.ts";
import { Records } from "./records.ts";

const appDir = join(import.meta.dirname, "app");
const config = parseConfig(
  JSON.stringify({
    UserConfig: {
      Namespaces: [
        {
          Queues: [
            { Name: "plain", Properties: { LockDuration: "PT1S", MaxDeliveryCount: 3 } },
            {
              Name: "sessions",
              Properties: { LockDuration: "PT1S", MaxDeliveryCount: 3, RequiresSession: true },
            },
          ],
        },
      ],
    },
  }),
);

/** A broker and a host on it, both gone after the test. */
async function startWorld(settings: Readonly<Record<string, string>> = {}) {
  const dataFile = ownFolder(onTestFinished)("bus.jsonl");
  const bus = await startServiceBus({ config, port: 0, dataFile });
  const records = new Records();
  const { logger } = records;
  const options = { appDir, logger };
  const host = await start({ ...options, settings: { Bus: bus.connectionString, ...settings } });
  const client = new ServiceBusClient(bus.connectionString, { retryOptions: { maxRetries: 0 } });
  const world = { bus, client, host, records, dataFile };
  onTestFinished(async () => {
    await client.close();
    await host.stop();
    await world.bus.stop();
  });
  return world;
}

async function send(client: ServiceBusClient, queue: string, messages: ServiceBusMessage[]): Promise<void> {
  const sender = client.createSender(queue);
  await sender.sendMessages(messages);
  await sender.close();
}

const inputs = (records: Records, name: string) =>
  records.userLines(name).map((line) => JSON.parse(line).input);

describe("Service Bus", () => {
  test("a message arrives parsed, with metadata, and is completed after a good run", async () => {
    const { client, records } = await startWorld();
    await send(client, "plain", [
      {
        body: { cluster: "c" },
        messageId: "m-1",
        subject: "plan",
        applicationProperties: { reason: "idle" },
      },
    ]);
    await records.until(() => records.outcomes("on-message").length === 1);
    const { input, metadata } = JSON.parse(records.userLines("on-message")[0] ?? "");
    expect(input).toEqual({ cluster: "c" });
    expect(metadata).toMatchObject({
      messageId: "m-1",
      subject: "plan",
      label: "plan",
      deliveryCount: 1,
      sequenceNumber: expect.any(Number),
      lockToken: expect.any(String),
      enqueuedTimeUtc: expect.stringMatching(/Z$/),
      applicationProperties: { reason: "idle" },
      userProperties: { reason: "idle" },
    });
    const receiver = client.createReceiver("plain");
    await expect.poll(() => receiver.peekMessages(1)).toEqual([]);
  });

  test("a failed message is delivered again and dead-lettered in the end; its neighbours are not touched", async () => {
    const { client, records } = await startWorld();
    const bodies = [{ n: 1 }, { n: 2, failures: 99 }, { n: 3 }, { n: 4, failures: 1 }];
    await send(
      client,
      "plain",
      bodies.map((body) => ({ body })),
    );
    await records.until(() => records.outcomes("on-message").length === 7);
    const counts = inputs(records, "on-message").map(({ n }) => n);
    expect(counts.toSorted()).toEqual([1, 2, 2, 2, 3, 4, 4]);
    const dead = client.createReceiver("plain", { subQueueType: "deadLetter" });
    await expect.poll(async () => (await dead.peekMessages(9)).map(({ body }) => body.n)).toEqual([2]);
    const alive = client.createReceiver("plain");
    expect(await alive.peekMessages(9)).toEqual([]);
  });

  test("the lock of a message is kept while its function runs", () =>
    undisturbed(async () => {
      const { client, records } = await startWorld({ AzureFunctionsJobHost__functionTimeout: "00:01:00" });
      await send(client, "plain", [{ body: { sleepMs: 2500 } }]);
      await records.until(() => records.outcomes("on-message").length === 1);
      const receiver = client.createReceiver("plain");
      await expect.poll(() => receiver.peekMessages(1)).toEqual([]);
      expect(records.userLines("on-message")).toHaveLength(1);
    }));
});

describe("Service Bus sessions", () => {
  test("messages of one session run one after another in order, sessions run beside each other", async () => {
    const { client, records } = await startWorld();
    const messages = [1, 2, 3].flatMap((n) =>
      ["a", "b"].map((sessionId) => ({ sessionId, body: { n, sessionId, sleepMs: 100 } })),
    );
    await send(client, "sessions", messages);
    await records.until(() => records.outcomes("on-session").length === 6);
    const orderOf = (id: string) =>
      inputs(records, "on-session")
        .filter(({ sessionId }) => sessionId === id)
        .map(({ n }) => n);
    expect([orderOf("a"), orderOf("b")]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    const lines = records.entries
      .filter(({ functionName }) => functionName === "on-session")
      .map(({ message }) => message);
    // Both first messages were begun before either had ended.
    expect(lines.slice(0, 2).every((line) => line.startsWith("{"))).toBe(true);
    expect(JSON.parse(records.userLines("on-session")[0] ?? "").metadata.sessionId).toMatch(/[ab]/);
  });

  test("a failed message is tried again before the next of its session, then dead-lettered", async () => {
    const { client, records } = await startWorld();
    await send(client, "sessions", [
      { sessionId: "a", body: { n: 1, failures: 99 } },
      { sessionId: "a", body: { n: 2 } },
    ]);
    await records.until(() => records.outcomes("on-session").length === 4);
    expect(inputs(records, "on-session").map(({ n }) => n)).toEqual([1, 1, 1, 2]);
    const dead = client.createReceiver("sessions", { subQueueType: "deadLetter" });
    expect((await dead.peekMessages(9)).map(({ body }) => body.n)).toEqual([1]);
  });

  test("an idle session is let go of, so that others get a turn, and can come back", async () => {
    const setting = "AzureFunctionsJobHost__extensions__serviceBus__maxConcurrentSessions";
    const { client, records } = await startWorld({ [setting]: "1" });
    const all = ["a", "b", "c"];
    await send(
      client,
      "sessions",
      all.map((sessionId) => ({ sessionId, body: {} })),
    );
    await records.until(() => records.outcomes("on-session").length === 3);
    await send(client, "sessions", [{ sessionId: "a", body: {} }]);
    await records.until(() => records.outcomes("on-session").length === 4);
  });

  test("a session is kept while its function runs longer than the lock", () =>
    undisturbed(async () => {
      const { client, records } = await startWorld({ AzureFunctionsJobHost__functionTimeout: "00:01:00" });
      await send(client, "sessions", [
        { sessionId: "a", body: { n: 1, sleepMs: 2500 } },
        { sessionId: "a", body: { n: 2 } },
      ]);
      await records.until(() => records.outcomes("on-session").length === 2);
      expect(inputs(records, "on-session").map(({ n }) => n)).toEqual([1, 2]);
    }));
});

describe("Service Bus connection", () => {
  test("a broker that went away is found again, with and without sessions", async () => {
    const world = await startWorld();
    const { client, records, dataFile, bus } = world;
    await send(client, "plain", [{ body: {} }]);
    await send(client, "sessions", [{ sessionId: "a", body: {} }]);
    await records.until(
      () => records.outcomes("on-message").length + records.outcomes("on-session").length === 2,
    );
    await bus.stop();
    await records.until(() => records.entries.some(({ message }) => message.includes("ECONNREFUSED")));
    world.bus = await startServiceBus({ config, port: bus.port, dataFile });
    await send(client, "plain", [{ body: {} }]);
    await send(client, "sessions", [{ sessionId: "a", body: {} }]);
    await records.until(
      () => records.outcomes("on-message").length + records.outcomes("on-session").length === 4,
    );
  });

  test("what was in work when the broker went away is delivered again", async () => {
    const world = await startWorld({ AzureFunctionsJobHost__functionTimeout: "00:01:00" });
    const { client, records, dataFile, bus } = world;
    await send(client, "plain", [{ body: { sleepMs: 400 } }]);
    await send(client, "sessions", [{ sessionId: "a", body: { sleepMs: 400 } }]);
    const begun = () => records.userLines("on-message").length + records.userLines("on-session").length;
    await records.until(() => begun() === 2);
    await bus.stop();
    world.bus = await startServiceBus({ config, port: bus.port, dataFile });
    await records.until(() => begun() === 4);
    const peeks = ["plain", "sessions"].map((queue) => client.createReceiver(queue));
    await expect.poll(() => Promise.all(peeks.map((peek) => peek.peekMessages(1)))).toEqual([[], []]);
  });

  test("a stop does not wait for the next session", async () => {
    // Whoever waited for it would outlast this test.
    const tryTimeout = "AzureFunctionsJobHost__extensions__serviceBus__clientRetryOptions__tryTimeout";
    const { host } = await startWorld({ [tryTimeout]: "01:00:00" });
    await host.stop();
  });
});
