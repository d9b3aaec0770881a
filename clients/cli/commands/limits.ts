import { Command } from "commander";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { outputOptions, printList } from "../output/output-options.ts";
import { isSelecting, type SelectionFlags, selectionOptions, toQuery } from "../selection.ts";
import type { Terminal } from "../terminal.ts";

type Flags = LookFlags & SelectionFlags;

export const limitColumns: readonly string[] = [
  "limit",
  "scope",
  "unit",
  "max:-",
  "used:-",
  "left",
  "binds",
  "bound_by:-",
];

/** `ccscale limits`: every limit once, not once per bucket. */
export function limitsCommand(terminal: Terminal): Command {
  const command = new Command("limits")
    .description(
      "Lists every limit once, with what is used and left, and how many (selected) buckets it binds. BOUND_BY: why less is left than MAX - USED, which is another limit, or CycleCloud, which gives no reason.",
    )
    .action((flags: Flags) => look(terminal, flags, (looking) => showLimits(looking, flags)));
  return outputOptions(selectionOptions(lookOptions(command)));
}

async function showLimits({ terminal, service, settings }: Looking, flags: Flags): Promise<void> {
  const { limits } = await service.ask("limits", { query: toQuery(flags) });
  const list = {
    name: "limits",
    columns: limitColumns,
    records: limits,
    none: isSelecting(flags) ? "No such buckets." : "No limits: the cluster has no node array.",
  };
  printList(terminal, list, { flags, settings });
}
