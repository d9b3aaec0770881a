import { expect, test } from "vitest";
import { decodeQueueText } from "../../../shared/messages/queue-text.ts";

const json = '{"version":1,"name":"ü"}';

test.each<[string, unknown, unknown]>([
  ["base64 of JSON", Buffer.from(json).toString("base64"), json],
  [
    "base64 with line breaks",
    Buffer.from(json)
      .toString("base64")
      .replace(/(.{10})/, "$1\n"),
    json,
  ],
  ["JSON that the host has parsed", { version: 1 }, { version: 1 }],
  ["text that is no base64", "}{", "}{"],
  ["text that only looks like base64", "nonsense", "nonsense"],
  ["nothing", "", ""],
])("decodeQueueText: %s", (_case, body, expected) => {
  expect(decodeQueueText(body)).toEqual(expected);
});
