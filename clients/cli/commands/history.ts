import { Command } from "commander";
import type { HistoryAnswer, NodeLife } from "../../../shared/api/index.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { prettyJson } from "../output/json.ts";
import { ago, duration, moment } from "../output/moments.ts";
import { reportOption } from "../output/output-options.ts";
import { pageOn } from "../output/report.ts";
import type { Terminal } from "../terminal.ts";

/** `ccscale history NODE`: its lives, and what was asked of CycleCloud about it. */
export function historyCommand(terminal: Terminal): Command {
  const command = new Command("history")
    .description("Shows what is remembered of a node: its lives, and what was asked of CycleCloud about it.")
    .argument("<node>", "name, node id or host name")
    .action((node: string, flags: LookFlags) =>
      look(terminal, flags, (looking) => showHistory(looking, node, flags)),
    );
  return lookOptions(command).addOption(reportOption());
}

async function showHistory(
  { terminal, service, settings }: Looking,
  node: string,
  flags: LookFlags,
): Promise<void> {
  const history = await service.ask("history", { params: { node } });
  if ((flags.format ?? settings.format) === "json") terminal.stdout.write(prettyJson(history));
  else printHistory(terminal, history);
}

function printHistory(terminal: Terminal, { node, lives, operations, atSeconds }: HistoryAnswer): void {
  const page = pageOn(terminal);
  if (lives.length === 0 && operations.length === 0)
    page.line(`Nothing is remembered of "${node}": rows of deleted nodes are kept for 7 days.`);
  for (const life of lives) {
    page.title(`${life.name} (${life.nodeId})`);
    page.facts(lifeFacts(life, atSeconds));
  }
  if (operations.length === 0) return;
  page.title("Asked of CycleCloud");
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
  const { firstSeenSeconds, readySeconds, idleSinceSeconds, deletedSeconds } = life;
  const at = (seconds: number | null) =>
    seconds === null ? null : `${moment(seconds)}, ${ago(seconds, nowSeconds)}`;
  const boot = readySeconds === null ? "" : `, after ${duration(readySeconds - firstSeenSeconds)}`;
  return [
    ["host name", life.hostname],
    ["instance", life.instanceId],
    ["first seen", at(firstSeenSeconds)],
    ["ready", readySeconds === null ? "never yet" : `${at(readySeconds)}${boot}`],
    ["idle since", at(idleSinceSeconds)],
    ["gone", at(deletedSeconds)],
  ];
}
