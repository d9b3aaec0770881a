import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { undisturbed } from "../../../../support/undisturbed.ts";
import {
  atOnce,
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
beforeAll(async () => {
  target = await startTarget();
});
afterAll(() => target.stop());

/** A new queue with a sender and a receiver. */
async function open(kind: "plain" | "unique" = "plain", lock?: Lock) {
  const queue = await target.queue(kind, lock);
  const sender = target.client.createSender(queue);
  // The SDK renews every lock that it holds by itself; these tests are about locks that nobody renews.
  const receiver = target.client.createReceiver(queue, { maxAutoLockRenewalDurationInMs: 0 });
  const deadLetters = target.client.createReceiver(queue, { subQueueType: "deadLetter" });
  return { queue, sender, receiver, deadLetters };
}

const bodies = (messages: readonly ServiceBusReceivedMessage[]) => messages.map(({ body }) => body);

describe("sending and receiving", atOnce, () => {
  test("contract: bodies and properties arrive as they were sent", async () => {
    const { sender, receiver } = await open();
    const sent = {
      body: { text: "ü", list: [1, 2.5, null], nested: { yes: true } },
      messageId: "m-1",
      correlationId: "c-1",
      subject: "s",
      to: "t",
      replyTo: "r",
      replyToSessionId: "rs",
      contentType: "application/json",
      partitionKey: "p",
      timeToLive: 60_000,
      applicationProperties: {
        int: 5,
        float: 1.5,
        text: "x",
        flag: false,
      },
    };
    await sender.sendMessages(sent);
    const received = await receiveOne(receiver);
    expect(received).toMatchObject(sent);
    expect(received.deliveryCount).toBe(0);
    expect(received.state).toBe("active");
    expect(received.expiresAtUtc?.getTime()).toBe((received.enqueuedTimeUtc?.getTime() ?? 0) + 60_000);
    await receiver.completeMessage(received);
  });

  test("contract: a message of more than 256 KB is refused, sent or scheduled, and nothing is kept", async () => {
    const { sender, receiver } = await open();
    const body = "é".repeat(140_000);
    const code = "MessageSizeExceeded";
    await expect(sender.sendMessages({ body })).rejects.toMatchObject({ code });
    await expect(sender.scheduleMessages({ body }, new Date(0))).rejects.toMatchObject({ code });
    expect(await isEmpty(receiver)).toBe(true);
    const largest = "é".repeat(130_000);
    await sender.sendMessages({ body: largest });
    expect((await receiveOne(receiver)).body).toBe(largest);
  });

  test.each([
    { bodyType: "data", body: Buffer.from([0, 255, 7]) },
    { bodyType: "value", body: "text" },
    { bodyType: "sequence", body: [1, "two", [3]] },
  ] as const)("contract: a $bodyType body stays one", async ({ bodyType, body }) => {
    const { sender, receiver } = await open();
    await sender.sendMessages({ body, bodyType });
    const received = await receiveOne(receiver);
    expect(received._rawAmqpMessage.bodyType).toBe(bodyType);
    expect(received.body).toEqual(body);
    await receiver.completeMessage(received);
  });

  test("contract: a message that was sent without an id has one, as the SDK's lock renewal needs", async () => {
    const { sender, receiver } = await open();
    const seen: unknown[] = [];
    await sender.sendMessages({ body: 1 });
    const subscription = receiver.subscribe({
      processMessage: async ({ messageId }) => void seen.push(messageId),
      processError: async ({ error }) => void seen.push(error),
    });
    await until(() => seen.length > 0);
    await subscription.close();
    expect(seen).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(await receiver.peekMessages(1)).toEqual([]);
  });

  test("contract: an array and a batch arrive whole and in order", async () => {
    const { sender, receiver } = await open();
    await sender.sendMessages([1, 2, 3].map((body) => ({ body })));
    const batch = await sender.createMessageBatch();
    for (const body of [4, 5]) batch.tryAddMessage({ body });
    await sender.sendMessages(batch);
    const received = await receive(receiver, 5);
    expect(bodies(received)).toEqual([1, 2, 3, 4, 5]);
    for (const message of received) await receiver.completeMessage(message);
  });

  test("contract: a batch has a limit", async ({ skip }) => {
    skip(!target.isOurs, "the limit of a real namespace depends on its tier");
    const { sender } = await open();
    const batch = await sender.createMessageBatch();
    expect(batch.maxSizeInBytes).toBe(262_144);
    expect(batch.tryAddMessage({ body: "x".repeat(300_000) })).toBe(false);
  });

  test("contract: receiveAndDelete leaves nothing behind", async () => {
    const { queue, sender } = await open();
    const receiver = target.client.createReceiver(queue, { receiveMode: "receiveAndDelete" });
    await sender.sendMessages([{ body: 1 }, { body: 2 }]);
    expect(bodies(await receive(receiver, 2))).toEqual([1, 2]);
    expect(await receiver.peekMessages(1)).toEqual([]);
  });

  test("contract: a queue that does not exist is told by its code", async () => {
    const missing = { code: "MessagingEntityNotFound" };
    await expect(target.client.createSender("no-such-queue").sendMessages({ body: 1 })).rejects.toMatchObject(
      missing,
    );
    const receiver = target.client.createReceiver("no-such-queue");
    await expect(receiver.receiveMessages(1)).rejects.toMatchObject(missing);
  });

  test("contract: messages of one tick that are refused do not take their neighbours along", async () => {
    const sender = target.client.createSender(await target.queue("sessions"));
    await sender.sendMessages({ body: "first", sessionId: "s" });
    const sent = await Promise.allSettled([
      sender.sendMessages({ body: 1, sessionId: "s" }),
      sender.sendMessages({ body: 2 }),
      sender.sendMessages({ body: 3, sessionId: "s" }),
    ]);
    expect(sent.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  test("contract: receiving while sending loses nothing, however often credit is drained", async () => {
    const { sender, receiver } = await open();
    const received: unknown[] = [];
    for (let round = 0; round < 20; round++) {
      const [messages] = await Promise.all([
        receiver.receiveMessages(5, { maxWaitTimeInMs: 20 }),
        sender.sendMessages({ body: round }),
      ]);
      for (const message of messages) {
        received.push(message.body);
        await receiver.completeMessage(message);
      }
    }
    const rest = await receive(receiver, 20 - received.length);
    expect([...received, ...bodies(rest)]).toEqual(Array.from({ length: 20 }, (_, index) => index));
    for (const message of rest) await receiver.completeMessage(message);
  });

  test("contract: one receiver can settle more messages than a session's buffer holds", async ({ skip }) => {
    skip(!target.isOurs, "guards our own server's buffers");
    const { sender, receiver } = await open();
    for (let round = 0; round < 11; round++) {
      await sender.sendMessages(Array.from({ length: 200 }, (_, index) => ({ body: index })));
      const messages = await receive(receiver, 200);
      await Promise.all(messages.map((message) => receiver.completeMessage(message)));
    }
    expect(await isEmpty(receiver)).toBe(true);
  });
});

describe("settling", atOnce, () => {
  test("contract: abandon repeats the message, counts, and changes properties", async () => {
    const { sender, receiver } = await open();
    await sender.sendMessages({ body: 1, applicationProperties: { kept: 1.5 } });
    await receiver.abandonMessage(await receiveOne(receiver), { attempt: 1 });
    const again = await receiveOne(receiver);
    expect(again.deliveryCount).toBe(1);
    expect(again.applicationProperties).toEqual({ kept: 1.5, attempt: 1 });
    await receiver.completeMessage(again);
    expect(await receiver.peekMessages(1)).toEqual([]);
  });

  test("contract: dead-letter keeps reason, description and properties", async () => {
    const { sender, receiver, deadLetters, queue } = await open();
    await sender.sendMessages({ body: 1, messageId: "bad", applicationProperties: { kept: true } });
    await receiver.deadLetterMessage(await receiveOne(receiver), {
      deadLetterReason: "unreadable",
      deadLetterErrorDescription: "version 9",
      added: 7,
    });
    const dead = await receiveOne(deadLetters);
    expect(dead).toMatchObject({
      messageId: "bad",
      deadLetterReason: "unreadable",
      deadLetterErrorDescription: "version 9",
      applicationProperties: { kept: true, added: 7 },
    });
    await deadLetters.completeMessage(dead);
    const byAddress = target.client.createReceiver(`${queue}/$DeadLetterQueue`);
    expect(await byAddress.peekMessages(1)).toEqual([]);
  });

  test("contract: after MaxDeliveryCount failures the message is in the dead-letter queue", async () => {
    const { sender, receiver, deadLetters } = await open();
    await sender.sendMessages({ body: 1 });
    for (let attempt = 1; attempt <= 3; attempt++) await receiver.abandonMessage(await receiveOne(receiver));
    const dead = await receiveOne(deadLetters);
    expect(dead.deadLetterReason).toBe("MaxDeliveryCountExceeded");
    await deadLetters.completeMessage(dead);
  });

  test("contract: a receiver that was closed still settles what it holds", async () => {
    const { sender, receiver, queue } = await open();
    await sender.sendMessages([{ body: "complete" }, { body: "abandon" }, { body: "bad" }]);
    const [one, two, three] = await receive(receiver, 3);
    if (one === undefined || two === undefined || three === undefined)
      throw new Error("Expected three messages");
    const other = target.client.createReceiver(queue);
    await receiver.close();
    await other.completeMessage(one);
    await other.abandonMessage(two, { note: "x" });
    await other.deadLetterMessage(three, { deadLetterReason: "r", deadLetterErrorDescription: "d" });
    const left = await receiveOne(other);
    expect([left.body, left.applicationProperties]).toEqual(["abandon", { note: "x" }]);
    await other.completeMessage(left);
    expect(await other.peekMessages(1)).toEqual([]);
  });

  test("contract: deferral is refused in so many words, and the message can still be completed", async ({
    skip,
  }) => {
    skip(!target.isOurs, "real namespaces defer");
    const { sender, receiver } = await open("plain", "brief");
    await sender.sendMessages({ body: 1 });
    const message = await receiveOne(receiver);
    await expect(receiver.deferMessage(message)).rejects.toThrow("does not implement deferral");
    const deferred = receiver.receiveDeferredMessages(message.sequenceNumber ?? []);
    await expect(deferred).rejects.toThrow(
      'does not implement the operation "com.microsoft:receive-by-sequence',
    );
    // What was to be deferred stays locked, and comes again when that ends.
    const [again] = await receive(receiver, 1);
    expect(again?.deliveryCount).toBe(1);
  });

  test("contract: subscribe keeps to its number of calls and abandons what its handler throws at", async () => {
    const { sender, receiver, deadLetters } = await open();
    let running = 0;
    let most = 0;
    const done: unknown[] = [];
    await sender.sendMessages([...Array.from({ length: 12 }, (_, body) => ({ body })), { body: "throws" }]);
    const subscription = receiver.subscribe(
      {
        async processMessage({ body }) {
          if (body === "throws") throw new Error("no");
          most = Math.max(most, ++running);
          await pause(5);
          running--;
          done.push(body);
        },
        processError: async () => {},
      },
      { maxConcurrentCalls: 3 },
    );
    const dead = await receiveOne(deadLetters);
    await until(() => done.length === 12);
    await subscription.close();
    expect(most).toBe(3);
    expect(dead.body).toBe("throws");
    await deadLetters.completeMessage(dead);
  });
});

describe("locks", atOnce, () => {
  test("contract: a message whose lock expires comes again, and the old lock is lost", () =>
    undisturbed(async () => {
      const { sender, receiver } = await open("plain", "brief");
      await sender.sendMessages({ body: 1 });
      const first = await receiveOne(receiver);
      await pause(target.lockMs);
      const second = await receiveOne(receiver);
      expect(second.deliveryCount).toBe(1);
      await expect(receiver.completeMessage(first)).rejects.toMatchObject({ code: "MessageLockLost" });
      await expect(receiver.renewMessageLock(first)).rejects.toMatchObject({ code: "MessageLockLost" });
      await receiver.completeMessage(second);
    }));

  test("contract: the SDK's automatic renewal keeps a lock while a message is being worked on", () =>
    undisturbed(async () => {
      const { sender, queue } = await open("plain", "brief");
      const receiver = target.client.createReceiver(queue);
      await sender.sendMessages({ body: 1 });
      const message = await receiveOne(receiver);
      await pause(target.lockMs * 1.3);
      await receiver.completeMessage(message);
      expect(await receiver.peekMessages(1)).toEqual([]);
    }));

  test("contract: a renewed lock outlives its first duration", () =>
    undisturbed(async () => {
      const { sender, receiver } = await open("plain", "brief");
      await sender.sendMessages({ body: 1 });
      const message = await receiveOne(receiver);
      await pause(target.lockMs * 0.6);
      const renewedUntil = await receiver.renewMessageLock(message);
      expect(renewedUntil.getTime()).toBeGreaterThan(Date.now() + target.lockMs * 0.5);
      await pause(target.lockMs * 0.6);
      await receiver.completeMessage(message);
      expect(await receiver.peekMessages(1)).toEqual([]);
    }));
});

describe("looking and waiting", atOnce, () => {
  test("contract: peek shows locked and scheduled messages and goes on where it stopped", async () => {
    const { sender, receiver } = await open();
    await sender.sendMessages([{ body: "locked" }, { body: "ready" }]);
    await sender.scheduleMessages({ body: "scheduled" }, new Date(Date.now() + 60_000));
    const locked = await receiveOne(receiver);
    const first = await receiver.peekMessages(2);
    const second = await receiver.peekMessages(2);
    expect(bodies(first)).toEqual(["locked", "ready"]);
    expect(second.map(({ body, state }) => [body, state])).toEqual([["scheduled", "scheduled"]]);
    expect(await receiver.peekMessages(1)).toEqual([]);
    await receiver.completeMessage(locked);
  });

  test("contract: a scheduled message comes at its time, by annotation as by request", () =>
    undisturbed(async () => {
      const { sender, receiver } = await open();
      const due = new Date(Date.now() + 500);
      await sender.scheduleMessages({ body: "by request" }, due);
      await sender.sendMessages({ body: "by annotation", scheduledEnqueueTimeUtc: due });
      await sender.sendMessages({ body: "now" });
      const received = await receive(receiver, 3);
      expect(received[0]?.body).toBe("now");
      expect(new Set(bodies(received.slice(1)))).toEqual(new Set(["by request", "by annotation"]));
      for (const { enqueuedTimeUtc } of received.slice(1)) {
        expect(enqueuedTimeUtc?.getTime()).toBeGreaterThanOrEqual(due.getTime());
      }
      for (const message of received) await receiver.completeMessage(message);
    }));

  test("contract: an expired message is dead-lettered with a reason", () =>
    undisturbed(async () => {
      const { sender, receiver, deadLetters } = await open();
      await sender.sendMessages({ body: 1, timeToLive: 100 });
      await pause(150);
      expect(await isEmpty(receiver)).toBe(true);
      const dead = await receiveOne(deadLetters);
      expect(dead.deadLetterReason).toBe("TTLExpiredException");
      await deadLetters.completeMessage(dead);
    }));

  test("contract: inside the window a message id is taken once, sent, batched or scheduled", async () => {
    const { sender, receiver } = await open("unique");
    const id = crypto.randomUUID();
    const once = (body: string) => ({ body, messageId: `${id}-${body}` });
    await sender.sendMessages(once("a"));
    await sender.sendMessages([once("a"), once("b"), once("b")]);
    await sender.scheduleMessages(once("c"), new Date(Date.now() + 100));
    await sender.sendMessages({ ...once("c"), scheduledEnqueueTimeUtc: new Date(Date.now() + 100) });
    const received = await receive(receiver, 3);
    expect(bodies(received)).toEqual(["a", "b", "c"]);
    for (const message of received) await receiver.completeMessage(message);
    expect(await isEmpty(receiver)).toBe(true);
  });
});
