import { connect } from "amqplib";
import type { Backlog, BacklogLimits } from "../drivers/driver.ts";

/**
 * Asks RabbitMQ how many messages are ready in each queue, with a passive declare, which changes nothing. RabbitMQ shows no
 * message without delivering it, so there are no names; what workers hold is not counted. A queue that does not exist
 * yet is empty. Throws what the client throws.
 */
export async function readRabbitMq(
  url: string,
  queues: readonly string[],
  limits: BacklogLimits,
): Promise<Backlog> {
  const connection = await connect(url, { timeout: limits.timeoutSeconds * 1000 });
  // Without a listener an error of the connection would end the process; the call that fails reports it, too.
  connection.on("error", () => undefined);
  try {
    const lengths: { name: string; length: number; messages: readonly never[] }[] = [];
    for (const name of queues) lengths.push({ name, length: await lengthOf(connection, name), messages: [] });
    return { queues: lengths };
  } finally {
    await connection.close().catch(() => undefined);
  }
}

/** One channel for each: the broker closes the channel on which a missing queue was asked for. */
async function lengthOf(connection: Awaited<ReturnType<typeof connect>>, queue: string): Promise<number> {
  const channel = await connection.createChannel();
  channel.on("error", () => undefined);
  try {
    const { messageCount } = await channel.checkQueue(queue);
    await channel.close();
    return messageCount;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

/**
 * A queue whose home node is down is "not found", too, and may be full: `NOT_FOUND - home node 'rabbit@b' of durable queue
 * 'celery' in vhost '/' is down or inaccessible`.
 */
export function isMissing(error: unknown): boolean {
  const isNotFound = error instanceof Error && "code" in error && error.code === 404;
  return isNotFound && error.message.includes("NOT_FOUND - no queue '");
}
