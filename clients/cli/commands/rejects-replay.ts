import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { prepareReplay, type Replay, replay } from "../../../shared/cycle/replay-rejection.ts";
import { messageOf } from "../../../shared/errors.ts";
import { confirm } from "../confirm.ts";
import { withService } from "../connect.ts";
import { CommandFailure } from "../exit-code.ts";
import { printable } from "../output/printable.ts";
import { localOption, type PlaceFlags, placeOf } from "../place-options.ts";
import { existingRejection } from "../rejection.ts";
import type { Terminal } from "../terminal.ts";

interface Flags extends PlaceFlags {
  readonly cluster?: string;
  readonly file?: string;
  readonly yes?: true;
}

type Prepared = Exclude<Replay, { kind: "refused" }>;

/** `ccscale rejects replay ID`: posts a demand message again, or asks again for a plan. */
export function rejectsReplayCommand(terminal: Terminal): Command {
  return new Command("replay")
    .description("Sends a rejected message on its way again, after it was checked here.")
    .argument("<id>", 'as "rejects list" tells it')
    .option("--cluster <name>", "looks only there, also when the cluster is no longer configured")
    .option("--file <file>", "posts this mended demand message in its place")
    .option("--yes", "does not ask")
    .addOption(localOption())
    .action((rejectionId: string, flags: Flags) =>
      withService(placeOf(flags), async (ports) => {
        const found = await existingRejection(ports, { rejectionId, cluster: flags.cluster });
        const mended = flags.file === undefined ? undefined : await readMended(flags.file);
        const prepared = await prepareReplay(ports, found, mended);
        if (prepared.kind === "refused") throw refusal(rejectionId, prepared.problems);
        const agreed = flags.yes === true || (await confirm(terminal, `${describe(prepared)}?`));
        if (!agreed) throw new CommandFailure("Nothing was sent.", "Answer y, or give --yes.");
        await replay(ports, found.rejection, prepared);
        terminal.stdout.write(`Done: ${describe(prepared)}\n`);
      }),
    );
}

async function readMended(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new CommandFailure(`Cannot read "${file}": ${messageOf(error)}`, "Check the name of the file.");
  }
}

function refusal(rejectionId: string, problems: readonly string[]): CommandFailure {
  const lines = problems.map((problem) => `  - ${printable(problem)}`);
  return new CommandFailure(
    [`Cannot replay rejection "${rejectionId}":`, ...lines].join("\n"),
    "A demand message can be mended: give the right one with --file.",
  );
}

function describe(prepared: Prepared): string {
  if (prepared.kind === "request-plan") return `ask for a plan of cluster "${printable(prepared.cluster)}"`;
  const { message } = prepared;
  const { kind, source, cluster, sequence, sentAt } = message;
  const content =
    message.kind === "targets" ? `${message.arrays.length} node arrays` : `${message.jobs.length} jobs`;
  const what = `${kind} ${sequence} of source "${source}", sent ${sentAt}, with ${content}`;
  return `post ${what} for cluster "${printable(cluster)}"`;
}
