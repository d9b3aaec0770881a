import { once } from "node:events";
import { Command, Option } from "commander";
import { stringify } from "csv-stringify/sync";
import {
  type FleetSchedule,
  type ScheduledJob,
  type SchedulerPolicy,
  scheduleOnFleet,
  schedulerPolicies,
  type TraceJob,
} from "../../../shared/backtest/index.ts";
import { chunksOf } from "../../../shared/batches.ts";
import { counted, printable } from "../../../shared/text.ts";
import { readWorkload, type WorkloadFlags, workloadOptions } from "../backtest/workload-file.ts";
import { wholeNumber } from "../option-values.ts";
import type { Output, Terminal } from "../terminal.ts";

interface Flags extends WorkloadFlags {
  readonly fixedProcessors: number;
  readonly scheduler: SchedulerPolicy;
  readonly print: "schedule";
}

/** Rows that are made into text at a time. */
const rowsAtOnce = 10_000;
const mostNamed = 5;

/** `ccscale backtest`: when the jobs of a recorded workload would have run. */
export function backtestCommand(terminal: Terminal): Command {
  const command = new Command("backtest");
  workloadOptions(command)
    .description(
      "Runs a recorded workload on a fleet of a fixed size, with a model of a scheduler, and prints when each job starts and ends (CSV: job, submit, start, end, procs; in the order of the queue, in seconds of the trace's own clock). What is left out is reported on standard error. Needs no service, and sends nothing.",
    )
    .requiredOption("--fixed-processors <number>", "processors of the fleet, all alike", wholeNumber(1))
    .addOption(
      new Option(
        "--scheduler <policy>",
        "fcfs: first come, first served; easy: jobs behind a blocked one start if they do not delay it",
      )
        .choices(schedulerPolicies)
        .default("easy"),
    )
    .addOption(new Option("--print <what>", "what to print").choices(["schedule"]).default("schedule"))
    .action((flags: Flags) => backtest(terminal, flags));
  return command;
}

async function backtest(terminal: Terminal, flags: Flags): Promise<void> {
  const { jobs } = await readWorkload(terminal, flags);
  const { fixedProcessors: processors, scheduler: policy } = flags;
  const schedule = scheduleOnFleet(jobs, { processors, policy });
  reportTooLarge(terminal, schedule, processors);
  await printSchedule(terminal.stdout, schedule.scheduled);
}

function reportTooLarge({ stderr }: Terminal, { tooLarge }: FleetSchedule, processors: number): void {
  for (const job of tooLarge.slice(0, mostNamed))
    stderr.write(
      `left out: job ${printable(job.name)} needs ${job.processors} processors, the fleet has ${processors}\n`,
    );
  const more = tooLarge.length - mostNamed;
  if (more > 0) stderr.write(`left out: ${counted(more, "jobs")} more that need more than ${processors}\n`);
}

/** In parts: a trace of a million jobs is never one text. */
async function printSchedule(stdout: Output, scheduled: readonly ScheduledJob[]): Promise<void> {
  stdout.write(stringify([["job", "submit", "start", "end", "procs"]]));
  for (const part of chunksOf(scheduled, rowsAtOnce)) {
    // Job names of a list are texts from outside, which a spreadsheet could run as formulas.
    const text = stringify(part.map(rowOf), { escape_formulas: true });
    if (!stdout.write(text)) await once(stdout, "drain");
  }
}

function rowOf({ job, startSeconds, endSeconds }: ScheduledJob): readonly (string | number)[] {
  const { name, submitSeconds, processors }: TraceJob = job;
  return [name, submitSeconds, startSeconds, endSeconds, processors];
}
