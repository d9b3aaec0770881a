import { describe, expect, test } from "vitest";
import { settleInTurn } from "../../../../infra/local/functions-host/service-bus-client.ts";
import { bodyText, serviceBusMetadata } from "../../../../infra/local/functions-host/service-bus-message.ts";

type Message = Parameters<typeof serviceBusMetadata>[0];

describe("Service Bus message", () => {
  test.each([
    ["bytes", Buffer.from('{"ä":1}'), '{"ä":1}'],
    ["text", "plain", "plain"],
    ["a value", { a: 1 }, '{"a":1}'],
    ["nothing", undefined, ""],
  ])("a body of %s becomes text", (_name, body, text) => {
    expect(bodyText(body)).toBe(text);
  });

  test("metadata carries both generations of names, counts from one and leaves out what is not there", () => {
    const metadata = serviceBusMetadata({
      messageId: "m-1",
      deliveryCount: 0,
      subject: "s",
      enqueuedTimeUtc: new Date(0),
      applicationProperties: { kind: "x" },
    } as unknown as Message);
    expect(metadata).toEqual({
      MessageId: { string: "m-1" },
      DeliveryCount: { json: "1" },
      Subject: { string: "s" },
      Label: { string: "s" },
      EnqueuedTimeUtc: { json: '"1970-01-01T00:00:00.000Z"' },
      EnqueuedTime: { json: '"1970-01-01T00:00:00.000+00:00"' },
      ExpiresAtUtc: { json: '"9999-12-31T23:59:59.9999999Z"' },
      ExpiresAt: { json: '"9999-12-31T23:59:59.9999999+00:00"' },
      ApplicationProperties: { json: '{"kind":"x"}' },
      UserProperties: { json: '{"kind":"x"}' },
    });
  });

  test("messages of one link are settled in different turns of the event loop", async () => {
    let turn = 0;
    const seen: string[] = [];
    const count = (): void => {
      turn += 1;
      if (seen.length < 3) setImmediate(count);
    };
    const note = (outcome: string) => async (): Promise<void> => void seen.push(`${outcome} ${turn}`);
    const settle = settleInTurn({ completeMessage: note("complete"), abandonMessage: note("abandon") });
    setImmediate(count);
    const message = {} as Message;
    await Promise.all([settle(message, "complete"), settle(message, "abandon"), settle(message, "complete")]);
    expect(seen.map((entry) => entry.split(" ")[0])).toEqual(["complete", "abandon", "complete"]);
    expect(new Set(seen.map((entry) => entry.split(" ")[1])).size).toBe(3);
  });
});
