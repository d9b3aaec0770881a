import { expect, test } from "vitest";
import { shortHostname } from "../../../shared/engine/index.ts";

test.each([
  ["ip-0A000005", "ip-0a000005"],
  ["Node-1.cluster.example", "node-1"],
  ["10.0.0.4", "10.0.0.4"],
  ["fd00::A", "fd00::a"],
  ["", ""],
])("shortHostname: %s compares as %s", (hostname, expected) => {
  expect(shortHostname(hostname)).toBe(expected);
});
