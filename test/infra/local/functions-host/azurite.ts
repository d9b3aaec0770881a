import getPort from "get-port";
import { startChild } from "./child-process.ts";

const account = "local";
const key = Buffer.from("not a secret").toString("base64");

/** A queue service that forgets everything when it stops. */
export interface Azurite {
  readonly connectionString: string;
  stop(): Promise<void>;
}

/** The connection string for an Azurite on a port, whether it runs or not. */
export function azuriteConnection(port: number): string {
  const endpoint = `http://127.0.0.1:${port}/${account}`;
  return `DefaultEndpointsProtocol=http;AccountName=${account};AccountKey=${key};QueueEndpoint=${endpoint};`;
}

/** Starts the queue part of Azurite in a process of its own. */
export async function startAzurite(port?: number): Promise<Azurite> {
  const chosen = port ?? (await getPort({ host: "127.0.0.1" }));
  const child = await startChild({
    args: [
      "node_modules/azurite/dist/src/queue/main.js",
      ...["--inMemoryPersistence", "--skipApiVersionCheck", "--disableTelemetry", "--silent"],
      ...["--queueHost", "127.0.0.1", "--queuePort", String(chosen)],
    ],
    env: { AZURITE_ACCOUNTS: `${account}:${key}` },
    isReady: (line) => line.includes("successfully listen"),
  });
  const stop = async (): Promise<void> => {
    await child.kill("SIGKILL");
  };
  return { connectionString: azuriteConnection(chosen), stop };
}
