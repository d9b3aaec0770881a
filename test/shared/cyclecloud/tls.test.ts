import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCycleCloud } from "../../../shared/cyclecloud/client.ts";
import { catalogue, fixture } from "./reading.ts";
import { type ScriptedServer, startScriptedServer } from "./scripted-server.ts";

const pem = (name: string) =>
  readFileSync(new URL(`fixtures/self-signed.${name}.pem`, import.meta.url), "utf8");
let server: ScriptedServer;

beforeAll(async () => {
  server = await startScriptedServer({ key: pem("key"), cert: pem("cert") });
  server.answer({ status: 200, body: fixture("one-array-two-sizes") });
});
afterAll(() => server.close());

function client(tls: { verifyCertificates: boolean; certificateAuthority?: string }) {
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
        /DEPTH_ZERO_SELF_SIGNED_CERT.*"certificate_authority".*"verify_certificates"/,
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
