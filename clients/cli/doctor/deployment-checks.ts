import { lookup } from "node:dns/promises";
import { BlockList, connect } from "node:net";
import { serviceBusConnection, storageConnection } from "../../../shared/app/names.ts";
import type { Checked } from "./checked.ts";

/** What the app and its clients call, by host and port. */
export interface Endpoint {
  readonly what: string;
  readonly host: string;
  readonly port: number;
  /** The private DNS zone that has its name when it is behind a private endpoint; null: it never is. */
  readonly zone: string | null;
}

export interface Network {
  /** Addresses of a name. Rejects when nobody knows it. */
  resolve(host: string): Promise<readonly string[]>;
  /** Rejects with why nothing answers at the port. */
  connect(host: string, port: number): Promise<void>;
}

/** An output of the deployment: the platform reads the app's package there. */
const packagesUrl = "AUTOSCALE_PACKAGES_URL";

type Environment = Readonly<Record<string, string | undefined>>;

/** The endpoints of a deployment that its outputs name, exported as settings, and of the CycleCloud servers of its clusters. */
export function endpointsOf(env: Environment, serverUrls: readonly string[]): readonly Endpoint[] {
  const at = (what: string, address: string | undefined, zone: string | null = null): readonly Endpoint[] => {
    const url = URL.parse(address ?? "");
    if (url === null) return [];
    const port = Number(url.port) || (url.protocol === "http:" ? 80 : 443);
    return [{ what, host: url.hostname, port, zone }];
  };
  const storage = (["blob", "queue", "table"] as const).flatMap((service) =>
    at(
      `the storage account (${service})`,
      env[`${storageConnection}__${service}ServiceUri`],
      `privatelink.${service}.core.windows.net`,
    ),
  );
  const packages = at(
    "the storage account of the package",
    env[packagesUrl],
    "privatelink.blob.core.windows.net",
  );
  const namespace = env[`${serviceBusConnection}__fullyQualifiedNamespace`];
  const bus = namespace && {
    what: "Service Bus",
    host: namespace,
    port: 5671,
    zone: "privatelink.servicebus.windows.net",
  };
  return [
    ...at("the function app", env.AUTOSCALE_FUNCTIONS_URL),
    ...storage,
    ...packages,
    ...(bus ? [bus] : []),
    ...[...new Set(serverUrls)].flatMap((url) => at(`the CycleCloud server`, url)),
    ...at("the sign-in of Azure", "https://login.microsoftonline.com"),
  ];
}

/** Outputs of a deployment that are missing: what they name is not checked. */
export function missingOutputs(env: Environment): readonly Checked[] {
  const needed = [
    ...(["blob", "queue", "table"] as const).map((service) => `${storageConnection}__${service}ServiceUri`),
    packagesUrl,
    `${serviceBusConnection}__fullyQualifiedNamespace`,
  ];
  const missing = needed.filter((name) => (env[name] ?? "") === "");
  if (missing.length === 0) return [];
  return [
    {
      check: "network",
      cluster: null,
      state: "notice",
      text: `Not checked, for want of their addresses: ${missing.join(", ")}.`,
      next: "Export these outputs of the deployment as settings, and ask again.",
    },
  ];
}

/** Whether this machine reaches each of them: run in the app's network, whether the app does. */
export async function checkDeployment(
  endpoints: readonly Endpoint[],
  network: Network = thisMachine,
): Promise<readonly Checked[]> {
  const resolved = await Promise.all(
    endpoints.map(async (endpoint) => {
      const [address] = await network.resolve(endpoint.host).catch(() => []);
      const isPrivate =
        address !== undefined && privateAddresses.check(address, address.includes(":") ? "ipv6" : "ipv4");
      return { endpoint, address, isPrivate };
    }),
  );
  const hasPrivate = resolved.some(({ endpoint, isPrivate }) => endpoint.zone !== null && isPrivate);
  return Promise.all(
    resolved.map(async ({ endpoint: { what, host, port, zone }, address, isPrivate }): Promise<Checked> => {
      const about = { check: "network", cluster: null };
      const failed = (text: string, next: string): Checked => ({ ...about, state: "failed", text, next });
      if (address === undefined)
        return failed(
          `No name server here knows "${host}" of ${what}.`,
          zone === null
            ? "Set `privateDnsZoneIds` to the zone that has it, or `dnsServers` to servers that know it."
            : `Link the zone "${zone}" with this network, or set \`dnsServers\` to servers that know it.`,
        );
      if (hasPrivate && zone !== null && !isPrivate)
        return failed(
          `"${host}" of ${what} is the public address ${address} here, and others are behind private endpoints.`,
          `Link the zone "${zone}" with this network.`,
        );
      try {
        await network.connect(host, port);
      } catch (error) {
        return failed(
          `${what} does not answer at "${host}" (${address}), port ${port}: ${(error as Error).message}.`,
          isPrivate
            ? "Let this network in: peering (`cycleCloudNetworkId`), and the security group of the server or endpoint."
            : "Let the firewall behind `routeTableId` or `natGatewayId` pass it.",
        );
      }
      const text = `Reaches ${what} at ${address}, port ${port}${isPrivate ? ", a private address" : ""}.`;
      return { ...about, state: "ok", text, next: null };
    }),
  );
}

const privateAddresses = new BlockList();
for (const [prefix, bits] of [
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const)
  privateAddresses.addSubnet(prefix, bits);
privateAddresses.addSubnet("fc00::", 7, "ipv6");

const patienceMs = 5_000;

const thisMachine: Network = {
  resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  connect: (host, port) =>
    new Promise((resolve, reject) => {
      const socket = connect({ host, port, timeout: patienceMs });
      socket.once("connect", () => resolve());
      socket.once("error", reject);
      socket.once("timeout", () => reject(new Error(`no answer within ${patienceMs / 1000} s`)));
      for (const end of ["connect", "error", "timeout"]) socket.once(end, () => socket.destroy());
    }),
};
