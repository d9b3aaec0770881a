import { once } from "node:events";
import { Command, Option } from "commander";
import { stringify } from "csv-stringify/sync";
import {
  type FleetSchedule,
  readJobList,
  readSwf,
  type ScheduledJob,
  type SchedulerPolicy,
  scheduleOnFleet,
  schedulerPolicies,
  type TraceJob,
  type Workload,
} from "../../../shared/backtest/index.ts";
import { chunksOf } from "../../../shared/batches.ts";
import { parseJson } from "../../../shared/json.ts";
import { counted, printable } from "../../../shared/text.ts";
import { CommandFailure } from "../exit-code.ts";
import { wholeNumber } from "../option-values.ts";
import { readText } from "../read-text.ts";
import type { Output, Terminal } from "../terminal.ts";

interface Flags {
  readonly trace: string;
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
  command
    .description(
      "Runs a recorded workload on a fleet of a fixed size, with a model of a scheduler, and prints when each job starts and ends (CSV: job, submit, start, end, procs; in the order of the queue, in seconds of the trace's own clock). What is left out is reported on standard error. Needs no service, and sends nothing.",
    )
    .requiredOption(
      "--trace <file>",
      'the workload: a trace in the Standard Workload Format, or a JSON list of jobs with submitSeconds and runSeconds; packed by gzip or not; "-" is standard input',
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
  const { jobs, leftOut } = readWorkload(await readText(flags.trace, terminal), flags.trace);
  for (const { why, count, where } of leftOut) {
    const places = where.join(", ") + (count > where.length ? ", …" : "");
    terminal.stderr.write(`left out: ${counted(count, "records")}: ${printable(why)} (${places})\n`);
  }
  if (jobs.length === 0 && leftOut.length > 0)
    throw new CommandFailure(
      `Cannot use "${printable(flags.trace)}": it has no usable job`,
      "Give a trace in the Standard Workload Format (18 columns a line), or a JSON list of jobs.",
    );
  if (jobs.length === 0) terminal.stderr.write("The workload has no jobs.\n");
  const { fixedProcessors: processors, scheduler: policy } = flags;
  const schedule = scheduleOnFleet(jobs, { processors, policy });
  reportTooLarge(terminal, schedule, processors);
  await printSchedule(terminal.stdout, schedule.scheduled);
}

/** A job list begins with a bracket; a trace never does. */
function readWorkload(text: string, file: string): Workload {
  if (!/^\s*\[/.test(text)) return readSwf(text);
  const workload = readJobList(jsonOf(text, file));
  if (workload === undefined) throw unreadable(file, "expected a list of jobs");
  return workload;
}

function jsonOf(text: string, file: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw unreadable(file, error instanceof Error ? error.message : String(error));
  }
}

function unreadable(file: string, why: string): CommandFailure {
  return new CommandFailure(`Cannot read "${printable(file)}": ${why}`, "Check the file.");
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
