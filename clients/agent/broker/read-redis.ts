import { createClient } from "@redis/client";
import { z } from "zod";
import { jsonOr } from "../../../shared/json/json.ts";
import type { Backlog, BacklogLimits, WaitingMessage } from "../drivers/driver.ts";

/** Kombu's: a queue has one list per priority step; the one of priority 0 has the queue's own name. */
const prioritySteps = [3, 6, 9];
const separator = "\u0006\u0016";

const messageSchema = z.object({ headers: z.record(z.string(), z.unknown()) });

/**
 * Reads the queues that Celery keeps in Redis, and what workers took and have not acknowledged, in one transaction: every
 * message is in exactly one of both. Reads only. Throws what the client throws.
 */
export async function readRedis(
  url: string,
  queues: readonly string[],
  limits: BacklogLimits,
): Promise<Backlog> {
  const client = clientFor(url, limits);
  try {
    await client.connect();
    return await readAll(client, queues, limits.mostMessages);
  } finally {
    client.destroy();
  }
}

function clientFor(url: string, { timeoutSeconds }: BacklogLimits) {
  const socket = { connectTimeout: timeoutSeconds * 1000, reconnectStrategy: false } as const;
  const client = createClient({ url, disableOfflineQueue: true, socket });
  // Without a listener an error of the connection would end the process; the call that fails reports it, too.
  client.on("error", () => undefined);
  return client;
}

type Client = ReturnType<typeof clientFor>;

async function readAll(client: Client, queues: readonly string[], most: number): Promise<Backlog> {
  const lists = keysOf(queues);
  const transaction = client.multi();
  for (const { key } of lists) transaction.lLen(key);
  // Workers take from the right end: those are the next to run. A range from -0 on would be all of it.
  for (const { key } of lists) transaction.lRange(key, most === 0 ? 1 : -most, most === 0 ? 0 : -1);
  transaction.hVals("unacked");
  return backlogOf(await transaction.exec(), queues, most);
}

/** Throws when the answers are not what was asked for: a length that is missing is not 0. */
export function backlogOf(answers: readonly unknown[], queues: readonly string[], most: number): Backlog {
  const lists = keysOf(queues);
  if (answers.length !== 2 * lists.length + 1) throw new Error("INCOMPLETE answers of a transaction");
  const lengths = z.array(z.int().min(0)).parse(answers.slice(0, lists.length));
  const contents = z.array(z.array(z.string())).parse(answers.slice(lists.length, -1));
  const unacknowledged = z.array(z.string()).parse(answers.at(-1));
  const entries = unacknowledged.map(toEntry);
  const unreadable = entries.filter((entry) => entry === undefined).length;
  const perList = lists.map(({ queue }, index) => ({
    queue,
    length: lengths[index] ?? 0,
    texts: contents[index] ?? [],
  }));
  return {
    queues: queues.map((name) => {
      const own = perList.filter(({ queue }) => queue === name);
      const texts = own.flatMap((list) => list.texts).slice(0, most);
      return {
        name,
        length: own.reduce((sum, list) => sum + list.length, 0),
        messages: texts.map((text) => toMessage(jsonOr(text), name)),
      };
    }),
    unacknowledged: entries.flatMap((entry) => (entry === undefined ? [] : toUnacknowledged(entry, queues))),
    ...(unreadable === 0 ? {} : { unreadable }),
  };
}

/** Every list of every queue. */
function keysOf(queues: readonly string[]): readonly { readonly queue: string; readonly key: string }[] {
  return queues.flatMap((queue) =>
    [queue, ...prioritySteps.map((step) => `${queue}${separator}${step}`)].map((key) => ({ queue, key })),
  );
}

type Entry = readonly [message: unknown, exchange: unknown, routingKey: unknown];

function toEntry(text: string): Entry | undefined {
  const entry = z.tuple([z.unknown(), z.unknown(), z.unknown()]).safeParse(jsonOr(text));
  return entry.success ? entry.data : undefined;
}

/** Those of other queues are not ours to serve. */
function toUnacknowledged(
  [message, , routingKey]: Entry,
  queues: readonly string[],
): readonly WaitingMessage[] {
  const queue = queues.find((name) => name === routingKey);
  return queue === undefined ? [] : [toMessage(message, queue)];
}

/** A message that is not what Celery writes still is one: it counts, and is not known by name. */
function toMessage(value: unknown, queue: string): WaitingMessage {
  const parsed = messageSchema.safeParse(value);
  // Arguments are the task's own affair, also in print.
  const { argsrepr: _, kwargsrepr: __, ...headers } = parsed.success ? parsed.data.headers : {};
  return { queue, headers };
}
