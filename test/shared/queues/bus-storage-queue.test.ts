import { randomUUID } from "node:crypto";
import { BlobServiceClient } from "@azure/storage-blob";
import { type QueueClient, QueueServiceClient } from "@azure/storage-queue";
import { beforeAll, describe, expect, test } from "vitest";
import { UpstreamError } from "../../../shared/errors/errors.ts";
import { parseDemand } from "../../../shared/messages/job-demand.ts";
import { claimedBlob, withClaimed } from "../../../shared/messages/message-body.ts";
import { decodeQueueText } from "../../../shared/messages/queue-text.ts";
import { type SchedulerEvent, schedulerEventSchema } from "../../../shared/messages/scheduler-event.ts";
import {
  type DemandToSend,
  StorageDemandQueue,
  StorageQueueEvents,
  sendDemand,
} from "../../../shared/queues/storage-queue/index.ts";
import { type Account, emptyAccount } from "../../support/azurite.ts";

let account: Account;
let queues: QueueServiceClient;
let blobs: BlobServiceClient;

beforeAll(async () => {
  account = await emptyAccount();
  queues = QueueServiceClient.fromConnectionString(account.connectionString);
  blobs = BlobServiceClient.fromConnectionString(account.connectionString);
});

describe("sendDemand", () => {
  test("a small message goes as it is, to a queue that is made when it is missing", async () => {
    const queue = newQueue();
    const demand = demandOf({ jobs: [jobOf("☃-1")] });
    expect(await sendDemand(demand, { queue })).toEqual({ outcome: "sent", messages: 1 });
    expect(await received(queue)).toEqual([demand]);
  });

  test("a message of exactly 48 KiB is sent, one byte more becomes two parts", async () => {
    const queue = newQueue();
    const full = 48 * 1024;
    expect(await sendDemand(demandOfBytes(full), { queue })).toEqual({ outcome: "sent", messages: 1 });
    expect(await sendDemand(demandOfBytes(full + 1), { queue })).toEqual({ outcome: "sent", messages: 2 });
    expect(await received(queue)).toHaveLength(3);
  });

  test("a large snapshot goes in parts that the schema takes and that hold all of it, in order", async () => {
    const queue = newQueue();
    const demand = demandOf({ jobs: manyJobs(1_500), nodes: manyNodes(800) });
    const sent = await sendDemand(demand, { queue, uploads: blobs });
    const messages = (await received(queue)).map(parsed);
    expect(sent).toEqual({ outcome: "sent", messages: messages.length });
    expect(messages.map(({ part }) => part)).toEqual(
      messages.map((_, index) => ({ index, count: messages.length })),
    );
    expect(messages.flatMap(({ jobs }) => jobs.map(({ name }) => name))).toEqual(namesOf(1_500));
    expect(messages.flatMap(({ nodes }) => nodes)).toHaveLength(800);
    expect(messages.length).toBeGreaterThan(1);
    expect(messages.length).toBeLessThanOrEqual(20);
  });

  test("a snapshot of more than 20 parts goes as a blob that a message names", async () => {
    const queue = newQueue();
    const sent = await sendDemand(demandOf({ jobs: manyJobs(20_000) }), { queue, uploads: blobs });
    const [message, ...more] = await received(queue);
    expect(more).toEqual([]);
    const blob = claimedBlob(message);
    expect(sent).toEqual({ outcome: "sent", messages: 1, blob });
    const content = await textOf(blob ?? "");
    expect(parsed(withClaimed(message, content)).jobs.map(({ name }) => name)).toEqual(namesOf(20_000));
  });

  test("without storage for uploads it goes in more parts, until they are too many", async () => {
    const queue = newQueue();
    const sent = await sendDemand(demandOf({ jobs: manyJobs(20_000) }), { queue });
    expect(sent).toMatchObject({ outcome: "sent", messages: expect.toSatisfy((count) => count > 20) });
    const tooMany = demandOf({
      jobs: manyJobs(1_100).map((job) => ({ ...job, padding: "x".repeat(45_000) })),
    });
    expect(await sendDemand(tooMany, { queue })).toMatchObject({ outcome: "refused" });
  });

  test("a delta that is too large for a message goes as a blob, and is refused without storage for it", async () => {
    const queue = newQueue();
    const { kind: _, ...rest } = demandOf({ jobs: manyJobs(2_000) });
    const delta: DemandToSend = { ...rest, kind: "delta", remove: ["gone"] };
    expect(await sendDemand(delta, { queue })).toEqual({
      outcome: "refused",
      reason: expect.stringMatching(/^Cannot send delta of source "celery": \d+ bytes/),
    });
    await sendDemand(delta, { queue, uploads: blobs });
    const [message] = await received(queue);
    const whole = parsed(withClaimed(message, await textOf(claimedBlob(message) ?? "")));
    expect(whole).toMatchObject({ kind: "delta", remove: ["gone"] });
    expect(whole.jobs).toHaveLength(2_000);
  });

  test("one job that is larger than a message goes as a blob; more than 32 MiB is refused", async () => {
    const queue = newQueue();
    const large = { ...jobOf("large"), constraints: { p: "x".repeat(50_000) } };
    expect(await sendDemand(demandOf({ jobs: [large] }), { queue, uploads: blobs })).toMatchObject({
      messages: 1,
    });
    const huge = { ...jobOf("huge"), constraints: { p: "x".repeat(33 * 1024 * 1024) } };
    expect(await sendDemand(demandOf({ jobs: [huge] }), { queue, uploads: blobs })).toEqual({
      outcome: "refused",
      reason: expect.stringContaining("expected at most 33554432"),
    });
  });

  test("a queue that cannot be reached is an UpstreamError worth another try, without the key", async () => {
    const text = account.connectionString.replace(
      /QueueEndpoint=[^;]+/,
      "QueueEndpoint=http://127.0.0.1:1/a",
    );
    const service = QueueServiceClient.fromConnectionString(text, { retryOptions: { maxTries: 1 } });
    const sent = sendDemand(demandOf({}), { queue: service.getQueueClient("job-demand") });
    const error = await sent.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UpstreamError);
    expect(error).toMatchObject({ retryable: true, message: expect.stringContaining('queue "job-demand"') });
  });
});

