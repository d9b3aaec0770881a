import { randomUUID } from "node:crypto";
import type { BlobServiceClient } from "@azure/storage-blob";
import { type QueueClient, type QueueServiceClient, RestError } from "@azure/storage-queue";
import { UpstreamError } from "../../errors/errors.ts";
import type { SourceEvent } from "../../messages/index.ts";
import type { DemandQueue, DemandSent, DemandToSend, SchedulerEvents } from "../../ports/index.ts";
import { azureLimits } from "../../ports/index.ts";
import { toUpstream } from "./sdk-errors.ts";

export { StorageUnreadDemand } from "./unread-demand.ts";

/** Base64 makes four bytes of three, so 64 KiB are 48 KiB of JSON. */
const mostJsonBytes = (azureLimits.storageQueue.messageBytes / 4) * 3;
/** A snapshot in more parts than this goes into a blob, if the sender can write one. */
const mostPartsWithUpload = 20;
/** The limit of the message schema. */
const mostParts = 1_000;
/** The default limit of the reader of uploads. */
const largestUploadBytes = 32 * 1024 * 1024;
const uploadContainer = "demand-uploads";

export type { DemandSent, DemandToSend } from "../../ports/index.ts";

export interface DemandDestination {
  /** The queue `job-demand`. */
  readonly queue: QueueClient;
  /** For demand that is too large for messages; without it only a snapshot can be large, in many parts. */
  readonly uploads?: BlobServiceClient;
}

/**
 * Posts demand as one message, as parts of a snapshot, or as a claim check (a blob with the jobs and nodes, and a
 * message that names it). Throws UpstreamError; then nothing, or a part of it, was sent: send all of it again with a
 * higher sequence.
 */
export async function sendDemand(demand: DemandToSend, to: DemandDestination): Promise<DemandSent> {
  const { jobs, nodes, nodeShapes, ...rest } = demand;
  // Tens of megabytes are written once; one comma stands for two braces.
  const content = Buffer.from(JSON.stringify({ jobs, nodes, nodeShapes }));
  const bytes = sizeOf(rest) + content.length - 1;
  if (bytes <= mostJsonBytes) return sendAll(to.queue, [JSON.stringify(demand)]);
  // All parts together are longer than the whole.
  const isForUpload = to.uploads !== undefined && bytes > mostPartsWithUpload * mostJsonBytes;
  const parts = demand.kind === "snapshot" && !isForUpload ? splitSnapshot(demand) : undefined;
  if (parts !== undefined && parts.length <= mostPartsWithUpload) return sendAll(to.queue, parts);
  if (to.uploads !== undefined) return sendClaim(rest, content, { ...to, uploads: to.uploads });
  if (parts !== undefined && parts.length <= mostParts) return sendAll(to.queue, parts);
  return {
    outcome: "refused",
    reason: `Cannot send ${demand.kind} of source "${demand.source}": ${bytes} bytes, expected storage for uploads`,
  };
}

/** The queue `job-demand`, and the container for what is too large for it. */
export class StorageDemandQueue implements DemandQueue {
  readonly #to: DemandDestination;

  constructor(to: DemandDestination) {
    this.#to = to;
  }

