import { expect, test } from "vitest";
import { createIds, logOf } from "../../functions/support/process.ts";

function logged(fields: Parameters<ReturnType<typeof logOf>["warn"]>[1]): string {
  const lines: string[] = [];
  const add = (line: string) => lines.push(line);
  logOf({ info: add, warn: add, error: add }, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01").warn(
    "seen",
    fields,
  );
  return lines.join("\n");
}

test("one object a line, the event first, the trace last", () => {
  expect(logged({ cluster: "hpc", nodes: 3, isLate: false, source: undefined, planId: null })).toBe(
    '{"event":"seen","cluster":"hpc","nodes":3,"isLate":false,"planId":null,"trace":"0af7651916cd43dd8448eb211c80319c"}',
  );
});

test.each([
  ["an escape sequence", "\u001b[2J", "\\u001b[2J"],
  ["one of the second set of controls", "\u009b2J", "\\u009b2J"],
  ["lines of its own", 'a\n{"event":"forged"}', 'a\\u000a{"event":"forged"}'],
  ["text that runs the other way", "abc\u202egnp", "abc\\u202egnp"],
  ["half of a pair", "a\ud83d", "a\\ud83d"],
  ["letters of any script", "äöü 作業 🙂", "äöü 作業 🙂"],
])("a name with %s is spelled", (_, cluster, shown) => {
  expect(JSON.parse(logged({ cluster }))).toMatchObject({ cluster: shown });
});

test("a name of any length takes no more than its share, with how long it was", () => {
  const line = logged({ cluster: "c".repeat(1_000_000), reason: "too long" });
  expect(line.length).toBeLessThan(3_000);
  expect(JSON.parse(line)).toMatchObject({
    reason: "too long",
    cluster: expect.stringMatching(/c… \(1000000 characters\)$/),
  });
});

test("a keyed hash is HMAC-SHA-256 of the text under the key of the setting", () => {
  const { keyedHash } = createIds({ PSEUDONYM_KEY: "a key of sixteen characters or more" });
  // printf 'user:ada' | openssl dgst -sha256 -hmac 'a key of sixteen characters or more'
  expect(keyedHash("PSEUDONYM_KEY", "user:ada")).toBe(
    "6130e763d759a9ab45e3f68ac38a9486c832870b95ecf831970614f829bacbe9",
  );
});

test("the id of a request to CycleCloud is always the same of an action, in the form of a UUID", () => {
  // printf 'action-1' | sha256sum
  expect(createIds({}).requestId("action-1")).toBe("bf0a9567-0323-09b7-baa0-f4bd90dc1235");
});

test.each([
  ["is missing", {}],
  ["is too short to keep a name secret", { PSEUDONYM_KEY: "fifteen letters" }],
  [
    "could not be read",
    { PSEUDONYM_KEY: "@Microsoft.KeyVault(SecretUri=https://v.vault.azure.net/secrets/k)" },
  ],
])("there is no keyed hash when the key %s", (_, environment) => {
  expect(createIds(environment).keyedHash("PSEUDONYM_KEY", "user:ada")).toBeUndefined();
});
