import { QueueClient } from "@azure/storage-queue";
import { afterAll, beforeAll, expect, test } from "vitest";
import { jobDemandQueue } from "../../../shared/app/names.ts";
import { eventually, type LocalStack, startStack } from "../../support/local-stack.ts";

let stack: LocalStack;

beforeAll(async () => {
  stack = await startStack({
    config: { idle_timeout: 4, boot_timeout: 60, demand_ttl: 120, operation_timeout: 30 },
  });
});

afterAll(() => stack?.stop());

const job = (name: string, hostname?: string) => ({
  name,
  iterations: 1,
  constraints: [{ ncpus: 4 }],
  ...(hostname === undefined ? {} : { "executing-hostnames": [hostname] }),
});

/** Without the scheduler's own node. */
const workers = async () => (await stack.nodes()).filter(({ Template }) => Template === "htc");

/** What a queue holds that a host took just before it died: nobody sees it until its lease is over, which the answer ends. */
async function sendHidden(message: object): Promise<() => Promise<void>> {
  const queue = new QueueClient(stack.environment.storageConnectionString, jobDemandQueue);
  const text = Buffer.from(JSON.stringify(message)).toString("base64");
  const { messageId, popReceipt } = await queue.sendMessage(text, { visibilityTimeout: 600 });
  return async () => void (await queue.updateMessage(messageId, popReceipt, text, 0));
}

test("a job whose message is hidden by the lease of a dead host keeps its idle node", {
  timeout: 300_000,
}, async () => {
  await stack.post([job("a")]);
  const [node] = await eventually(
    () => workers(),
    ([first]) => first?.Status === "Ready",
  );
  const hostname = node?.Hostname ?? "";
  expect(hostname).not.toBe("");
  await stack.post([job("a", hostname)]);
  const sequence = await stack.post([]);
  const message = { version: 1, kind: "snapshot", cluster: stack.cluster, source: "pbs" };
  const sentAt = new Date().toISOString();
  const jobs = [job("b", hostname)];
  const endLease = await sendHidden({ ...message, sequence: sequence + 1, sentAt, jobs });

  const read = async () => ({ nodes: await workers(), status: await stack.readStatus() });
  const isRead = (status: Awaited<ReturnType<typeof read>>["status"]) =>
    status.demand.some((source) => source.sequence === sequence + 1);
  const waiting = await eventually(read, ({ nodes, status }) => nodes.length === 0 || status.unread !== null);
  expect(waiting.nodes).toHaveLength(1);
  expect(waiting.status).toMatchObject({
    unread: { messages: 1, nodes: 1 },
    problems: [
      {
        kind: "demand-unread",
        text: expect.stringContaining("1 message on the demand queue waits to be read"),
      },
    ],
  });

  await endLease();
  const after = await eventually(read, ({ nodes, status }) => nodes.length === 0 || isRead(status));
  expect(after.nodes).toHaveLength(1);
  expect(after.status.demand).toMatchObject([{ sequence: sequence + 1 }]);
  await eventually(
    () => stack.readStatus(),
    ({ unread }) => unread === null,
  );
  expect(await workers()).toHaveLength(1);

  await stack.post([], { sequence: sequence + 2 });
  expect(
    await eventually(
      () => workers(),
      (nodes) => nodes.length === 0,
    ),
  ).toEqual([]);
});
