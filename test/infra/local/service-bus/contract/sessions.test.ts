import { ServiceBusClient } from "@azure/service-bus";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { undisturbed } from "../../../../support/undisturbed.ts";
import {
  atOnce,
  clientOptions,
  isEmpty,
  type Lock,
  pause,
  receive,
  receiveOne,
  startTarget,
  type Target,
  until,
} from "./target.ts";

let target: Target;
/** A client that waits half a second for the next session instead of a minute. */
let impatient: ServiceBusClient;

beforeAll(async () => {
  target = await startTarget();
  const retryOptions = { ...clientOptions.retryOptions, timeoutInMs: target.isOurs ? 500 : 5000 };
  impatient = new ServiceBusClient(target.connectionString, { retryOptions });
});
afterAll(async () => {
  await impatient.close();
  await target.stop();
});

/** The SDK renews session locks by itself unless told not to. */
const noRenewal = { maxAutoLockRenewalDurationInMs: 0 };

async function open(lock?: Lock) {
  const queue = await target.queue("sessions", lock);
  const sender = target.client.createSender(queue);
  const send = (sessionId: string, ...bodies: unknown[]) =>
    sender.sendMessages(bodies.map((body) => ({ body, sessionId })));
  const accept = (sessionId: string) => target.client.acceptSession(queue, sessionId, noRenewal);
  return { queue, sender, send, accept };
}

describe("accepting", atOnce, () => {
  test("contract: acceptNextSession waits for a session and tells its name and lock", () =>
    undisturbed(async () => {
      const { queue, send } = await open("brief");
      const accepted = target.client.acceptNextSession(queue);
      await pause(100);
      await send("late", 1);
      const receiver = await accepted;
      expect(receiver.sessionId).toBe("late");
      const lockMs = receiver.sessionLockedUntilUtc.getTime() - Date.now();
      expect(lockMs).toBeGreaterThan(target.lockMs / 2);
      expect(lockMs).toBeLessThanOrEqual(target.lockMs + 500);
      await receiver.completeMessage(await receiveOne(receiver));
      await receiver.close();
    }));

  test("contract: acceptNextSession gives up after the client's time-out", () =>
    undisturbed(async () => {
      const { queue } = await open();
      await expect(impatient.acceptNextSession(queue)).rejects.toMatchObject({ code: "ServiceTimeout" });
    }));

  test("contract: a session has one receiver at a time and is free as soon as that one closes", async () => {
    const { send, accept } = await open();
    await send("s", 1);
    const first = await accept("s");
    const message = await receiveOne(first);
    await expect(accept("s")).rejects.toMatchObject({ code: "SessionCannotBeLocked" });
    await first.close();
    const second = await accept("s");
    const again = await receiveOne(second);
    expect([again.messageId, again.deliveryCount]).toEqual([message.messageId, 0]);
    await second.completeMessage(again);
    await second.close();
  });

  test("contract: a session is accepted by name before it has messages", async () => {
    const { send, accept } = await open();
    const receiver = await accept("early");
    await send("early", "x");
    const message = await receiveOne(receiver);
    expect(message.sessionId).toBe("early");
    await receiver.completeMessage(message);
    await receiver.close();
  });

  test("contract: a message without a session id is refused", async () => {
    const { sender } = await open();
    await expect(sender.sendMessages({ body: 1 })).rejects.toThrow(/session/i);
  });

  test("contract: a receiver without a session is refused", async () => {
    const { queue } = await open();
    const receiver = target.client.createReceiver(queue);
    await expect(receiver.receiveMessages(1)).rejects.toThrow(/non-sessionful/);
  });

  test("contract: sessions of a queue without sessions are refused", async () => {
    const queue = await target.queue("plain");
    await expect(target.client.acceptNextSession(queue)).rejects.toThrow(/session/i);
  });
});

