import { describe, expect, test } from "vitest";
import { parseConfig, readConfig } from "../../../../infra/local/service-bus/config.ts";

const product = new URL("../../../../infra/local/environment/service-bus.json", import.meta.url).pathname;

function withQueues(...queues: object[]): string {
  return JSON.stringify({
    UserConfig: { Namespaces: [{ Name: "n", Queues: queues, Topics: [] }], Logging: { Type: "File" } },
  });
}

const withProperties = (Properties: object) => withQueues({ Name: "q", Properties });

test("config: the product's own file defines its two queues", () => {
  expect(readConfig(product)).toEqual({
    queues: [
      {
        name: "plan-requests",
        lockMs: 60_000,
        maxDeliveryCount: 5,
        defaultTtlMs: 3_600_000,
        deadLetterExpired: false,
        requiresSession: true,
        duplicateWindowMs: 60_000,
      },
      {
        name: "scale-actions",
        lockMs: 60_000,
        maxDeliveryCount: 10,
        defaultTtlMs: 3_600_000,
        deadLetterExpired: true,
        requiresSession: true,
        duplicateWindowMs: 300_000,
      },
    ],
  });
});

test("config: a queue without properties has the official emulator's defaults", () => {
  expect(parseConfig(withQueues({ Name: "q" })).queues).toEqual([
    {
      name: "q",
      lockMs: 60_000,
      maxDeliveryCount: 3,
      defaultTtlMs: 3_600_000,
      deadLetterExpired: false,
      requiresSession: false,
    },
  ]);
});

test.each([
  { duration: "PT1S", expected: 1000 },
  { duration: "PT1M30.5S", expected: 90_500 },
  { duration: "P14D", expected: 1_209_600_000 },
  { duration: "P1Y2M", expected: 425 * 86_400_000 },
])("config: $duration is $expected ms", ({ duration, expected }) => {
  expect(parseConfig(withProperties({ LockDuration: duration })).queues[0]?.lockMs).toBe(expected);
});

describe("what cannot be used", () => {
  test("config: one error names every problem", () => {
    const bad = { LockDuration: "1 minute", MaxDeliveryCount: 0, ForwardTo: "other", RequiresSession: "yes" };
    const read = () => parseConfig(withQueues({ Name: "-q", Properties: bad }));
    for (const part of [
      "Cannot use the Service Bus configuration",
      "Queues.0.Name",
      'LockDuration: "1 minute", expected a positive ISO 8601 duration like "PT1M"',
      "MaxDeliveryCount",
      "ForwardTo: forwarding is not served, expected an empty string",
      "RequiresSession",
    ]) {
      expect(read).toThrow(part);
    }
  });

  test.each([
    { name: "text that is not JSON", text: '{"UserConfig": }', part: "Unexpected token" },
    { name: "an empty file", text: "", part: "Unexpected end" },
    { name: "no namespace", text: '{"UserConfig": {"Namespaces": []}}', part: "UserConfig.Namespaces" },
    {
      name: "a name twice, in another case",
      text: withQueues({ Name: "q" }, { Name: "Q" }),
      part: '"q" is defined',
    },
    { name: "a negative duration", text: withProperties({ LockDuration: "-PT1S" }), part: '"-PT1S"' },
    {
      name: "an unknown property",
      text: withProperties({ MaxSizeInMegabytes: 1 }),
      part: 'Queues.0.Properties: Unrecognized key: "MaxSizeInMegabytes"',
    },
    {
      name: "a topic",
      text: `{"UserConfig": {"Namespaces": [{"Topics": [{"Name": "t"}]}]}}`,
      part: "topics are not served",
    },
    { name: "a list", text: "[]", part: "expected object" },
  ])("config: $name is refused", ({ text, part }) => {
    expect(() => parseConfig(text)).toThrow(part);
  });
});
