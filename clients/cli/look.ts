import type { Command } from "commander";
import type { OutputFlags } from "./output/output-options.ts";
import type { OutputSettings } from "./output/output-settings.ts";
import { reach } from "./service/reach.ts";
import type { Service } from "./service/service.ts";
import { type ServiceFlags, serviceOrFilesOptions } from "./service/service-options.ts";
import type { Terminal } from "./terminal.ts";
import { type WatchFlags, watching, watchOption } from "./watch.ts";

/** The options of every command that only looks. */
export interface LookFlags extends ServiceFlags, WatchFlags, OutputFlags {}

/** What a command looks with. */
export interface Looking {
  readonly terminal: Terminal;
  readonly service: Service;
  readonly settings: OutputSettings;
}

export function lookOptions(command: Command): Command {
  return serviceOrFilesOptions(command).addOption(watchOption());
}

/** Shows something of a cluster, again and again with `--watch`. */
export async function look(
  terminal: Terminal,
  flags: LookFlags,
  show: (looking: Looking) => Promise<void>,
): Promise<void> {
  const { service, settings } = await reach(flags);
  await watching(terminal, flags, (screen) => show({ terminal: screen, service, settings }));
}
