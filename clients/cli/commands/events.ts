import { Command, Option } from "commander";
import { type EventView, eventKinds } from "../../../shared/api/index.ts";
import { counted } from "../../../shared/text/text.ts";
import type { Fields } from "../../columns/evaluate.ts";
import { wordsOf } from "../choices.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { wholeNumber } from "../option-values.ts";
import {
  eventSummary,
  eventSummaryByJob,
  eventSummaryByJobColumns,
  eventSummaryColumns,
} from "../output/event-summary.ts";
import type { Narrowing } from "../output/fit-table.ts";
import { note } from "../output/note.ts";
import { outputOptions } from "../output/output-options.ts";
import { timesOption } from "../output/times.ts";
import { askAll } from "../service/ask-all.ts";
import type { Terminal } from "../terminal.ts";
import { type TimeOption, timeOption, toSeconds } from "../time-values.ts";

interface Flags extends LookFlags {
  readonly since: TimeOption;
  readonly until?: TimeOption;
  readonly kind?: string;
  readonly node?: string;
  readonly limit: number;
  readonly summary?: true;
  readonly byJob?: true;
}

const usualLimit = 100;

export const eventColumns: readonly string[] = ["time", "kind", "nodes[:18]:-", "by:-", "text"];

const narrowing: Narrowing = {
  goFirst: ["BY"],
  whole: ["TIME", "KIND"],
  sentence: "TEXT",
};

export function eventsCommand(terminal: Terminal): Command {
  const command = new Command("events")
    .description(
      "Lists what happened, newest first: plans that changed something, actions, nodes, drains, decisions, changes of the configuration, targets, rejected messages. Kept for 30 days, of nodes for 7 days after they are gone.",
    )
    .addOption(
      new Option("--since <time>", "from then on: a length of time such as 30m, 1h or 2d, or a date")
        .argParser(timeOption)
        .default(timeOption("1h"), "1h"),
    )
    .option("--until <time>", "until then (default: now)", timeOption)
    .option(
      "--kind <kinds>",
      `only these kinds, separated by commas: ${eventKinds.join(", ")}`,
      wordsOf("kind", eventKinds),
    )
    .option("--node <name>", "only events about this node: its name, id or host name")
    .option("--limit <number>", "maximum number", wholeNumber(1), usualLimit)
    .option(
      "--summary",
      "counts them by week (from Monday, UTC), kind and, of lost nodes, reason and kind of node",
    )
    .option("--by-job", "counts lost spot nodes by week and job, also of jobs that are over")
    .action((flags: Flags) => look(terminal, flags, (looking) => showEvents(looking, flags)));
  return timesOption(outputOptions(lookOptions(command)));
}

async function showEvents({ terminal, service, moments, list }: Looking, flags: Flags): Promise<void> {
  const nowSeconds = Date.now() / 1000;
  const { kind, node, since, until } = flags;
  const query = {
    from: toSeconds(since, nowSeconds),
    ...(until !== undefined && { until: toSeconds(until, nowSeconds) }),
    kind,
    node,
  };
  const { items, isCut } = await askAll(service, "events", {
    call: { query },
    pick: ({ events }) => events,
    ...(flags.summary || flags.byJob ? {} : { most: flags.limit }),
  });
  if (flags.byJob || flags.summary) {
    const rows = flags.byJob ? eventSummaryByJob(items) : eventSummary(items);
    return list({
      name: "events",
      columns: flags.byJob ? eventSummaryByJobColumns : eventSummaryColumns,
      records: rows.map((row) => ({ ...row })),
      data: rows,
      none: flags.byJob ? "No job is known to have lost a spot node in this time." : "No events.",
    });
  }
  const when = moments("utc", nowSeconds);
  list({
    name: "events",
    columns: eventColumns,
    records: items.map((event) => eventFields(event, when)),
    data: items,
    none: "No events.",
    narrowing,
  });
  if (isCut) note(terminal, `Only the newest ${counted(items.length, "events")}; --limit shows more`);
}

function eventFields(event: EventView, when: (seconds: number) => string): Fields {
  const { nodes, nodeCount, atSeconds } = event;
  const more = nodeCount > nodes.length ? [`and ${nodeCount - nodes.length} more`] : [];
  return {
    ...event,
    time: when(atSeconds),
    nodes: nodeCount === 0 ? null : [...nodes, ...more].join(", "),
  };
}
