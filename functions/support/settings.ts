import { z } from "zod";
import {
  apiAuthoritySetting,
  apiClientSetting,
  apiLoginSetting,
  apiTenantSetting,
  autostopLoginSetting,
  configChangesSetting,
  insightsConnectionSetting,
  memorySetting,
  platformSignsInSetting,
  priceListSetting,
  pricesScheduleSetting,
  serviceBusConnection,
  snapshotScheduleSetting,
  storageConnection,
  telemetrySetting,
} from "../../shared/app/names.ts";
import { ConfigurationError } from "../../shared/errors/errors.ts";
import { isHttpToLoopback } from "../../shared/machine/loopback.ts";
import type { ConfigChanges } from "../../shared/operate/index.ts";
import type { TelemetrySettings } from "../../shared/telemetry/index.ts";
import type { ApiLogin } from "./guard.ts";
import type { NodeLogin } from "./node-login.ts";

/** App settings as Azure Functions gives them: environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the Storage account is: a connection string (local), or an account or its URIs reached with an identity (Azure). */
type StorageSettings =
  | { readonly connectionString: string }
  | { readonly accountName: string }
  | {
      readonly blobServiceUri: string;
      readonly queueServiceUri: string;
      readonly tableServiceUri: string;
    };

/** Where the Service Bus namespace is: a connection string (local), or a host name reached with an identity (Azure). */
type ServiceBusSettings =
  | { readonly connectionString: string }
  | { readonly fullyQualifiedNamespace: string };

/** What this app needs to know before it can do anything; each cluster's own settings are in its `autoscale.json`. */
export interface AppSettings {
  readonly storage: StorageSettings;
  readonly serviceBus: ServiceBusSettings;
  /** Client id of the user-assigned identity; undefined for a system-assigned one. */
  readonly managedIdentityClientId: string | undefined;
  readonly apiLogin: ApiLogin;
  readonly nodeLogin: NodeLogin;
  /** Whether App Service authentication stands before the app. */
  readonly platformSignsIn: boolean;
  readonly telemetry: TelemetrySettings;
  /** What of configurations may be changed through the HTTP API. */
  readonly configChanges: ConfigChanges;
  /** Where list prices are read; undefined: none are. */
  readonly priceListAddress: string | undefined;
  /** Memory of an instance, which limits the size of bodies; undefined: ask the system. */
  readonly memoryMiB: number | undefined;
}

const publicPriceList = "https://prices.azure.com/api/retail/prices";

const publicCloud = "https://login.microsoftonline.com";

const optional = z
  .string()
  .trim()
  .min(1, { error: "empty, expected a value, or no such setting" })
  .refine((value) => !isUnreadReference(value), {
    error: "a Key Vault reference that could not be read, expected the secret's value",
  })
  .optional();
const snapshotTimes = "expected when snapshots are taken, such as */15 * * * * * (NCRONTAB)";
const pricesTimes = "expected when list prices are looked at, such as 0 23 * * * * (NCRONTAB)";
const schedule = (times: string) =>
  z
    .string({ error: `not set, ${times}` })
    .trim()
    .min(1, { error: `empty, ${times}` });
const serviceUri = (service: "blob" | "queue" | "table") =>
  z.url({ error: `expected an address such as https://account.${service}.core.windows.net` }).optional();
const id = z
  .guid({ error: "expected an id such as 00000000-0000-0000-0000-000000000000" })
  .toLowerCase()
  .optional();

function oneOf<const Words extends readonly [string, ...string[]]>(...words: Words) {
  return z.enum(words, {
    error: ({ input }) =>
      `${JSON.stringify(input)}, expected ${words.slice(0, -1).join(", ")} or ${words.at(-1)}`,
  });
}

/** The origin of an address. Its signing keys are trusted, so it must be https (except on this machine). */
const authority = z
  .url({ protocol: /^https?$/, error: "expected an address such as https://login.microsoftonline.com" })
  .transform((address) => new URL(address))
  .refine((address) => address.protocol === "https:" || isHttpToLoopback(address), {
    error: "expected https (http is for this machine only)",
  })
  .refine(({ pathname, search, username }) => pathname === "/" && search === "" && username === "", {
    error: "expected the address of a host and nothing behind it",
  })
  .transform(({ origin }) => origin);

const wantedPriceList = `expected an address such as ${publicPriceList}, or off`;

/** Must be https (except on this machine): forged prices would change what is bought. */
const priceList = z.string().trim().refine(isPriceListAddress, { error: wantedPriceList });

function isPriceListAddress(value: string): boolean {
  if (value === "off") return true;
  const url = URL.parse(value);
  return url !== null && url.username === "" && (url.protocol === "https:" || isHttpToLoopback(url));
}

const environment = z.object({
  [storageConnection]: optional,
  [`${storageConnection}__accountName`]: optional,
  [`${storageConnection}__blobServiceUri`]: serviceUri("blob"),
  [`${storageConnection}__queueServiceUri`]: serviceUri("queue"),
  [`${storageConnection}__tableServiceUri`]: serviceUri("table"),
  [serviceBusConnection]: optional,
  [`${serviceBusConnection}__fullyQualifiedNamespace`]: optional,
  [snapshotScheduleSetting]: schedule(snapshotTimes),
  AZURE_CLIENT_ID: optional,
  [telemetrySetting]: oneOf("azure", "console", "off").optional(),
  [insightsConnectionSetting]: optional,
  [autostopLoginSetting]: oneOf("function-key", "basic").optional(),
  [apiLoginSetting]: oneOf("function-key", "entra").optional(),
  [apiTenantSetting]: id,
  [apiClientSetting]: id,
  [apiAuthoritySetting]: authority.optional(),
  [configChangesSetting]: oneOf("off", "settings", "all").optional(),
  [pricesScheduleSetting]: schedule(pricesTimes),
  [priceListSetting]: priceList.optional(),
  [memorySetting]: z
    .string()
    .regex(/^[1-9][0-9]{2,6}$/, { error: "expected MiB, a whole number such as 512" })
    .optional(),
});

