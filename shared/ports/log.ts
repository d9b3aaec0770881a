/** Fixed keys that logs and queries share: `cluster`, `planId`, `actionId`, `source`, `reason` and counts. No secrets. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/**
 * Logs are events. `info`: one line per run of a use case. `warn`: something was set aside, refused or late, and the
 * rest went on. `error`: an operator should look now.
 */
export interface Log {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}
