import { userInfo } from "node:os";
import { type Command, Option } from "commander";
import { seconds } from "../option-values.ts";
import { reportOption } from "../output/output-options.ts";
import type { Format } from "../output/output-settings.ts";
import { type ServiceFlags, serviceOptions } from "../service/service-options.ts";

/** The options of every command that asks for something to be done. */
export interface ActFlags extends ServiceFlags {
  readonly reason?: string;
  readonly by?: string;
  readonly dryRun?: true;
  readonly yes?: true;
  /** Seconds; true: as long as usual. */
  readonly wait?: number | true;
  readonly format?: Format;
}

export function actOptions(command: Command): Command {
  return serviceOptions(command)
    .addOption(dryRunOption())
    .option("--yes", "does not ask")
    .option("--reason <words>", "why, for the record; the command's own name when left out")
    .option("--by <name>", "who asks; your login name when left out, and a signed-in caller's own name wins")
    .addOption(waitOption())
    .addOption(reportOption());
}

/** The same for everything that changes something. */
export function dryRunOption(): Option {
  return new Option("--dry-run", "only says what would be done");
}

function waitOption(): Option {
  return new Option(
    "--wait [seconds]",
    "waits until it is seen to be done, 900 s at most unless told otherwise",
  ).argParser(seconds(0));
}

/** Who asks and why; `name` is the command's. */
export function requestOf(
  { reason, by, dryRun }: Pick<ActFlags, "reason" | "by" | "dryRun">,
  name: string,
): {
  readonly by: string;
  readonly reason: string;
  readonly dryRun: boolean;
} {
  return { by: by ?? userInfo().username, reason: reason ?? `ccscale ${name}`, dryRun: dryRun === true };
}
