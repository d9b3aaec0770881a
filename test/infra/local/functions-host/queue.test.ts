import { join } from "node:path";
import { type QueueClient, QueueServiceClient } from "@azure/storage-queue";
import getPort from "get-port";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { start } from "../../../../infra/local/functions-host/host.ts";
import { type Account, emptyAccount } from "../../../support/azurite.ts";
import { undisturbed } from "../../../support/undisturbed.ts";
import { azuriteConnection, startAzurite } from "./azurite.ts";
import { Records } from "./records.ts";

const appDir = join(import.meta.dirname, "app");
const prefix = "AzureFunctionsJobHost__extensions__queues__";
let account: Account;
let queueNumber = 0;

beforeAll(async () => {
  account = await emptyAccount();
});

interface HostOptions {
  readonly settings?: Readonly<Record<string, string>>;
  readonly queueLeaseSeconds?: number;
  readonly connectionString?: string;
}

/** A host over a queue of its own; the queue does not exist yet. */
async function startHost({ settings = {}, queueLeaseSeconds = 30, connectionString }: HostOptions = {}) {
  const records = new Records();
  queueNumber += 1;
  const name = `jobs-${queueNumber}`;
  const Store = connectionString ?? account.connectionString;
  const { logger } = records;
  const options = { appDir, queueLeaseSeconds, logger };
  const host = await start({ ...options, settings: { Store, JOB_QUEUE: name, ...settings } });
  onTestFinished(async () => {
    await host.stop();
  });
  const service = QueueServiceClient.fromConnectionString(Store);
  return {
    host,
    records,
    queue: service.getQueueClient(name),
    poison: service.getQueueClient(`${name}-poison`),
  };
}

async function send(queue: QueueClient, body: unknown): Promise<void> {
  await queue.createIfNotExists();
  const text = typeof body === "string" ? body : JSON.stringify(body);
  await queue.sendMessage(Buffer.from(text).toString("base64"));
}

async function countOf(queue: QueueClient): Promise<number | undefined> {
  return (await queue.getProperties()).approximateMessagesCount;
}

