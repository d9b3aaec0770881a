import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { messageOf } from "../../../shared/errors.ts";
import { printable } from "../../../shared/text.ts";
import { dryRunOption, requestOf } from "../act/act-options.ts";
import { confirm } from "../confirm.ts";
import { CommandFailure } from "../exit-code.ts";
import { reach } from "../service/reach.ts";
import { type ServiceFlags, serviceOrStorageOptions } from "../service/service-options.ts";
import type { Terminal } from "../terminal.ts";

interface Flags extends ServiceFlags {
  readonly file?: string;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly by?: string;
}

/** `ccscale rejects replay ID`: posts a demand message again, or asks again for a plan. */
export function rejectsReplayCommand(terminal: Terminal): Command {
  const command = new Command("replay")
    .description("Sends a rejected message on its way again, after it was checked.")
    .argument("<id>", 'as "rejects list" tells it')
    .option("--file <file>", "posts this mended demand message in its place")
    .addOption(dryRunOption())
    .option("--yes", "does not ask")
    .option("--by <name>", "who asks; your login name when left out")
    .action((rejectionId: string, flags: Flags) => replayReject(terminal, rejectionId, flags));
  return serviceOrStorageOptions(command);
}

async function replayReject(terminal: Terminal, rejectionId: string, flags: Flags): Promise<void> {
  const message = flags.file === undefined ? undefined : await readMended(flags.file);
  const { service } = await reach(flags);
  const ask = async (dryRun: boolean): Promise<string> => {
    const { by } = requestOf(flags, "rejects replay");
    const body = { by, dryRun, ...(message !== undefined && { message }) };
    const { summary } = await service.ask("replay-reject", { params: { rejectionId }, body });
    return `${printable(summary)}\n`;
  };
  if (flags.dryRun === true || flags.yes !== true) terminal.stdout.write(await ask(true));
  if (flags.dryRun === true) return;
  if (flags.yes !== true && !(await confirm(terminal, "Do it?")))
    throw new CommandFailure("Nothing was sent.", "Answer y, or give --yes.");
  terminal.stdout.write(await ask(false));
}

async function readMended(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new CommandFailure(`Cannot read "${file}": ${messageOf(error)}`, "Check the name of the file.");
  }
}
