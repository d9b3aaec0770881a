import { access, constants } from "node:fs/promises";
import { Command } from "commander";
import { messageOf } from "../../../shared/errors/errors.ts";
import { describeProblems } from "../../../shared/messages/index.ts";
import { printable } from "../../../shared/text/text.ts";
import type { Answer, Command as Program, SchedulerFile } from "../../agent/drivers/driver.ts";
import { applyFiles } from "../../agent/drivers/slurm/config/apply-files.ts";
import { drawUpFiles, fileNames } from "../../agent/drivers/slurm/config/draw-up-files.ts";
import { heading } from "../../agent/drivers/slurm/config/node-kind.ts";
import { settingsFile } from "../../agent/drivers/slurm/config/node-lines.ts";
import { comparable, readsOfController } from "../../agent/drivers/slurm/config/running-controller.ts";
import { type SlurmSettings, slurmSettingsSchema } from "../../agent/drivers/slurm/slurm-settings.ts";
import { execute } from "../../agent/execute.ts";
import { whyUnreadable } from "../../agent/kept-files.ts";
import {
  changesTo,
  differenceIn,
  type FileChange,
  type PresentFiles,
  readPresent,
  usableAmong,
  writeChange,
} from "../../agent/scheduler-files.ts";
import { CommandFailure } from "../exit-code.ts";
import { warn } from "../output/print.ts";
import { readClusterParts } from "../service/cluster-parts.ts";
import { reach } from "../service/reach.ts";
import { type ServiceFlags, serviceOrFilesOptions } from "../service/service-options.ts";
import { agentSettings } from "../slurm/agent-settings.ts";
import { confirm, type Terminal } from "../terminal.ts";

const scontrolSeconds = 60;

/** No such program: `env` and shells say so with 127. */
const notThere = /^Cannot run ".*": ended with (?:127|ENOENT)(?:: |$)/s;

interface Flags extends ServiceFlags {
  readonly agent?: string;
  readonly diff?: string | true;
  readonly write?: string;
  readonly yes?: true;
}

export function slurmCommand(terminal: Terminal): Command {
  return new Command("slurm")
    .description("Writes the files of Slurm that follow from a cluster.")
    .addCommand(slurmConfigCommand(terminal));
}

function slurmConfigCommand(terminal: Terminal): Command {
  const command: Command = new Command("config");
  command
    .description(
      "Prints the nodes and partitions of a cluster for slurm.conf (cyclecloud.conf, which slurm.conf includes), gres.conf and the topology, or compares them with those of a folder or of a running controller, or writes them.",
    )
    .option("--agent <file>", "the agent's settings: its cluster, and which partitions there are")
    .option(
      "--diff [folder]",
      "prints what would change there, or without a folder in the controller that scontrol reaches; ends with 1 when something would",
    )
    .option(
      "--write <folder>",
      "writes them there after it showed what changes; keeps the old ones as .bak, and what somebody else wrote as .orig",
    )
    .option("--yes", "skips the question before files are written")
    .action((flags: Flags) => {
      if (flags.diff !== undefined && flags.write !== undefined)
        return command.error("error: expected either --diff or --write");
      return config(terminal, flags);
    });
  return serviceOrFilesOptions(command);
}

async function config(terminal: Terminal, flags: Flags): Promise<void> {
  const { settings, cluster } = await settingsIn(flags.agent);
  const { service } = await reach(
    flags.cluster === undefined && cluster !== undefined ? { ...flags, cluster } : flags,
  );
  const folder = flags.diff === true ? settings.config?.folder : (flags.diff ?? flags.write);
  const wanted = { folder: folder ?? "", names: fileNames, besides: [settingsFile], heading };
  const present: PresentFiles = folder === undefined ? new Map() : await presentIn(wanted);
  const drawnUp = drawUpFiles(await readClusterParts(service), settings, usableAmong(present, wanted));
  if ("refused" in drawnUp)
    throw new CommandFailure(
      `Cannot draw up the files of "${service.cluster}": ${printable(drawnUp.refused)}`,
      "The files stay as they are. See `ccscale status` and `ccscale buckets` for what is known of the cluster.",
    );
  const { files, notes } = drawnUp;
  warn(terminal, service.cluster, notes.map(printable));
  if (flags.diff === true) return compareWithController(terminal, files, settings);
  if (folder === undefined) {
    for (const { name, text } of files) terminal.stdout.write(`### ${name}\n${text}\n`);
    return;
  }
  const changes = changesTo(files, present, wanted);
  for (const change of changes) {
    if (change.isForeign)
      terminal.stderr.write(`${change.path} was written by somebody else, and is replaced as a whole.\n`);
    terminal.stdout.write(differenceIn(change));
  }
  if (changes.length === 0) terminal.stderr.write(`The files in "${folder}" are as they should be.\n`);
  else if (flags.write !== undefined) {
    const files = { ...wanted, tryOut: applyFiles(settings).tryOut };
    const untried = await refuseUnreadable(files, changes, present);
    warn(terminal, service.cluster, untried);
    await write(terminal, folder, changes, flags.yes === true);
  } else
    throw new CommandFailure(
      `${changes.length} of the files in "${folder}" differ`,
      `Write them with "ccscale slurm config --write ${folder}".`,
    );
}

