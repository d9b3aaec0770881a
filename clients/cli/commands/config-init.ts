import { writeFile } from "node:fs/promises";
import { Command, Option } from "commander";
import { parseConfig } from "../../../shared/config/index.ts";
import { hasCode, messageOf } from "../../../shared/errors/errors.ts";
import { duration } from "../../../shared/text/durations.ts";
import { printable } from "../../../shared/text/text.ts";
import { CommandFailure } from "../exit-code.ts";
import { listed, prettyJson } from "../output/print.ts";
import type { Terminal } from "../terminal.ts";
import { wholeSecondsOption } from "../time-values.ts";
import { pricesInWords, proposePairs, readClusterStatus } from "./config-proposals.ts";

interface Flags {
  readonly clusterName: string;
  readonly serverUrl: string;
  readonly username: string;
  readonly passwordSetting?: string;
  readonly password?: string;
  readonly idleTimeout: number;
  readonly bootTimeout: number;
  readonly failedNodes?: string;
  readonly slots?: string;
  readonly clusterStatus?: string;
  readonly readOnly?: true;
  readonly output?: string;
  readonly force?: true;
}

const usual = { idleSeconds: 300, bootSeconds: 1800 };

export function configInitCommand(terminal: Terminal): Command {
  const command: Command = new Command("init");
  command
    .description("Writes a configuration to start from. It contains no password.")
    .requiredOption("--cluster-name <name>", "the cluster's name in CycleCloud")
    .requiredOption(
      "--server-url <address>",
      "address of the CycleCloud server, such as https://cyclecloud.example.com",
    )
    .requiredOption("--username <name>", "user that the autoscaler logs in as")
    .option("--password-setting <name>", "app setting with the password, if it is not CYCLECLOUD_PASSWORD")
    .addOption(
      new Option("--idle-timeout <length>", "a node without jobs is deleted after this time")
        .argParser(wholeSecondsOption(0))
        .default(usual.idleSeconds, duration(usual.idleSeconds)),
    )
    .addOption(
      new Option("--boot-timeout <length>", "a node that is not ready by then is deleted")
        .argParser(wholeSecondsOption(0))
        .default(usual.bootSeconds, duration(usual.bootSeconds)),
    )
    .addOption(
      new Option("--failed-nodes <policy>", "what happens to failed nodes").choices([
        "keep",
        "delete",
        "retry",
      ]),
    )
    // `initconfig` of azpbs and azge takes it; here everybody on the machine would see it.
    .addOption(new Option("--password <password>").hideHelp())
    .option("--slots <value>", "slots of a node, such as node.vcpu_count or 4")
    .option(
      "--cluster-status <file>",
      "what CycleCloud answers to GET /clusters/NAME/status?nodes=true: shows what its VM sizes cost, and pairs spot arrays with regular ones of the same sizes",
    )
    .option("--read-only", "makes and shows plans, and sends nothing")
    .option("-O, --output <file>", "where to write it (default: the screen)")
    .option("--force", "replaces an existing file")
    .action((flags: Flags) => {
      if (flags.password !== undefined)
        return command.error(
          "error: a configuration holds no password, expected it in the app setting CYCLECLOUD_PASSWORD",
        );
      return init(terminal, flags);
    });
  return command;
}

async function init(terminal: Terminal, flags: Flags): Promise<void> {
  const cluster =
    flags.clusterStatus === undefined
      ? undefined
      : await readClusterStatus(flags.clusterStatus, flags.clusterName);
  const pairs = cluster === undefined ? [] : proposePairs(cluster);
  const json = { ...configOf(flags), ...(pairs.length > 0 && { spot: { pairs } }) };
  const parsed = parseConfig({ cluster: flags.clusterName, json });
  if (!parsed.ok)
    throw new CommandFailure(
      listed("Cannot make a configuration of that:", parsed.problems),
      "Fix these problems, then try again.",
    );
  // Beside the configuration, which may go to a file or a pipe.
  for (const line of cluster === undefined ? [] : pricesInWords(cluster))
    terminal.stderr.write(`${printable(line)}\n`);
  const text = prettyJson(json);
  if (flags.output === undefined) {
    terminal.stdout.write(text);
    return;
  }
  await write(flags.output, text, flags.force === true);
  terminal.stdout.write(`Wrote "${flags.output}". Next: ccscale config push ${flags.output}\n`);
}

function configOf(flags: Flags): Readonly<Record<string, unknown>> {
  const slots = flags.slots === undefined ? undefined : Number(flags.slots);
  return {
    cluster_name: flags.clusterName,
    url: flags.serverUrl,
    username: flags.username,
    ...(flags.passwordSetting !== undefined && { password_setting: flags.passwordSetting }),
    verify_certificates: true,
    idle_timeout: flags.idleTimeout,
    boot_timeout: flags.bootTimeout,
    ...(flags.failedNodes !== undefined && { failed_nodes: flags.failedNodes }),
    ...(slots !== undefined && {
      default_resources: [{ select: {}, name: "slots", value: Number.isFinite(slots) ? slots : flags.slots }],
    }),
    ...(flags.readOnly === true && { read_only: true }),
  };
}

async function write(file: string, text: string, replaces: boolean): Promise<void> {
  try {
    await writeFile(file, text, { flag: replaces ? "w" : "wx", mode: 0o600 });
  } catch (error) {
    const isThere = hasCode(error, "EEXIST");
    throw new CommandFailure(
      isThere ? `Cannot write "${file}": it exists` : `Cannot write "${file}": ${messageOf(error)}`,
      isThere ? "Name another file, or give --force." : "Check the name of the file.",
    );
  }
}
