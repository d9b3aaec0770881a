import { Command } from "commander";
import type { ConfigChanged } from "../../../shared/api/index.ts";
import { isDictionary } from "../../../shared/json/json.ts";
import { secretsIn } from "../../../shared/text/redact.ts";
import { printable } from "../../../shared/text/text.ts";
import { type ActFlags, byOption, dryRunOption, reasonOption, requestOf } from "../act/act-options.ts";
import { readConfig, unusable } from "../config-file.ts";
import { CommandFailure } from "../exit-code.ts";
import { warn } from "../output/print.ts";
import { reach } from "../service/reach.ts";
import type { Call } from "../service/service.ts";
import { type ServiceFlags, serviceOrStorageOptions } from "../service/service-options.ts";
import { confirm, type Terminal } from "../terminal.ts";

export type ChangeFlags = ServiceFlags & Pick<ActFlags, "reason" | "by" | "dryRun" | "yes">;

export function configPushCommand(terminal: Terminal): Command {
  const command = new Command("push")
    .description(
      "Checks a configuration file and stores it, with what it includes, for the service. Without --cluster, cluster_name names the cluster, or else the name of the file.",
    )
    .argument("<file>", "an autoscale.json")
    .addOption(dryRunOption())
    .option("--yes", "skips the question before a stored one is replaced")
    .addOption(reasonOption())
    .addOption(byOption())
    .action((file: string, flags: ChangeFlags) => push(terminal, file, flags));
  return serviceOrStorageOptions(command);
}

async function push(terminal: Terminal, file: string, flags: ChangeFlags): Promise<void> {
  const { cluster, own, includes, json, problems, warnings } = await readConfig(file, flags.cluster);
  warn(terminal, file, warnings.map(printable));
  if (problems.length > 0) throw unusable(file, problems);
  if (isDictionary(json) && Object.hasOwn(json, "password"))
    warn(terminal, file, ["password: left out of what is stored"]);
  refuseSecrets(file, withoutPassword(json));
  const { service } = await reach({ ...flags, cluster });
  const ask = async (dryRun: boolean, seen?: Call["seen"]): Promise<ConfigChanged> => {
    const request = { ...requestOf(flags, "config push"), dryRun };
    return service.ask("put-config", {
      body: { config: withoutPassword(own), includes: withoutPasswords(includes), ...request },
      ...(seen !== undefined && { seen }),
    });
  };
  const would = await ask(true);
  const warned = new Set(warnings);
  warn(terminal, file, would.warnings.filter((warning) => !warned.has(warning)).map(printable));
  printChange(terminal, would);
  if (would.outcome === "nothing-to-do" || flags.dryRun === true) return;
  const mustAsk = would.etag !== null && flags.yes !== true;
  if (mustAsk && !(await confirm(terminal, "Replace it?")))
    throw new CommandFailure("Nothing was stored.", "Answer y, or give --yes.");
  const done = await ask(false, would.etag === null ? "none" : { etag: would.etag });
  terminal.stdout.write(`${printable(done.summary)}\n`);
}

export function printChange(terminal: Terminal, { summary, changes, effects }: ConfigChanged): void {
  const lines = [summary, ...changes.map((change) => `  ${change}`), ...effects];
  terminal.stdout.write(lines.map((line) => `${printable(line)}\n`).join(""));
}

/** The password of a configuration of azpbs or azge stays on this machine; a warning names the app setting for it. */
function withoutPassword(json: unknown): Readonly<Record<string, unknown>> {
  const { password: _secret, ...rest } = isDictionary(json) ? json : {};
  return rest;
}

/** An include that is no object is passed on as it is: the service says what is wrong with it. */
function withoutPasswords(includes: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(includes);
  return Object.fromEntries(
    entries.map(([path, json]) => [path, isDictionary(json) ? withoutPassword(json) : json]),
  );
}

/** A configuration with a secret is not sent: every reader of the container could read it. */
function refuseSecrets(file: string, json: Readonly<Record<string, unknown>>): void {
  const held = secretsIn(json);
  if (held.length === 0) return;
  throw new CommandFailure(
    `Cannot store "${printable(file)}": it holds probable secrets: ${held.map(printable).join(", ")}`,
    "Remove them, and put what the service needs into app settings.",
  );
}
