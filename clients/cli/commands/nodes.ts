import { Command } from "commander";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { nodeColumns, nodeFields } from "../output/node-fields.ts";
import { outputOptions, printList, resourcesPrinted } from "../output/output-options.ts";
import { type SelectionFlags, selectionOptions, toQuery } from "../selection.ts";
import { askAll } from "../service/ask-all.ts";
import { progressOn, type Terminal } from "../terminal.ts";

interface Flags extends LookFlags, SelectionFlags {
  readonly state?: string;
}

const kind = { name: "nodes", columns: nodeColumns, isOfNodes: true } as const;

/** `ccscale nodes`: the nodes, their jobs and their idle times. */
export function nodesCommand(terminal: Terminal): Command {
  const command = new Command("nodes")
    .description("Lists nodes with their jobs, free resources and idle times.")
    .option("--state <states>", 'only nodes in these states, such as "Ready,Fail*"')
    .action((flags: Flags) => look(terminal, flags, (looking) => showNodes(looking, flags)));
  return outputOptions(selectionOptions(lookOptions(command)));
}

async function showNodes({ terminal, service, settings }: Looking, flags: Flags): Promise<void> {
  const progress = await progressOn(terminal);
  const { first, items } = await askAll(service, "nodes", {
    call: { query: { ...toQuery(flags), state: flags.state } },
    pick: ({ nodes }) => nodes,
    // The cluster's configuration may set how to print, and is known after the first page.
    rest: () => ({ resources: resourcesPrinted(kind, { flags, settings }) }),
    onPage: (count, total) => {
      if (count !== total) progress.report(`${count} of ${total ?? "?"} nodes`);
    },
  });
  progress.end();
  const list = {
    ...kind,
    records: items.map((node) => nodeFields(node, first.atSeconds)),
    data: items,
    none: "No such nodes.",
  };
  printList(terminal, list, { flags, settings });
  if (items.length === 0 && flags.constraint !== undefined)
    terminal.stderr.write('"ccscale validate-constraint EXPRESSION" shows how a constraint is understood\n');
}
