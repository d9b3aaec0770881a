import { findSetting, type Settings } from "./settings.ts";

/** How to reach a service: a secret, or an address to use with the identity of whoever runs the host. */
export type Connection =
  | { readonly kind: "connection-string"; readonly connectionString: string }
  | { readonly kind: "identity"; readonly address: string; readonly clientId?: string };

interface ConnectionKind {
  /** The connection name that Azure takes when a binding names none. */
  readonly defaultName: string;
  /** Key of the full address, `<connection>__<addressKey>`. */
  readonly addressKey: string;
  /** Builds the address from `<connection>__accountName`, for the public cloud. */
  readonly fromAccount?: (account: string) => string;
}

export const queueConnection: ConnectionKind = {
  defaultName: "AzureWebJobsStorage",
  addressKey: "queueServiceUri",
  fromAccount: (account) => `https://${account}.queue.core.windows.net`,
};

export const serviceBusConnection: ConnectionKind = {
  defaultName: "AzureWebJobsServiceBus",
  addressKey: "fullyQualifiedNamespace",
};

/**
 * Reads the connection that a binding names: setting `<name>` (or `AzureWebJobs<name>`) as a connection string, else
 * the identity form `<name>__<addressKey>`. @throws Error that names the settings it looked for.
 */
export function resolveConnection(kind: ConnectionKind, binding: unknown, settings: Settings): Connection {
  const name = typeof binding === "string" && binding !== "" ? binding : kind.defaultName;
  for (const prefix of [name, `AzureWebJobs${name}`]) {
    const connectionString = findSetting(settings, prefix);
    if (connectionString !== undefined) return { kind: "connection-string", connectionString };
    const account = findSetting(settings, `${prefix}__accountName`);
    const derived = account === undefined ? undefined : kind.fromAccount?.(account);
    const address = findSetting(settings, `${prefix}__${kind.addressKey}`) ?? derived;
    if (address !== undefined) {
      const clientId = findSetting(settings, `${prefix}__clientId`);
      return { kind: "identity", address, ...(clientId === undefined ? {} : { clientId }) };
    }
  }
  throw new Error(
    `Cannot find connection "${name}": expected setting "${name}" or "${name}__${kind.addressKey}"`,
  );
}
