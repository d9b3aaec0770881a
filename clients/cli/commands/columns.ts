import { Argument, Command, Option } from "commander";
import { demandColumns, nodeColumns } from "../output/node-fields.ts";
import { prettyJson } from "../output/print.ts";
import type { Terminal } from "../terminal.ts";
import { bucketColumns } from "./buckets.ts";
import { jobColumns } from "./jobs.ts";
import { limitColumns } from "./limits.ts";
import { operationColumns } from "./operations.ts";
import { planColumns } from "./plans.ts";
import { priceColumns } from "./prices.ts";
import { rejectColumns } from "./rejects.ts";
import { usageColumns } from "./usage.ts";

/** The usual columns of each command that prints a list, by the name that `output_columns` has for it. */
const usual: Readonly<Record<string, readonly string[]>> = {
  nodes: nodeColumns,
  buckets: bucketColumns,
  limits: limitColumns,
  prices: priceColumns,
  jobs: jobColumns,
  usage: usageColumns,
  demand: demandColumns([]),
  plans: planColumns,
  operations: operationColumns,
  rejects: rejectColumns,
};

export function columnsCommand(terminal: Terminal): Command {
  return (
    new Command("columns")
      .description(
        "Prints the usual columns of lists as -o takes them, and as output_columns in a configuration. The columns of demand count for what-if too.",
      )
      .addArgument(new Argument("[command]", "of this list alone").choices(Object.keys(usual)))
      // As `default_output_columns` of azpbs and azge names its command.
      .addOption(new Option("-d, --command <name>").choices(Object.keys(usual)).hideHelp())
      .action((named: string | undefined, flags: { readonly command?: string }) => {
        const name = named ?? flags.command;
        const shown = Object.entries(usual).filter(([command]) => name === undefined || command === name);
        const options = shown.map(([command, columns]) => `ccscale ${command} -o '${columns.join(",")}'\n`);
        const setting = prettyJson({ output_columns: Object.fromEntries(shown) });
        terminal.stdout.write(`${options.join("")}\n${setting}`);
      })
  );
}
