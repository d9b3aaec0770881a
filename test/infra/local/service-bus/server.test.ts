import { once } from "node:events";
import { connect } from "node:net";
import { ServiceBusClient } from "@azure/service-bus";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  readConfig,
  type ServiceBusEmulator,
  startServiceBus,
} from "../../../../infra/local/service-bus/index.ts";
import { clientOptions, configPath, pause, receiveOne, until } from "./contract/target.ts";

const config = readConfig(configPath);
let lines: string[];
let bus: ServiceBusEmulator;

beforeEach(async () => {
  lines = [];
  bus = await startServiceBus({ config, port: 0, log: (line) => lines.push(line) });
});
afterEach(() => bus.stop());

test("server: the connection string is all that the SDK needs, and 127.0.0.1 the only host", async () => {
  expect(bus.connectionString).toBe(
    `Endpoint=sb://127.0.0.1:${bus.port};SharedAccessKeyName=RootManageSharedAccessKey;` +
      "SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true;",
  );
});

test("server: a port that is taken is an error at the start", async () => {
  await expect(startServiceBus({ config, port: bus.port })).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test("server: whoever does not speak AMQP is shown out, and everybody else goes on", async () => {
  const client = new ServiceBusClient(bus.connectionString, clientOptions);
  const sender = client.createSender("contract-plain");
  await sender.sendMessages({ body: 1 });
  const stranger = connect(bus.port, "127.0.0.1");
  stranger.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  stranger.resume();
  await once(stranger, "close");
  await sender.sendMessages({ body: 2 });
  expect(lines.join()).toContain("Invalid protocol header for AMQP");
  await client.close();
});

test("server: stopping does not wait for clients that receive, subscribe or wait for a session", async () => {
  // Whoever waited for one of its waits would outlast this test.
  const retryOptions = { ...clientOptions.retryOptions, timeoutInMs: 3_600_000 };
  const client = new ServiceBusClient(bus.connectionString, { retryOptions });
  const errors: unknown[] = [];
  const seen: unknown[] = [];
  client.createReceiver("contract-plain").subscribe({
    processMessage: async ({ body }) => void seen.push(body),
    processError: async ({ error }) => void errors.push(error),
  });
  const sender = client.createSender("contract-plain");
  await sender.sendMessages({ body: "subscribed" });
  // Before the SDK is connected, closing it takes a minute, whatever the server does.
  await until(() => seen.includes("subscribed"));
  const waiting = client.acceptNextSession("contract-sessions").catch(() => "refused");
  await sender.sendMessages({ body: "waiting" });
  await until(() => seen.includes("waiting"));
  await pause(50);
  await bus.stop();
  await client.close();
  expect(await waiting).toBe("refused");
  expect(lines).toEqual([]);
  bus = await startServiceBus({ config, port: 0 });
});

test("server: two emulators in one process know nothing of each other", async () => {
  const other = await startServiceBus({ config, port: 0 });
  const clients = [bus, other].map((each) => new ServiceBusClient(each.connectionString, clientOptions));
  for (const [index, client] of clients.entries()) {
    await client.createSender("contract-plain").sendMessages({ body: index });
  }
  for (const [index, client] of clients.entries()) {
    expect((await receiveOne(client.createReceiver("contract-plain"))).body).toBe(index);
    await client.close();
  }
  await other.stop();
});
