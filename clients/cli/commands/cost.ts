import { Command, type Command as CommandType, InvalidArgumentError } from "commander";
import { z } from "zod";
import { type CostAnswer, type CostRowView, costDimension } from "../../../shared/api/index.ts";
import type { Fields } from "../../columns/evaluate.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { focusCsv, focusDimensions } from "../output/focus.ts";
import { outputOptions, printList } from "../output/output-options.ts";
import { prettyJson } from "../output/print.ts";
import type { Terminal } from "../terminal.ts";

interface Flags extends LookFlags {
  readonly by: string;
  readonly from?: number;
  readonly to?: number;
  readonly focus?: true;
}

/** Beside those, a column for each dimension. */
export const costColumns: readonly string[] = [
  "cost",
  "share",
  "node_hours",
  "boot:-",
  "idle:-",
  "unused:-",
  "other:-",
  "runs:-",
  "cost_per_run:-",
  "cost_per_core_hour:-",
];

/** `ccscale cost`: what nodes cost, and whom. */
export function costCommand(terminal: Terminal): CommandType {
  const command = new Command("cost")
    .description(
      "Shows what nodes cost and whom, by list and configured prices: an estimate, not the bill. Jobs have their share of the nodes on which they run; what they leave is unused.",
    )
    .option(
      "--by <dimensions>",
      `what costs are told apart by, separated by commas: ${costDimension.options.join(", ")}; job: whole runs that ended in the time or run still`,
      "array",
    )
    .option(
      "--from <moment>",
      "date or time (UTC) such as 2026-11-01 (default: start of the month)",
      readMoment,
    )
    .option("--to <moment>", "the same; a date means its start (default: now)", readMoment)
    .option(
      "--focus",
      "prints the columns of the FinOps specification FOCUS 1.0 as CSV, a line per day and group",
    )
    .action((flags: Flags) => look(terminal, flags, (looking) => showCost(looking, flags)));
  return outputOptions(lookOptions(command));
}

const momentSchema = z.union([z.iso.date(), z.iso.datetime({ offset: true, local: true })]);

/** `Date.parse` alone would take the 31st of November, and read a time without a zone as the machine's own. */
function readMoment(text: string): number {
  if (momentSchema.safeParse(text).success) {
    const hasZone = !text.includes("T") || /(Z|[+-]\d\d:\d\d)$/.test(text);
    return Date.parse(hasZone ? text : `${text}Z`) / 1_000;
  }
  throw new InvalidArgumentError(
    `"${text}", expected a date or time such as 2026-11-01 or 2026-11-01T08:00Z.`,
  );
}

async function showCost({ terminal, service, settings }: Looking, flags: Flags): Promise<void> {
  const by = flags.focus === true ? focusDimensions.join(",") : flags.by;
  const query = { by, from: flags.from, until: flags.to };
  const answer = await service.ask("cost", { query });
  if (flags.focus === true) {
    terminal.stdout.write(focusCsv(answer));
    return;
  }
  const format = flags.format ?? settings.format ?? "table";
  if (format === "json" && flags.outputColumns === undefined) {
    terminal.stdout.write(prettyJson(answer));
    return;
  }
  const isTable = format.startsWith("table");
  const rows = isTable && answer.rows.length > 1 ? [...answer.rows, totalOf(answer)] : answer.rows;
  const list = {
    name: "cost",
    columns: [...answer.by.flatMap(columnsOf), ...costColumns],
    records: rows.map(costFields),
    data: answer.rows,
    none: `Nothing was counted from ${isoOf(answer.fromSeconds)} to ${isoOf(answer.untilSeconds)}.`,
  };
  if (format === "table")
    terminal.stdout.write(`${isoOf(answer.fromSeconds)} to ${isoOf(answer.untilSeconds)}\n`);
  printList(terminal, list, { flags, settings });
  if (format === "table" && answer.total.unpricedNodeHours > 0)
    terminal.stdout.write(
      `${answer.total.unpricedNodeHours} node-hours have no price and cost more than 0: set prices, see docs/prices.md\n`,
    );
}

/** A job is shown with whom it belongs to. */
function columnsOf(dimension: CostAnswer["by"][number]): readonly string[] {
  return dimension === "job" ? ["job", "user", "account:-", "queue:-"] : [dimension];
}

function totalOf({ by, total }: CostAnswer): CostRowView {
  const [first = "array"] = by;
  return { ...total, keys: { [first]: "TOTAL" } };
}

export function costFields(row: CostRowView): Fields {
  const { keys, isOverhead, usd, share, nodeHours, coreHours, runs, usdByPurpose, ...rest } = row;
  const { job: used, unused, boot, idle, ...others } = usdByPurpose;
  const other = Object.values(others).reduce((sum, each) => sum + each, 0);
  return {
    ...rest,
    ...others,
    used,
    ...Object.fromEntries(costDimension.options.map((dimension) => [dimension, labelOf(row, dimension)])),
    cost: cents(usd),
    usd,
    share: `${(share * 100).toFixed(1)}%`,
    node_hours: nodeHours.toFixed(1),
    core_hours: coreHours,
    boot: boot === 0 ? null : cents(boot),
    idle: idle === 0 ? null : cents(idle),
    unused: unused === 0 ? null : cents(unused),
    other: other === 0 ? null : cents(other),
    runs: runs === 0 ? null : runs,
    cost_per_run: runs === 0 || isOverhead ? null : cents(usd / runs),
    cost_per_core_hour: coreHours === null || coreHours === 0 ? null : (usd / coreHours).toFixed(4),
  };
}

/** Null in the answer: nobody said. Absent: no job's. */
function labelOf({ keys, isOverhead }: CostRowView, dimension: CostAnswer["by"][number]): string | null {
  const value = keys[dimension];
  if (value === undefined)
    return isOverhead && ["user", "account", "queue"].includes(dimension) ? "(no job)" : null;
  if (value === null) return dimension === "job" ? "(others)" : "unknown";
  return typeof value === "string" ? value : value ? "spot" : "regular";
}

function cents(usd: number): string {
  return usd.toFixed(2);
}

function isoOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace(":00.000Z", "Z");
}
