import { Command } from "commander";
import { BlobConfigFiles } from "../../../shared/stores/azure/index.ts";
import { redact } from "../archive/redact.ts";
import { withStorage } from "../connect.ts";
import { CommandFailure } from "../exit-code.ts";
import { prettyJson } from "../output/json.ts";
import { localOption, type PlaceFlags, placeOf } from "../place-options.ts";
import type { Terminal } from "../terminal.ts";

interface Flags extends PlaceFlags {
  readonly cluster: string;
}

/** `ccscale config show`: what the service reads, without secrets. */
export function configShowCommand(terminal: Terminal): Command {
  return new Command("show")
    .description(
      "Shows the stored configuration of a cluster; secrets that it should not hold are shown as ***.",
    )
    .requiredOption("--cluster <name>", "the cluster")
    .addOption(localOption())
    .action((flags: Flags) =>
      withStorage(placeOf(flags), async ({ blob }) => {
        const file = await new BlobConfigFiles(blob).read(flags.cluster);
        if (file === undefined)
          throw new CommandFailure(
            `Cannot find a configuration of cluster "${flags.cluster}"`,
            'Check the spelling, or store one with "ccscale config push".',
          );
        terminal.stdout.write(prettyJson(redact(readJson(file.text, flags.cluster))));
      }),
    );
}

function readJson(text: string, cluster: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not quoted: nobody knows what it holds.
    throw new CommandFailure(
      `Cannot show the configuration of "${cluster}": it is no JSON`,
      'Replace it with "ccscale config push".',
    );
  }
}
