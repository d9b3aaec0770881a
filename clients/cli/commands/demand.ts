import { Command } from "commander";
import type { DemandAnswer } from "../../../shared/api/index.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { decidedOn } from "../output/decided.ts";
import { demandColumns, nodeFields } from "../output/node-fields.ts";
import { outputOptions, printList } from "../output/output-options.ts";
import type { OutputSettings } from "../output/output-settings.ts";
import { prettyJson } from "../output/print.ts";
import { pageOn } from "../output/report.ts";
import { type SelectionFlags, selectionOptions, toQuery } from "../selection.ts";
import type { Terminal } from "../terminal.ts";

type Flags = LookFlags & SelectionFlags;

/** `ccscale demand`: what would be done now. */
export function demandCommand(terminal: Terminal): Command {
  const command = new Command("demand")
    .description(
      "Shows what would be done now: nodes with their jobs, actions, and waiting jobs. Sends nothing.",
    )
    .action((flags: Flags) => look(terminal, flags, (looking) => showDemand(looking, flags)));
  return outputOptions(selectionOptions(lookOptions(command)));
}

async function showDemand({ terminal, service, settings }: Looking, flags: Flags): Promise<void> {
  printDemand(terminal, await service.ask("demand", { query: toQuery(flags) }), { flags, settings });
}

/** The demand table; below it, for people, what would be done and why jobs wait. */
export function printDemand(
  terminal: Terminal,
  demand: DemandAnswer,
  { flags, settings }: { readonly flags: LookFlags; readonly settings: OutputSettings },
): void {
  const { nodes, nodeCount, atSeconds, held, selected } = demand;
  const format = flags.format ?? settings.format ?? "table";
  if (format === "json" && flags.outputColumns === undefined) {
    terminal.stdout.write(prettyJson(demand));
    return;
  }
  const list = {
    name: "demand",
    columns: demandColumns(nodes),
    isOfNodes: true,
    records: nodes.map((node) => nodeFields(node, atSeconds)),
    data: nodes,
    none: selected === null ? "No nodes." : "No such nodes.",
  } as const;
  printList(terminal, list, { flags, settings });
  if (nodeCount > nodes.length)
    terminal.stderr.write(
      `${nodes.length} of ${nodeCount} nodes shown${(selected?.nodeCount ?? nodeCount) > nodes.length ? '; select fewer with "-a" or "-C"' : ""}\n`,
    );
  if (format !== "table") return;
  const page = pageOn(terminal);
  decidedOn(page, demand, atSeconds);
  if (held === null) return;
  page.line("");
  page.warning(`Nothing would be sent: ${held}.`);
}
