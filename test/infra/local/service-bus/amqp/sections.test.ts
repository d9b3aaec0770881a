import { Buffer } from "node:buffer";
import message from "rhea/lib/message.js";
import types, { type Typed } from "rhea/lib/types.js";
import { describe, expect, test } from "vitest";
import { parseAddress } from "../../../../../infra/local/service-bus/amqp/connection.ts";
import {
  tagOfToken,
  ticksOf,
  tokenOfTag,
  tokenOfUuid,
  uuidOfToken,
} from "../../../../../infra/local/service-bus/amqp/lock-token.ts";
import {
  batchFormat,
  editApplicationProperties,
  encodeDelivery,
  parseMessage,
  unbatch,
} from "../../../../../infra/local/service-bus/amqp/sections.ts";

const broker = { sequence: 7, enqueueSequence: 3, enqueuedAt: 1000, deliveryCount: 2 };

function section(code: number, value: Typed): Buffer {
  const writer = new types.Writer();
  writer.write(types.described(types.wrap_ulong(code), value));
  return writer.toBuffer();
}

/** Values whose types rhea would change on the way: bytes of an application properties section. */
const awkward = section(
  0x74,
  types.Map32([
    types.wrap_string("long"),
    types.wrap_long(5),
    types.wrap_string("double"),
    new types.Reader(Buffer.from("824014000000000000", "hex")).read(),
    types.wrap_string("symbol"),
    types.wrap_symbol("s"),
    types.wrap_string("uuid"),
    types.wrap_uuid(Buffer.alloc(16, 7)),
  ]),
);

describe("message ids", () => {
  test("sections: a message without an id gets one, which duplicates detection and the consumer both see", () => {
    const parsed = parseMessage(message.encode({ body: "x" }));
    expect(parsed.messageId).toMatch(/^[0-9a-f]{32}$/);
    const delivered = message.decode(encodeDelivery(parsed.payload, broker));
    expect(delivered).toMatchObject({ message_id: parsed.messageId, body: "x" });
  });

  test("sections: a made-up id keeps the other properties", () => {
    const parsed = parseMessage(message.encode({ group_id: "s", subject: "t", body: 1 }));
    expect(parsed.sessionId).toBe("s");
    expect(message.decode(Buffer.from(parsed.payload))).toMatchObject({
      group_id: "s",
      subject: "t",
      body: 1,
    });
  });

  test("sections: a message with an id is kept to the byte", () => {
    const encoded = message.encode({ message_id: "m", body: "x" });
    expect(parseMessage(encoded).payload).toBe(encoded);
  });

  test.each([
    { kind: "string", id: "m", text: "m" },
    { kind: "number", id: 17, text: "17" },
    { kind: "uuid", id: Buffer.alloc(16, 1), text: "01".repeat(16) },
  ])("sections: a $kind is a message id", ({ id, text }) => {
    expect(parseMessage(message.encode({ message_id: id })).messageId).toBe(text);
  });
});

test("sections: time to live, schedule and session are read where clients write them", () => {
  const encoded = message.encode({
    ttl: 5000,
    group_id: "s",
    message_annotations: { "x-opt-scheduled-enqueue-time": types.wrap_timestamp(123) },
  });
  expect(parseMessage(encoded)).toMatchObject({ ttlMs: 5000, sessionId: "s", scheduledAt: 123 });
});

