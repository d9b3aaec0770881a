import { describe, expect, test } from "vitest";
import { deadLetterOf } from "../../functions/support/dead-letter.ts";

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