/** Warnings of a machine without Slurm, such as one that builds an image: nothing can try the files there. */
async function refuseUnreadable(
  files: Parameters<typeof whyUnreadable>[0]["files"],
  changes: readonly FileChange[],
  present: PresentFiles,
): Promise<readonly string[]> {
  const untried: string[] = [];
  const run = async (command: Program) => {
    try {
      await execute(command, scontrolSeconds);
    } catch (error) {
      const why = messageOf(error);
      if (!notThere.test(why)) throw error;
      untried.push(
        `whether Slurm can read the new files was not tried: ${printable(why.replace(/^.*: ended with 127: /s, ""))}`,
      );
    }
  };
  const why = await whyUnreadable({ files, run }, changes, present);
  if (why === undefined) return untried;
  throw new CommandFailure(
    `Nothing was written: ${printable(why)}`,
    "Run it where scontrol works, or correct what it names.",
  );
}

async function compareWithController(
  terminal: Terminal,
  files: readonly SchedulerFile[],
  settings: SlurmSettings,
): Promise<void> {
  const answers: Record<string, Answer> = {};
  try {
    for (const read of readsOfController(settings)) answers[read.name] = await execute(read, scontrolSeconds);
  } catch (error) {
    throw new CommandFailure(
      `Cannot ask the controller: ${printable(messageOf(error))}`,
      "Run it where scontrol works, or compare with a folder: `--diff /etc/slurm`.",
    );
  }
  const compared = comparable(files, answers, settings);
  if ("unreadable" in compared)
    throw new CommandFailure(`Cannot compare with the controller: ${compared.unreadable}`, "Try again.");
  if (compared.wanted === compared.running) {
    terminal.stderr.write("The controller has what would be written.\n");
    return;
  }
  const { running: before, wanted: after } = compared;
  terminal.stdout.write(
    differenceIn({ path: "slurmctld", name: "slurmctld", before, after, isForeign: false }),
  );
  throw new CommandFailure(
    "The controller has something else than what would be written",
    "Write the files with `ccscale slurm config --write FOLDER`, then run `scontrol reconfigure`, or restart slurmctld.",
  );
}

async function settingsIn(
  file: string | undefined,
): Promise<{ readonly settings: SlurmSettings; readonly cluster: string | undefined }> {
  const { section, cluster } = await agentSettings(file);
  const parsed = slurmSettingsSchema.safeParse(section, { reportInput: true });
  if (parsed.success) return { settings: parsed.data, cluster };
  throw new CommandFailure(
    `Cannot use "${file}": ${describeProblems(parsed.error)
      .map((problem) => `slurm.${printable(problem)}`)
      .join("; ")}`,
    "See docs/slurm.md for the settings.",
  );
}

async function presentIn(wanted: Parameters<typeof readPresent>[0]): Promise<PresentFiles> {
  try {
    await access(wanted.folder, constants.R_OK);
    return await readPresent(wanted);
  } catch (error) {
    throw new CommandFailure(
      `Cannot read "${wanted.folder}": ${messageOf(error)}`,
      "Name the folder of slurm.conf.",
    );
  }
}

async function write(
  terminal: Terminal,
  folder: string,
  changes: readonly FileChange[],
  isSure: boolean,
): Promise<void> {
  if (!isSure && !(await confirm(terminal, `Write ${changes.map(({ name }) => name).join(", ")}?`)))
    throw new CommandFailure("Nothing was written.", "Answer y, or give --yes.");
  try {
    for (const change of changes) await writeChange(change);
  } catch (error) {
    throw new CommandFailure(
      `Cannot write to "${folder}": ${messageOf(error)}`,
      "Run it as the owner of the files; those that were written have their old ones beside them, as .bak and .orig.",
    );
  }
  terminal.stdout.write(
    `Wrote ${changes.map(({ path }) => path).join(", ")}. Next: "scontrol reconfigure"; where node names came or went before Slurm 23.11, restart slurmctld.\n`,
  );
}
