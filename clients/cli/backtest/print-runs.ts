import {
  costsOfWeek,
  dayNames,
  neverRanIn,
  type RunFigures,
  type RunSummary,
  savedOfWeek,
  settingText,
  summaries,
  type TimeZone,
  toJson,
  type Workload,
  waitsOfWeek,
} from "../../../shared/backtest/index.ts";
import { counted, printable } from "../../../shared/text/text.ts";
import { parseColumns } from "../../columns/parse-columns.ts";
import { type Listing, printListing } from "../output/listing.ts";
import { prettyJson } from "../output/print.ts";
import type { Terminal } from "../terminal.ts";
import type { RunFlags } from "./run-flags.ts";

const mostReasons = 5;

/** The workload of the runs, and the time zone in which its week is shown. */
interface OfWeek {
  readonly workload: Workload;
  readonly timeZone: TimeZone;
}

export function printRuns(
  terminal: Terminal,
  runs: readonly RunFigures[],
  { format, print, ...week }: Pick<RunFlags, "format" | "print"> & OfWeek,
): void {
  if (print === "week") {
    printWeek(terminal, runs, { format, ...week });
    return;
  }
  if (format === "json") {
    printJson(terminal, runs);
    return;
  }
  const lines = summaries(runs);
  const keys = Object.keys(lines[0]?.varied ?? {});
  printRecords(terminal, {
    format,
    columns: columnsOf(keys, runs),
    records: lines.map((line) => toRecord(line, keys)),
  });
  if (format === "table") reportUnpriced(terminal, runs);
  if (format === "table") reportNever(terminal, runs);
  if (format === "table") reportSaved(terminal, runs, week);
}

/** Waiting time by the hour of submission, and what nodes cost in each hour: a line for each hour of the week, two columns a run. */
function printWeek(
  terminal: Terminal,
  runs: readonly RunFigures[],
  { format, workload, timeZone }: Pick<RunFlags, "format"> & OfWeek,
): void {
  const weeks = runs.map((figures, index) => ({
    run: index + 1,
    waits: waitsOfWeek(workload, figures, { timeZone }),
    costs: costsOfWeek(workload, figures, timeZone),
  }));
  const records = Array.from({ length: 7 * 24 }, (_, hour) => ({
    day: dayNames[Math.floor(hour / 24)] ?? "",
    hour: hour % 24,
    ...Object.fromEntries(
      weeks.flatMap(({ run, waits, costs }) => [
        [`wait_hours_${run}`, Math.round((waits[hour] ?? 0) / 3.6) / 1_000],
        [`cost_usd_${run}`, inCents((costs[hour] ?? 0) / 1e9)],
      ]),
    ),
  }));
  printRecords(terminal, { format, columns: Object.keys(records[0] ?? {}), records });
}

function printRecords(
  terminal: Terminal,
  { columns, ...of }: Pick<Listing, "format" | "records"> & { readonly columns: readonly string[] },
): void {
  const parsed = parseColumns(columns);
  printListing(terminal, {
    ...of,
    columns: parsed.ok ? parsed.columns : [],
    isChosen: false,
    isOwn: true,
    long: false,
    none: "No run was finished.",
  });
}

/** In which hours of the week runs wait less than the first, and what they cost more then. */
function reportSaved(
  { stderr }: Terminal,
  runs: readonly RunFigures[],
  { workload, timeZone }: OfWeek,
): void {
  const [before, ...others] = runs;
  for (const [index, after] of others.slice(0, mostReasons).entries()) {
    const hours = before && savedOfWeek(workload, { before, after, timeZone });
    if (hours)
      stderr.write(
        `Run ${index + 2} saves most of the waiting of run 1 in these hours of the week (${timeZone.name}): ${hours}.\n`,
      );
  }
}

/** Run by run: the figures of a million jobs, several times, are more than one text can hold. */
function printJson({ stdout }: Terminal, runs: readonly RunFigures[]): void {
  for (const [index, figures] of runs.entries()) {
    const text = prettyJson([toJson(figures)]).trimEnd();
    stdout.write(`${index === 0 ? "[" : ","}${text.slice(1, -1).trimEnd()}`);
  }
  stdout.write(runs.length === 0 ? "[]\n" : "\n]\n");
}

