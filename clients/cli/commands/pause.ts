import { Command } from "commander";
import { show } from "../act/act.ts";
import { byOption, dryRunOption, requestOf } from "../act/act-options.ts";
import { type EndFlags, endOf, endOptions } from "../act/end-options.ts";
import { reportOption } from "../output/output-options.ts";
import type { Format } from "../output/output-settings.ts";
import { reach } from "../service/reach.ts";
import { type ServiceFlags, serviceOrStorageOptions } from "../service/service-options.ts";
import type { Terminal } from "../terminal.ts";

interface Flags extends ServiceFlags, EndFlags {
  readonly reason: string;
  readonly by?: string;
  readonly dryRun?: true;
  readonly format?: Format;
}

export function pauseCommand(terminal: Terminal): Command {
  return endOptions(
    decisionCommand(terminal, "pause", "Sends nothing more for a cluster; plans are still made and shown."),
  );
}

export function resumeCommand(terminal: Terminal): Command {
  return decisionCommand(terminal, "resume", "Resumes a paused cluster, or one whose login was refused.");
}

export function stopRollingCommand(terminal: Terminal): Command {
  return decisionCommand(
    terminal,
    "stop-rolling",
    "Ends a rolling drain: nodes whose turn has not come are left as they are.",
  );
}

/** A decision about a whole cluster. Its reason is required, because the status shows it until the decision ends. */
function decisionCommand(
  terminal: Terminal,
  kind: "pause" | "resume" | "stop-rolling",
  description: string,
): Command {
  return serviceOrStorageOptions(new Command(kind).description(description))
    .requiredOption("--reason <words>", "why; shown in the status")
    .addOption(byOption())
    .addOption(dryRunOption())
    .addOption(reportOption())
    .action(async (flags: Flags) => {
      const { service } = await reach(flags);
      const body = { kind, ...requestOf(flags, kind), ...endOf(flags, Date.now() / 1000) };
      show(terminal, flags, await service.ask("actions", { body }));
    });
}
