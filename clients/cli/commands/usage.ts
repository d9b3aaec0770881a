import { Command, Option } from "commander";
import { type UsageAnswer, usageGranularity, usageTimeframe } from "../../../shared/api/index.ts";
import type { Fields } from "../../columns/evaluate.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { outputOptions } from "../output/output-options.ts";
import { timesOption } from "../output/times.ts";
import type { Terminal } from "../terminal.ts";

interface Flags extends LookFlags {
  readonly timeframe?: string;
  readonly granularity?: string;
  readonly from?: string;
  readonly to?: string;
}

export const usageColumns: readonly string[] = ["start", "end", "name", "category", "core_hours", "cost:-"];

export function usageCommand(terminal: Terminal): Command {
  const command: Command = new Command("usage")
    .description(
      "Shows core-hours and cost by node array, as CycleCloud counts them. COST is CycleCloud's estimate; - where it knows no price.",
    )
    .addOption(
      new Option(
        "--timeframe <name>",
        "from when to when, in UTC (default: monthToDate; custom with --from)",
      ).choices(usageTimeframe.options),
    )
    .addOption(
      new Option("--granularity <name>", "a row for each (default: total)").choices(usageGranularity.options),
    )
    .option("--from <time>", "ISO 8601, such as 2026-11-01T00:00:00Z; with --to")
    .option("--to <time>", "ISO 8601; with --from")
    .action((flags: Flags) => {
      if ((flags.from === undefined) !== (flags.to === undefined))
        return command.error("error: expected --from and --to together");
      return look(terminal, flags, (looking) => showUsage(looking, flags));
    });
  return timesOption(outputOptions(lookOptions(command)));
}

async function showUsage({ service, moments, list }: Looking, flags: Flags): Promise<void> {
  const { granularity, from, to } = flags;
  const timeframe = flags.timeframe ?? (from === undefined ? undefined : "custom");
  const { intervals } = await service.ask("usage", { query: { timeframe, granularity, from, to } });
  const when = moments("utc", Date.now() / 1000);
  list({
    name: "usage",
    columns: usageColumns,
    records: intervals.flatMap((interval) => rowsOf(interval, when)),
    data: intervals,
    none: "Nothing was used.",
  });
}

/** The whole cluster last. */
function rowsOf(
  { startSeconds, endSeconds, parts, total }: UsageAnswer["intervals"][number],
  when: (seconds: number) => string,
): readonly Fields[] {
  const times = { start: when(startSeconds), end: when(endSeconds) };
  const row = ({ coreHours, cost }: { readonly coreHours: number; readonly cost: number | null }) => ({
    ...times,
    core_hours: rounded(coreHours),
    cost: cost === null ? null : rounded(cost),
  });
  return [
    ...parts.map((part) => ({ ...row(part), name: part.name, category: part.category })),
    { ...row(total), name: "all", category: "cluster" },
  ];
}

function rounded(value: number): number {
  return Number(value.toFixed(2));
}
