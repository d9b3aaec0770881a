import type { Clock } from "./clock.ts";
import type { HostedFunction } from "./hosted-function.ts";
import type { Invoke } from "./invoke.ts";
import type { LogLevel } from "./rpc.ts";

/** Something that runs a function when its time or its message comes. */
export interface Trigger {
  /** Takes no new work from now on. Resolves when nothing new can start; running invocations go on. */
  stop(): Promise<void>;
  /** Lets go of connections, after the last invocation has been settled. */
  close(): Promise<void>;
}

/** What every trigger gets. */
export interface TriggerContext {
  readonly target: HostedFunction;
  readonly invoke: Invoke;
  readonly clock: Clock;
  readonly log: (level: LogLevel, message: string) => void;
}

/** A text option of a trigger. @throws Error when it is missing. */
export function requireOption({ name, trigger }: HostedFunction, option: string): string {
  const value = trigger[option];
  if (typeof value === "string" && value !== "") return value;
  throw new Error(
    `Cannot start function "${name}": option "${option}" is ${JSON.stringify(value)}, expected text`,
  );
}
