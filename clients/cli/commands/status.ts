import { Command } from "commander";
import type { ClusterStatus } from "../../../shared/api/index.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { prettyJson } from "../output/json.ts";
import { reportOption } from "../output/output-options.ts";
import { pageOn } from "../output/report.ts";
import { statusOn } from "../output/status-report.ts";
import type { Terminal } from "../terminal.ts";

/** `ccscale status`: a cluster on one screen. */
export function statusCommand(terminal: Terminal): Command {
  const command = new Command("status")
    .description("Shows a cluster on one screen, what is wrong first.")
    .action((flags: LookFlags) => look(terminal, flags, (looking) => showStatus(looking, flags)));
  return lookOptions(command).addOption(reportOption());
}

async function showStatus({ terminal, service, settings }: Looking, flags: LookFlags): Promise<void> {
  const status: ClusterStatus = await service.ask("status");
  if ((flags.format ?? settings.format) === "json") terminal.stdout.write(prettyJson(status));
  else statusOn(pageOn(terminal), status);
}
