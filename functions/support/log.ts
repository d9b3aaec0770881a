import type { InvocationContext } from "@azure/functions";
import type { Log, LogFields } from "../../shared/ports.ts";

/** Logs of one invocation: one JSON object a line, `event` first, so that queries need no parsing of prose. */
export function logOf(context: Pick<InvocationContext, "info" | "warn" | "error">): Log {
  const line = (event: string, fields: LogFields = {}) => JSON.stringify({ event, ...fields });
  return {
    info: (event, fields) => context.info(line(event, fields)),
    warn: (event, fields) => context.warn(line(event, fields)),
    error: (event, fields) => context.error(line(event, fields)),
  };
}
