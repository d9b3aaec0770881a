import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { request as forward } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { python, run, withoutPython } from "../../clients/python/python.ts";
import { agentOid, alice, clientId, startTenant, type Tenant } from "../../support/entra.ts";
import { eventually, type LocalStack, never, startStack } from "../../support/local-stack.ts";
import { type ManagedIdentity, startManagedIdentity } from "../package/managed-identity.ts";

const root = join(import.meta.dirname, "../../..");
const certificate = (name: string) => join(root, `test/shared/cyclecloud/fixtures/self-signed.${name}.pem`);
const noPython = withoutPython();
const audience = `api://${clientId}`;

let tenant: Tenant;
let stack: LocalStack;
let identity: ManagedIdentity;
let front: Server;
let url: string;
/** What the Azure CLI's stand-in says: a token, or words on stderr. */
let cli: string;

beforeAll(async () => {
  tenant = await startTenant();
  identity = await startManagedIdentity((resource) =>
    tenant.appToken({ aud: resource, roles: ["Autoscale.Read"] }),
  );
  stack = await startStack({ settings: tenant.settings, snapshotSchedule: never });
  await stack.snapshot();
  cli = join(stack.folder, "az");
  front = await startFront(stack.environment.functionsUrl);
  url = `https://127.0.0.1:${(front.address() as AddressInfo).port}`;
});

afterAll(async () => {
  front?.closeAllConnections();
  front?.close();
  await stack?.stop();
  await identity?.stop();
  await tenant?.stop();
});

