import { QueueServiceClient } from "@azure/storage-queue";
import { beforeAll, expect, test } from "vitest";
import { EventQueue } from "../../../clients/agent/event-queue.ts";
import type { SchedulerEvent } from "../../../shared/messages/scheduler-event.ts";
import { StorageQueueEvents } from "../../../shared/queues/storage-queue/index.ts";
import { type Account, emptyAccount } from "../../support/azurite.ts";

let account: Account;
let service: QueueServiceClient;

beforeAll(async () => {
  account = await emptyAccount();
  service = QueueServiceClient.fromConnectionString(account.connectionString);
});

function event(atSeconds: number, source: string, cluster = "hpc"): SchedulerEvent {
  const nodes = [{ nodeId: "n1", name: "htc-1", hostname: "ip-1" }];
  return { version: 1, cluster, source, kind: "drain", nodes, atSeconds };
}

test("a queue that is not there yet has no events", async () => {
  const queue = new EventQueue(service, { source: "nobody", cluster: "hpc" });
  expect(await queue.take()).toEqual({ events: [], refusals: [], problems: [] });
});

test("events come oldest first, as the service sends them, until they are done with", async () => {
  const source = "ordered";
  const sender = new StorageQueueEvents(service);
  for (const atSeconds of [30, 10, 20]) await sender.send(event(atSeconds, source));
  const queue = new EventQueue(service, { source, cluster: "hpc" });
  const { events } = await queue.take();
  expect(events.map((each) => each.event.atSeconds)).toEqual([10, 20, 30]);
  // Hidden for a minute, gone when they are done.
  expect((await queue.take()).events).toEqual([]);
  for (const { done } of events) await done();
  expect((await service.getQueueClient(`events-${source}`).getProperties()).approximateMessagesCount).toBe(0);
});

test("an event may be done with twice: it came again, and was removed by then", async () => {
  const source = "twice";
  await new StorageQueueEvents(service).send(event(10, source));
  const { events } = await new EventQueue(service, { source, cluster: "hpc" }).take();
  await events[0]?.done();
  await expect(events[0]?.done()).resolves.toBeUndefined();
});

test("another cluster's events stay for it; what is no event is thrown away, with its problems", async () => {
  const source = "mixed";
  await new StorageQueueEvents(service).send(event(10, source, "other"));
  const raw = service.getQueueClient(`events-${source}`);
  await raw.sendMessage("}{");
  await raw.sendMessage(Buffer.from(JSON.stringify({ version: 1, kind: "explode" })).toString("base64"));
  const taken = await new EventQueue(service, { source, cluster: "hpc" }).take();
  expect(taken.events).toEqual([]);
  expect(taken.problems).toHaveLength(2);
  expect(taken.problems.join("\n")).toMatch(/thrown away: kind: .*"explode"/);
  expect((await raw.getProperties()).approximateMessagesCount).toBe(1);
});

test("what was refused of our demand is told once, and is gone from the queue", async () => {
  const source = "refused";
  const problems = ["jobs: 7, expected a list"];
  const sender = new StorageQueueEvents(service);
  const about = { version: 1, cluster: "hpc", source, kind: "demand-refused", sequence: 7 } as const;
  await sender.send({ ...about, whole: true, problems, atSeconds: 20 });
  await sender.send({ ...about, whole: false, problems, atSeconds: 10 });
  const queue = new EventQueue(service, { source, cluster: "hpc" });
  const { events, refusals } = await queue.take();
  expect(events).toEqual([]);
  expect(refusals.map(({ atSeconds, whole }) => [atSeconds, whole])).toEqual([
    [10, false],
    [20, true],
  ]);
  expect((await service.getQueueClient(`events-${source}`).getProperties()).approximateMessagesCount).toBe(0);
});

test("an event that cannot even be compared is thrown away like any other", async () => {
  const raw = service.getQueueClient("events-hostile");
  await raw.create();
  await raw.sendMessage(
    JSON.stringify({ ...event(10, "hostile"), nodes: { length: { valueOf: 1, toString: 1 } } }),
  );
  const taken = await new EventQueue(service, { source: "hostile", cluster: "hpc" }).take();
  expect(taken.problems).toEqual([expect.stringMatching(/thrown away/)]);
});

test("a queue that does not answer is said so", async () => {
  const away = QueueServiceClient.fromConnectionString(
    account.connectionString.replace(/(QueueEndpoint=http:\/\/127\.0\.0\.1):\d+/, "$1:1"),
    { retryOptions: { maxTries: 1 } },
  );
  await expect(new EventQueue(away, { source: "away", cluster: "hpc" }).take()).rejects.toThrow(
    /^Cannot read queue "events-away": no answer, ECONNREFUSED$/,
  );
});
