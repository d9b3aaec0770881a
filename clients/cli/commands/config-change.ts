import { Command } from "commander";
import type { ConfigAnswer } from "../../../shared/api/index.ts";
import {
  type Config,
  readSetting,
  valueAt,
  withoutValue,
  withValue,
} from "../../../shared/json/config-path.ts";
import { isDictionary } from "../../../shared/json/json.ts";
import { redacted } from "../../../shared/text/redact.ts";
import { printable } from "../../../shared/text/text.ts";
import { byOption, dryRunOption, reasonOption, requestOf } from "../act/act-options.ts";
import { CommandFailure } from "../exit-code.ts";
import { wholeNumber } from "../option-values.ts";
import { moment } from "../output/moments.ts";
import { prettyJson, warn } from "../output/print.ts";
import { pageOn } from "../output/report.ts";
import { reach } from "../service/reach.ts";
import type { Service } from "../service/service.ts";
import { type ServiceFlags, serviceOrStorageOptions } from "../service/service-options.ts";
import { confirm, type Terminal } from "../terminal.ts";
import { type ChangeFlags, printChange } from "./config-push.ts";

export function configChangeCommands(terminal: Terminal): readonly Command[] {
  return [
    getCommand(terminal),
    setCommand(terminal),
    unsetCommand(terminal),
    historyCommand(terminal),
    rollbackCommand(terminal),
  ];
}

function getCommand(terminal: Terminal): Command {
  const command = new Command("get")
    .description("Prints one value of the stored configuration, such as idle_timeout.htc, as JSON.")
    .argument("<path>", "keys with dots between them")
    .action(async (path: string, flags: ServiceFlags) => {
      const { service } = await reach(flags);
      const { config } = await stored(service);
      const value = valueAt(config, path);
      const [unknown] = value === undefined ? await unknownKeysAt(path, null) : [];
      if (unknown !== undefined)
        throw new CommandFailure(
          `No setting is called "${printable(path)}": ${printable(unknown)}`,
          'docs/configure.md lists all keys; "ccscale config show" prints what is set.',
        );
      if (value === undefined)
        throw new CommandFailure(
          `The stored configuration has no "${printable(path)}"`,
          'It has its default: docs/configure.md lists them. "ccscale config show" prints what is set.',
        );
      terminal.stdout.write(prettyJson(value));
    });
  return serviceOrStorageOptions(command);
}

function setCommand(terminal: Terminal): Command {
  const command = new Command("set")
    .description(
      "Changes one value of the stored configuration: shows what differs and what would come of it, and asks.",
    )
    .argument("<path>", "keys with dots between them, such as idle_timeout.htc; budgets.- adds to a list")
    .argument("<value>", "JSON, or else a text")
    .option("--force", "even a key that nobody reads, such as a comment of your own")
    .action(async (path: string, text: string, flags: ChangeFlags & { readonly force?: true }) => {
      const [unknown] = flags.force === true ? [] : await unknownKeysAt(path, readSetting(text));
      if (unknown !== undefined)
        throw new CommandFailure(
          `Cannot set "${printable(path)}": ${printable(unknown)}`,
          "Nobody would read it. docs/configure.md lists all keys; --force stores it all the same.",
        );
      return change(terminal, flags, {
        name: `config set ${path}`,
        make: (config) => {
          const changed = withValue(config, path, readSetting(text));
          if (changed === undefined) throw noSuchPlace(path);
          return changed;
        },
      });
    });
  return changeOptions(command);
}

function unsetCommand(terminal: Terminal): Command {
  const command = new Command("unset")
    .description("Removes one value of the stored configuration, so that its default holds again.")
    .argument("<path>", "keys with dots between them")
    .action((path: string, flags: ChangeFlags) =>
      change(terminal, flags, { name: `config unset ${path}`, make: (config) => withoutValue(config, path) }),
    );
  return changeOptions(command);
}

/** Keys on the way to this value, or in it, that mean nothing; with what was probably meant. */
async function unknownKeysAt(path: string, value: unknown): Promise<readonly string[]> {
  // Most commands need no schema of the configuration.
  const { warnOfUnknownKeys } = await import("../../../shared/config/index.ts");
  return warnOfUnknownKeys(withValue({}, path, value));
}

function noSuchPlace(path: string): CommandFailure {
  return new CommandFailure(
    `The stored configuration has no place "${printable(path)}": its list is shorter, or a name stands where a number should`,
    'Places of a list are numbered from 0; "-", or the one behind the last, adds one. "ccscale config show" prints the list.',
  );
}

