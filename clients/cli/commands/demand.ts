import { Command, Option } from "commander";
import type { DemandAnswer } from "../../../shared/api/index.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { type AllFlags, allOption } from "../output/alike.ts";
import { answerLine, waitsOf } from "../output/answer-line.ts";
import { decidedOn } from "../output/decided.ts";
import { demandColumns, nodeFields } from "../output/node-fields.ts";
import { outputOptions } from "../output/output-options.ts";
import { prettyJson } from "../output/print.ts";
import { pageOn } from "../output/report.ts";
import { timesOption } from "../output/times.ts";
import { type SelectionFlags, selectionOptions, toQuery } from "../selection.ts";
import type { Terminal } from "../terminal.ts";

/** Whether the table of all nodes is wanted too, and each job by itself. */
export interface WholeFlags extends AllFlags {
  readonly nodes?: true;
}

type Flags = LookFlags & SelectionFlags & WholeFlags;

export function wholeOption(): Option {
  return new Option("--nodes", "the table of all nodes of the plan too; -o shows it as well");
}

/** Chosen columns are always shown. */
export function isWhole({ nodes, outputColumns }: WholeFlags & LookFlags): boolean {
  return nodes === true || outputColumns !== undefined;
}

export function demandCommand(terminal: Terminal): Command {
  const command = new Command("demand")
    .description(
      "Shows what would be done now: the answer in one line, actions, and waiting jobs. Sends nothing.",
    )
    .addOption(wholeOption())
    .addOption(allOption("the jobs that wait"))
    .action((flags: Flags) =>
      look(terminal, flags, async (looking) =>
        printDemand(looking, await looking.service.ask("demand", { query: toQuery(flags) }), flags),
      ),
    );
  return timesOption(outputOptions(selectionOptions(lookOptions(command))));
}

/** For people: the answer in one line, what would be done, and why jobs wait; the table of nodes on request, below the answer. */
export function printDemand(looking: Looking, demand: DemandAnswer, flags: LookFlags & WholeFlags): void {
  const { terminal } = looking;
  const { atSeconds, held } = demand;
  const format = looking.format();
  if (format === "json" && flags.outputColumns === undefined) {
    terminal.stdout.write(prettyJson(demand));
    return;
  }
  const page = pageOn(terminal);
  if (format === "table") {
    const gone = demand.retire.length;
    page.line(answerLine(demand.additions, { gone, waits: waitsOf(demand.waitingCount) }));
    if (held !== null) page.warning(`Nothing would be sent: ${held}.`);
  }
  if (format !== "table" || isWhole(flags)) tableOn(looking, demand);
  if (format === "table") decidedOn(page, demand, { nowSeconds: atSeconds, isAll: flags.all === true });
}

function tableOn({ terminal, format, moments, list }: Looking, demand: DemandAnswer): void {
  const { nodes, nodeCount, atSeconds, selected } = demand;
  if (format() === "table") pageOn(terminal).title("Nodes");
  const when = moments("utc", atSeconds);
  list({
    name: "demand",
    columns: demandColumns(nodes),
    isOfNodes: true,
    records: nodes.map((node) => nodeFields(node, atSeconds, { when, isHeld: demand.held !== null })),
    data: nodes,
    none: selected === null ? "No nodes." : "No such nodes.",
  });
  if (nodeCount > nodes.length)
    terminal.stderr.write(
      `${nodes.length} of ${nodeCount} nodes shown${(selected?.nodeCount ?? nodeCount) > nodes.length ? '; select fewer with "-a" or "-C"' : ""}\n`,
    );
}
