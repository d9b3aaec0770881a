import { Command, type Command as CommandType, InvalidArgumentError } from "commander";
import {
  type ClusterStatus,
  type CostAnswer,
  costDimension,
  type JobRunView,
} from "../../../shared/api/index.ts";
import { parseDuration } from "../../../shared/text/durations.ts";
import { besideWords, idleMoneyWords } from "../../../shared/text/idle-money.ts";
import { counted } from "../../../shared/text/text.ts";
import { suggestion, wordsOf } from "../choices.ts";
import { CommandFailure } from "../exit-code.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { wholeNumber } from "../option-values.ts";
import {
  addingUp,
  besideFields,
  cents,
  costColumns,
  costFields,
  firstGroups,
  jobCostColumns,
  jobRunFields,
  reconcileColumns,
  reconciledFields,
  withSums,
} from "../output/cost-fields.ts";
import { focusCsv, focusDimensions } from "../output/focus.ts";
import { outputOptions } from "../output/output-options.ts";
import type { Format } from "../output/output-settings.ts";
import { prettyJson } from "../output/print.ts";
import { firstDayIn, type ReconciledDay, reconcile, reconciledTotal } from "../output/reconcile.ts";
import { type Page, pageOn } from "../output/report.ts";
import { spotInWords } from "../output/spot-words.ts";
import { timesOption } from "../output/times.ts";
import type { Terminal } from "../terminal.ts";
import { momentSeconds } from "../time-values.ts";
import { refuseUnknownSource } from "../unknown-words.ts";

interface Given extends Omit<LookFlags, "format"> {
  readonly format?: Format | "focus";
  readonly by?: string;
  readonly from?: number;
  readonly to?: number;
  readonly user?: string;
  readonly account?: string;
  readonly queue?: string;
  readonly job?: string;
  readonly source?: string;
  readonly reconcile?: true;
  readonly limit?: number;
}

type Flags = LookFlags & Omit<Given, "format">;

export function costCommand(terminal: Terminal): CommandType {
  const command: CommandType = new Command("cost")
    .description(
      "Shows what nodes cost and whom, by list and configured prices: an estimate, not the bill. Jobs have their share of the nodes on which they run; what they leave is unused.",
    )
    .option(
      "--by <dimensions>",
      `what costs are told apart by, separated by commas: ${costDimension.options.join(", ")}; job: whole runs that ended in the time or run still; node: whole days, the nodes that cost most without a job (default: array)`,
      wordsOf("dimension", costDimension.options),
    )
    .option("--limit <number>", "so many of what --by tells apart; the rest is one row", wholeNumber(1))
    .option(
      "--from <moment>",
      "date or time (UTC) such as 2026-11-01, or how long ago, such as 7d (default: start of the month)",
      readMoment,
    )
    .option("--to <moment>", "the same; a date means its start (default: now)", readMoment)
    .option("--user <name>", "only what jobs of this user cost; with --by job, a bill by job")
    .option("--account <name>", "only what jobs of this account cost")
    .option("--queue <name>", "only what jobs of this queue cost")
    .option("--job <name>", "what this job has cost until now, run by run")
    .option("--source <name>", "with --job: the scheduler that the job is of")
    .option(
      "--reconcile",
      "core-hours and cost by day beside those that CycleCloud counts, and why they differ",
    )
    .action(({ format, ...given }: Given) => {
      const only = given.job === undefined ? given.reconcile && "--reconcile" : "--job";
      const others = [
        ...(given.by === undefined ? [] : ["--by"]),
        ...(format === "focus" ? ["--format focus"] : []),
        ...(given.job !== undefined && given.reconcile ? ["--reconcile"] : []),
        ...(given.limit === undefined ? [] : ["--limit"]),
        ...ownerNames.flatMap((name) => (given[name] === undefined ? [] : [`--${name}`])),
        ...(given.job !== undefined && (given.from ?? given.to) !== undefined ? ["--from and --to"] : []),
      ];
      if (only !== undefined && others.length > 0)
        return command.error(`error: ${only} goes without ${others.join(" and ")}`);
      if (format === "focus" && given.limit !== undefined)
        return command.error("error: --format focus goes without --limit: its lines add up to the cost");
      if (format === "focus") return look(terminal, given, (looking) => printFocus(looking, given));
      const flags: Flags = { ...given, ...(format !== undefined && { format }) };
      return look(terminal, flags, (looking) => {
        if (flags.job !== undefined) return showJob(looking, flags, flags.job);
        return flags.reconcile === true ? showReconciled(looking, flags) : showCost(looking, flags);
      });
    });
  return timesOption(outputOptions(lookOptions(command), ["focus"]));
}

const ownerNames = ["user", "account", "queue"] as const;

