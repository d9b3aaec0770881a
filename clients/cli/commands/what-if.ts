import { Command, Option } from "commander";
import type { WhatIfAnswer } from "../../../shared/api/index.ts";
import { type PlacementPolicy, placements } from "../../../shared/engine/index.ts";
import { CommandFailure } from "../exit-code.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { collectJobs } from "../option-values.ts";
import { allOption } from "../output/alike.ts";
import { answerLine, waitsOf } from "../output/answer-line.ts";
import { explanationOn } from "../output/explanation.ts";
import { outputOptions } from "../output/output-options.ts";
import { prettyJson } from "../output/print.ts";
import { pageOn } from "../output/report.ts";
import { timesOption } from "../output/times.ts";
import { collectLimits, differenceLines, type RaisedLimit } from "../output/what-if-lines.ts";
import { readJson } from "../read-text.ts";
import { type SelectionFlags, selectionOptions, toSelection } from "../selection.ts";
import type { Terminal } from "../terminal.ts";
import { isWhole, printDemand, type WholeFlags, wholeOption } from "./demand.ts";

interface Flags extends LookFlags, SelectionFlags, WholeFlags {
  readonly job: readonly unknown[];
  readonly change?: string;
  readonly source?: string;
  readonly raise: readonly RaisedLimit[];
  readonly jobs?: string;
  readonly placement?: PlacementPolicy;
  readonly plan?: true;
}

export function whatIfCommand(terminal: Terminal): Command {
  const command: Command = new Command("what-if")
    .description(
      "Plans with extra jobs, with a job that asks for something else, or under higher limits: what becomes of each job, the nodes that come on top, and their cost. Sends nothing.",
    )
    .option(
      "--job <json>",
      'a job as in a demand message, "name" is optional; can be repeated',
      collectJobs,
      [],
    )
    .option("--jobs <file>", "a JSON file with a list of jobs")
    .option(
      "--change <job>",
      "plans as if this job, which waits, asked for what --job says; the rest of it stays",
    )
    .option("--source <name>", "with --change, if two schedulers use the same job name")
    .option(
      "--raise <limit>",
      "plans as if a limit of `limits` were higher, such as 'node-array htc 10 nodes'; can be repeated",
      collectLimits,
      [],
    )
    .addOption(
      new Option("--placement <policy>", "plans as if the configuration said so").choices([...placements]),
    )
    .addOption(wholeOption())
    .option("--plan", "with --format json: the whole plan too, not only what is different")
    .addOption(allOption("the jobs and buckets"))
    .action((flags: Flags) => {
      const isAlone = flags.jobs === undefined && flags.job.length === 1;
      if (flags.change !== undefined && !isAlone)
        return command.error("error: --change, expected with one --job that says what is different");
      if (flags.source !== undefined && flags.change === undefined)
        return command.error(
          "error: --source, expected with --change: it names the source of the job that asks for something else",
        );
      if (
        flags.job.length === 0 &&
        flags.jobs === undefined &&
        flags.raise.length === 0 &&
        flags.placement === undefined
      )
        return command.error(
          'error: nothing to plan with, expected --job \'{"constraints": {"ncpus": 4}}\' or --jobs <file>',
        );
      // Nodes that only the extra jobs need have names too.
      return look(terminal, flags, (looking) => showPlanWith(looking, flags), { namesExist: false });
    });
  return timesOption(outputOptions(selectionOptions(lookOptions(command))));
}

function bodyOf(
  flags: Flags,
  { jobs, isBrief }: { readonly jobs: readonly unknown[]; readonly isBrief: boolean },
): Record<string, unknown> {
  const { change, source, raise, placement } = flags;
  const [other] = jobs;
  return {
    ...(change === undefined ? { jobs } : { change: { job: change, source, with: other } }),
    ...(raise.length > 0 && { limits: raise }),
    ...(placement && { placement }),
    nodes: toSelection(flags),
    ...(isBrief && { brief: true }),
  };
}

async function showPlanWith(looking: Looking, flags: Flags): Promise<void> {
  const { terminal, service } = looking;
  const jobs = [...flags.job, ...(await readJobs(flags.jobs))];
  const isDifference = flags.plan !== true && !isWhole(flags);
  const isBrief = isDifference && flags.format === "json";
  const answer: WhatIfAnswer = await service.ask("what-if", { body: bodyOf(flags, { jobs, isBrief }) });
  const format = looking.format();
  const { cluster, atSeconds, held, waitingCount, extra, more, changed, others } = answer;
  if (format === "json" && isDifference) {
    // The plan itself is what `demand` prints.
    const difference = { cluster, atSeconds, held, waitingCount, extra, more, changed, others };
    terminal.stdout.write(prettyJson(difference));
    return;
  }
  if (format !== "table") return printDemand(looking, answer, flags);
  const page = pageOn(terminal);
  if (changed !== null) page.line(changed.after.headline);
  const waits =
    changed === null && extra.length > 0 ? waitsOf(more.waitingCount, "extra jobs") : waitsOf(waitingCount);
  page.line(answerLine(more.additions, { waits }));
  for (const line of differenceLines(answer)) page.line(line);
  if (held !== null) page.warning(`Nothing would be sent: ${held}.`);
  for (const explanation of [...(changed === null ? [] : [changed.after]), ...extra]) {
    page.title(explanation.job);
    explanationOn(page, explanation, flags.all);
  }
  if (!isWhole(flags)) return;
  page.title("The whole plan");
  printDemand(looking, { ...answer, held: null }, flags);
}

async function readJobs(file: string | undefined): Promise<readonly unknown[]> {
  if (file === undefined) return [];
  const jobs = await readJson(
    file,
    `Give a list such as '[{"constraints": {"ncpus": 4}, "iterations": 10}]'.`,
  );
  if (Array.isArray(jobs)) return jobs;
  throw new CommandFailure(
    `Cannot read "${file}": not a list, expected a JSON list of jobs`,
    "Put [ ] around the jobs.",
  );
}
