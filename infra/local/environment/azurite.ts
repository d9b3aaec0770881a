import { createRequire } from "node:module";
import { join } from "node:path";
import { type Child, startChild } from "./child.ts";

/** Azurite's well-known development account; no secret. */
const accountName = "devstoreaccount1";
const accountKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

export interface Azurite extends Child {
  readonly connectionString: string;
  /** Addresses of the three services, for clients that bring a token. */
  readonly uris: { readonly blob: string; readonly queue: string; readonly table: string };
}

/**
 * Starts Azurite (blobs, queues, tables) on free ports. With a folder it keeps its data there, else in memory. With a
 * certificate it speaks HTTPS and takes tokens, whose signature it does not check; the SDKs send none without HTTPS.
 */
export async function startAzurite(options: {
  readonly logFile: string;
  readonly dataFolder?: string;
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
  readonly signal?: AbortSignal | undefined;
}): Promise<Azurite> {
  const { tls } = options;
  const protocol = tls === undefined ? "http" : "https";
  const script = createRequire(import.meta.url).resolve("azurite/dist/src/azurite.js");
  const uris = { blob: "", queue: "", table: "" };
  const child = await startChild({
    name: "azurite",
    logFile: options.logFile,
    signal: options.signal,
    args: [
      script,
      ...["--blobHost", "127.0.0.1", "--queueHost", "127.0.0.1", "--tableHost", "127.0.0.1"],
      // Each service prints the port that it got.
      ...["--blobPort", "0", "--queuePort", "0", "--tablePort", "0"],
      ...["--skipApiVersionCheck", "--disableTelemetry"],
      ...(tls === undefined ? [] : ["--oauth", "basic", "--cert", tls.certFile, "--key", tls.keyFile]),
      ...(options.dataFolder === undefined
        ? ["--inMemoryPersistence"]
        : ["--location", join(options.dataFolder, "azurite")]),
    ],
    isReady: (line) => {
      const [, service, origin] =
        line.match(/^Azurite (Blob|Queue|Table) service is successfully listening at (\S+)/) ?? [];
      if (service !== undefined)
        uris[service.toLowerCase() as keyof typeof uris] = `${origin}/${accountName}`;
      return Object.values(uris).every((uri) => uri !== "");
    },
  });
  const account = [
    `DefaultEndpointsProtocol=${protocol}`,
    `AccountName=${accountName}`,
    `AccountKey=${accountKey}`,
  ];
  const endpoints = [
    `BlobEndpoint=${uris.blob}`,
    `QueueEndpoint=${uris.queue}`,
    `TableEndpoint=${uris.table}`,
  ];
  return { ...child, uris, connectionString: [...account, ...endpoints].join(";") };
}
