import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { TableClient, TableServiceClient } from "@azure/data-tables";
import { BlobServiceClient } from "@azure/storage-blob";
import { QueueServiceClient } from "@azure/storage-queue";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ClusterStatus } from "../../shared/api/index.ts";
import { eventually, type LocalStack, startStack } from "../support/local-stack.ts";

let stack: LocalStack;
let status: ClusterStatus;

/** A service that made nodes, refused a message and gave one up: all that it writes has been written. */
beforeAll(async () => {
  stack = await startStack({ config: { idle_timeout: 4 } });
  await stack.post([{ name: "a", iterations: 4, constraints: { ncpus: 4 } }]);
  await stack.post([], { version: 2 });
  status = await eventually(stack.readStatus, isDone);
});

afterAll(() => stack?.stop());

function isDone({ rejections, operations }: ClusterStatus): boolean {
  return rejections.length > 0 && operations.some((operation) => operation.state === "visible");
}

/** Texts by where they were found. */
type Written = Map<string, string>;

async function blobs(): Promise<Written> {
  const written: Written = new Map();
  const service = BlobServiceClient.fromConnectionString(stack.environment.storageConnectionString);
  for await (const { name } of service.listContainers()) {
    const container = service.getContainerClient(name);
    for await (const blob of container.listBlobsFlat()) {
      // In one request: a blob that is written meanwhile would come in parts that do not belong together.
      const { readableStreamBody } = await container.getBlobClient(blob.name).download();
      const bytes = readableStreamBody === undefined ? Buffer.of() : await buffer(readableStreamBody);
      const text = blob.name.endsWith(".gz") ? gunzipSync(bytes) : bytes;
      written.set(`blob ${name}/${blob.name}`, text.toString("utf8"));
    }
  }
  return written;
}

async function tables(): Promise<Written> {
  const written: Written = new Map();
  const options = { allowInsecureConnection: true };
  const { storageConnectionString } = stack.environment;
  for await (const { name = "" } of TableServiceClient.fromConnectionString(
    storageConnectionString,
    options,
  ).listTables()) {
    const table = TableClient.fromConnectionString(storageConnectionString, name, options);
    for await (const entity of table.listEntities())
      written.set(`table ${name} ${entity.partitionKey} ${entity.rowKey}`, JSON.stringify(entity));
  }
  return written;
}

async function queues(): Promise<Written> {
  const written: Written = new Map();
  const service = QueueServiceClient.fromConnectionString(stack.environment.storageConnectionString);
  for await (const { name } of service.listQueues()) {
    const { peekedMessageItems } = await service.getQueueClient(name).peekMessages({ numberOfMessages: 32 });
    for (const item of peekedMessageItems)
      written.set(
        `queue ${name} ${item.messageId}`,
        Buffer.from(item.messageText, "base64").toString("utf8"),
      );
  }
  return written;
}

/** The broker's journal holds every message that was sent, as the bytes of its frames in base64. */
async function files(): Promise<Written> {
  const { folder } = stack;
  const names = (await readdir(folder)).filter((name) => /\.(log|journal)$/.test(name));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  const decoded = texts.map((text) =>
    text.replaceAll(/"payload":"([^"]*)"/g, (_, payload: string) =>
      Buffer.from(payload, "base64").toString("latin1"),
    ),
  );
  return new Map(names.map((name, index) => [name, decoded[index] ?? ""]));
}

test("the password of CycleCloud is in no blob, table, queue, message, log or answer of a service at work", async () => {
  expect(isDone(status)).toBe(true);
  const written: Written = new Map([
    ...(await blobs()),
    ...(await tables()),
    ...(await queues()),
    ...(await files()),
    ["status", JSON.stringify(status)],
  ]);
  const places = [...written.keys()].join("\n");
  for (const place of [
    "blob plans/",
    "blob snapshots/",
    "blob demand/",
    "table Operations",
    "table Rejections",
  ])
    expect(places).toContain(place);
  for (const place of ["functions-host.log", "service-bus.journal", "status"])
    expect(written.has(place)).toBe(true);
  expect(written.get("service-bus.journal")).toContain("create-nodes");

  const { username, password } = stack.environment.account;
  const secrets = [
    password,
    Buffer.from(`${username}:${password}`).toString("base64"),
    encodeURIComponent(password),
  ];
  const told = [...written].filter(([, text]) => secrets.some((secret) => text.includes(secret)));
  expect(told.map(([place]) => place)).toEqual([]);
});
