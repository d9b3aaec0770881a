import { describe, expect, test } from "vitest";
import { deadLetterOf, queueMessageOf } from "../../functions/support/queue-message.ts";

test.each<[string, Record<string, unknown>, { messageId: string; attempts: number | undefined }]>([
  ["the queue's own", { id: "m-1", dequeueCount: 3 }, { messageId: "m-1", attempts: 3 }],
  [
    "hidden by the body",
    { id: { toString: 1 }, dequeueCount: "x" },
    { messageId: "run-1", attempts: undefined },
  ],
  ["missing", {}, { messageId: "run-1", attempts: undefined }],
])("queueMessageOf: metadata that is %s", (_case, triggerMetadata, expected) => {
  const message = queueMessageOf("{}", { invocationId: "run-1", triggerMetadata }, "job-demand");
  expect(message).toMatchObject({ queue: "job-demand", ...expected });
});

const message = { body: { version: 1 }, queue: "scale-actions" };
const of = (triggerMetadata: Record<string, unknown> | undefined) =>
  deadLetterOf(
    message,
    triggerMetadata === undefined ? { invocationId: "i" } : { invocationId: "i", triggerMetadata },
  );

describe("deadLetterOf", () => {
  test("reason and description come from the application properties, deliveries without the present one", () => {
    const applicationProperties = {
      deadLetterReason: "TTLExpiredException",
      deadLetterErrorDescription: "late",
    };
    expect(of({ messageId: "plan-1-0", deliveryCount: 11, applicationProperties })).toEqual({
      ...message,
      messageId: "plan-1-0",
      attempts: 10,
      reason: "TTLExpiredException, late",
    });
  });

  test.each<[string, Record<string, unknown> | undefined]>([
    ["no metadata", undefined],
    ["metadata of other kinds", { deliveryCount: "many", applicationProperties: "none" }],
    ["properties of other kinds", { applicationProperties: { deadLetterReason: 7 } }],
  ])("%s: the message counts all the same", (_case, metadata) => {
    expect(of(metadata)).toEqual({
      ...message,
      messageId: "i",
      attempts: undefined,
      reason: "no reason given",
    });
  });
});
