import { isDeepStrictEqual } from "node:util";
import { Command } from "commander";
import { isDictionary } from "../../../shared/config/setting-value.ts";
import { BlobConfigFiles, type ConfigFile } from "../../../shared/stores/azure/index.ts";
import { redact } from "../archive/redact.ts";
import { readConfig } from "../config/read-config.ts";
import { confirm } from "../confirm.ts";
import { withStorage } from "../connect.ts";
import { CommandFailure } from "../exit-code.ts";
import { printable } from "../output/printable.ts";
import { warn } from "../output/warnings.ts";
import { localOption, type PlaceFlags, placeOf } from "../place-options.ts";
import type { Terminal } from "../terminal.ts";
import { unusable } from "./config-validate.ts";

interface Flags extends PlaceFlags {
  readonly cluster?: string;
  readonly dryRun?: true;
  readonly yes?: true;
}

/** `ccscale config push FILE`: checks a configuration and stores it for the service. */
export function configPushCommand(terminal: Terminal): Command {
  return new Command("push")
    .description("Checks a configuration file and stores it, with what it includes, for the service.")
    .argument("<file>", "an autoscale.json")
    .option(
      "--cluster <name>",
      "the cluster that it is for; its cluster_name, or the file's name, when left out",
    )
    .option("--dry-run", "only says what would change")
    .option("--yes", "does not ask before a stored one is replaced")
    .addOption(localOption())
    .action((file: string, flags: Flags) => push(terminal, file, flags));
}

async function push(terminal: Terminal, file: string, flags: Flags): Promise<void> {
  const { cluster, json, problems, warnings } = await readConfig(file, flags.cluster);
  warn(terminal, file, warnings.map(printable));
  if (problems.length > 0) throw unusable(file, problems);
  refuseSecrets(file, json);
  await withStorage(placeOf(flags), async ({ blob }) => {
    const files = new BlobConfigFiles(blob);
    const stored = await files.read(cluster);
    const changes = changesOf(stored, json);
    if (changes.length === 0) {
      terminal.stdout.write(`Nothing to do: cluster "${printable(cluster)}" has this configuration.\n`);
      return;
    }
    terminal.stdout.write(
      `Cluster "${printable(cluster)}":\n${changes.map((change) => `  ${printable(change)}\n`).join("")}`,
    );
    if (flags.dryRun === true) return;
    const mustAsk = stored !== undefined && flags.yes !== true;
    if (mustAsk && !(await confirm(terminal, "Replace it?")))
      throw new CommandFailure("Nothing was stored.", "Answer y, or give --yes.");
    await files.save(cluster, `${JSON.stringify(json, null, 2)}\n`, stored?.etag);
    terminal.stdout.write("Stored. It counts from the next snapshot on.\n");
  });
}

/** A secret in a stored configuration can be read by everybody who may read the container. */
function refuseSecrets(file: string, json: unknown): void {
  const held = secretsIn(json, redact(json), "");
  if (held.length === 0) return;
  throw new CommandFailure(
    `Cannot store "${printable(file)}": it holds what looks like secrets: ${held.map(printable).join(", ")}`,
    "Take them out; the password belongs into the app setting that password_setting names.",
  );
}

function secretsIn(before: unknown, after: unknown, path: string): readonly string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (isDictionary(before) && isDictionary(after))
    return Object.keys(before).flatMap((key) =>
      secretsIn(before[key], after[key], path === "" ? key : `${path}.${key}`),
    );
  if (Array.isArray(before) && Array.isArray(after))
    return before.flatMap((member, index) => secretsIn(member, after[index], `${path}[${index}]`));
  return [path];
}

/** One line per key that differs; values are shown without secrets. */
function changesOf(stored: ConfigFile | undefined, json: unknown): readonly string[] {
  if (stored === undefined)
    return ["new, with the keys " + Object.keys(isDictionary(json) ? json : {}).join(", ")];
  const before = dictionaryOf(stored.text);
  const after = isDictionary(json) ? json : {};
  if (before === undefined) return ["replaces a file that is no JSON object"];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys
    .filter((key) => !isDeepStrictEqual(before[key], after[key]))
    .map((key) => `${key}: ${shown(before, key)} -> ${shown(after, key)}`);
}

function dictionaryOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isDictionary(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

const longestShown = 200;

function shown(json: Readonly<Record<string, unknown>>, key: string): string {
  if (!Object.hasOwn(json, key)) return "(absent)";
  const safe = redact({ [key]: json[key] });
  const text = JSON.stringify(isDictionary(safe) ? safe[key] : safe);
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}