describe("StorageDemandQueue: a message that is sent again", () => {
  const textOfBytes = (bytes: number) => `{"a":"${"é".repeat((bytes - 8) / 2)}"}`;

  test("up to 48 KiB go as base64, up to 64 KiB as they are", async () => {
    const queue = newQueue();
    for (const bytes of [48 * 1024, 64 * 1024])
      await new StorageDemandQueue({ queue }).post(textOfBytes(bytes));
    const { receivedMessageItems } = await queue.receiveMessages({ numberOfMessages: 32 });
    const texts = receivedMessageItems.map(({ messageText }) => decodeQueueText(messageText));
    expect(texts).toEqual([textOfBytes(48 * 1024), textOfBytes(64 * 1024)]);
    expect(receivedMessageItems.map(({ messageText }) => Buffer.byteLength(messageText))).toEqual([
      64 * 1024,
      64 * 1024,
    ]);
  });

  test.each([
    ["more than 64 KiB", textOfBytes(64 * 1024 + 2)],
    ["more than 48 KiB that XML does not hold", `{"a":"\ufffe${"x".repeat(50_000)}"}`],
    ["more than 48 KiB that looks like base64", "A".repeat(50_000)],
  ])("%s is refused for good, with its size", async (_case, text) => {
    const sent = new StorageDemandQueue({ queue: newQueue() }).post(text);
    await expect(sent).rejects.toMatchObject({
      kind: "upstream",
      retryable: false,
      message: expect.stringMatching(/: \d+ bytes, expected at most 49152$/),
    });
  });
});

