import { ServiceBusClient, type ServiceBusReceivedMessage } from "@azure/service-bus";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  parseConfig,
  type ServiceBusEmulator,
  startServiceBus,
} from "../../../infra/local/service-bus/index.ts";
import { UpstreamError } from "../../../shared/errors/errors.ts";
import { planRequestSchema } from "../../../shared/messages/plan-request.ts";
import { scaleActionSchema } from "../../../shared/messages/scale-action.ts";
import {
  createServiceBus,
  type ServiceBusQueues,
  sessionIdOf,
} from "../../../shared/queues/service-bus/index.ts";
import { actionOf, type BusBench, busCases, requestOf } from "./bus-cases.ts";

const properties = { RequiresSession: true, RequiresDuplicateDetection: true };
const queueNames = ["plan-requests", "scale-actions"];
const config = parseConfig(
  JSON.stringify({
    UserConfig: {
      Namespaces: [{ Queues: queueNames.map((Name) => ({ Name, Properties: properties })) }],
    },
  }),
);
const clock = { nowSeconds: () => Date.now() / 1000 };
const retryOptions = { maxRetries: 0, retryDelayInMs: 50, timeoutInMs: 20_000 };

let emulator: ServiceBusEmulator;
let client: ServiceBusClient;
let bus: ServiceBusQueues;

beforeAll(async () => {
  emulator = await startServiceBus({ config, port: 0 });
  client = new ServiceBusClient(emulator.connectionString, { retryOptions });
  bus = createServiceBus({ client, clock });
});

afterAll(async () => {
  await bus?.close();
  await client?.close();
  await emulator?.stop();
});

describe("buses (Service Bus)", () => {
  for (const [name, run] of Object.entries(busCases)) test(name, () => run(bench()));

  test("a plan request carries its session, id, subject and type", async () => {
    await bus.planRequests.send(requestOf("shape", "shape:1", clock.nowSeconds() - 1));
    const [message] = await receive("plan-requests", "shape");
    expect(message).toMatchObject({
      sessionId: "cluster:shape",
      messageId: "shape:1",
      subject: "shape:1",
      contentType: "application/json",
    });
  });

  test("an action lives until it expires, one that has expired for a second", async () => {
    const now = clock.nowSeconds();
    await bus.scaleActions.send([
      actionOf("ttl", "ttl-1", now),
      { ...actionOf("ttl", "ttl-2", now), expiresAtSeconds: now - 5 },
    ]);
    const [fresh, expired] = await receive("scale-actions", "ttl");
    expect(fresh).toMatchObject({ subject: "start-nodes", messageId: "ttl-1" });
    const passedMs = (clock.nowSeconds() - now) * 1000;
    expect(fresh?.timeToLive).toBeGreaterThanOrEqual(59_000 - passedMs);
    expect(fresh?.timeToLive).toBeLessThanOrEqual(60_000);
    expect(expired?.timeToLive).toBe(1_000);
  });

  test("a copy for another try lives until its action expires, a late one for a minute, in the same session", async () => {
    const now = clock.nowSeconds();
    const action = { ...actionOf("copies", "copies-1", now), expiresAtSeconds: now + 300 };
    await bus.scaleActions.sendLater(action, { attempt: 1, atSeconds: now - 1 });
    await bus.scaleActions.sendLater(
      { ...action, expiresAtSeconds: now - 2 },
      { attempt: 2, atSeconds: now - 1 },
    );
    const [copy, late] = await receive("scale-actions", "copies");
    expect(copy).toMatchObject({ sessionId: "cluster:copies", messageId: "copies-1:attempt-1" });
    expect(copy?.timeToLive).toBeGreaterThan(300_000);
    expect(late?.timeToLive).toBe(60_000);
  });

  test("an action larger than a message may be is refused for good, with its size", async () => {
    const large = actionOf("large", "large-1", clock.nowSeconds(), "x".repeat(300_000));
    const small = actionOf("large", "large-2", clock.nowSeconds());
    const error = await bus.scaleActions.send([large, small]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UpstreamError);
    expect(error).toMatchObject({ retryable: false, message: expect.stringMatching(/"large-1".*\d+ bytes/) });
  });

  test("a queue that does not exist is an error for good, without the key", async () => {
    const other = createServiceBus({ client, clock, planRequestsQueue: "nowhere" });
    const sent = other.planRequests.send(requestOf("c", "c:1", 0));
    const error = await sent.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: "upstream", retryable: false });
    expect(String(error)).not.toContain("SAS_KEY_VALUE");
    await other.close();
  });

  test("a broker that stopped is an error worth another try, and sending works again when it is back", async () => {
    const { port } = emulator;
    const impatient = new ServiceBusClient(emulator.connectionString, {
      retryOptions: { ...retryOptions, timeoutInMs: 1_000 },
    });
    const { planRequests, close } = createServiceBus({ client: impatient, clock });
    const errorOf = (id: string) =>
      planRequests.send(requestOf("back", id, clock.nowSeconds() - 1)).catch((thrown: unknown) => thrown);
    await expect.poll(() => errorOf("back:1")).toBeUndefined();
    await emulator.stop();
    expect(await errorOf("back:2")).toMatchObject({ kind: "upstream", retryable: true });
    emulator = await startServiceBus({ config, port });
    await expect.poll(() => errorOf("back:3")).toBeUndefined();
    expect(await bench().receivePlanRequests("back")).toMatchObject([{ reason: "back:3" }]);
    await close();
    await impatient.close();
  });
});

function bench(): BusBench {
  return {
    ...bus,
    nowSeconds: clock.nowSeconds,
    receivePlanRequests: async (cluster) =>
      (await receive("plan-requests", cluster)).map(({ body }) => planRequestSchema.parse(body)),
    receiveActions: async (cluster) =>
      (await receive("scale-actions", cluster)).map(({ body }) => scaleActionSchema.parse(body)),
  };
}

/**
 * Peeks: what is scheduled for later shows too, and is left out. The broker answers with some at a time. A client
 * remembers how far it peeked, over sessions and restarts of the broker, so each call has its own.
 */
async function receive(queue: string, cluster: string): Promise<readonly ServiceBusReceivedMessage[]> {
  const peeker = new ServiceBusClient(emulator.connectionString, { retryOptions });
  const receiver = await peeker.acceptSession(queue, sessionIdOf(cluster));
  const messages: ServiceBusReceivedMessage[] = [];
  for (;;) {
    const some = await receiver.peekMessages(100);
    if (some.length === 0) break;
    messages.push(...some);
  }
  await peeker.close();
  const now = Date.now();
  return messages.filter(({ scheduledEnqueueTimeUtc: due }) => due === undefined || due.getTime() <= now);
}
