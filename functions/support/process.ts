import { createHash, createHmac, randomUUID } from "node:crypto";
import { hostname, totalmem } from "node:os";
import { constrainedMemory } from "node:process";
import type { Ids, Log, LogFields } from "../../shared/ports/index.ts";
import type { Instance } from "../../shared/telemetry/index.ts";
import { redactText } from "../../shared/text/redact.ts";
import { printable, printableCut } from "../../shared/text/text.ts";
import { type Environment, secretIn } from "./settings.ts";

const leastKeyCharacters = 16;

/** Plan ids sort by time (`20261121T104512.345Z-1a2b3c`); everything else is a digest of what it names. */
export const createIds = (environment: Environment): Ids => ({
  planId: (atSeconds) => {
    const time = new Date(atSeconds * 1000).toISOString().replaceAll(/[-:]/g, "");
    return `${time}-${randomUUID().slice(0, 6)}`;
  },
  requestId: (actionId) => {
    const hex = createHash("sha256").update(actionId).digest("hex");
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
      "-",
    );
  },
  digest: (text) => createHash("sha256").update(text).digest("base64url"),
  keyedHash: (keySetting, text) => {
    const key = secretIn(environment, keySetting) ?? "";
    if (key.length < leastKeyCharacters) return undefined;
    return createHmac("sha256", key).update(text).digest("hex");
  },
});

/** Where lines go: an invocation's context, or the console of the process. */
export interface LogSink {
  info(line: string): void;
  warn(line: string): void;
  error(line: string): void;
}

/** The most characters of one field. Names come from strangers, and log lines cost money. */
const longestField = 2_000;
/** Secrets are looked for in so much of it. */
const longestLooked = 2 * longestField;

/**
 * Logs of one invocation: one JSON object a line, `event` first, so that queries need no parsing of prose. A traced run
 * has the id of its trace in every line. This is the one place where texts are cut, where secrets are taken out of what a
 * sender wrote, and where what a terminal would obey or hide is spelled: callers need not care about it.
 */
export function logOf(sink: LogSink, traceparent?: string): Log {
  const trace = traceparent?.split("-")[1];
  const line = (event: string, fields: LogFields = {}) => JSON.stringify({ event, ...safe(fields), trace });
  return {
    info: (event, fields) => sink.info(line(event, fields)),
    warn: (event, fields) => sink.warn(line(event, fields)),
    error: (event, fields) => sink.error(line(event, fields)),
  };
}

function safe(fields: LogFields): LogFields {
  const entries = Object.entries(fields).map(([name, value]) => [name, safeValue(value)] as const);
  return Object.fromEntries(entries);
}

function safeValue(value: LogFields[string]): LogFields[string] {
  if (typeof value !== "string") return value;
  // Redact before cutting: half a secret would not be recognised.
  const safe = redactText(value.slice(0, longestLooked));
  if (value.length <= longestLooked) return printableCut(safe, longestField);
  return `${printable(safe.slice(0, longestField))}… (${value.length} characters)`;
}

/** What this process may use: the machine's memory, or what the container it runs in leaves of that. */
export function availableMemoryBytes(): number {
  // 0 or an enormous number where nothing is said.
  return Math.min(totalmem(), constrainedMemory() || Number.POSITIVE_INFINITY);
}

/** The app and the instance, by the names in the Functions host's own telemetry (`AppRoleName`). Outside Azure: the host's name. */
export function instanceIn(environment: Environment): Instance {
  const { WEBSITE_SITE_NAME: app, WEBSITE_INSTANCE_ID: instance, CONTAINER_NAME: container } = environment;
  return { service: app || "cyclecloud-autoscale", id: instance || container || hostname() };
}
