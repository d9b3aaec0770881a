import { readFileSync } from "node:fs";
import { parse as parseDuration } from "tinyduration";
import * as z from "zod";
import type { QueueSettings } from "./broker/queue.ts";

/** What the emulator serves. */
export interface BusConfig {
  readonly queues: readonly QueueSettings[];
}

const dayMs = 86_400_000;

/** Reads and checks a configuration file in the shape of Microsoft's emulator. Throws what `parseConfig` throws. */
export function readConfig(path: string): BusConfig {
  return parseConfig(readFileSync(path, "utf8"));
}

/** Checks a configuration text. Throws a SyntaxError, or one RangeError that names every problem. */
export function parseConfig(text: string): BusConfig {
  const checked = fileSchema.safeParse(parseText(text));
  if (!checked.success) throw new RangeError(complaint(checked.error.issues.map(describeIssue)));
  const [namespace] = checked.data.UserConfig.Namespaces;
  const queues = namespace.Queues.map(toSettings);
  const twice = repeatedNames(queues);
  if (twice.length > 0) throw new RangeError(complaint(twice));
  return { queues };
}

/** Durations are ISO 8601; a year counts 365 days and a month 30, as .NET does. */
const durationMs = z.string().transform((text, context) => {
  const milliseconds = toMilliseconds(text);
  if (milliseconds !== undefined && milliseconds > 0) return milliseconds;
  context.addIssue({
    code: "custom",
    message: `${JSON.stringify(text)}, expected a positive ISO 8601 duration like "PT1M"`,
  });
  return z.NEVER;
});

const notForwarded = z.literal("", { error: "forwarding is not served, expected an empty string" });

/** The ranges of the official emulator are not enforced: locks of one second make tests quick. */
const propertiesSchema = z.strictObject({
  DeadLetteringOnMessageExpiration: z.boolean().default(false),
  DefaultMessageTimeToLive: durationMs.default(3_600_000),
  DuplicateDetectionHistoryTimeWindow: durationMs.default(20_000),
  ForwardDeadLetteredMessagesTo: notForwarded.default(""),
  ForwardTo: notForwarded.default(""),
  LockDuration: durationMs.default(60_000),
  MaxDeliveryCount: z.int().positive().default(3),
  RequiresDuplicateDetection: z.boolean().default(false),
  RequiresSession: z.boolean().default(false),
});

const queueSchema = z.strictObject({
  Name: z.string().regex(/^[A-Za-z0-9]([\w./-]*[A-Za-z0-9])?$/, {
    error: "expected letters, digits and _ - . / with a letter or digit at both ends",
  }),
  Properties: propertiesSchema.prefault({}),
});

const fileSchema = z.strictObject({
  UserConfig: z.strictObject({
    Namespaces: z.tuple([
      z.strictObject({
        Name: z.string().default("sbemulatorns"),
        Queues: z.array(queueSchema).default([]),
        Topics: z.tuple([], { error: "topics are not served, expected an empty list" }).default([]),
      }),
    ]),
    Logging: z.unknown().optional(),
  }),
});

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SyntaxError(complaint([(error as Error).message]), { cause: error });
  }
}

function toSettings({ Name, Properties }: z.infer<typeof queueSchema>): QueueSettings {
  const settings: QueueSettings = {
    name: Name,
    lockMs: Properties.LockDuration,
    maxDeliveryCount: Properties.MaxDeliveryCount,
    defaultTtlMs: Properties.DefaultMessageTimeToLive,
    deadLetterExpired: Properties.DeadLetteringOnMessageExpiration,
    requiresSession: Properties.RequiresSession,
  };
  if (!Properties.RequiresDuplicateDetection) return settings;
  return { ...settings, duplicateWindowMs: Properties.DuplicateDetectionHistoryTimeWindow };
}

function toMilliseconds(text: string): number | undefined {
  try {
    const duration = parseDuration(text);
    const { years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0 } = duration;
    const wholeDays = years * 365 + months * 30 + weeks * 7 + days;
    const milliseconds = wholeDays * dayMs + hours * 3_600_000 + minutes * 60_000 + seconds * 1000;
    return duration.negative ? -milliseconds : milliseconds;
  } catch {
    return undefined;
  }
}

function repeatedNames(queues: readonly QueueSettings[]): string[] {
  const names = queues.map(({ name }) => name.toLowerCase());
  const twice = new Set(names.filter((name, index) => names.indexOf(name) < index));
  return [...twice].map((name) => `queue "${name}" is defined more than once`);
}

function describeIssue({ path, message }: { path: PropertyKey[]; message: string }): string {
  return `${path.map(String).join(".")}: ${message}`;
}

function complaint(problems: readonly string[]): string {
  return `Cannot use the Service Bus configuration: ${problems.join("; ")}`;
}
