import { randomUUID } from "node:crypto";
import { type DequeuedMessageItem, type QueueClient, QueueServiceClient } from "@azure/storage-queue";
import { beforeAll, describe, expect, test } from "vitest";
import { UpstreamError } from "../../../shared/errors/errors.ts";
import { StorageDemandQueue, StorageUnreadDemand } from "../../../shared/queues/storage-queue/index.ts";
import { type Account, emptyAccount } from "../../support/azurite.ts";
import { MemoryDemandQueue } from "../../support/memory-queues.ts";
import { type UnreadBench, unreadCases } from "./unread-demand-cases.ts";

describe("unread demand (in memory)", () => {
  for (const [name, run] of Object.entries(unreadCases))
    test(name, () => {
      const queue = new MemoryDemandQueue();
      return run({
        queue,
        unread: queue,
        take: async () => void queue.take(),
        done: async () => queue.done(),
        giveUp: async () => queue.giveUp(),
      });
    });
});

describe("unread demand (Storage queue)", () => {
  let account: Account;
  let queues: QueueServiceClient;

  beforeAll(async () => {
    account = await emptyAccount();
    queues = QueueServiceClient.fromConnectionString(account.connectionString);
  });

  for (const [name, run] of Object.entries(unreadCases)) test(name, () => run(benchOn(queues)));

  test("a queue that cannot be reached is an UpstreamError worth another try", async () => {
    const text = account.connectionString.replace(
      /QueueEndpoint=[^;]+/,
      "QueueEndpoint=http://127.0.0.1:1/a",
    );
    const service = QueueServiceClient.fromConnectionString(text, { retryOptions: { maxTries: 1 } });
    const unread = new StorageUnreadDemand({
      queue: service.getQueueClient("job-demand"),
      poison: service.getQueueClient("job-demand-poison"),
    });
    for (const asking of [unread.count(), unread.showsAnyOf("hpc")]) {
      const error = await asking.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(UpstreamError);
      expect(error).toMatchObject({
        retryable: true,
        message: expect.stringContaining('queue "job-demand"'),
      });
    }
  });
});

/** What a host does to messages, with a lease that outlasts the test. */
function benchOn(queues: QueueServiceClient): UnreadBench {
  const name = `demand-${randomUUID()}`.slice(0, 40);
  const queue = queues.getQueueClient(name);
  const poison: QueueClient = queues.getQueueClient(`${name}-poison`);
  let taken: DequeuedMessageItem | undefined;
  const done = async () => {
    if (taken !== undefined) await queue.deleteMessage(taken.messageId, taken.popReceipt);
  };
  return {
    queue: new StorageDemandQueue({ queue }),
    unread: new StorageUnreadDemand({ queue, poison }),
    take: async () => {
      const { receivedMessageItems } = await queue.receiveMessages({ visibilityTimeout: 600 });
      taken = receivedMessageItems[0];
    },
    done,
    giveUp: async () => {
      await poison.createIfNotExists();
      await poison.sendMessage(taken?.messageText ?? "");
      await done();
    },
  };
}