  post(text: string): Promise<void> {
    return post(this.#to.queue, text);
  }

  send(demand: DemandToSend): Promise<DemandSent> {
    return sendDemand(demand, this.#to);
  }
}

/** Queues `events-<source>`, one per source, so that each can be given rights to its own. */
export class StorageQueueEvents implements SchedulerEvents {
  readonly #service: QueueServiceClient;

  constructor(service: QueueServiceClient) {
    this.#service = service;
  }

  /** An event of more nodes than a message holds becomes several with some of the nodes each. */
  async send(event: SourceEvent): Promise<void> {
    const queue = this.#service.getQueueClient(queueOf(event.source));
    if (event.kind === "demand-refused") return post(queue, JSON.stringify(event));
    const room = mostJsonBytes - sizeOf({ ...event, nodes: [] });
    const groups = groupBySize(event.nodes, room) ?? event.nodes.map((node) => [node]);
    for (const nodes of groups) await post(queue, JSON.stringify({ ...event, nodes }));
  }

  async forget(source: string): Promise<void> {
    const queue = this.#service.getQueueClient(queueOf(source));
    try {
      await queue.deleteIfExists();
    } catch (error) {
      throw toUpstream(`delete queue "${queue.name}"`, error);
    }
  }
}

function queueOf(source: string): string {
  return `events-${source}`;
}

async function sendAll(queue: QueueClient, messages: readonly string[]): Promise<DemandSent> {
  for (const message of messages) await post(queue, message);
  return { outcome: "sent", messages: messages.length };
}

/** Undefined when one job or node alone is too large for a message. */
function splitSnapshot(demand: Extract<DemandToSend, { kind: "snapshot" }>): string[] | undefined {
  const part = { index: mostParts, count: mostParts };
  const room = mostJsonBytes - sizeOf({ ...demand, part, jobs: [], nodes: [] });
  const items = [...demand.jobs.map((job) => ({ job })), ...demand.nodes.map((node) => ({ node }))];
  const groups = groupBySize(items, room);
  return groups?.map((group, index) =>
    JSON.stringify({
      ...demand,
      part: { index, count: groups.length },
      jobs: group.flatMap((item) => ("job" in item ? [item.job] : [])),
      nodes: group.flatMap((item) => ("node" in item ? [item.node] : [])),
    }),
  );
}

/** Groups in order, each with at most `room` bytes of JSON, commas included. Undefined when one item has no room. */
function groupBySize<T>(items: readonly T[], room: number): T[][] | undefined {
  const groups: T[][] = [];
  let left = 0;
  for (const item of items) {
    const bytes = sizeOf(item) + 1;
    if (bytes > room) return undefined;
    if (bytes > left) {
      groups.push([]);
      left = room;
    }
    groups.at(-1)?.push(item);
    left -= bytes;
  }
  return groups;
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

async function sendClaim(
  rest: Omit<DemandToSend, "jobs" | "nodes" | "nodeShapes">,
  content: Buffer,
  to: Required<DemandDestination>,
): Promise<DemandSent> {
  const refused = (problem: string): DemandSent => ({
    outcome: "refused",
    reason: `Cannot send ${rest.kind} of source "${rest.source}": ${problem}`,
  });
  if (content.length > largestUploadBytes) {
    return refused(`${content.length} bytes of jobs and nodes, expected at most ${largestUploadBytes}`);
  }
  const blob = `${rest.source}/${rest.sequence}-${randomUUID()}.json`;
  const message = JSON.stringify({ ...rest, blob });
  const bytes = Buffer.byteLength(message);
  if (bytes > mostJsonBytes)
    return refused(`${bytes} bytes without jobs and nodes, expected at most ${mostJsonBytes}`);
  await upload(to.uploads, blob, content);
  await post(to.queue, message);
  return { outcome: "sent", messages: 1, blob };
}

/** The container is made only when it is missing: a sender may have the right to write, but not to create. */
async function upload(service: BlobServiceClient, blob: string, content: Buffer): Promise<void> {
  const container = service.getContainerClient(uploadContainer);
  const write = () =>
    container.getBlockBlobClient(blob).upload(content, content.length, {
      blobHTTPHeaders: { blobContentType: "application/json" },
    });
  await makingIfMissing(`upload blob "${blob}"`, write, () => container.createIfNotExists());
}

/**
 * Encodes a message as base64, as Azure's own tools do. A message that only fits as plain text, such as a replayed one,
 * is sent as plain text. Throws UpstreamError for one that Azure refuses either way; emulators may accept it.
 */
async function post(queue: QueueClient, json: string): Promise<void> {
  const most = azureLimits.storageQueue.messageBytes;
  const encoded = Buffer.from(json).toString("base64");
  const bytes = Buffer.byteLength(json);
  const isPlain = encoded.length > most;
  if (isPlain && (bytes > most || !isPlainText(json)))
    throw new UpstreamError(
      `Cannot send to queue "${queue.name}": ${bytes} bytes, expected at most ${mostJsonBytes}`,
      { retryable: false },
    );
  const send = () => queue.sendMessage(isPlain ? json : encoded);
  await makingIfMissing(`send to queue "${queue.name}"`, send, () => queue.createIfNotExists());
}

/** Whether plain text survives the queue: it is sent in XML, and the reader decodes text that looks like base64. */
function isPlainText(text: string): boolean {
  return (
    text.startsWith("{") &&
    text.isWellFormed() &&
    !/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(text)
  );
}

async function makingIfMissing(
  call: string,
  run: () => Promise<unknown>,
  create: () => Promise<unknown>,
): Promise<void> {
  try {
    await run().catch(async (error: unknown) => {
      if (!(error instanceof RestError) || error.statusCode !== 404) throw error;
      await create();
      await run();
    });
  } catch (error) {
    throw toUpstream(call, error);
  }
}