function toRecord(
  line: RunSummary,
  keys: readonly string[],
): Readonly<Record<string, string | number | null>> {
  const settings = keys.map((key, index) => [`setting_${index}`, settingText(line.varied[key] ?? null)]);
  return {
    ...Object.fromEntries(settings),
    run: line.run,
    front: line.isOnFront ? "*" : "",
    cost_usd: inCents(line.costUsd),
    disks_usd: inCents(line.disksUsd),
    unused_reserved_usd: inCents(line.reservedUsd),
    node_hours: inTenths(line.nodeHours),
    idle: inTenths(line.idleNodeHours),
    boot: inTenths(line.bootNodeHours),
    unused: inTenths(line.unusedNodeHours),
    other: inTenths(line.otherNodeHours),
    utilisation: line.utilisation === null ? null : Math.round(line.utilisation * 1_000) / 1_000,
    wait_mean: inTenths(line.meanWaitSeconds),
    wait_p95: inTenths(line.p95WaitSeconds),
    wait_max: inTenths(line.maxWaitSeconds),
    slowdown: line.meanSlowdown === null ? null : Math.round(line.meanSlowdown * 100) / 100,
    nodes: line.nodesBought,
    saved_usd: inCents(line.savedUsd),
    evicted: line.evicted,
    reruns: line.reruns,
    never_ran: line.neverRan,
  };
}

function inCents(usd: number | null): number | null {
  return usd === null ? null : Math.round(usd * 100) / 100;
}

function inTenths(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10) / 10;
}

function columnsOf(keys: readonly string[], runs: readonly RunFigures[]): readonly string[] {
  // Most clusters have neither.
  const beside = new Set(runs.flatMap(({ cost }) => cost.aside.map(({ kind }) => kind)));
  const settings = keys.map(
    (key, index) => `${key.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}@setting_${index}`,
  );
  return [
    "run",
    ...settings,
    "cost_usd",
    ...(beside.has("deallocated") ? ["disks_usd"] : []),
    ...(beside.has("reserved") ? ["unused_reserved_usd"] : []),
    ..."front wait_mean wait_p95 wait_max slowdown node_hours idle boot unused other".split(" "),
    ..."utilisation nodes saved_usd evicted reruns never_ran".split(" "),
  ];
}

/** Sizes without a price cost nothing in the sum, or leave it empty; so do disks. */
function reportUnpriced({ stderr }: Terminal, runs: readonly RunFigures[]): void {
  const beside = runs.flatMap(({ cost }) => cost.aside.filter(({ unpricedNodeMs }) => unpricedNodeMs > 0));
  for (const of of new Set(
    beside.map(
      ({ kind, name }) =>
        `${kind === "reserved" ? "reserved nodes of" : "the disks of deallocated"} "${name}"`,
    ),
  ))
    stderr.write(`No price is known of ${printable(of)}: it is left out.\n`);
  const unpriced = runs.flatMap(({ cost }) => cost.lines.filter(({ unpricedNodeMs }) => unpricedNodeMs > 0));
  const sizes = [...new Set(unpriced.map(({ nodeArray, vmSize }) => `${nodeArray}/${vmSize}`))];
  if (sizes.length === 0) return;
  const hasAny = runs.some(({ cost }) => cost.total.unpricedNodeMs < cost.total.nodeMs);
  stderr.write(
    `No price is known of ${sizes.map(printable).join(", ")}: COST_USD ${hasAny ? "leaves them out" : "is empty, and runs are compared by NODE_HOURS"}. Give one with price_per_hour_usd of vm_sizes.\n`,
  );
}

/** Jobs that never ran, and why. What is the same in every run is named once. */
function reportNever({ stderr }: Terminal, runs: readonly RunFigures[]): void {
  const same = neverRanIn(runs);
  for (const { count, first: names, why, reasons, inRuns } of same.slice(0, mostReasons)) {
    const where = inRuns.length === runs.length ? "" : ` in run ${inRuns.join(", ")}`;
    const named = `${names.map(printable).join(", ")}${count > names.length ? ", …" : ""}`;
    stderr.write(`${counted(count, "jobs")} never ran${where} (${named}): ${why}\n`);
    for (const { sentence } of reasons.slice(0, mostReasons)) stderr.write(`  ${printable(sentence)}\n`);
  }
  if (same.length > mostReasons)
    stderr.write(`${counted(same.length - mostReasons, "reasons")} more: --format json has all of them.\n`);
}
