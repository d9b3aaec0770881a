import { Command } from "commander";
import type { ExplainAnswer } from "../../../shared/api/index.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { explanationOn } from "../output/explanation.ts";
import { prettyJson } from "../output/json.ts";
import { reportOption } from "../output/output-options.ts";
import { pageOn } from "../output/report.ts";
import type { Terminal } from "../terminal.ts";

interface Flags extends LookFlags {
  readonly source?: string;
}

/** `ccscale explain JOB`: why it waits, or where it went. */
export function explainCommand(terminal: Terminal): Command {
  const command = new Command("explain")
    .description("Tells why a job waits or where it went, bucket by bucket, and what ends the wait.")
    .argument("<job>", "its name, as its scheduler says it")
    .option("--source <name>", "where two schedulers use the same job name")
    .action((job: string, flags: Flags) =>
      look(terminal, flags, (looking) => showExplanation(looking, job, flags)),
    );
  return lookOptions(command).addOption(reportOption());
}

async function showExplanation(
  { terminal, service, settings }: Looking,
  job: string,
  flags: Flags,
): Promise<void> {
  const explanation: ExplainAnswer = await service.ask("explain", {
    params: { job },
    query: { source: flags.source },
  });
  if ((flags.format ?? settings.format) === "json") terminal.stdout.write(prettyJson(explanation));
  else explanationOn(pageOn(terminal), explanation);
}
