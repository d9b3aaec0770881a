import { type LogLevel, logLevels } from "./rpc.ts";

/** One log line. `category` follows Azure: `Host.…`, `Function.<name>`, `Function.<name>.User`. */
export interface LogEntry {
  readonly level: LogLevel;
  readonly category: string;
  readonly message: string;
  readonly functionName?: string;
  readonly invocationId?: string;
}

/** Where log lines go. Must not throw. */
export type Logger = (entry: LogEntry) => void;

/** Levels per category prefix, as in host.json `logging.logLevel`; `default` is for the rest. */
export type LogLevels = Readonly<Record<string, LogLevel>>;

/** Passes on what the levels let through; the longest category prefix decides, as in Azure. */
export function filterLog(logger: Logger, levels: LogLevels): Logger {
  return (entry) => {
    const least = levelFor(entry.category, levels);
    if (logLevels.indexOf(entry.level) >= logLevels.indexOf(least)) logger(entry);
  };
}

function levelFor(category: string, levels: LogLevels): LogLevel {
  const parts = category.split(".");
  for (let length = parts.length; length > 0; length -= 1) {
    const level = levels[parts.slice(0, length).join(".")];
    if (level !== undefined) return level;
  }
  return levels.default ?? "information";
}

/** A message of any thrown value, causes and collected errors included. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    // The Service Bus SDK throws these with an empty message after its retries.
    return [...new Set(error.errors.map(describeError))].join("; ");
  }
  if (!(error instanceof Error)) return String(error);
  const message = error.message || error.name;
  const cause = error.cause === undefined ? "" : describeError(error.cause);
  // A wrapping error often quotes the wrapped one.
  return message.includes(cause) ? message : `${message} (cause: ${cause})`;
}

/** Lets the same message through once per interval, so that a lost server does not flood the log. */
export function logOncePer(intervalMs: number, now: () => number, log: (message: string) => void) {
  const last = new Map<string, number>();
  return (message: string): void => {
    const time = now();
    if (time - (last.get(message) ?? Number.NEGATIVE_INFINITY) < intervalMs) return;
    last.set(message, time);
    log(message);
  };
}