/** Accounts have the days of UTC. A length of time is rounded to a whole hour, the finest step of the accounts. */
function readMoment(text: string): number {
  const atSeconds = momentSeconds(text, "utc");
  if (atSeconds !== undefined) return atSeconds;
  const lengthSeconds = parseDuration(text);
  if (lengthSeconds !== undefined) return startOf(Date.now() / 1_000 - lengthSeconds, lengthSeconds);
  throw new InvalidArgumentError(
    `"${text}", expected a date or time such as 2026-11-01 or 2026-11-01T08:00Z, or how long ago, such as 7d.`,
  );
}

/** Hours are known of the last 7 days: what begins before that begins with its day. */
function startOf(seconds: number, agoSeconds: number): number {
  return agoSeconds < 7 * daySeconds ? Math.floor(seconds / 3_600) * 3_600 : startOfDay(seconds);
}

function queryOf({ by, from, to, user, account, queue }: Omit<Given, "format">) {
  return { by, from, until: to, user, account, queue };
}

async function printFocus({ terminal, service }: Looking, given: Omit<Given, "format">): Promise<void> {
  const query = { ...queryOf(given), by: focusDimensions.join(",") };
  terminal.stdout.write(focusCsv(await service.ask("cost", { query })));
}

async function showCost(looking: Looking, flags: Flags): Promise<void> {
  const { terminal, service } = looking;
  const owner = ownerNames.flatMap((name) => (flags[name] === undefined ? [] : [`${name} "${flags[name]}"`]));
  const isUntilNow =
    (flags.from ?? flags.to) === undefined && owner.length === 0 && (flags.format ?? "table") === "table";
  const query = { ...queryOf(flags), by: flags.by ?? "array" };
  const [whole, status] = await Promise.all([
    service.ask("cost", { query }),
    isUntilNow ? service.ask("status") : undefined,
  ]);
  if (whole.rows.length === 0 && owner.length > 0) await refuseUnknownOwner(service, flags);
  const format = looking.format();
  const { answer, rest, groups } = firstGroups(whole, flags.limit);
  if (format === "json" && flags.outputColumns === undefined) {
    terminal.stdout.write(prettyJson(answer));
    return;
  }
  const ofOwner = owner.length === 0 ? "" : ` of ${owner.join(", ")}`;
  const time = `${ofOwner} from ${isoOf(answer.fromSeconds)} to ${isoOf(answer.untilSeconds)}`;
  if (format === "table") {
    const page = pageOn(terminal);
    page.line(`${cents(answer.total.usd)} USD${time}`);
    for (const line of besideWords(answer.notInTotal, (usd) => `${cents(usd)} USD`)) page.line(line);
    if (status !== undefined) nowOn(page, status, answer.by);
  }
  // Programs add rows up: what is in no total is there only beside the column that names it.
  const isOwn = (flags.outputColumns ?? looking.settings.columns.cost) === undefined;
  const beside = format === "csv" && isOwn ? answer.notInTotal.map(besideFields) : [];
  looking.list({
    name: "cost",
    columns: [...costColumns(answer.by), ...(format === "csv" ? ["not_in_total"] : [])],
    records: format.startsWith("table")
      ? addingUp(withSums(answer, rest))
      : [...answer.rows.map(costFields), ...beside],
    data: answer.rows,
    none: `Nothing was counted${time}.`,
  });
  if (format === "table") warnOfUnpriced(terminal, answer.total.unpricedNodeHours);
  else if (rest !== undefined)
    terminal.stderr.write(`${flags.limit} of ${groups} shown; the total counts all\n`);
}

/** Otherwise a misspelt name would look like an owner without costs. */
async function refuseUnknownOwner(service: Looking["service"], flags: Flags): Promise<void> {
  for (const name of ownerNames) {
    const given = flags[name];
    if (given === undefined) continue;
    const { rows } = await service.ask("cost", { query: { by: name, from: flags.from, until: flags.to } });
    const names = rows.flatMap(({ keys }) => (typeof keys[name] === "string" ? [keys[name]] : []));
    if (!names.includes(given))
      throw new CommandFailure(
        `Nothing was counted of ${name} "${given}" in this time`,
        `${suggestion(given, names)}"ccscale cost --by ${name}" lists those of whom something was.`,
      );
  }
}

/** What an hour costs now, and what the month will come to; of spot, how much of the cluster it is. */
function nowOn(page: Page, { spending, spot, atSeconds }: ClusterStatus, by: CostAnswer["by"]): void {
  if (spending !== null)
    page.line(
      `Now ${cents(spending.usdPerHour)} USD an hour; forecast for ${spending.month}: ${cents(spending.forecastUsd)} USD`,
    );
  for (const line of spending === null ? [] : idleMoneyWords(spending, (usd) => `${cents(usd)} USD`))
    page.line(line);
  if (spot !== null && by.includes("spot")) page.line(`Spot: ${spotInWords(spot, atSeconds)}`);
}

