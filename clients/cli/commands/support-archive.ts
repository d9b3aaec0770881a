import { writeFile } from "node:fs/promises";
import { Command } from "commander";
import { messageOf } from "../../../shared/errors/errors.ts";
import { duration } from "../../../shared/text/durations.ts";
import { knownSecretsIn } from "../../../shared/text/redact.ts";
import { archiveName, toZip, usualAmounts } from "../../archive/pack.ts";
import { archivedFiles } from "../archive/pack.ts";
import { CommandFailure } from "../exit-code.ts";
import { wholeNumber } from "../option-values.ts";
import { reach } from "../service/reach.ts";
import { type ServiceFlags, serviceOrStorageOptions } from "../service/service-options.ts";
import { progressOn, type Terminal } from "../terminal.ts";

interface Flags extends ServiceFlags {
  readonly output?: string;
  readonly plans: number;
  readonly operations: number;
  readonly rejects: number;
}

export function supportArchiveCommand(terminal: Terminal): Command {
  const command = new Command("support-archive")
    .description(
      "Packs configuration, snapshots, plans, operations, rejects and versions into a zip, without secrets; --offline reads it.",
    )
    .option("-O, --output <file>", "where to write it (default: ccscale-<cluster>-<time>.zip)")
    .option(
      "--plans <number>",
      "number of the newest plans, each with its snapshot",
      wholeNumber(1),
      usualAmounts.plans,
    )
    .option("--operations <number>", "number of the newest", wholeNumber(1), usualAmounts.operations)
    .option("--rejects <number>", "number of the newest", wholeNumber(1), usualAmounts.rejections)
    .action((flags: Flags) => pack(terminal, flags));
  return serviceOrStorageOptions(command);
}

async function pack(terminal: Terminal, flags: Flags): Promise<void> {
  const { service } = await reach(flags);
  const { cluster } = service;
  const progress = await progressOn(terminal);
  const startedAt = performance.now();
  try {
    const files = await archivedFiles(service, {
      amounts: { plans: flags.plans, operations: flags.operations, rejections: flags.rejects },
      secrets: knownSecretsIn(process.env),
      onPart: (part) => progress.report(`${part} (${duration((performance.now() - startedAt) / 1000)})`),
    });
    progress.report("packing");
    const zip = toZip(files);
    const file = flags.output ?? archiveName(cluster, Date.now() / 1000);
    await write(file, zip);
    progress.end();
    const count = Object.keys(files).length;
    terminal.stdout.write(
      `Wrote "${file}": ${count} files, ${zip.length} bytes. Secrets were removed; check it before you send it.\n`,
    );
  } finally {
    progress.end();
  }
}

async function write(file: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(file, bytes, { flag: "wx", mode: 0o600 });
  } catch (error) {
    throw new CommandFailure(
      `Cannot write "${file}": ${messageOf(error)}`,
      "Name another file with --output.",
    );
  }
}
