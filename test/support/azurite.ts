import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The account that every Azurite knows; its key is public and documented. */
const account = "devstoreaccount1";
const key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
const startTimeoutMs = 20_000;
const services = ["Blob", "Queue", "Table"] as const;
type Service = (typeof services)[number];

/** A running Azurite with nothing in it. */
export interface Azurite {
  readonly connectionString: string;
  readonly endpoints: Readonly<Record<Service, string>>;
  stop(): Promise<void>;
}

/**
 * Starts an Azurite of its own for one test file, on free ports of 127.0.0.1, with everything in memory. Call it in
 * `beforeAll`, and `stop()` in `afterAll`. It is the npm package that the project depends on: no Docker, no download.
 */
export async function startAzurite(): Promise<Azurite> {
  const child = spawn(process.execPath, [binary(), ...flags()], { stdio: ["ignore", "pipe", "pipe"] });
  process.once("exit", () => child.kill("SIGKILL"));
  try {
    const endpoints = await listening(child);
    return { endpoints, connectionString: connectionString(endpoints), stop: () => stop(child) };
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}

function binary(): string {
  return fileURLToPath(new URL("../../node_modules/azurite/dist/src/azurite.js", import.meta.url));
}

/** Port 0: Azurite prints the one it got. */
function flags(): string[] {
  const ports = services.flatMap((service) => {
    const name = service.toLowerCase();
    return [`--${name}Port`, "0", `--${name}Host`, "127.0.0.1"];
  });
  return ["--inMemoryPersistence", "--skipApiVersionCheck", "--silent", "--disableTelemetry", ...ports];
}

function listening(child: ChildProcess): Promise<Record<Service, string>> {
  const found: Partial<Record<Service, string>> = {};
  let output = "";
  return new Promise((resolve, reject) => {
    const giveUp = (why: string) => reject(new Error(`Cannot start Azurite: ${why}; it printed: ${output}`));
    const timer = setTimeout(() => giveUp(`not ready after ${startTimeoutMs} ms`), startTimeoutMs);
    child.once("exit", (code) => giveUp(`exit code ${code}`));
    child.stderr?.on("data", (chunk) => {
      output += chunk;
    });
    child.stdout?.on("data", (chunk) => {
      output += chunk;
      for (const [, service, url] of output.matchAll(
        /(Blob|Queue|Table) service is successfully listening at (\S+)/g,
      )) {
        if (url !== undefined) found[service as Service] = `${url}/${account}`;
      }
      if (!isComplete(found)) return;
      clearTimeout(timer);
      resolve(found);
    });
  });
}

function isComplete(found: Partial<Record<Service, string>>): found is Record<Service, string> {
  return services.every((service) => found[service] !== undefined);
}

function connectionString(endpoints: Readonly<Record<Service, string>>): string {
  const urls = services.map((service) => `${service}Endpoint=${endpoints[service]}`);
  return ["DefaultEndpointsProtocol=http", `AccountName=${account}`, `AccountKey=${key}`, ...urls, ""].join(
    ";",
  );
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}