describe("payload fidelity", () => {
  test("sections: what the broker does not change keeps its bytes", () => {
    const body = section(0x77, types.wrap_long(9));
    const delivered = encodeDelivery(Buffer.concat([awkward, body]), broker);
    expect(delivered.includes(Buffer.concat([awkward, body]))).toBe(true);
  });

  test("sections: editing application properties keeps the types of the others, and replaces by key", () => {
    const edited = editApplicationProperties(awkward, { long: "text", added: types.wrap_symbol("new") });
    const items = new types.Reader(edited).read().value as readonly Typed[];
    expect(items.map(({ type }) => type.typecode).filter((_, index) => index % 2 === 1)).toEqual([
      types.wrap(5.5).type.typecode,
      types.wrap_symbol("s").type.typecode,
      types.wrap_uuid(Buffer.alloc(16)).type.typecode,
      types.wrap_string("text").type.typecode,
      types.wrap_symbol("new").type.typecode,
    ]);
  });

  test("sections: application properties are put between properties and body when there are none", () => {
    const payload = message.encode({ message_id: "m", body: "x" });
    expect(message.decode(editApplicationProperties(payload, { a: "b" }))).toMatchObject({
      message_id: "m",
      application_properties: { a: "b" },
      body: "x",
    });
  });

  test("sections: several body sections stay in order", () => {
    const data = ["a", "b", "c"].map((text) => section(0x75, types.wrap(Buffer.from(text))));
    const delivered = encodeDelivery(Buffer.concat([awkward, ...data]), broker);
    expect(delivered.subarray(-Buffer.concat(data).length)).toEqual(Buffer.concat(data));
  });

  test("sections: the client's own annotations and priority stay beside the broker's", () => {
    const payload = message.encode({
      priority: 9,
      message_annotations: { "x-opt-partition-key": "p", "x-opt-sequence-number": 1 },
    });
    const delivered = message.decode(
      encodeDelivery(payload, { ...broker, ttlMs: 10, lockedUntil: 2000, scheduled: true }),
    );
    expect(delivered).toMatchObject({ priority: 9, ttl: 10, delivery_count: 2 });
    expect(delivered.message_annotations).toEqual({
      "x-opt-partition-key": "p",
      "x-opt-sequence-number": 7,
      "x-opt-enqueue-sequence-number": 3,
      "x-opt-enqueued-time": new Date(1000),
      "x-opt-locked-until": new Date(2000),
      "x-opt-message-state": 2,
    });
  });
});

test("sections: a batch is the messages in its data sections", () => {
  const messages = ["a", "b"].map((id) => message.encode({ message_id: id }));
  const envelope = Buffer.concat(messages.map((encoded) => section(0x75, types.wrap(encoded))));
  expect(unbatch(envelope, batchFormat)).toEqual(messages);
  expect(unbatch(envelope, 0)).toEqual([envelope]);
});

test.each([
  { name: "text", bytes: Buffer.from("hello") },
  {
    name: "a message that is cut off",
    bytes: message.encode({ message_id: "m", body: "abc" }).subarray(0, -2),
  },
])("sections: $name is not a message", ({ bytes }) => {
  expect(() => parseMessage(bytes)).toThrow(RangeError);
});

test("lock token: the delivery tag has .NET's byte order, a request the written one", () => {
  const token = "00112233-4455-6677-8899-aabbccddeeff";
  expect(tagOfToken(token).toString("hex")).toBe("33221100554477668899aabbccddeeff");
  expect(tokenOfTag(tagOfToken(token))).toBe(token);
  expect(tokenOfUuid(uuidOfToken(token))).toBe(token);
});

test("ticks: 1970 and a day of 2024 in 100 ns since the year 1", () => {
  expect(ticksOf(0).readBigInt64BE()).toBe(621_355_968_000_000_000n);
  expect(ticksOf(Date.UTC(2024, 0, 1)).readBigInt64BE()).toBe(638_396_640_000_000_000n);
});

test.each([
  { address: "work", expected: { kind: "queue", queue: "work" } },
  { address: "/work", expected: { kind: "queue", queue: "work" } },
  { address: "amqps://host:5671/a/b", expected: { kind: "queue", queue: "a/b" } },
  { address: "work/$DeadLetterQueue", expected: { kind: "queue", queue: "work/$DeadLetterQueue" } },
  { address: "work/$Management", expected: { kind: "management", queue: "work" } },
  { address: "$cbs", expected: { kind: "cbs" } },
])("address: $address", ({ address, expected }) => {
  expect(parseAddress(address)).toEqual(expected);
});
