import { Command } from "commander";
import { printable } from "../../../shared/text.ts";
import { CommandFailure } from "../exit-code.ts";
import { prettyJson } from "../output/json.ts";
import { warn } from "../output/warnings.ts";
import { reach } from "../service/reach.ts";
import { type ServiceFlags, serviceOrStorageOptions } from "../service/service-options.ts";
import type { Terminal } from "../terminal.ts";

/** `ccscale config show`: what is stored for the service, without secrets; on stderr, what is wrong with it. */
export function configShowCommand(terminal: Terminal): Command {
  const command = new Command("show")
    .description(
      "Shows the stored configuration of a cluster; secrets that it should not hold are shown as ***.",
    )
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
          `Cannot show the configuration of "${printable(service.cluster)}": it is no JSON object`,
          'Replace it with "ccscale config push".',
        );
      terminal.stdout.write(prettyJson(config));
    });
  return serviceOrStorageOptions(command);
}
