import { Command, Option } from "commander";
import type { QuoteAnswer, QuotedWay } from "../../../shared/api/index.ts";
import { duration } from "../../../shared/text/durations.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { collectJobs } from "../option-values.ts";
import { moment } from "../output/moments.ts";
import { reportOption } from "../output/output-options.ts";
import type { Page } from "../output/report.ts";
import { jobsOfSbatch } from "../slurm/jobs-of-sbatch.ts";
import type { Terminal } from "../terminal.ts";
import { endOption, type TimeOption, untilSeconds } from "../time-values.ts";

interface Flags extends LookFlags {
  readonly job: readonly unknown[];
  readonly slurm?: string;
  readonly agent?: string;
  readonly by?: TimeOption;
}

export function quoteCommand(terminal: Terminal): Command {
  const command: Command = new Command("quote")
    .description(
      "Shows what a job would cost before it is submitted, when it starts and when it is done, in up to three ways: as it is, on another size or spot, or on nodes that become free. The first is recommended. Sends nothing.",
    )
    .option(
      "--job <json>",
      'a job as in a demand message, with "runtimeSeconds"; "name" is optional; can be repeated',
      collectJobs,
      [],
    )
    .option(
      "--slurm <options>",
      "a job as sbatch takes it, such as 'sbatch -p htc -n 64 -t 4:00:00'; asks scontrol",
    )
    .option("--agent <file>", "with --slurm: the agent's settings")
    .addOption(
      new Option(
        "--by <time>",
        'only what is done by then: a length of time, a time of day ("18:00", "tomorrow 18:00"), or a date and time, local unless it names a zone',
      ).argParser(endOption),
    )
    .addOption(reportOption())
    .action((flags: Flags) => {
      if (flags.agent !== undefined && flags.slurm === undefined)
        return command.error("error: --agent, expected with --slurm");
      if (flags.job.length === 0 && flags.slurm === undefined)
        return command.error(
          'error: no job, expected --slurm \'-n 64 -t 4:00:00\' or --job \'{"constraints": {"ncpus": 4}, "runtimeSeconds": 3600}\'',
        );
      return look(terminal, flags, (looking) => showQuote(looking, flags));
    });
  return lookOptions(command);
}

async function showQuote({ service, report }: Looking, flags: Flags): Promise<void> {
  const { job, slurm, agent, by } = flags;
  const jobs = [...job, ...(slurm === undefined ? [] : await jobsOfSbatch(slurm, agent))];
  const bySeconds = by === undefined ? undefined : untilSeconds(by, Date.now() / 1000);
  const answer: QuoteAnswer = await service.ask("quote", {
    body: { jobs, ...(bySeconds !== undefined && { bySeconds }) },
  });
  report(answer, (page) => quoteOn(page, answer));
}

function quoteOn(page: Page, { ways, reason, atSeconds }: QuoteAnswer): void {
  if (ways.length > 0) {
    const inFrom = (seconds: number | null) => (seconds === null ? "unknown" : duration(seconds - atSeconds));
    page.table(
      ["WAY", "NODES", "STARTS_IN", "DONE_IN", "DONE_AT", "COST"],
      ways.map((way) => [
        wayWords[way.kind],
        nodesOf(way),
        inFrom(way.startsAtSeconds),
        inFrom(way.doneAtSeconds),
        way.doneAtSeconds === null ? "unknown" : moment(way.doneAtSeconds),
        way.usd === null ? "unknown" : `${way.usd.toFixed(2)} USD`,
      ]),
    );
    page.line("");
  }
  page.line(reason);
}

const wayWords: Readonly<Record<QuotedWay["kind"], string>> = {
  planned: "as it is",
  "other-size": "other size",
  wait: "wait",
};

function nodesOf({ nodes, newNodes, vmSizes, nodeArrays, spot }: QuotedWay): string {
  if (nodes === 0) return "none";
  const added = newNodes === 0 ? "" : newNodes === nodes ? ", new" : `, ${newNodes} new`;
  return `${nodes} ${vmSizes.join("/")} in ${nodeArrays.join("/")}${added}${spot ? ", spot" : ""}`;
}
