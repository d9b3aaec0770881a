import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCycleCloud } from "../../../shared/cyclecloud/cyclecloud-client.ts";
import { type ScriptedServer, startScriptedServer } from "../../support/scripted-server.ts";
import { catalogue, fixture } from "./reading.ts";

const pem = (name: string) =>
  readFileSync(new URL(`fixtures/self-signed.${name}.pem`, import.meta.url), "utf8");
let server: ScriptedServer;

beforeAll(async () => {
  server = await startScriptedServer({ key: pem("key"), cert: pem("cert") });
  server.answer({ status: 200, body: fixture("one-array-two-sizes") });
});
afterAll(() => server.close());

function client(tls: {
  verifyCertificates: boolean;
  certificateAuthority?: string;
  certificateFingerprint?: string;
}) {
  return createCycleCloud({
    connection: { url: server.url, username: "user", passwordSetting: "PW", ...tls },
    cluster: "c",
    password: "secret",
    catalogue,
    retryOptions: { maxRetries: 1, retryDelayInMs: 1 },
  });
}

describe("client: a server with a private certificate", () => {
  test("is refused, with advice, and is not worth another try", async () => {
    await expect(client({ verifyCertificates: true }).readCluster()).rejects.toMatchObject({
      kind: "upstream",
      retryable: false,
      message: expect.stringMatching(
        /DEPTH_ZERO_SELF_SIGNED_CERT.*"certificate_authority".*"certificate_fingerprint"/,
      ),
    });
    expect(server.calls).toEqual([]);
  });

  test("is trusted when its authority is given", async () => {
    const reading = await client({
      verifyCertificates: true,
      certificateAuthority: pem("cert"),
    }).readCluster();
    expect(reading.cluster.nodes).toHaveLength(3);
  });

  test("is trusted when certificates are not verified", async () => {
    const reading = await client({ verifyCertificates: false }).readCluster();
    expect(reading.cluster.nodes).toHaveLength(3);
  });
});

describe("client: a server whose certificate is pinned", () => {
  const pin = new X509Certificate(pem("cert")).fingerprint256;
  const wrongPin = pin.replace(/^../, pin.startsWith("00") ? "01" : "00");

  test.each([
    ["with colons", pin],
    ["without colons, in lower case", pin.replaceAll(":", "").toLowerCase()],
  ])("is trusted by its fingerprint %s, without an authority", async (_, certificateFingerprint) => {
    const pinned = client({ verifyCertificates: true, certificateFingerprint });
    expect((await pinned.readCluster()).cluster.nodes).toHaveLength(3);
    expect((await pinned.readCluster()).cluster.nodes).toHaveLength(3);
  });

  test.each([
    ["verified", { verifyCertificates: true }],
    ["not verified", { verifyCertificates: false }],
    ["signed by a known authority", { verifyCertificates: true, certificateAuthority: pem("cert") }],
  ])("is sent nothing when it shows another one, also when certificates are %s", async (_, tls) => {
    server.answer({ status: 200, body: fixture("one-array-two-sizes") });
    const reading = client({ ...tls, certificateFingerprint: wrongPin }).readCluster();
    await expect(reading).rejects.toMatchObject({
      kind: "upstream",
      retryable: false,
      message: expect.stringContaining(
        `certificate with fingerprint "${pin}", expected certificate_fingerprint`,
      ),
    });
    expect(server.calls).toEqual([]);
  });

  test("that cannot be reached is worth another try", async () => {
    const gone = await startScriptedServer({ key: pem("key"), cert: pem("cert") });
    await gone.close();
    const connection = { url: gone.url, username: "user", passwordSetting: "PW", verifyCertificates: true };
    const reading = createCycleCloud({
      connection: { ...connection, certificateFingerprint: pin },
      cluster: "c",
      password: "secret",
      catalogue,
      retryOptions: { maxRetries: 1, retryDelayInMs: 1 },
    }).readCluster();
    await expect(reading).rejects.toMatchObject({
      retryable: true,
      message: expect.stringContaining("ECONNREFUSED"),
    });
  });
});