describe("order", atOnce, () => {
  test("contract: 8 workers take 50 sessions of 20 messages, each in order", async () => {
    const { queue, sender } = await open();
    const sessions = Array.from({ length: 50 }, (_, index) => `s${index}`);
    for (const sessionId of sessions) {
      await sender.sendMessages(Array.from({ length: 20 }, (_, body) => ({ body, sessionId })));
    }
    const seen = new Map<string, unknown[]>();
    let isOver = false;
    const worker = async () => {
      while (!isOver) {
        const receiver = await impatient.acceptNextSession(queue).catch(() => undefined);
        // None came in half a second: the others hold the rest, or the machine is busy with something else.
        isOver = seen.size === sessions.length;
        if (receiver === undefined) continue;
        const got = seen.get(receiver.sessionId) ?? [];
        seen.set(receiver.sessionId, got);
        for (const message of await receive(receiver, 20)) {
          got.push(message.body);
          await receiver.completeMessage(message);
        }
        await receiver.close();
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    const inOrder = Array.from({ length: 20 }, (_, body) => body);
    expect([...seen.keys()].sort()).toEqual([...sessions].sort());
    for (const got of seen.values()) expect(got).toEqual(inOrder);
  });

  test("contract: an abandoned message comes before the rest of its session", async () => {
    const { send, accept } = await open();
    await send("s", "a", "b");
    const receiver = await accept("s");
    await receiver.abandonMessage(await receiveOne(receiver));
    const rest = await receive(receiver, 2);
    expect(rest.map(({ body, deliveryCount }) => [body, deliveryCount])).toEqual([
      ["a", 1],
      ["b", 0],
    ]);
    for (const message of rest) await receiver.completeMessage(message);
    await receiver.close();
  });
});

describe("the session's lock", atOnce, () => {
  test("contract: a lock that nobody renews is lost, with all that it covers", () =>
    undisturbed(async () => {
      const { send, accept } = await open("brief");
      await send("s", "a");
      const lost = await accept("s");
      const message = await receiveOne(lost);
      await pause(target.lockMs + 100);
      await expect(lost.completeMessage(message)).rejects.toMatchObject({ code: "SessionLockLost" });
      await expect(lost.renewSessionLock()).rejects.toMatchObject({ code: "SessionLockLost" });
      const next = await accept("s");
      const again = await receiveOne(next);
      expect(again.deliveryCount).toBe(1);
      await next.completeMessage(again);
      await next.close();
    }));

  test("contract: a subscriber hears that its session is lost", () =>
    undisturbed(async () => {
      const { accept } = await open("brief");
      const receiver = await accept("s");
      const errors: unknown[] = [];
      receiver.subscribe({
        processMessage: async () => {},
        processError: async ({ error }) => void errors.push(error),
      });
      await until(() => errors.length > 0);
      expect(errors[0]).toMatchObject({ code: "SessionLockLost" });
    }));

  test("contract: renewing keeps it, and the messages with it", () =>
    undisturbed(async () => {
      const { send, accept } = await open("brief");
      await send("s", "a");
      const receiver = await accept("s");
      const message = await receiveOne(receiver);
      await pause(target.lockMs * 0.6);
      const until = await receiver.renewSessionLock();
      expect(until.getTime()).toBeGreaterThan(Date.now() + target.lockMs * 0.5);
      await pause(target.lockMs * 0.6);
      await receiver.completeMessage(message);
      await receiver.close();
    }));

  test("contract: the SDK's automatic renewal keeps it", () =>
    undisturbed(async () => {
      const { queue, send } = await open("brief");
      await send("s", "a");
      const receiver = await target.client.acceptSession(queue, "s");
      const message = await receiveOne(receiver);
      await pause(target.lockMs * 1.5);
      await receiver.completeMessage(message);
      await receiver.close();
    }));
});

describe("the rest of the queue's behaviour", atOnce, () => {
  test("contract: dead letters of sessions are read without a session", async () => {
    const { queue, send, accept } = await open();
    await send("s", "bad");
    const receiver = await accept("s");
    await receiver.deadLetterMessage(await receiveOne(receiver), {
      deadLetterReason: "r",
      deadLetterErrorDescription: "d",
    });
    await receiver.close();
    const deadLetters = target.client.createReceiver(queue, { subQueueType: "deadLetter" });
    const dead = await receiveOne(deadLetters);
    expect(dead).toMatchObject({ sessionId: "s", deadLetterReason: "r", deadLetterErrorDescription: "d" });
    await deadLetters.completeMessage(dead);
  });

  test("contract: a scheduled message wakes whoever waits for the next session", async () => {
    const { queue, sender } = await open();
    const accepted = target.client.acceptNextSession(queue);
    await sender.scheduleMessages({ body: 1, sessionId: "s" }, new Date(Date.now() + 300));
    const receiver = await accepted;
    expect(receiver.sessionId).toBe("s");
    await receiver.completeMessage(await receiveOne(receiver));
    await receiver.close();
  });

  test("contract: peek of a session shows that session only", async () => {
    const { send, accept } = await open();
    await send("s", "mine");
    await send("t", "other");
    const receiver = await accept("s");
    expect((await receiver.peekMessages(5)).map(({ body }) => body)).toEqual(["mine"]);
    await receiver.close();
  });

  test("contract: receiveAndDelete works in a session too", async () => {
    const { queue, send } = await open();
    await send("s", 1, 2);
    const receiver = await target.client.acceptSession(queue, "s", { receiveMode: "receiveAndDelete" });
    expect((await receive(receiver, 2)).map(({ body }) => body)).toEqual([1, 2]);
    expect(await isEmpty(receiver)).toBe(true);
    await receiver.close();
  });
});
