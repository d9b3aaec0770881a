import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redact, redactedIn, redactText } from "../../../shared/text/redact.ts";
import { cases } from "../../support/cases.ts";

const key = "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYg==";
const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";

describe("secrets by what they are called", () => {
  test.each([
    ["a password", { password: "geheim" }],
    ["a password as a number", { password: 1234 }],
    ["a nested one", { cyclecloud: { config: { password: "geheim" } } }],
    ["a list of them", { admin_passwords: "x", passwords: ["geheim"], password: ["geheim"] }],
    ["a connection string", { storageConnectionString: "geheim" }],
    ["an access key", { access_key: "geheim", accountKey: "geheim", api_key: "geheim", key: "geheim" }],
    ["a client secret", { clientSecret: "geheim" }],
    ["a token", { bearerToken: "geheim", access_token: "geheim", token: "geheim" }],
    ["a private key", { private_key: "geheim", sshKey: "geheim", munge_key: "geheim" }],
    ["a webhook", { webhook: "geheim", teamsWebhookUrl: "https://receiver.example/geheim" }],
    ["an address where its setting belongs", { url_setting: "https://receiver.example/geheim" }],
    ["a SAS", { sas: "geheim", "blob.sig": "geheim" }],
  ])("%s", (_, value) => {
    expect(JSON.stringify(redact(value))).not.toMatch(/geheim|1234/);
  });

  test("what only sounds like one stays", () => {
    const value = {
      password_setting: "CYCLECLOUD_PASSWORD_HPC",
      url_setting: "TEAMS_WEBHOOK_2",
      tokens: 5,
      keys: ["a"],
      resources: { license_token: 3, keyboard: "de" },
      monkey: "jane",
      password: null,
    };
    expect(redact(value)).toEqual(value);
  });
});

describe("secrets by what they look like", () => {
  test.each([
    [
      "a storage connection string",
      `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${key};EndpointSuffix=x`,
    ],
    ["a Service Bus connection string", `Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey=${key}`],
    ["the address of a Slack webhook", `https://hooks.slack.com/services/T0/B0/${key}`],
    ["the address of a Teams webhook", `https://a.webhook.office.com/webhookb2/${key}`],
    ["a SAS address", `https://a.blob.core.windows.net/c/b?sv=2026&sig=${encodeURIComponent(key)}&se=1`],
    ["a function key in an address", `https://x.azurewebsites.net/api/status?code=${key}`],
    ["a login in an address", `https://admin:${key}@cyclecloud.example`],
    ["a Basic login", `Authorization: Basic ${key}`],
    ["a bearer token", `Bearer ${jwt}`],
    ["a JSON web token", `token is ${jwt}!`],
    ["a private key", `-----BEGIN RSA PRIVATE KEY-----\n${key}\n-----END RSA PRIVATE KEY-----`],
    ["a JSON web token behind a dash", `hpc-${jwt}`],
    ["two of them, with the end of the first joined on", `${jwt}.${jwt}`],
    ["a private key without an end", `x -----BEGIN PRIVATE KEY-----\n${key.replaceAll("=", "")}`],
    ["a key of a function app", `${key.replaceAll("=", "")}AzFuQ1w2==`],
    ["a key on its own", key],
    ["JSON in a text", JSON.stringify({ jobs: [{ metadata: { password: key } }] })],
    ["JSON in JSON in a text", JSON.stringify({ body: JSON.stringify({ password: key }) })],
  ])("%s", (_, text) => {
    const safe = redactText(text);
    expect(safe).toContain("***");
    expect(safe).not.toContain(key);
    expect(safe).not.toContain(encodeURIComponent(key));
    expect(safe).not.toContain(jwt);
  });

  test.each([
    ["a sentence", "Job 12 waits: quota of standardFSv2Family leaves 40 cores, wanted 96"],
    ["a request id", "0b1a2c3d-4e5f-6071-8293-a4b5c6d7e8f9"],
    ["an address", "https://cyclecloud.example:9443/clusters/hpc/nodes?request_id=7"],
    ["a certificate", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"],
    [
      "a certificate whose last line is long and padded",
      `-----BEGIN CERTIFICATE-----\nMIIB\n${key}\n-----END CERTIFICATE-----\n`,
    ],
    [
      "the same in one line, as a message quotes it",
      `"-----BEGIN CERTIFICATE-----\\n${key}\\n-----END CERTIFICATE-----"`,
    ],
    ["a job list", '{"jobs": [{"name": "a"}]}'],
  ])("%s stays as it is", (_, text) => {
    expect(redactText(text)).toBe(text);
  });
});

test("what is nested too deeply to be looked into is not shown", () => {
  const text = `${"[".repeat(100_000)}{"password":"geheim"}${"]".repeat(100_000)}`;
  expect(redactText(text)).not.toContain("geheim");
  expect(JSON.stringify(redact(JSON.parse(text)))).not.toContain("geheim");
  const shallow = `${"[".repeat(100)}{"password":"geheim"}${"]".repeat(100)}`;
  expect(redactText(shallow)).toContain('{"password":"***"}');
});

test.each([
  ["blanks after a key", (run: number) => `{"password":${" ".repeat(run)}`],
  ["blanks in a list that does not end", (run: number) => `{"password": [${" ".repeat(run)}`],
  ["blanks before a colon", (run: number) => `{"password"${" ".repeat(run)}`],
  ["backslashes", (run: number) => `{"password${"\\".repeat(run)}`],
  ["blanks after an option", (run: number) => `--password${" ".repeat(run)}-`],
  ["names without values", (run: number) => "token= ".repeat(run / 7)],
])("a long text takes no longer than its length allows: %s", (_, textOf) => {
  const before = process.cpuUsage();
  redactText(textOf(64_000));
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1);
});

test("property: a secret that is known goes, wherever it is, and nothing throws", () => {
  const secret = "s3cr3t-known";
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom(secret, `x${secret}y`, `{"a":"${secret}"}`, `{${secret}`),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(text, tie("value"), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(value, (each) => {
      expect(JSON.stringify(redact(each, [secret]))).not.toContain(secret);
    }),
    cases(500),
  );
});

test("what holds no secret is the same object; of what holds one, only the way there is copied", () => {
  const harmless = { jobs: [{ name: "a", constraints: [{ ncpus: 4 }] }], at: null };
  expect(redact(harmless)).toBe(harmless);
  const held = { harmless, hidden: [{ password: "geheim" }] };
  const safe = redact(held) as typeof held;
  expect(safe).toEqual({ harmless, hidden: [{ password: "***" }] });
  expect(safe.harmless).toBe(harmless);
  expect(held.hidden).toEqual([{ password: "geheim" }]);
});

test("redactedIn: where *** stands in the place of a value, or in one", () => {
  const value = { a: ["***", "fine", { b: "key=***" }], c: "**", d: 3, e: null };
  expect(redactedIn(value)).toEqual(["a[0]", "a[2].b"]);
  expect(redactedIn(value, "jobs")).toEqual(["jobs.a[0]", "jobs.a[2].b"]);
  expect(redactedIn(redact({ password: "geheim", ncpus: 4 }))).toEqual(["password"]);
});

test("redactedIn: any depth and length", () => {
  let deep: unknown = "***";
  for (let level = 0; level < 20_000; level++) deep = [deep];
  expect(redactedIn(deep)).toHaveLength(1);
  expect(redactedIn(Array.from({ length: 200_000 }, () => "***"))).toHaveLength(200_000);
});