/** TLS before the local host, as in Azure: clients send tokens over nothing else. */
async function startFront(target: string): Promise<Server> {
  const tls = { key: readFileSync(certificate("key")), cert: readFileSync(certificate("cert")) };
  const server = createServer(tls, (request, response) => {
    const { method = "GET", headers } = request;
    const onward = forward(new URL(request.url ?? "/", target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** `ccscale` as an operator runs it: a process of its own that is told where the service is, and no key. */
function ccscale(argv: readonly string[], env: Readonly<Record<string, string>>): Promise<Finished> {
  const own = {
    PATH: `${stack.folder}:${process.env.PATH ?? ""}`,
    NODE_EXTRA_CA_CERTS: certificate("cert"),
    CCSCALE_URL: url,
    CCSCALE_CLUSTER: stack.cluster,
    ...env,
  };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["dist/clients/cli/main.js", ...argv],
      { cwd: root, env: own },
      (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
      },
    );
  });
}

/** After `az login` as somebody with these roles. */
async function signedIn(argv: readonly string[], roles: readonly string[]): Promise<Finished> {
  const accessToken = await tenant.userToken({ roles });
  const answer = JSON.stringify({ accessToken, expires_on: Math.floor(Date.now() / 1000) + 3_600 });
  const text = `#!/usr/bin/env bash\n[[ $* == *"--resource ${audience}"* ]] && echo '${answer}'\n`;
  await writeFile(cli, text, { mode: 0o755 });
  return ccscale(argv, { CCSCALE_AUDIENCE: audience, AZURE_TOKEN_CREDENTIALS: "AzureCliCredential" });
}

function asManagedIdentity(argv: readonly string[]): Promise<Finished> {
  const chosen = { CCSCALE_AUDIENCE: audience, AZURE_TOKEN_CREDENTIALS: "ManagedIdentityCredential" };
  return ccscale(argv, { ...chosen, ...identity.settings });
}

const hosted = z.array(z.looseObject({ name: z.string(), trigger: z.looseObject({ type: z.string() }) }));

describe("a service that asks for Entra tokens", () => {
  test("answers no HTTP call without one, whatever the function", async () => {
    const { functionsUrl } = stack.environment;
    const functions = hosted.parse(await (await fetch(`${functionsUrl}/admin/functions`)).json());
    const http = functions.filter(({ trigger }) => trigger.type === "httpTrigger");
    expect(http.length).toBeGreaterThan(15);
    for (const { name, trigger } of http) {
      // Files of the dashboard, which hold nothing about any cluster.
      if (trigger.authLevel === "function" || name.startsWith("http-dashboard")) continue;
      const path = String(trigger.route).replaceAll(/\{\w+\}/g, stack.cluster);
      const [method = "GET"] = trigger.methods as string[];
      const response = await fetch(`${functionsUrl}/api/${path}`, {
        method,
        headers: { "x-functions-key": "k" },
      });
      expect({ name, status: response.status }).toEqual({ name, status: 401 });
    }
    // What nodes call, each with a key of its own.
    const withKeys = http.filter(({ trigger }) => trigger.authLevel === "function");
    expect(withKeys.map(({ name }) => name)).toEqual(["http-autostop", "http-leaving"]);
  });

  test("an operator after az login acts without a key, and the record says who it was", async () => {
    const status = await eventually(
      () => signedIn(["status"], ["Autoscale.Operate"]),
      // A host that has just started answers before it has taken the first snapshot.
      ({ code, stdout }) => code === 0 && /^snapshot +\w+ ago$/m.test(stdout),
    );
    expect(status.stderr).toBe("");
    const create = [
      "create-nodes",
      "--count",
      "1",
      "--nodearray",
      "htc",
      "--by",
      "mallory",
      "--reason",
      "test",
    ];
    expect(await signedIn(create, ["Autoscale.Operate"])).toMatchObject({ code: 0, stderr: "" });
    const { stdout } = await signedIn(["operations", "--format", "json"], ["Autoscale.Read"]);
    const [operation] = JSON.parse(stdout);
    expect(operation.requestedBy).toEqual({ who: `alice@example.com (${alice.oid})`, why: "test" });
  });

  test("a managed identity that may read looks, and changes nothing", async () => {
    expect(await asManagedIdentity(["status"])).toMatchObject({ code: 0, stderr: "" });
    const refused = await asManagedIdentity(["create-nodes", "--count", "1", "--nodearray", "htc"]);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(
      new RegExp(`^error: app .*${agentOid}\\) lacks the role "Autoscale.Operate"$`, "m"),
    );
  });

  test.skipIf(noPython !== "")(`so does the Python module${noPython}`, async () => {
    const program = `
from ccscale import Demand, LoginFailed
demand = Demand("${stack.cluster}", "python")
print(demand.status()["cluster"])
try:
    demand.snapshot()
except LoginFailed as error:
    print(error.status, error.kind, error)
print(demand)
`;
    const env = {
      CCSCALE_URL: url,
      CCSCALE_AUDIENCE: audience,
      PYTHONPATH: join(root, "clients/python"),
      SSL_CERT_FILE: certificate("cert"),
      CCSCALE_SETTINGS: join(stack.folder, "none.json"),
    };
    const { code, out, errors } = await run(python, ["-c", program], {
      env: { ...env, ...identity.settings },
    });
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(out.split("\n")).toEqual([
      stack.cluster,
      expect.stringMatching(/^403 forbidden app .* lacks the role "Autoscale\.Operate"/),
      expect.stringContaining(`ManagedIdentity(audience='${audience}'`),
      "",
    ]);
    expect(out).not.toMatch(/eyJ[\w-]{20}/);
    const stranger = await run(python, ["-c", program], {
      env: { ...env, ...identity.settings, SSL_CERT_FILE: "/dev/null" },
    });
    expect(stranger.errors).toMatch(/Unreachable: Cannot reach https:.*certificate verify failed/);
  });

  test("who shows nothing is told how to sign in; who is not signed in, to do so", async () => {
    const nothing = await ccscale(["status"], {});
    expect(nothing).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`CCSCALE_AUDIENCE set to that`),
    });
    expect(nothing.stderr).toContain(audience);
    await writeFile(
      cli,
      "#!/usr/bin/env bash\necho \"Please run 'az login' to setup account.\" >&2\nexit 1\n",
    );
    const chosen = { CCSCALE_AUDIENCE: audience, AZURE_TOKEN_CREDENTIALS: "AzureCliCredential" };
    const nobody = await ccscale(["status"], chosen);
    expect(nobody.stderr).toMatch(
      /^error: Cannot sign in for "api:.*you are not signed in on this machine.*\nRun "az login"/,
    );
  });

  test("no token is in the log", async () => {
    const log = await readFile(join(stack.folder, "functions-host.log"), "utf8");
    expect(log).toContain("caller-refused");
    expect(log).not.toMatch(/eyJ[\w-]{20}/);
  });
});
