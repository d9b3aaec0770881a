import { Command } from "commander";
import type { OperationView } from "../../../shared/api/index.ts";
import type { Fields } from "../../columns/evaluate.ts";
import { columnsOf } from "../../columns/parse-columns.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { wholeNumber } from "../option-values.ts";
import { outputOptions } from "../output/output-options.ts";
import { timesOption } from "../output/times.ts";
import { type SelectionFlags, selectionOptions, toQuery } from "../selection.ts";
import { askAll } from "../service/ask-all.ts";
import type { Terminal } from "../terminal.ts";
import { type TimeOption, timeOption, toSeconds } from "../time-values.ts";

interface Flags extends LookFlags, SelectionFlags {
  readonly open?: true;
  readonly limit: number;
  readonly since?: TimeOption;
}

const usualLimit = 50;

export const operationColumns = columnsOf(
  "action_id,kind,state,node_count,nodes[:24]:-,requested_by:planner,updated",
  "reason@why[:80],messages[:160]:-,request_id",
);

export function operationsCommand(terminal: Terminal): Command {
  const command = new Command("operations")
    .description("Lists requests to CycleCloud and their outcome, newest first.")
    .option("--open", "only open operations")
    .option("--since <time>", "only those since then: a length of time, a time of day or a date", timeOption)
    .option("--limit <number>", "maximum number", wholeNumber(1), usualLimit)
    .action((flags: Flags) =>
      // Nodes that are gone have operations too.
      look(terminal, flags, (looking) => showOperations(looking, flags), { namesExist: false }),
    );
  return timesOption(outputOptions(selectionOptions(lookOptions(command))));
}

async function showOperations({ service, moments, list }: Looking, flags: Flags): Promise<void> {
  const from = flags.since === undefined ? undefined : toSeconds(flags.since, Date.now() / 1000);
  const { first, items } = await askAll(service, "operations", {
    call: { query: { ...toQuery(flags), open: flags.open, from } },
    pick: ({ operations }) => operations,
    most: flags.limit,
  });
  const when = moments("relative", first.atSeconds);
  list({
    name: "operations",
    columns: operationColumns,
    records: items.map((operation) => operationFields(operation, when)),
    data: items,
    none: "No operations.",
    narrowing: {
      goFirst: ["REQUEST_ID", "NODES", "REQUESTED_BY", "NODE_COUNT"],
      whole: ["ACTION_ID"],
      // What CycleCloud said of those that failed, where some did.
      sentence: items.some(({ messages }) => messages.length > 0) ? "MESSAGES" : "REASON",
    },
  });
}

function operationFields(operation: OperationView, when: (seconds: number) => string): Fields {
  return {
    ...operation,
    nodes: operation.nodes.map(({ name }) => name),
    messages: operation.messages.join("; "),
    requested_by: operation.requestedBy?.who ?? null,
    why: operation.requestedBy?.why ?? operation.reason,
    created: when(operation.createdAtSeconds),
    updated: when(operation.updatedAtSeconds),
  };
}
