import { Command, Option } from "commander";
import { type JobsAnswer, type JobView, jobState } from "../../../shared/api/index.ts";
import { shown } from "../../../shared/messages/index.ts";
import { duration } from "../../../shared/text/durations.ts";
import { counted, foldedName, printable } from "../../../shared/text/text.ts";
import type { Fields } from "../../columns/evaluate.ts";
import { columnsOf } from "../../columns/parse-columns.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { wholeNumber } from "../option-values.ts";
import type { Narrowing } from "../output/fit-table.ts";
import {
  jobGroupFields,
  jobSummaryColumns,
  jobSummaryNarrowing,
  jobSummaryOf,
} from "../output/job-summary.ts";
import { note } from "../output/note.ts";
import { outputOptions } from "../output/output-options.ts";
import { type SelectionFlags, selectionOptions, toQuery } from "../selection.ts";
import { askAll } from "../service/ask-all.ts";
import { progressOn, type Terminal } from "../terminal.ts";
import { refuseUnknownSource } from "../unknown-words.ts";

interface Flags extends LookFlags, SelectionFlags {
  readonly state?: string;
  readonly source?: string;
  readonly where?: string;
  readonly limit?: number;
  readonly summary?: true;
}

const usualLimit = 1_000;

export const jobColumns = columnsOf(
  "job,source:-,state,granted,asked,unit,nodes[:30]:-,waits:-,spot@may_use_spot:-",
  "reason[:160]:-",
);

const narrowing: Narrowing = {
  goFirst: ["SPOT", "UNIT"],
  sentence: "REASON",
};

export function jobsCommand(terminal: Terminal): Command {
  const command: Command = new Command("jobs")
    .description(
      "Lists jobs that run, have a place or wait, and why; with selected nodes, jobs that run or have a place there.",
    )
    .addOption(new Option("--state <state>", "only jobs in this state").choices(jobState.options))
    .option("--source <name>", "only jobs of this scheduler")
    .option("--where <terms>", 'only jobs of which all of it holds, such as "user:ann queue:hpc waits>1h"')
    .option("--limit <number>", `maximum number (default: ${usualLimit})`, wholeNumber(1))
    .option("--summary", "a row for each state and reason: how many jobs, the longest wait, the first job")
    .action((flags: Flags) => {
      if (flags.summary && flags.limit !== undefined)
        return command.error("error: expected --summary without --limit: it counts all jobs");
      return look(terminal, flags, (looking) => showJobs(looking, flags));
    });
  return outputOptions(selectionOptions(lookOptions(command)));
}

async function showJobs({ terminal, service, format, list }: Looking, flags: Flags): Promise<void> {
  const progress = await progressOn(terminal);
  const { first, items, isCut } = await askAll(service, "jobs", {
    call: {
      query: {
        ...toQuery(flags),
        state: flags.state,
        source: flags.source,
        where: flags.where,
        request: wantsRequest(flags),
      },
    },
    pick: ({ jobs }) => jobs,
    ...(flags.summary !== true && { most: flags.limit ?? usualLimit }),
    onPage: (count, total) => {
      if (count !== total) progress.report(`${count} of ${total ?? "?"} jobs`);
    },
  });
  progress.end();
  if (items.length === 0) await refuseUnknownSource(service, flags.source);
  if (flags.summary) {
    const groups = jobSummaryOf(items, first.atSeconds);
    list({
      name: "jobs-summary",
      columns: jobSummaryColumns,
      narrowing: jobSummaryNarrowing,
      records: groups.map(jobGroupFields),
      data: groups,
      none: "No such jobs.",
    });
    reportSilent(terminal, first, flags);
    return;
  }
  const isJson = ["json", "jsonl"].includes(format());
  list({
    name: "jobs",
    columns: jobColumns,
    records: items.map((job) => jobFields(job, first.atSeconds, isJson)),
    data: items,
    none: "No such jobs.",
    narrowing,
  });
  reportWarnings(terminal, items);
  reportSilent(terminal, first, flags);
  if (isCut)
    terminal.stderr.write(`${items.length} of ${first.total ?? "many"} jobs shown; show more with --limit\n`);
}

/** Columns of what a job asks for: a list has them only where they are asked for. */
const requested: readonly string[] = [
  "constraints",
  "iterations",
  "colocated",
  "gang",
  "gangApart",
  "mayDivide",
  "gangSize",
  "exclusive",
  "packingStrategy",
  "executingHostnames",
  "request",
].map(foldedName);

/** Undefined, not false: an older service does not know the question. */
function wantsRequest({ outputColumns }: Flags): true | undefined {
  const words = (outputColumns ?? "").split(/[^\w-]+/).map(foldedName);
  return words.some((word) => requested.includes(word)) ? true : undefined;
}

const mostWarned = 10;

/** Keys that have no effect: a job with a misspelt wish looks like one that wants nothing in particular. */
function reportWarnings(terminal: Terminal, jobs: readonly JobView[]): void {
  const warned = jobs.flatMap(({ job, warnings }) =>
    warnings.map((warning) => `job ${shown(job)}: ${warning}`),
  );
  for (const words of warned.slice(0, mostWarned)) note(terminal, `warning: ${printable(words)}`);
  const more = warned.length - mostWarned;
  if (more > 0) note(terminal, `and ${counted(more, "warnings")} more: "ccscale jobs --format json"`);
}

/** Reports jobs of silent sources, which are not listed: without this an empty list would look complete. */
function reportSilent(terminal: Terminal, { silent }: JobsAnswer, flags: Flags): void {
  const isOfNodes = Object.values(toQuery(flags)).some((wanted) => wanted !== undefined);
  if (isOfNodes || (flags.state ?? "waiting") !== "waiting") return;
  for (const { source, jobs } of silent)
    if ((flags.source ?? source) === source)
      note(
        terminal,
        `not listed: ${counted(jobs, "jobs")} of source "${source}", which is silent, so that ${jobs === 1 ? "it counts" : "they count"} for nothing; see "ccscale status"`,
      );
}

function jobFields(job: JobView, nowSeconds: number, isData: boolean): Fields {
  const { submittedAtSeconds, startedAtSeconds } = job;
  const since = (seconds: number | null) =>
    seconds === null ? null : isData ? Math.floor(nowSeconds - seconds) : duration(nowSeconds - seconds);
  const { request, ...fields } = job;
  return {
    ...(request ?? {}),
    ...fields,
    // As scalelib calls it.
    name: job.job,
    reason:
      job.reason ?? (isData || job.waitingReason === null ? null : `its scheduler: ${job.waitingReason}`),
    waits: since(submittedAtSeconds),
    runs: since(startedAtSeconds),
    may_use_spot: job.spot === null ? null : spotInWords(job.spot),
  };
}

/** Whether it goes to spot nodes; why not, or how much longer it waits for one. */
function spotInWords({ stance, patienceLeftSeconds, evictions }: NonNullable<JobView["spot"]>): string {
  return {
    first: patienceLeftSeconds === null ? "first" : `first, ${duration(patienceLeftSeconds)} left`,
    SpotNotInterruptible: "off: not interruptible",
    SpotRunTimeTooLong: "off: runs too long",
    SpotEvictedTooOften: `off: evicted ${evictions} times`,
    SpotPatienceOver: "off: waited long enough",
  }[stance];
}
