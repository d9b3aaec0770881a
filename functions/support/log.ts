import type { Log, LogFields } from "../../shared/ports/index.ts";

/** Where lines go: an invocation's context, or the console of the process. */
export interface LogSink {
  info(line: string): void;
  warn(line: string): void;
  error(line: string): void;
}

/**
 * Logs of one invocation: one JSON object a line, `event` first, so that queries need no parsing of prose. A traced run
 * has the id of its trace in every line.
 */
export function logOf(sink: LogSink, traceparent?: string): Log {
  const trace = traceparent?.split("-")[1];
  const line = (event: string, fields: LogFields = {}) => JSON.stringify({ event, ...fields, trace });
  return {
    info: (event, fields) => sink.info(line(event, fields)),
    warn: (event, fields) => sink.warn(line(event, fields)),
    error: (event, fields) => sink.error(line(event, fields)),
  };
}
