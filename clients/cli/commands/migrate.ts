import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { ConfigurationError, hasCode, messageOf } from "../../../shared/errors/errors.ts";
import { isDictionary } from "../../../shared/json/json.ts";
import { parseAgentConfig } from "../../agent/config.ts";
import { CommandFailure } from "../exit-code.ts";
import { fromAzslurm, includedIn } from "../migrate/from-azslurm.ts";
import { fromAzge, fromAzpbs } from "../migrate/from-scalelib-schedulers.ts";
import { type FromScheduler, migrate, reportOf } from "../migrate/migration.ts";
import { prettyJson } from "../output/print.ts";
import { readJson } from "../read-text.ts";
import type { Terminal } from "../terminal.ts";
import { compareCommand } from "./migrate-compare.ts";

interface Flags {
  readonly autoscale?: string;
  readonly clusterName?: string;
  readonly nodePrefix?: string;
  readonly nodearray?: readonly string[];
  readonly output?: string;
}

type Json = Readonly<Record<string, unknown>>;

export function migrateCommand(terminal: Terminal): Command {
  const command = new Command("migrate").description(
    "Reads the settings of another autoscaler of CycleCloud, and writes autoscale.json, agent.json and a report of what means something else here; compares what both decide. Changes nothing of the other one.",
  );
  command.addCommand(
    one(terminal, "azslurm", "/etc/slurm", (_, folder, flags) => azslurm(folder, flags))
      .description(
        "Reads autoscale.json, slurm.conf and what it includes, azure.conf, gres.conf and keep_alive.conf.",
      )
      .option("--node-prefix <text>", "what stands before CycleCloud's names of nodes in Slurm"),
  );
  command.addCommand(
    one(terminal, "azpbs", "/opt/cycle/pbspro", async (json) => fromAzpbs(json)).description(
      "Reads autoscale.json.",
    ),
  );
  command.addCommand(
    one(terminal, "azge", "/opt/cycle/gridengine", async (json, _, flags) =>
      fromAzge(json, flags.nodearray ?? []),
    )
      .description("Reads autoscale.json.")
      .option("-a, --nodearray <names...>", "node arrays whose nodes join Grid Engine"),
  );
  return command.addCommand(compareCommand(terminal));
}

type Reader = (json: Json, folder: string, flags: Flags) => Promise<FromScheduler>;

function one(terminal: Terminal, name: string, usual: string, read: Reader): Command {
  return new Command(name)
    .argument("[folder]", "where its files are", usual)
    .option("--autoscale <file>", "its autoscale.json, where that is elsewhere")
    .option("--cluster-name <name>", "the cluster's name in CycleCloud, where autoscale.json has none")
    .option(
      "-O, --output <folder>",
      "writes autoscale.json, agent.json and report.md there; else prints the report",
    )
    .action(async (folder: string, flags: Flags) => {
      const file = flags.autoscale ?? join(folder, "autoscale.json");
      const json = await readJson(file);
      if (!isDictionary(json))
        throw new CommandFailure(
          `Cannot read "${file}": expected a JSON object`,
          "Name it with --autoscale.",
        );
      const cluster = flags.clusterName ?? json.cluster_name;
      if (typeof cluster !== "string")
        throw new CommandFailure(`"${file}" has no cluster_name`, "Name the cluster with --cluster-name.");
      const migration = migrate(json, cluster, await read(json, resolve(folder), flags));
      const agent = parseAgentConfig(migration.agent);
      const problems = [
        ...migration.problems,
        ...(agent.ok ? [] : agent.problems.map((problem) => `agent.json: ${problem}`)),
      ];
      const report = reportOf(name, { ...migration, problems });
      terminal.stdout.write(report);
      if (flags.output !== undefined)
        await write(flags.output, {
          "autoscale.json": prettyJson(migration.autoscale),
          "agent.json": prettyJson(migration.agent),
          "report.md": report,
        });
      if (problems.length > 0)
        throw new CommandFailure(
          new ConfigurationError(`settings of ${name}`, problems).message,
          "Correct these; the report has the rest.",
        );
    });
}

async function azslurm(folder: string, { nodePrefix = "" }: Flags): Promise<FromScheduler> {
  const textOf = async (name: string) => {
    try {
      return await readFile(resolve(folder, name), "utf8");
    } catch (error) {
      if (hasCode(error, "ENOENT") && name !== "azure.conf") return "";
      throw new CommandFailure(
        `Cannot read "${join(folder, name)}": ${messageOf(error)}`,
        "Name the folder of Slurm's files.",
      );
    }
  };
  const slurmConf = await textOf("slurm.conf");
  const files = {
    ...Object.fromEntries(
      await Promise.all(includedIn(slurmConf).map(async (name) => [name, await textOf(name)] as const)),
    ),
    "slurm.conf": slurmConf,
    "azure.conf": await textOf("azure.conf"),
    "gres.conf": await textOf("gres.conf"),
    "keep_alive.conf": await textOf("keep_alive.conf"),
  };
  return fromAzslurm(files, folder, nodePrefix);
}

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    for (const [name, text] of Object.entries(files))
      await writeFile(join(folder, name), text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    throw new CommandFailure(`Cannot write to "${folder}": ${messageOf(error)}`, "Name another folder.");
  }
}
