import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type LogLevel, logLevels } from "./rpc.ts";
import type { Settings } from "./settings.ts";

/** A TimeSpan in host.json, read as milliseconds. */
const timeSpan = z.string().transform((text, context) => {
  const milliseconds = parseTimeSpan(text);
  if (milliseconds !== undefined && milliseconds >= 0) return milliseconds;
  context.addIssue({ code: "custom", message: `"${text}", expected a time span such as "00:00:05"` });
  return z.NEVER;
});

/** A TimeSpan, or "-1" for no limit (undefined). */
const timeout = z.union([z.literal("-1").transform(() => undefined), timeSpan]);

const queues = z.object({
  batchSize: z.int().min(1).max(32).default(16),
  newBatchThreshold: z.int().min(0).optional(),
  maxDequeueCount: z.int().min(1).default(5),
  visibilityTimeout: timeSpan.prefault("00:00:00"),
  maxPollingInterval: timeSpan.pipe(z.number().min(100)).prefault("00:01:00"),
  messageEncoding: z.enum(["base64", "none"]).default("base64"),
});

const serviceBus = z.object({
  maxConcurrentCalls: z.int().min(1).default(16),
  maxConcurrentSessions: z.int().min(1).default(8),
  // Unset in Azure means the client's try time-out, one minute.
  sessionIdleTimeout: timeSpan.prefault("00:01:00"),
  maxAutoLockRenewalDuration: timeSpan.prefault("00:05:00"),
  // A minute in Azure. A broker that was restarted is found again sooner here.
  clientRetryOptions: z.object({ tryTimeout: timeSpan.prefault("00:00:20") }).prefault({}),
});

const http = z.object({ routePrefix: z.string().default("api") });

const level = z
  .string()
  .transform((text) => text.toLowerCase())
  .pipe(z.enum(logLevels));

const schema = z.object({
  version: z.literal("2.0"),
  functionTimeout: timeout.prefault("00:30:00"),
  extensions: z
    .object({ queues: queues.prefault({}), serviceBus: serviceBus.prefault({}), http: http.prefault({}) })
    .prefault({}),
  logging: z.object({ logLevel: z.record(z.string(), level).default({}) }).prefault({}),
});

type Schema = z.output<typeof schema>;

/** Storage queue settings; durations in milliseconds. */
export type QueueSettings = Schema["extensions"]["queues"] & { readonly newBatchThreshold: number };
/** Service Bus settings; durations in milliseconds. */
export type ServiceBusSettings = Schema["extensions"]["serviceBus"];

/** The part of host.json that has an effect here, with Azure's defaults filled in. */
export interface HostJson {
  readonly functionTimeoutMs: number | undefined;
  readonly queues: QueueSettings;
  readonly serviceBus: ServiceBusSettings;
  readonly routePrefix: string;
  readonly logLevels: Readonly<Record<string, LogLevel>>;
  /** One sentence for each setting that means something in Azure and nothing here, or nothing anywhere. */
  readonly warnings: readonly string[];
}

/** Settings that are right in Azure and have nothing to act on here: no warning. */
const silent = new Set(["extensionBundle", "telemetryMode", "logging.applicationInsights", "$schema"]);

/** @throws Error that names every wrong setting. */
export function parseHostJson(value: unknown): HostJson {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new Error(`Cannot read host.json: ${z.prettifyError(parsed.error)}`);
  const { extensions, functionTimeout, logging } = parsed.data;
  const { batchSize, newBatchThreshold = Math.floor(batchSize / 2) } = extensions.queues;
  return {
    functionTimeoutMs: functionTimeout,
    queues: { ...extensions.queues, newBatchThreshold },
    serviceBus: extensions.serviceBus,
    routePrefix: extensions.http.routePrefix.replaceAll(/^\/|\/$/g, ""),
    logLevels: logging.logLevel,
    warnings: unknownPaths(value).map((path) => `host.json setting "${path}" has no effect in this host`),
  };
}

function unknownPaths(value: unknown): readonly string[] {
  const shapes: Readonly<Record<string, readonly string[]>> = {
    "": Object.keys(schema.shape),
    extensions: ["queues", "serviceBus", "http"],
    "extensions.queues": Object.keys(queues.shape),
    "extensions.serviceBus": Object.keys(serviceBus.shape),
    "extensions.serviceBus.clientRetryOptions": ["tryTimeout"],
    "extensions.http": Object.keys(http.shape),
    logging: ["logLevel"],
  };
  const walk = (at: unknown, path: string): string[] => {
    const keys = shapes[path];
    if (keys === undefined || typeof at !== "object" || at === null) return [];
    return Object.entries(at).flatMap(([key, child]) => {
      const childPath = path === "" ? key : `${path}.${key}`;
      if (silent.has(childPath)) return [];
      return keys.includes(key) ? walk(child, childPath) : [childPath];
    });
  };
  return walk(value, "");
}

const overridePrefix = "AzureFunctionsJobHost__";

/**
 * Reads `<appDir>/host.json` and applies Azure's overrides from the settings:
 * `AzureFunctionsJobHost__extensions__queues__batchSize=1`. @throws Error when it is missing (as Azure does) or wrong.
 */
export function loadHostJson(appDir: string, settings: Settings): HostJson {
  const path = join(appDir, "host.json");
  if (!existsSync(path)) throw new Error(`Cannot start the app in "${appDir}": no host.json, expected one`);
  const overrides = Object.entries(settings).filter(([name]) => name.startsWith(overridePrefix));
  const value = overrides.reduce<unknown>(
    (json, [name, text]) => withOverride(json, name.slice(overridePrefix.length).split("__"), text),
    parseJson(readFileSync(path, "utf8")),
  );
  return parseHostJson(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`Cannot read host.json: ${(error as Error).message}`, { cause: error });
  }
}

function withOverride(json: unknown, [key, ...rest]: readonly string[], text: string): unknown {
  if (key === undefined) return /^(?:true|false|\d+)$/.test(text) ? JSON.parse(text) : text;
  const object: Readonly<Record<string, unknown>> =
    typeof json === "object" && json !== null ? { ...json } : {};
  return { ...object, [key]: withOverride(object[key], rest, text) };
}

const pattern =
  /^(?<sign>-)?(?:(?<days>\d+)\.)?(?<hours>\d{1,2}):(?<minutes>\d{1,2})(?::(?<seconds>\d{1,2})(?:\.(?<fraction>\d{1,7}))?)?$/;

/**
 * Milliseconds of a .NET TimeSpan (`hh:mm`, `hh:mm:ss[.fffffff]`, `d.hh:mm:ss`), the form of all durations in
 * host.json; undefined for any other text. No library reads this form.
 */
export function parseTimeSpan(text: string): number | undefined {
  const match = pattern.exec(text.trim());
  if (match?.groups === undefined) return undefined;
  const { sign, days = "0", hours = "0", minutes = "0", seconds = "0", fraction = "0" } = match.groups;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const wholeSeconds = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
  const milliseconds = wholeSeconds * 1000 + Math.round(Number(`0.${fraction}`) * 1000);
  return sign === undefined ? milliseconds : -milliseconds;
}
