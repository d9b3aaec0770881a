import { Command } from "commander";
import { printable } from "../../../shared/text.ts";
import { readConfig } from "../config-file.ts";
import { CommandFailure } from "../exit-code.ts";
import { warn } from "../output/warnings.ts";
import type { Terminal } from "../terminal.ts";

interface Flags {
  readonly cluster?: string;
}

/** `ccscale config validate FILE`: every problem at once, on this machine alone. */
export function configValidateCommand(terminal: Terminal): Command {
  return new Command("validate")
    .description("Checks a configuration file with what it includes. Reaches nobody.")
    .argument("<file>", "an autoscale.json")
    .option(
      "--cluster <name>",
      "the cluster that it is for; its cluster_name, or the file's name, when left out",
    )
    .action(async (file: string, flags: Flags) => {
      const { cluster, problems, warnings } = await readConfig(file, flags.cluster);
      warn(terminal, file, warnings.map(printable));
      if (problems.length > 0) throw unusable(file, problems);
      terminal.stdout.write(`"${printable(file)}" can be used for cluster "${printable(cluster)}".\n`);
    });
}

/** A configuration with problems, as what to tell the operator. */
export function unusable(file: string, problems: readonly string[]): CommandFailure {
  return new CommandFailure(
    [`Cannot use "${printable(file)}":`, ...problems.map((problem) => `  - ${printable(problem)}`)].join(
      "\n",
    ),
    "Mend what is named above, then try again.",
  );
}
