import { Command } from "commander";
import type { HistoryAnswer, NodeLife } from "../../../shared/api/index.ts";
import { duration } from "../../../shared/text/durations.ts";
import { NotFound } from "../exit-code.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { ago, moment } from "../output/moments.ts";
import { reportOption } from "../output/output-options.ts";
import type { Page } from "../output/report.ts";
import { printWeek } from "../output/week-page.ts";
import { isSelecting, type SelectionFlags, selectionOptions, toQuery } from "../selection.ts";
import type { Terminal } from "../terminal.ts";

type Flags = LookFlags & SelectionFlags & { readonly week?: true };

/** Each is asked for by itself. */
const mostNodes = 50;

export function historyCommand(terminal: Terminal): Command {
  const command: Command = new Command("history")
    .description(
      "Shows the history of a node: its lives, the jobs that ran there, and the requests to CycleCloud about it. A selection takes nodes that exist. With --week: of node arrays.",
    )
    .argument("[node]", "name, node id or host name; the node may be gone")
    .option(
      "--week",
      "the last seven days of node arrays (all, or those of --nodearray): nodes with jobs by the hour, idle money, what schedules kept, boots, failures and evictions by VM size",
    )
    .action((node: string | undefined, flags: Flags) => {
      if (flags.week) {
        const { nodearray: _, ...others } = flags;
        if (node !== undefined || isSelecting(others))
          return command.error("error: expected --week alone, or with --nodearray");
        return look(terminal, flags, (looking) => showWeek(looking, flags));
      }
      if ((node === undefined) !== isSelecting(flags))
        return command.error("error: expected either a node, or at least one option that selects nodes");
      return look(terminal, flags, (looking) =>
        node === undefined ? showSelected(looking, flags) : showHistory(looking, node),
      );
    });
  return selectionOptions(lookOptions(command)).addOption(reportOption());
}

async function showHistory({ service, report }: Looking, node: string): Promise<void> {
  const history = await service.ask("history", { params: { node } });
  report(history, (page) => historyOn(page, history));
}

async function showWeek({ service, report }: Looking, flags: Flags): Promise<void> {
  const week = await service.ask("week", { query: { nodeArray: flags.nodearray?.join(",") } });
  report(week, (page) => printWeek(page, week));
}

/** By id: names and host names come again. */
async function showSelected({ terminal, service, report }: Looking, flags: Flags): Promise<void> {
  const { nodes, total } = await service.ask("nodes", { query: { ...toQuery(flags), limit: mostNodes } });
  const ids = nodes.flatMap(({ nodeId }) => (nodeId === null ? [] : [nodeId]));
  const histories: HistoryAnswer[] = [];
  for (const node of ids) histories.push(...(await historyOf(service, node)));
  report(histories, (page) => {
    if (histories.length === 0) page.line("No such nodes.");
    for (const history of histories) historyOn(page, history);
  });
  if (total !== null && total > nodes.length)
    terminal.stderr.write(`${nodes.length} of ${total} nodes shown; select fewer to see the others\n`);
}

async function historyOf(service: Looking["service"], node: string): Promise<readonly HistoryAnswer[]> {
  try {
    return [await service.ask("history", { params: { node } })];
  } catch (error) {
    // No plan has seen the node yet.
    if (error instanceof NotFound) return [];
    throw error;
  }
}

function historyOn(page: Page, { node, lives, runs, operations, atSeconds }: HistoryAnswer): void {
  if (lives.length === 0 && operations.length === 0)
    page.line(`No history of "${node}": records of deleted nodes are kept for 7 days.`);
  for (const life of lives) {
    page.title(`${life.name} (${life.nodeId})`);
    page.facts(lifeFacts(life, atSeconds));
  }
  if (runs.length > 0) {
    page.title("Jobs there");
    const jobs = runs.map(({ job, source, isRunning, fromSeconds, untilSeconds }) => [
      ago(fromSeconds, atSeconds),
      job,
      source,
      `${isRunning ? "until now" : "ended"}, ${duration(untilSeconds - fromSeconds)}`,
    ]);
    page.table(["STARTED", "JOB", "SOURCE", "RAN"], jobs);
  }
  if (operations.length === 0) return;
  page.title("Requests to CycleCloud");
  const rows = operations.map((operation) => [
    ago(operation.createdAtSeconds, atSeconds),
    operation.kind,
    operation.state,
    operation.requestedBy?.who ?? "planner",
    [operation.reason, ...operation.messages].join("; "),
  ]);
  page.table(["WHEN", "KIND", "STATE", "BY", "WHY"], rows);
}

function lifeFacts(life: NodeLife, nowSeconds: number): readonly (readonly [string, string | null])[] {
  const { firstSeenSeconds, readySeconds, idleSinceSeconds, deletedSeconds, failure } = life;
  const at = (seconds: number | null) =>
    seconds === null ? null : `${moment(seconds)}, ${ago(seconds, nowSeconds)}`;
  const boot = readySeconds === null ? "" : `, after ${duration(readySeconds - firstSeenSeconds)}`;
  return [
    ["host name", life.hostname],
    ["instance", life.instanceId],
    ["first seen", at(firstSeenSeconds)],
    ["ready", readySeconds === null ? "never yet" : `${at(readySeconds)}${boot}`],
    ["idle since", at(idleSinceSeconds)],
    [
      "failed",
      failure === null ? null : [at(failure.atSeconds), failure.message ?? "no reason given"].join(": "),
    ],
    ["gone", at(deletedSeconds)],
  ];
}
