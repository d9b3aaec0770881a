import { createRequire } from "node:module";
import { join } from "node:path";
import getPort from "get-port";
import { type Child, startChild } from "./child.ts";

/** Azurite's well-known development account; no secret. */
const accountName = "devstoreaccount1";
const accountKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

export interface Azurite extends Child {
  readonly connectionString: string;
}

/** Starts Azurite (blobs, queues, tables) on free ports. With a folder it keeps its data there, else in memory. */
export async function startAzurite(options: {
  readonly logFile: string;
  readonly dataFolder?: string;
}): Promise<Azurite> {
  const ports = { blob: await getPort(), queue: await getPort(), table: await getPort() };
  const script = createRequire(import.meta.url).resolve("azurite/dist/src/azurite.js");
  let started = 0;
  const child = await startChild({
    name: "azurite",
    logFile: options.logFile,
    args: [
      script,
      ...["--blobHost", "127.0.0.1", "--queueHost", "127.0.0.1", "--tableHost", "127.0.0.1"],
      ...["--blobPort", `${ports.blob}`, "--queuePort", `${ports.queue}`, "--tablePort", `${ports.table}`],
      ...["--skipApiVersionCheck", "--disableTelemetry"],
      ...(options.dataFolder === undefined
        ? ["--inMemoryPersistence"]
        : ["--location", join(options.dataFolder, "azurite")]),
    ],
    isReady: (line) => {
      if (line.includes("successfully listening")) started += 1;
      return started === 3;
    },
  });
  const endpoints = [
    `BlobEndpoint=http://127.0.0.1:${ports.blob}/${accountName}`,
    `QueueEndpoint=http://127.0.0.1:${ports.queue}/${accountName}`,
    `TableEndpoint=http://127.0.0.1:${ports.table}/${accountName}`,
  ];
  const account = [`DefaultEndpointsProtocol=http`, `AccountName=${accountName}`, `AccountKey=${accountKey}`];
  return { ...child, connectionString: [...account, ...endpoints].join(";") };
}
