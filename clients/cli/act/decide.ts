import type { Command } from "commander";
import type { Format } from "../output/format.ts";
import { reportOption } from "../output/output-options.ts";
import { reach } from "../service/reach.ts";
import { type ServiceFlags, serviceOrStorageOptions } from "../service/service-options.ts";
import type { Terminal } from "../terminal.ts";
import { tell } from "./act.ts";
import { dryRunOption, requestOf } from "./act-options.ts";

/** What a decision about a whole cluster takes. */
export interface DecisionFlags extends ServiceFlags {
  readonly reason: string;
  readonly by?: string;
  readonly dryRun?: true;
  readonly format?: Format;
}

/** What every decision about a cluster has to say: it is shown to everybody who wonders later. */
export function decisionOptions(command: Command): Command {
  return serviceOrStorageOptions(command)
    .requiredOption("--reason <words>", "why, for whoever looks at the status")
    .option("--by <name>", "who decided; your login name when left out")
    .addOption(dryRunOption())
    .addOption(reportOption());
}

/** Asks for it, and tells what came of it. */
export async function decide(
  terminal: Terminal,
  flags: DecisionFlags,
  kind: "pause" | "resume",
): Promise<void> {
  const { service } = await reach(flags);
  tell(terminal, flags, await service.ask("actions", { body: { kind, ...requestOf(flags, kind) } }));
}