/** Every setting that is read, in all forms of a connection; infra/modules/function-app.bicep sets them. */
export const settingNames: readonly string[] = Object.keys(environment.shape);

/** Reads the app settings. Throws ConfigurationError that names everything that is missing or wrong. */
export function readSettings(env: Environment): AppSettings {
  const parsed = environment.safeParse(env);
  const values: Environment = parsed.success ? parsed.data : env;
  const storage = storageFrom(values);
  const serviceBus = serviceBusFrom(values);
  const apiLogin = apiLoginFrom(values);
  const problems = [
    ...(parsed.success
      ? []
      : parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`)),
    ...[storage, serviceBus].filter((part) => typeof part === "string"),
    ...("missing" in apiLogin ? apiLogin.missing : []),
  ];
  if (
    typeof storage === "string" ||
    typeof serviceBus === "string" ||
    "missing" in apiLogin ||
    problems.length > 0
  ) {
    throw new ConfigurationError("the app settings", problems);
  }
  const { [configChangesSetting]: changes, [priceListSetting]: prices, [memorySetting]: memory } = values;
  return {
    storage,
    serviceBus,
    managedIdentityClientId: values.AZURE_CLIENT_ID,
    telemetry: telemetryFrom(values),
    apiLogin,
    platformSignsIn: env[platformSignsInSetting]?.toLowerCase() === "true",
    configChanges: changes === "off" || changes === "all" ? changes : "settings",
    nodeLogin: values[autostopLoginSetting] === "basic" ? "basic" : "function-key",
    priceListAddress: prices === "off" ? undefined : (prices ?? publicPriceList),
    memoryMiB: memory === undefined ? undefined : Number(memory),
  };
}

/** An incomplete login configuration stops the start. */
function apiLoginFrom(env: Environment): ApiLogin | { readonly missing: readonly string[] } {
  if (env[apiLoginSetting] !== "entra") return { by: "function-key" };
  const { [apiTenantSetting]: tenantId, [apiClientSetting]: clientId } = env;
  if (tenantId !== undefined && clientId !== undefined)
    return {
      by: "entra",
      issuer: { authority: env[apiAuthoritySetting] ?? publicCloud, tenantId, clientId },
    };
  const notSet = (setting: string, what: string) =>
    env[setting] === undefined
      ? [`${setting}: not set, expected ${what}, because ${apiLoginSetting} is entra`]
      : [];
  return {
    missing: [
      ...notSet(apiTenantSetting, "the id of the tenant"),
      ...notSet(apiClientSetting, "the application (client) id of the app registration"),
    ],
  };
}

/** Off without a target, also for Azure without its address: missing telemetry must not stop the app. */
function telemetryFrom(env: Environment): TelemetrySettings {
  const connectionString = env[insightsConnectionSetting];
  const to = env[telemetrySetting] ?? "azure";
  if (to === "console") return { to };
  return to === "azure" && connectionString !== undefined ? { to, connectionString } : { to: "off" };
}

function storageFrom(env: Environment): StorageSettings | string {
  const connectionString = env[storageConnection];
  const accountName = env[`${storageConnection}__accountName`];
  const blobServiceUri = env[`${storageConnection}__blobServiceUri`];
  const queueServiceUri = env[`${storageConnection}__queueServiceUri`];
  const tableServiceUri = env[`${storageConnection}__tableServiceUri`];
  if (connectionString !== undefined) return { connectionString };
  if (accountName !== undefined) return { accountName };
  if (blobServiceUri !== undefined && queueServiceUri !== undefined && tableServiceUri !== undefined) {
    return { blobServiceUri, queueServiceUri, tableServiceUri };
  }
  return `${storageConnection}: not set, expected ${storageConnection}__accountName, the three ${storageConnection}__…ServiceUri (blob, queue, table), or a connection string`;
}

function serviceBusFrom(env: Environment): ServiceBusSettings | string {
  const connectionString = env[serviceBusConnection];
  const fullyQualifiedNamespace = env[`${serviceBusConnection}__fullyQualifiedNamespace`];
  if (connectionString !== undefined) return { connectionString };
  if (fullyQualifiedNamespace !== undefined) return { fullyQualifiedNamespace };
  return `${serviceBusConnection}: not set, expected ${serviceBusConnection}__fullyQualifiedNamespace or a connection string`;
}

/** What the platform leaves in place of a secret that it could not read. */
const unreadReference = /^\s*@Microsoft\.(KeyVault|AppConfiguration)\(/i;

/** Whether a value is a Key Vault reference that the platform did not replace by the secret. */
const isUnreadReference = (value: string): boolean => unreadReference.test(value);

/**
 * The secret in an app setting; undefined when the setting is missing, empty, or still a Key Vault reference. A reference that
 * was sent as a password would be refused, and a refused login stops every cluster that shares it.
 */
export function secretIn(environment: Environment, setting: string): string | undefined {
  const value = environment[setting];
  return value === undefined || value === "" || isUnreadReference(value) ? undefined : value;
}
