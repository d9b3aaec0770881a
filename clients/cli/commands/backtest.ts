import { once } from "node:events";
import { Command, Option } from "commander";
import { stringify } from "csv-stringify/sync";
import {
  type FleetSchedule,
  queuePolicies,
  type ScheduledJob,
  scheduleOnFleet,
} from "../../../shared/backtest/index.ts";
import { counted, printable } from "../../../shared/text/text.ts";
import { archiveOptions } from "../backtest/from-archive.ts";
import { type RunFlags, runFormats, suggested } from "../backtest/run-flags.ts";
import { readVaried } from "../backtest/vary.ts";
import { readWorkload, workloadOptions } from "../backtest/workload-file.ts";
import { CommandFailure } from "../exit-code.ts";
import { wholeNumber } from "../option-values.ts";
import type { Output, Terminal } from "../terminal.ts";

interface Flags extends Omit<RunFlags, "config"> {
  readonly fixedProcessors?: number;
  readonly config?: string;
}

/** Rows that are made into text at a time. */
const rowsAtOnce = 10_000;
const mostNamed = 5;

export function backtestCommand(terminal: Terminal): Command {
  const command = new Command("backtest");
  archiveOptions(workloadOptions(command))
    .description(
      "Runs a recorded workload through the autoscaler itself, on a virtual clock, and prints what it would have cost and how long jobs would have waited, for each combination of settings; with --fixed-processors, when each job starts and ends on a fleet of a fixed size (CSV). What is left out is reported on standard error. Needs no service.",
    )
    .option("--config <file>", "autoscale.json of the cluster")
    .option(
      "--with <file>",
      "a part of a configuration, such as schedules, merged over it as an include would be",
    )
    .option("--cluster <file>", "definition of the cluster, as the local environment takes it")
    .option("--snapshot <file>", 'the cluster as it is: what "ccscale support-archive" wrote')
    .option(
      "--vary <key=values>",
      "a setting and the values that it takes in turn, such as idle_timeout=60,300; again for other settings: all combinations are run",
      readVaried,
    )
    .addOption(
      new Option(
        "--scheduler <policy>",
        "fcfs: first come, first served; easy: jobs behind a blocked one start if they do not delay it; fill: whatever fits starts",
      )
        .choices(queuePolicies)
        .default("easy"),
    )
    .option("--whole-nodes", "each job has its nodes for itself, as with Slurm's OverSubscribe=EXCLUSIVE")
    .option("--seed <number>", "seed of boot times, failures and evictions", wholeNumber(0), 1)
    .option("--workers <number>", "threads (default: as many as there are cores)", wholeNumber(1))
    .addOption(new Option("--format <format>", "how to print").choices(runFormats).default("table"))
    .option(
      "--report <file>",
      "also writes one HTML file with pictures and tables, and what the work costs at best",
    )
    .addOption(
      new Option(
        "--suggest [what]",
        "also searches on the first part of the workload, and checks on the rest what it found: settings that cost less (placement, idle_timeout of each array and patience for spot), or schedules and buffers of spare room that shorten waits",
      )
        .choices(suggested)
        .preset("settings"),
    )
    .option("--suggest-runs <number>", "runs that the search may take", wholeNumber(2), 20)
    .option("--fixed-processors <number>", "a fleet of so many processors, all alike", wholeNumber(1))
    .addOption(
      new Option(
        "--print <what>",
        "schedule: when each job starts and ends on a fixed fleet; week: waiting time and cost by the hour of the week, in place of a line for each run",
      ).choices(["schedule", "week"]),
    )
    .action((flags: Flags) => backtest(terminal, flags));
  return command;
}

async function backtest(terminal: Terminal, flags: Flags): Promise<void> {
  const { fixedProcessors: processors, config, scheduler } = flags;
  if (processors === undefined && config === undefined && flags.fromArchive === undefined)
    throw new CommandFailure(
      "Cannot run a back-test: neither --config nor --fixed-processors is given",
      'Give "--config autoscale.json" with "--cluster" or "--snapshot", or "--fixed-processors 100".',
    );
  if (processors === undefined) {
    const { runs } = await import("../backtest/runs.ts");
    await runs(terminal, { ...flags, config: config ?? "" });
    return;
  }
  if (scheduler === "fill")
    throw new CommandFailure(
      'Cannot print a schedule with "--scheduler fill": it is for nodes that come and go',
      "Expected fcfs or easy.",
    );
  if (flags.wholeNodes === true)
    throw new CommandFailure(
      'Cannot print a schedule with "--whole-nodes": a fleet of processors has no nodes',
      "Leave it out.",
    );
  if (flags.print === "week")
    throw new CommandFailure(
      "Cannot print a week of a fleet of a fixed size: its processors cost nothing",
      'Expected "--print schedule".',
    );
  const { jobs } = await readWorkload(terminal, flags);
  const schedule = scheduleOnFleet(jobs, { processors, policy: scheduler });
  reportTooLarge(terminal, schedule, processors);
  await printSchedule(terminal.stdout, schedule.scheduled);
}

function reportTooLarge({ stderr }: Terminal, { tooLarge }: FleetSchedule, processors: number): void {
  for (const job of [...tooLarge].slice(0, mostNamed))
    stderr.write(
      `left out: job ${printable(job.name)} needs ${job.processors} processors, the fleet has ${processors}\n`,
    );
  const more = tooLarge.length - mostNamed;
  if (more > 0) stderr.write(`left out: ${counted(more, "jobs")} more that need more than ${processors}\n`);
}

/** In parts: a trace of a million jobs is never one text. */
async function printSchedule(stdout: Output, scheduled: Iterable<ScheduledJob>): Promise<void> {
  stdout.write(stringify([["job", "submit", "start", "end", "procs"]]));
  let rows: (readonly (string | number)[])[] = [];
  const print = async () => {
    // Job names of a list are texts from outside, which a spreadsheet could run as formulas.
    const text = stringify(rows, { escape_formulas: true });
    rows = [];
    if (!stdout.write(text)) await once(stdout, "drain");
  };
  for (const { job, startSeconds, endSeconds } of scheduled) {
    rows.push([job.name, job.submitSeconds, startSeconds, endSeconds, job.processors]);
    if (rows.length >= rowsAtOnce) await print();
  }
  await print();
}
