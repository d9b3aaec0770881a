import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { ServiceBusClient } from "@azure/service-bus";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ownFolder } from "../../../support/own-folder.ts";
import { clientOptions, configPath, pause, receive, receiveOne, until } from "./contract/target.ts";

const cli = new URL("../../../../infra/local/service-bus/cli.ts", import.meta.url).pathname;
const holder = new URL("hold-session.ts", import.meta.url).pathname;

// Waits end when nothing moves; this only ends a test that hangs in the SDK.
vi.setConfig({ testTimeout: 400_000 });

const folder = ownFolder(afterEach);
let config: string;
let dataFile: string;
let children: ChildProcess[];
let clients: ServiceBusClient[];

beforeEach(() => {
  dataFile = folder("bus.jsonl");
  config = folder("Config.json");
  // Long enough that no lock runs out while a busy machine is at something else; a message that was delivered to a link that
  // the client had given up comes again after that.
  writeFileSync(config, readFileSync(configPath, "utf8").replaceAll('"PT5S"', '"PT30S"'));
  children = [];
  clients = [];
});

afterEach(async () => {
  for (const client of clients) await client.close();
  for (const child of children) await kill(child);
});

/** Runs a script of this project and gives its first line of output. */
async function start(script: string, ...options: string[]) {
  const child = spawn(process.execPath, [script, ...options], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return { child, line: String(line) };
}

async function startBus(port = 0) {
  const { child, line } = await start(cli, "--config", config, "--port", `${port}`, "--data", dataFile);
  return { child, connectionString: line, port: Number(/127\.0\.0\.1:(\d+)/.exec(line)?.[1]) };
}

function connect(connectionString: string): ServiceBusClient {
  const client = new ServiceBusClient(connectionString, clientOptions);
  clients.push(client);
  return client;
}

async function kill(child: ChildProcess, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
}

describe("kill -9 and restart on the same port", () => {
  test("restart: messages, counts, schedules, duplicates, sessions and dead letters are all there", async () => {
    const bus = await startBus();
    const before = connect(bus.connectionString);
    const plain = before.createSender("contract-plain");
    await plain.sendMessages([
      { body: "done" },
      { body: "failed once" },
      { body: "locked" },
      { body: "bad" },
    ]);
    await plain.scheduleMessages({ body: "scheduled" }, new Date(Date.now() + 2000));
    await before.createSender("contract-unique").sendMessages({ body: 1, messageId: "once" });
    await before.createSender("contract-sessions").sendMessages({ body: "in session", sessionId: "s" });
    await before.acceptSession("contract-sessions", "s");
    const receiver = before.createReceiver("contract-plain");
    const [done, failed, , bad] = await receive(receiver, 4);
    if (done === undefined || failed === undefined || bad === undefined)
      throw new Error("Expected four messages");
    await receiver.completeMessage(done);
    await receiver.abandonMessage(failed);
    await receiver.deadLetterMessage(bad, { deadLetterReason: "r", deadLetterErrorDescription: "d" });

    await kill(bus.child);
    const after = connect((await startBus(bus.port)).connectionString);

    const again = await receive(after.createReceiver("contract-plain"), 3);
    expect(again.map(({ body, deliveryCount }) => [body, deliveryCount])).toEqual([
      ["failed once", 1],
      ["locked", 0],
      ["scheduled", 0],
    ]);
    const dead = await receiveOne(after.createReceiver("contract-plain", { subQueueType: "deadLetter" }));
    expect([dead.body, dead.deadLetterReason]).toEqual(["bad", "r"]);
    await after.createSender("contract-unique").sendMessages({ body: 2, messageId: "once" });
    const unique = await after.createReceiver("contract-unique").peekMessages(5);
    expect(unique.map(({ body }) => body)).toEqual([1]);
    const free = await after.acceptSession("contract-sessions", "s");
    expect((await receiveOne(free)).body).toBe("in session");
  });

  test("restart: every message whose sending was confirmed survives a kill in the middle of sending", async () => {
    const bus = await startBus();
    const sender = connect(bus.connectionString).createSender("contract-plain");
    const confirmed: number[] = [];
    let sent = 0;
    let isKilled = false;
    // Sends without end, so that the kill comes in the middle of some. Those that were never answered end when the client
    // is closed; nothing is promised about them.
    const sendOn = async () => {
      while (!isKilled) {
        const body = sent++;
        await sender.sendMessages({ body });
        confirmed.push(body);
      }
    };
    for (let lines = 0; lines < 500; lines++) sendOn().catch(() => {});
    await until(
      () => confirmed.length > 200,
      () => confirmed.length,
    );
    await kill(bus.child);
    isKilled = true;
    const after = connect((await startBus(bus.port)).connectionString).createReceiver("contract-plain");
    const kept = new Set<number>();
    for (let seen = await after.peekMessages(500); seen.length > 0; seen = await after.peekMessages(500)) {
      for (const { body } of seen) kept.add(body);
    }
    expect(confirmed.length).toBeLessThan(sent);
    expect(confirmed.filter((body) => !kept.has(body))).toEqual([]);
  });

  test("restart: a client from before goes on working, and a subscription comes back by itself", async () => {
    const bus = await startBus();
    const client = connect(bus.connectionString);
    const sender = client.createSender("contract-plain");
    const seen: unknown[] = [];
    client.createReceiver("contract-plain").subscribe({
      processMessage: async ({ body }) => void seen.push(body),
      processError: async () => {},
    });
    await sender.sendMessages({ body: "before" });
    await until(() => seen.length === 1);
    // Settled too: else it would rightly come once more.
    while ((await client.createReceiver("contract-plain").peekMessages(1)).length > 0) await pause(50);
    await kill(bus.child);
    await startBus(bus.port);
    await sender.sendMessages({ body: "after" }).catch(() => sender.sendMessages({ body: "after" }));
    await until(() => seen.includes("after"));
    expect(new Set(seen)).toEqual(new Set(["before", "after"]));
  });
});

test("restart: SIGTERM closes connections and ends the process by itself", async () => {
  const bus = await startBus();
  await connect(bus.connectionString).createSender("contract-plain").sendMessages({ body: 1 });
  await kill(bus.child, "SIGTERM");
  expect([bus.child.exitCode, bus.child.signalCode]).toEqual([0, null]);
});

test("restart: the session of a client that was killed is free at once, its messages uncounted", async () => {
  const bus = await startBus();
  const client = connect(bus.connectionString);
  await client.createSender("contract-sessions").sendMessages({ body: "x", sessionId: "s" });
  const { child, line } = await start(holder, bus.connectionString);
  expect(line).toBe("holding s");
  await expect(client.acceptSession("contract-sessions", "s")).rejects.toMatchObject({
    code: "SessionCannotBeLocked",
  });
  await kill(child);
  await pause(100);
  const receiver = await client.acceptSession("contract-sessions", "s");
  expect((await receiveOne(receiver)).deliveryCount).toBe(0);
});

test.each([
  { name: "no config", options: [], text: "required option '--config <file>' not specified" },
  { name: "a missing file", options: ["--config", "no-such.json"], text: "error: ENOENT" },
  {
    name: "a file that is no configuration",
    options: ["--config", cli],
    text: "error: Cannot use the Service Bus",
  },
  { name: "a bad port", options: ["--config", configPath, "--port", "x"], text: "expected a whole number" },
])("cli: $name is told in a sentence", async ({ options, text }) => {
  const child = spawn(process.execPath, [cli, ...options], { stdio: ["ignore", "ignore", "pipe"] });
  children.push(child);
  let output = "";
  child.stderr.on("data", (part) => {
    output += part;
  });
  await once(child, "close");
  expect(output).toContain(text);
  expect(child.exitCode).toBe(1);
});
