import type { Log, LogFields } from "../../shared/ports/index.ts";
import { printableCut } from "../../shared/text.ts";

/** Where lines go: an invocation's context, or the console of the process. */
export interface LogSink {
  info(line: string): void;
  warn(line: string): void;
  error(line: string): void;
}

/** Of one field. Names come from strangers, and lines have a price. */
const longestField = 2_000;

/**
 * Logs of one invocation: one JSON object a line, `event` first, so that queries need no parsing of prose. A traced run
 * has the id of its trace in every line. This is the one place where texts are cut, and where what a terminal would obey or hide
 * is spelled: nobody who logs has to think of it.
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
  return typeof value === "string" ? printableCut(value, longestField) : value;
}