describe("queue", () => {
  test("a message arrives parsed, with metadata, and is deleted after a good run", async () => {
    const { records, queue } = await startHost();
    await send(queue, { cluster: "c-1" });
    await records.until(() => records.outcomes("on-job").length === 1);
    const { input, metadata } = JSON.parse(records.userLines("on-job")[0] ?? "");
    expect(input).toEqual({ cluster: "c-1" });
    expect(metadata).toMatchObject({
      queueTrigger: { cluster: "c-1" },
      dequeueCount: 1,
      id: expect.any(String),
      popReceipt: expect.any(String),
      insertionTime: expect.stringMatching(/^\d{4}-.*\+00:00$/),
      expirationTime: expect.any(String),
      nextVisibleTime: expect.any(String),
    });
    await expect.poll(() => countOf(queue)).toBe(0);
  });

  test("text that is not JSON arrives as text", async () => {
    const { records, queue } = await startHost();
    await send(queue, "plain text");
    await records.until(() => records.userLines("on-job").length === 1);
    expect(JSON.parse(records.userLines("on-job")[0] ?? "").input).toBe("plain text");
  });

  test("a queue that does not exist is waited for and not created", async () => {
    const { records, queue, poison } = await startHost();
    await records.until(() => records.entries.some(({ message }) => message.includes("is not there yet")));
    expect([await queue.exists(), await poison.exists()]).toEqual([false, false]);
    await send(queue, {});
    await records.until(() => records.outcomes("on-job").length === 1);
  });

  test("a failed message comes back after visibilityTimeout", async () => {
    const { records, queue } = await startHost();
    const times: number[] = [];
    await send(queue, { failures: 1 });
    await records.until(
      () => records.outcomes("on-job").length > times.length && times.push(Date.now()) === 2,
    );
    expect(records.outcomes("on-job")).toEqual(["failed", "succeeded"]);
    // The time-out is one second; the service counts in whole seconds.
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(500);
  });

  test("a message goes to the poison queue after maxDequeueCount tries, where a function can take it", async () => {
    const { records, queue } = await startHost({ settings: { [`${prefix}visibilityTimeout`]: "00:00:00" } });
    await send(queue, { failures: 99 });
    await records.until(() => records.outcomes("on-poison").length === 1);
    expect(records.outcomes("on-job")).toEqual(["failed", "failed", "failed"]);
    expect(JSON.parse(records.userLines("on-poison")[0] ?? "").input).toEqual({ failures: 99 });
    await expect.poll(() => countOf(queue)).toBe(0);
  });

  test("a message that is not base64 goes to the poison queue unseen and unchanged", async () => {
    const { records, queue, poison } = await startHost({
      settings: { "AzureWebJobs.on-poison.Disabled": "true" },
    });
    await queue.createIfNotExists();
    await queue.sendMessage('{"raw": true}');
    await records.until(() => records.entries.some(({ message }) => message.includes("moved to queue")));
    const { peekedMessageItems } = await poison.peekMessages();
    expect(peekedMessageItems.map(({ messageText }) => messageText)).toEqual(['{"raw": true}']);
    expect(records.outcomes("on-job")).toEqual([]);
  });

  test("with encoding none the text is taken as it is", async () => {
    const { records, queue } = await startHost({ settings: { [`${prefix}messageEncoding`]: "none" } });
    await queue.createIfNotExists();
    await queue.sendMessage('{"raw": true}');
    await records.until(() => records.userLines("on-job").length === 1);
    expect(JSON.parse(records.userLines("on-job")[0] ?? "").input).toEqual({ raw: true });
  });

  test("a message stays hidden while its function runs, however long", () =>
    undisturbed(async () => {
      const settings = { AzureFunctionsJobHost__functionTimeout: "00:01:00" };
      const { records, queue } = await startHost({ queueLeaseSeconds: 1, settings });
      await send(queue, { sleepMs: 2500 });
      await records.until(() => records.outcomes("on-job").length === 1);
      await expect.poll(() => countOf(queue)).toBe(0);
      expect(records.userLines("on-job")).toHaveLength(1);
    }));

  test("never more than batchSize + newBatchThreshold messages are in work", async () => {
    const settings = { [`${prefix}batchSize`]: "3", [`${prefix}newBatchThreshold`]: "1" };
    const { records, queue } = await startHost({ settings });
    await queue.createIfNotExists();
    await Promise.all(Array.from({ length: 12 }, () => send(queue, { sleepMs: 50 })));
    await records.until(() => records.outcomes("on-job").length === 12);
    let running = 0;
    const counts = records.entries.flatMap(({ category, message }) => {
      if (category === "Function.on-job.User") running += 1;
      else if (category === "Function.on-job" && message.startsWith("succeeded")) running -= 1;
      return [running];
    });
    expect(Math.max(...counts)).toBeGreaterThan(1);
    expect(Math.max(...counts)).toBeLessThanOrEqual(4);
  });

  test("a queue service that comes up later is found", async () => {
    const port = await getPort({ host: "127.0.0.1" });
    const { records, queue } = await startHost({ connectionString: azuriteConnection(port) });
    await records.until(() => records.entries.some(({ message }) => message.includes("cannot receive")));
    const late = await startAzurite(port);
    onTestFinished(() => late.stop());
    await send(queue, {});
    await records.until(() => records.outcomes("on-job").length === 1);
  });

  test("a stop waits for the message in work and settles it", async () => {
    const { host, records, queue } = await startHost();
    await send(queue, { sleepMs: 300 });
    await records.until(() => records.userLines("on-job").length === 1);
    await host.stop();
    expect(records.outcomes("on-job")).toEqual(["succeeded"]);
    expect(await countOf(queue)).toBe(0);
  });
});
