import { type Command, Option } from "commander";
import { loginName } from "../login-name.ts";
import { reportOption } from "../output/output-options.ts";
import type { Format } from "../output/output-settings.ts";
import { type ServiceFlags, serviceOptions } from "../service/service-options.ts";
import { secondsOption } from "../time-values.ts";

export interface ActFlags extends ServiceFlags {
  readonly reason?: string;
  readonly by?: string;
  readonly dryRun?: true;
  readonly yes?: true;
  /** Seconds; true: the default. */
  readonly wait?: number | true;
  readonly format?: Format;
}

export function actOptions(command: Command): Command {
  return serviceOptions(command)
    .addOption(dryRunOption())
    .option("--yes", "skips the question")
    .addOption(reasonOption())
    .addOption(byOption())
    .addOption(waitOption())
    .addOption(reportOption());
}

export function dryRunOption(): Option {
  return new Option("--dry-run", "only shows what would be done");
}

export function byOption(): Option {
  return new Option(
    "--by <name>",
    "who asks (default: your login name); the name of a signed-in caller wins",
  );
}

export function reasonOption(): Option {
  return new Option("--reason <words>", "why, for the record (default: the command's name)");
}

function waitOption(): Option {
  return new Option("--wait [length]", "waits until a snapshot shows the effect, 15m by default").argParser(
    secondsOption(0),
  );
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
  return { by: by ?? loginName(), reason: reason ?? `ccscale ${name}`, dryRun: dryRun === true };
}