function historyCommand(terminal: Terminal): Command {
  const command = new Command("history")
    .description(
      "Lists the versions of the stored configuration, newest first: who changed what, when and why.",
    )
    .option("--limit <number>", "maximum number (default: 20)", wholeNumber(1))
    .action(async (flags: ServiceFlags & { readonly limit?: number }) => {
      const { service } = await reach(flags);
      const { versions } = await service.ask("config-versions", {
        query: { limit: Math.min(flags.limit ?? 20, 100) },
      });
      const page = pageOn(terminal);
      if (versions.length === 0)
        page.line("No versions: nobody has stored a configuration since versions are kept.");
      for (const { version, changedAtSeconds, by, reason, changes } of versions) {
        page.line(`${version}  ${moment(changedAtSeconds)}  ${by ?? "(unknown)"}: ${reason}`);
        for (const each of changes) page.line(`     ${each}`);
      }
    });
  return serviceOrStorageOptions(command);
}

function rollbackCommand(terminal: Terminal): Command {
  const command = new Command("rollback")
    .description(
      "Stores an earlier version of the configuration again: shows what differs and what would come of it, and asks.",
    )
    .argument(
      "[version]",
      "its number in config history (default: the one before the newest)",
      wholeNumber(1),
    )
    .action(async (version: number | undefined, flags: ChangeFlags) => {
      const { service } = await reach(flags);
      const wanted = version ?? (await versionBefore(service));
      const { versions } = await service.ask("config-versions", { query: { version: wanted } });
      const config = versions[0]?.config;
      if (config === undefined || config === null)
        throw new CommandFailure(
          `There is no version ${wanted} to go back to`,
          'See "ccscale config history".',
        );
      await store(terminal, service, flags, { name: `config rollback ${wanted}`, config: whole(config) });
    });
  return changeOptions(command);
}

async function versionBefore(service: Service): Promise<number> {
  const { versions } = await service.ask("config-versions", { query: { limit: 2 } });
  const before = versions[1]?.version;
  if (before === undefined)
    throw new CommandFailure("There is no version to go back to", 'See "ccscale config history".');
  return before;
}

/** Options of commands that change the stored configuration. */
export function changeOptions(command: Command): Command {
  command
    .addOption(dryRunOption())
    .option("--yes", "skips the question")
    .addOption(reasonOption())
    .addOption(byOption());
  return serviceOrStorageOptions(command);
}

/** Shows what differs and what would come of it, asks, and stores it. */
export async function change(
  terminal: Terminal,
  flags: ChangeFlags,
  { name, make }: { readonly name: string; readonly make: (config: Config) => Config },
): Promise<void> {
  const { service } = await reach(flags);
  const { config, etag } = await stored(service);
  await store(terminal, service, flags, { name, config: make(whole(config)), etag });
}

/** The stored configuration; throws CommandFailure if it is no JSON object. */
export async function stored(service: Service): Promise<ConfigAnswer & { readonly config: Config }> {
  const answer = await service.ask("config");
  if (answer.config !== null) return { ...answer, config: answer.config };
  throw new CommandFailure(
    `Cannot read the configuration of "${printable(service.cluster)}": it is not a JSON object`,
    'Replace it with "ccscale config push".',
  );
}

/** What the service shows as *** would be stored like that. */
function whole(config: Config): Config {
  if (!JSON.stringify(config).includes(JSON.stringify(redacted))) return config;
  throw new CommandFailure(
    "Cannot change the stored configuration: it holds what looks like a secret, which is not shown",
    'Remove it from your file, and store that with "ccscale config push".',
  );
}

async function store(
  terminal: Terminal,
  service: Service,
  flags: ChangeFlags,
  { name, config, etag }: { readonly name: string; readonly config: Config; readonly etag?: string },
): Promise<void> {
  if (!isDictionary(config)) return;
  const request = requestOf(flags, name);
  const would = await service.ask("put-config", { body: { config, ...request, dryRun: true } });
  warn(terminal, service.cluster, would.warnings.map(printable));
  printChange(terminal, would);
  if (would.outcome === "nothing-to-do" || flags.dryRun === true) return;
  if (flags.yes !== true && !(await confirm(terminal, "Store it?")))
    throw new CommandFailure("Nothing was stored.", "Answer y, or give --yes.");
  // The ETag of the text that was edited: another change since then must cause a conflict.
  const seen = { etag: etag ?? would.etag ?? "" };
  const done = await service.ask("put-config", { body: { config, ...request, dryRun: false }, seen });
  terminal.stdout.write(`${printable(done.summary)}\n`);
}
