import { type Command, InvalidArgumentError, Option } from "commander";
import {
  GridEngineReader,
  JobListReader,
  JsonItems,
  type LeftOut,
  readLines,
  SacctReader,
  SwfReader,
  TimeZone,
  type Workload,
} from "../../../shared/backtest/index.ts";
import { parseJson } from "../../../shared/json/json.ts";
import { counted, printable } from "../../../shared/text/text.ts";
import { CommandFailure } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";
import { textParts, withHead } from "./text-parts.ts";

/** An empty week is an answer, not an error. */
export const noJobs = "The workload has no jobs: nothing runs and nothing is bought.";

/** Where a workload comes from: exactly one of them. */
export interface WorkloadFlags {
  readonly trace?: string;
  readonly sacct?: string;
  readonly qacct?: string;
  /** Time zone of times in `sacct` output that have none, and of hours of the week. */
  readonly timeZone?: TimeZone;
  readonly suggest?: string;
  readonly vary?: readonly unknown[];
  readonly print?: string;
}

export interface NamedWorkload extends Workload {
  /** The file, as a report names it. */
  readonly name: string;
}

/** The options that name a workload. */
export function workloadOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--trace <file>",
        'the workload: a trace in the Standard Workload Format, or a JSON list of jobs with submitSeconds and runSeconds; packed by gzip or not; "-" is standard input',
      ),
    )
    .addOption(
      new Option(
        "--sacct <file>",
        "the workload: what sacct --parsable2 printed; the first line names the columns",
      ).conflicts("trace"),
    )
    .addOption(
      new Option("--qacct <file>", "the workload: Grid Engine's accounting file").conflicts([
        "trace",
        "sacct",
      ]),
    )
    .addOption(
      new Option(
        "--time-zone <name>",
        "such as Europe/Stockholm: with --sacct where it ran, with --suggest schedules that of their hours (default: UTC)",
      ).argParser(readZone),
    );
}

/** Reads it, and reports on standard error what is left out. Throws CommandFailure: no file, or none of its jobs can be used. */
export async function readWorkload(terminal: Terminal, flags: WorkloadFlags): Promise<NamedWorkload> {
  const { file, read } = sourceOf(flags);
  const workload = await read(textParts(file, terminal), file);
  reportLeftOut(terminal, workload);
  if (workload.jobs.length === 0 && workload.leftOut.length > 0)
    throw new CommandFailure(
      `Cannot use "${printable(file)}": it has no usable job`,
      "Give a trace in the Standard Workload Format (18 columns a line), or a JSON list of jobs.",
    );
  if (workload.jobs.length === 0) terminal.stderr.write(`${noJobs}\n`);
  return { ...workload, name: file === "-" ? "standard input" : file };
}

type Parts = AsyncGenerator<string, undefined>;

interface Source {
  readonly file: string;
  readonly read: (parts: Parts, file: string) => Promise<Workload>;
}

function sourceOf({ trace, sacct, qacct, timeZone, suggest, vary, print }: WorkloadFlags): Source {
  const showsHours = suggest === "schedules" || vary !== undefined || print === "week";
  if (timeZone !== undefined && sacct === undefined && !showsHours)
    throw new CommandFailure(
      'Cannot use "--time-zone" without "--sacct": the times of all other workloads are exact, and no hours of the week are shown',
      "Leave it out.",
    );
  if (trace !== undefined) return { file: trace, read: readTrace };
  if (sacct !== undefined)
    return { file: sacct, read: (parts, file) => readSacctFile(parts, file, timeZone) };
  if (qacct !== undefined) return { file: qacct, read: (parts) => readLines(new GridEngineReader(), parts) };
  throw new CommandFailure(
    "Cannot run a back-test: no workload",
    "Name one with --trace, --sacct, --qacct or --from-archive.",
  );
}

/** A job list begins with a bracket; a trace never does, nor with a brace. */
async function readTrace(parts: Parts, file: string): Promise<Workload> {
  let head = "";
  while (head.trim() === "") {
    const { value, done } = await parts.next();
    if (done === true) break;
    head += value;
  }
  const first = head.trimStart()[0];
  if (first === "{")
    throw new CommandFailure(
      `Cannot read "${printable(file)}": a JSON object, expected a list of jobs or a trace`,
      'Give a list in brackets: [{"name": "a", "submitSeconds": 0, "runSeconds": 60}].',
    );
  const all = withHead(head, parts);
  return first === "[" ? readJobs(all, file) : readLines(new SwfReader(), all);
}

async function readJobs(parts: Parts, file: string): Promise<Workload> {
  const [items, reader] = [new JsonItems(parseJson), new JobListReader()];
  try {
    for await (const part of parts) for (const item of items.add(part)) reader.item(item);
    items.end();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CommandFailure(`Cannot read "${printable(file)}": ${error.message}`, "Check the file.");
  }
  return reader.end();
}

async function readSacctFile(parts: Parts, file: string, timeZone: TimeZone | undefined): Promise<Workload> {
  const read = await readLines(new SacctReader(timeZone === undefined ? {} : { timeZone }), parts);
  if ("missing" in read)
    throw new CommandFailure(
      `Cannot read "${printable(file)}": no column ${read.missing.join(", no column ")}`,
      "Print it with: TZ=UTC sacct --allusers --allocations --parsable2 --format=JobID,JobName,User,Account,Partition,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,State,ReqTRES,AllocTRES,NNodes",
    );
  return read;
}

function readZone(name: string): TimeZone {
  try {
    return new TimeZone(name);
  } catch {
    throw new InvalidArgumentError(
      `"${name}", expected a name of the IANA time zones such as Europe/Stockholm.`,
    );
  }
}

export function reportLeftOut(terminal: Terminal, { leftOut, remarks = [] }: Workload): void {
  report(terminal, "left out", leftOut);
  report(terminal, "odd", remarks);
}

function report({ stderr }: Terminal, how: string, records: readonly LeftOut[]): void {
  for (const { why, count, where } of records) {
    const places = where.join(", ") + (count > where.length ? ", …" : "");
    stderr.write(`${how}: ${counted(count, "records")}: ${printable(why)} (${places})\n`);
  }
}