describe("StorageQueueEvents", () => {
  test("an event goes to the queue of its source, which is made when it is missing", async () => {
    const source = `celery-${randomUUID()}`.slice(0, 40).replace(/-$/, "");
    const event = eventOf(source, 1);
    await new StorageQueueEvents(queues).send(event);
    expect(await received(queues.getQueueClient(`events-${source}`))).toEqual([event]);
  });

  test("a forgotten source has no queue any more, or never had one", async () => {
    const events = new StorageQueueEvents(queues);
    await events.send(eventOf("gone", 1));
    for (let times = 0; times < 2; times += 1) await events.forget("gone");
    expect(await queues.getQueueClient("events-gone").exists()).toBe(false);
  });

  test("an event of 2,000 nodes becomes several messages that name each node once", async () => {
    await new StorageQueueEvents(queues).send(eventOf("slurm", 2_000));
    const events = (await received(queues.getQueueClient("events-slurm"))).map((json) =>
      schedulerEventSchema.parse(json),
    );
    expect(events.length).toBeGreaterThan(1);
    const ids = events.flatMap((event) => ("nodes" in event ? event.nodes.map(({ nodeId }) => nodeId) : []));
    expect(ids).toEqual(eventOf("slurm", 2_000).nodes.map(({ nodeId }) => nodeId));
  });
});

function newQueue(): QueueClient {
  return queues.getQueueClient(`demand-${randomUUID()}`);
}

async function received(queue: QueueClient): Promise<unknown[]> {
  const messages: unknown[] = [];
  for (;;) {
    const { receivedMessageItems } = await queue.receiveMessages({ numberOfMessages: 32 });
    if (receivedMessageItems.length === 0) return messages;
    for (const { messageText } of receivedMessageItems) {
      messages.push(JSON.parse(Buffer.from(messageText, "base64").toString("utf8")));
    }
  }
}

async function textOf(blob: string): Promise<string> {
  const content = await blobs.getContainerClient("demand-uploads").getBlobClient(blob).downloadToBuffer();
  return content.toString("utf8");
}

function parsed(input: unknown) {
  const result = parseDemand(input);
  if (!result.ok) throw new Error(result.problems.join("; "));
  const { message } = result;
  return { remove: [], part: undefined, ...message };
}

function demandOf(content: { jobs?: readonly object[]; nodes?: readonly object[] }) {
  return {
    version: 1,
    kind: "snapshot",
    cluster: "hpc",
    source: "celery",
    sequence: 7,
    sentAt: "2026-02-02T03:04:05Z",
    jobs: content.jobs ?? [],
    nodes: content.nodes ?? [],
  } as const satisfies DemandToSend;
}

/** Two jobs, one of them padded so that the message has this many bytes of JSON. */
function demandOfBytes(bytes: number) {
  const withPadding = (padding: string) =>
    demandOf({ jobs: [jobOf("a"), { ...jobOf("b"), constraints: { padding } }] });
  const bare = Buffer.byteLength(JSON.stringify(withPadding("")));
  return withPadding("x".repeat(bytes - bare));
}

function jobOf(name: string) {
  return { name, "node-count": 1, constraints: { ncpus: 4 } };
}

function namesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `job-${index}`);
}

function manyJobs(count: number) {
  return namesOf(count).map(jobOf);
}

function manyNodes(count: number) {
  return Array.from({ length: count }, (_, index) => ({ hostname: `ip-${index}`, resources: { ncpus: 4 } }));
}

function eventOf(source: string, count: number): SchedulerEvent {
  const nodes = Array.from({ length: count }, (_, index) => ({
    nodeId: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
    name: `htc-${index}`,
    hostname: index % 2 === 0 ? null : `ip-${index}`,
  }));
  return { version: 1, cluster: "hpc", source, kind: "node-joined", nodes, atSeconds: 1_770_000_000 };
}
