import { Command } from "commander";
import type { RejectAnswer } from "../../../shared/api/index.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { prettyJson } from "../output/json.ts";
import { reportOption } from "../output/output-options.ts";
import { rejectionReport } from "../output/rejection-report.ts";
import type { Terminal } from "../terminal.ts";

/** `ccscale rejects show ID`: every problem, and the message. */
export function rejectsShowCommand(terminal: Terminal): Command {
  const command = new Command("show")
    .description("Shows one rejected message with every problem.")
    .argument("<id>", 'as "rejects list" tells it')
    .action((rejectionId: string, flags: LookFlags) =>
      look(terminal, flags, (looking) => showReject(looking, rejectionId, flags)),
    );
  return lookOptions(command).addOption(reportOption());
}

async function showReject(
  { terminal, service, settings }: Looking,
  rejectionId: string,
  flags: LookFlags,
): Promise<void> {
  const found: RejectAnswer = await service.ask("reject", { params: { rejectionId } });
  const { rejection, message } = found;
  const isJson = (flags.format ?? settings.format) === "json";
  terminal.stdout.write(isJson ? prettyJson({ ...rejection, message }) : rejectionReport(found));
}
