import { createRequire } from "node:module";
import { join } from "node:path";
import { type Child, startChild } from "./child.ts";

/** Azurite's well-known development account, and its key, which is no secret. Other accounts here have the same key. */
const usualAccount = "devstoreaccount1";
const accountKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

export interface Azurite extends Child {
  readonly connectionString: string;
  /** Addresses of the three services, for clients that bring a token. */
  readonly uris: ServiceUris;
}

export interface AzuriteOptions {
  readonly logFile: string;
  /** Its log has a line for each request; off when left out. */
  readonly logsRequests?: boolean;
  /** Keeps its data there; in memory without it. */
  readonly dataFolder?: string;
  /** Speaks HTTPS and takes tokens, whose signature it does not check; the SDKs send none without HTTPS. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
  /** Free ones when left out. */
  readonly ports?: Readonly<Record<Service, number>>;
  /** Names of its accounts; Azurite's usual one when left out. */
  readonly accounts?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

type Service = "blob" | "queue" | "table";
export type ServiceUris = Readonly<Record<Service, string>>;

const services: readonly Service[] = ["blob", "queue", "table"];

/** Addresses of one account's services on these ports of this machine. */
export function urisOf(
  account: string,
  ports: Readonly<Record<Service, number>>,
  protocol = "http",
): ServiceUris {
  const uri = (service: Service) => `${protocol}://127.0.0.1:${ports[service]}/${account}`;
  return { blob: uri("blob"), queue: uri("queue"), table: uri("table") };
}

export function connectionStringOf(account: string, uris: ServiceUris): string {
  return [
    `DefaultEndpointsProtocol=${new URL(uris.blob).protocol.slice(0, -1)}`,
    `AccountName=${account}`,
    `AccountKey=${accountKey}`,
    `BlobEndpoint=${uris.blob}`,
    `QueueEndpoint=${uris.queue}`,
    `TableEndpoint=${uris.table}`,
  ].join(";");
}

/** Starts Azurite (blobs, queues, tables). The addresses are those of its first account. */
export async function startAzurite(options: AzuriteOptions): Promise<Azurite> {
  const { tls, accounts = [usualAccount] } = options;
  const [account = usualAccount] = accounts;
  const script = createRequire(import.meta.url).resolve("azurite/dist/src/azurite.js");
  const ports = { blob: 0, queue: 0, table: 0, ...options.ports };
  const listening = new Set<string>();
  const child = await startChild({
    name: "azurite",
    logFile: options.logFile,
    env: { AZURITE_ACCOUNTS: accounts.map((name) => `${name}:${accountKey}`).join(";") },
    args: [
      script,
      ...services.flatMap((service) => [
        `--${service}Host`,
        "127.0.0.1",
        `--${service}Port`,
        `${ports[service]}`,
      ]),
      ...["--skipApiVersionCheck", "--disableTelemetry"],
      // A line for each request is work for both processes.
      ...(options.logsRequests === true ? [] : ["--silent"]),
      ...(tls === undefined ? [] : ["--oauth", "basic", "--cert", tls.certFile, "--key", tls.keyFile]),
      ...(options.dataFolder === undefined
        ? ["--inMemoryPersistence"]
        : ["--location", join(options.dataFolder, "azurite")]),
    ],
    isReady: (line) => {
      // Each service prints the port that it got.
      const [, name = "", origin = ""] =
        line.match(/^Azurite (Blob|Queue|Table) service is successfully listening at (\S+)/) ?? [];
      const service = services.find((each) => each === name.toLowerCase());
      if (service !== undefined) {
        ports[service] = Number(new URL(origin).port);
        listening.add(service);
      }
      return listening.size === services.length;
    },
    signal: options.signal,
  });
  const uris = urisOf(account, ports, tls === undefined ? "http" : "https");
  return { ...child, uris, connectionString: connectionStringOf(account, uris) };
}
