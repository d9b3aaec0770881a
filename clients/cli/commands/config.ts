import { Command } from "commander";
import { warnOfUnknownArrays } from "../../../shared/names/unknown-arrays.ts";
import { printable } from "../../../shared/text/text.ts";
import { readConfig, unusable } from "../config-file.ts";
import { CommandFailure } from "../exit-code.ts";
import { prettyJson, warn } from "../output/print.ts";
import { reach } from "../service/reach.ts";
import { type ServiceFlags, serviceOrStorageOptions } from "../service/service-options.ts";
import type { Terminal } from "../terminal.ts";
import { configChangeCommands } from "./config-change.ts";
import { configInitCommand } from "./config-init.ts";
import { configPushCommand } from "./config-push.ts";

export function configCommand(terminal: Terminal): Command {
  const command = new Command("config")
    .description("Creates, checks, stores, shows and changes the configuration of a cluster.")
    .addCommand(configInitCommand(terminal))
    .addCommand(configValidateCommand(terminal))
    .addCommand(configPushCommand(terminal))
    .addCommand(configShowCommand(terminal));
  for (const each of configChangeCommands(terminal)) command.addCommand(each);
  return command;
}

/** `ccscale config show`: the stored configuration without secrets; its problems go to stderr. */
function configShowCommand(terminal: Terminal): Command {
  const command = new Command("show")
    .description("Shows the stored configuration of a cluster; secrets in it are shown as ***.")
    .action(async (flags: ServiceFlags) => {
      const { service } = await reach(flags);
      const { config, problems, warnings } = await service.ask("config");
      warn(
        terminal,
        service.cluster,
        [...problems.map((problem) => `cannot be used: ${problem}`), ...warnings].map(printable),
      );
      if (config === null)
        throw new CommandFailure(
          `Cannot show the configuration of "${printable(service.cluster)}": it is not a JSON object`,
          'Replace it with "ccscale config push".',
        );
      terminal.stdout.write(prettyJson(config));
    });
  return serviceOrStorageOptions(command);
}

function configValidateCommand(terminal: Terminal): Command {
  const command: Command = new Command("validate")
    .description(
      "Checks a configuration file with what it includes. Calls nothing, unless --url, --local or --storage names the service: then the names of node arrays are checked too.",
    )
    .argument("<file>", "an autoscale.json")
    .action(async (file: string, flags: ServiceFlags) => {
      const { cluster, json, config, problems, warnings } = await readConfig(file, flags.cluster);
      const { overlappingSchedules } = await import("../../../shared/cycle/index.ts");
      const overlaps = config === undefined ? [] : overlappingSchedules(config, Date.now() / 1000);
      const names = ["url", "local", "storage"].some((name) => command.getOptionValueSource(name) === "cli");
      const arrays = names ? await arraysAt({ ...flags, cluster }) : [];
      warn(terminal, file, [...warnings, ...warnOfUnknownArrays(json, arrays), ...overlaps].map(printable));
      if (problems.length > 0) throw unusable(file, problems);
      terminal.stdout.write(`"${printable(file)}" can be used for cluster "${printable(cluster)}".\n`);
    });
  return serviceOrStorageOptions(command);
}

async function arraysAt(flags: ServiceFlags): Promise<readonly string[]> {
  const { service } = await reach(flags);
  const { buckets } = await service.ask("buckets");
  return [...new Set(buckets.map(({ nodeArray }) => nodeArray))];
}