async function showJob(looking: Looking, flags: Flags, job: string): Promise<void> {
  const { terminal, service, moments, list } = looking;
  const answer = await service.ask("job-cost", { params: { job }, query: { source: flags.source } });
  // A source that is silent for long has its runs, and is not among those of the status.
  if (answer.runs.length === 0) await refuseUnknownSource(service, flags.source);
  const format = looking.format();
  if (format === "json" && flags.outputColumns === undefined) {
    terminal.stdout.write(prettyJson(answer));
    return;
  }
  const { runs, total, untilSeconds } = answer;
  if (format === "table" && runs.length > 0) {
    const running = runs.filter(({ isRunning }) => isRunning).length;
    const state = running === 0 ? "none running" : `${running} running`;
    const until = untilSeconds === null ? "" : ` until ${isoOf(untilSeconds)}`;
    pageOn(terminal).line(
      `Job "${job}": ${total.usd.toFixed(2)} USD${until}, ${counted(runs.length, "runs")}, ${state}`,
    );
  }
  const when = moments("utc", Date.now() / 1000);
  list({
    name: "cost",
    columns: jobCostColumns,
    records: runs.map((run: JobRunView) => jobRunFields(run, when)),
    data: runs,
    none: `No run of job "${job}" was counted${flags.source === undefined ? "; a source that is silent for long has to be named with --source" : ""}.`,
  });
  if (format === "table") warnOfUnpriced(terminal, total.unpricedNodeHours);
}

async function showReconciled(looking: Looking, flags: Flags): Promise<void> {
  const { terminal, service, list } = looking;
  // Both count whole days.
  const from = flags.from === undefined ? undefined : startOfDay(flags.from);
  const until = flags.to === undefined ? undefined : startOfDay(flags.to);
  const cost = await service.ask("cost", { query: { by: "day", from, until } });
  const time = { timeframe: "custom", from: exact(cost.fromSeconds), to: exact(cost.untilSeconds) };
  const usage = await service.ask("usage", { query: { ...time, granularity: "daily" } });
  const first = firstDayIn(cost);
  const day = first === undefined ? undefined : { from: exact(first), to: exact(first + daySeconds) };
  const firstDay =
    day && (await service.ask("usage", { query: { ...day, timeframe: "custom", granularity: "hourly" } }));
  const days = reconcile({ cost, usage, firstDay });
  const format = looking.format();
  const total = reconciledTotal(days);
  list({
    name: "cost",
    columns: reconcileColumns,
    records: (format.startsWith("table") && days.length > 1 ? [...days, total] : days).map(reconciledFields),
    data: days,
    none: "CycleCloud and the accounts have nothing of this time.",
  });
  if (format === "table" && days.length > 0) pageOn(terminal).bullets(explained(total, cost.openedAtSeconds));
}

/** What the columns of the difference mean, as far as there is any. */
function explained(
  { cycleCloud, outside, before, rest, ours }: ReconciledDay,
  opened: number | null,
): readonly string[] {
  return [
    ...(outside > 0
      ? [
          `OUTSIDE: ${coreHours(outside)} of nodes outside all node arrays, such as head nodes: they are not counted here.`,
        ]
      : []),
    ...(before > 0
      ? [
          `BEFORE: ${coreHours(before)} before the first snapshot${opened === null ? "" : ` (${isoOf(opened)})`}.`,
        ]
      : []),
    restInWords({ cycleCloud, rest, ours }),
  ];
}

function restInWords(given: Pick<ReconciledDay, "cycleCloud" | "rest" | "ours">): string {
  const { cycleCloud, rest, ours } = given;
  if (cycleCloud === null)
    return "CYCLECLOUD and REST of all days: not known, because CycleCloud has no count of some of them.";
  if (rest === null || ours === null) return "REST: not known, because the cores of some size are not known.";
  return `REST: ${coreHours(rest)}. Nodes are seen once a minute: half a minute at both ends of a node is a guess, and one that lives shorter may never be seen. Boot counts here from the request for a node, in CycleCloud while it has a VM.`;
}

function coreHours(value: number): string {
  return `${value.toFixed(1)} core-hours`;
}

const daySeconds = 86_400;

function startOfDay(seconds: number): number {
  return Math.floor(seconds / daySeconds) * daySeconds;
}

function warnOfUnpriced(terminal: Terminal, nodeHours: number): void {
  if (nodeHours === 0) return;
  pageOn(terminal).warning(
    `${nodeHours} node-hours have no price and cost more than 0: set prices, see docs/prices.md`,
  );
}

function exact(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

function isoOf(seconds: number): string {
  return new Date(Math.floor(seconds) * 1_000).toISOString().replace(/(:00)?\.000Z$/, "Z");
}
