import { expect, test } from "vitest";
import { isHttpToLoopback } from "../../../shared/machine/loopback.ts";

test.each([
  // Addresses in 127.0.0.0/8, however they are spelled: `URL` writes each as four decimals.
  ["http://127.0.0.1", true],
  ["http://127.255.255.254:8080/x", true],
  ["http://127.1", true],
  ["http://0x7f.1", true],
  ["http://0177.0.0.1", true],
  ["http://2130706433", true],
  ["http://127.0.0.1.", true],
  ["http://126.255.255.255", false],
  ["http://128.0.0.1", false],
  // IPv6.
  ["http://[::1]:7071", true],
  ["http://[0:0:0:0:0:0:0:1]", true],
  ["http://[::2]", false],
  // A socket may refuse them, or route them by rules of its own.
  ["http://[::ffff:127.0.0.1]", false],
  ["http://[::127.0.0.1]", false],
  // The name, in any case; no other one, since a resolver may ask DNS for it.
  ["http://localhost:7071", true],
  ["http://LOCALHOST", true],
  ["http://localhost.", false],
  ["http://a.localhost", false],
  ["http://localhost.example", false],
  ["http://127.0.0.1.example", false],
  ["http://xn--localhost", false],
  // "This machine" on some systems, nothing or all addresses on others.
  ["http://0.0.0.0", false],
  ["http://[::]", false],
  // A login before the host is not the host.
  ["http://localhost@example.com", false],
  ["http://127.0.0.1:80@example.com", false],
  // Only http: what is encrypted is decided by its callers, anything else has no place here.
  ["https://localhost", false],
  ["ftp://localhost", false],
  ["ws://127.0.0.1", false],
])("%s: %s", (address, expected) => {
  expect(isHttpToLoopback(new URL(address))).toBe(expected);
});
