import { Command, Option } from "commander";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { type AllFlags, allOption } from "../output/alike.ts";
import { explanationOn, targetExplanationOn } from "../output/explanation.ts";
import { reportOption } from "../output/output-options.ts";
import type { Terminal } from "../terminal.ts";

interface Flags extends LookFlags, AllFlags {
  readonly source?: string;
  readonly target?: string;
  readonly requestSet?: string;
  readonly jobId?: string;
}

export function explainCommand(terminal: Terminal): Command {
  const command = new Command("explain")
    .description(
      "Explains why a job waits or where it runs, or why a target is not met, bucket by bucket, and what ends the wait.",
    )
    .argument("[job]", "its name in its scheduler")
    .option("--source <name>", "if two schedulers use the same job name")
    .option("--target <array>", "a target in place of a job, with its name in `status`: htc, htc:64")
    .option("--request-set <name>", "if two request sets have a target of that name")
    .addOption(allOption("the buckets"))
    // As `analyze` of azpbs and azge names its job.
    .addOption(new Option("-j, --job-id <job>").hideHelp())
    .action((named: string | undefined, flags: Flags) => {
      const job = named ?? flags.jobId;
      if ((job === undefined) === (flags.target === undefined))
        return command.error("error: expected either a job, or --target with a target");
      return look(terminal, flags, (looking) =>
        flags.target === undefined
          ? showExplanation(looking, job ?? "", flags)
          : showTarget(looking, flags.target, flags),
      );
    });
  return lookOptions(command).addOption(reportOption());
}

async function showExplanation(looking: Looking, job: string, flags: Flags): Promise<void> {
  const explanation = await looking.service.ask("explain", {
    params: { job },
    query: { source: flags.source },
  });
  looking.report(explanation, (page) => explanationOn(page, explanation, flags.all));
}

async function showTarget(looking: Looking, target: string, flags: Flags): Promise<void> {
  const query = { requestSet: flags.requestSet };
  const explanation = await looking.service.ask("explain-target", { params: { target }, query });
  looking.report(explanation, (page) => targetExplanationOn(page, explanation, flags.all));
}
