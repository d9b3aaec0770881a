import { Command, CommanderError, InvalidArgumentError } from "commander";
import { splitWords } from "../../../shared/text/shell-word.ts";
import { mebibytesIn, minutesIn } from "../../agent/drivers/slurm/amounts.ts";
import type { SbatchOptions } from "../../agent/drivers/slurm/submitted.ts";

/** What was read of a command line of sbatch. `script`: the file that it submits. */
export type ReadSbatch =
  | { readonly ok: true; readonly options: SbatchOptions; readonly script: string | undefined }
  | { readonly ok: false; readonly problem: string };

/** Options that change nothing of what a job takes. */
const unheeded = [
  "-o, --output <file>",
  "-e, --error <file>",
  "-i, --input <file>",
  "-D, --chdir <folder>",
  "-Q, --quiet",
  "-W, --wait",
  "-v, --verbose",
  "-k, --no-kill",
  "-m, --distribution <how>",
  "--mail-type <kinds>",
  "--mail-user <user>",
  "--export <names>",
  "--comment <text>",
  "--wrap <command>",
  "--parsable",
  "--open-mode <mode>",
  "--signal <signal>",
  "--nice <by>",
  "--wckey <key>",
  "--cpu-bind <how>",
  "--propagate <limits>",
  "--get-user-env <how>",
  "--ignore-pbs",
  "--spread-job",
];

/** Values of these are taken only behind "=": a bare one is its usual value. */
const bareValues: Readonly<Record<string, string>> = {
  "--exclusive": "node",
  "--nice": "100",
  "--propagate": "ALL",
  "--get-user-env": "0",
};

/** As commander has them. */
interface Given extends SbatchOptions {
  readonly time?: number;
  readonly hint?: string;
  readonly extraNodeInfo?: readonly number[];
}

/** Reads the words of `sbatch`. An option that is not known here, or cannot be planned for, is refused by its name. */
export function readSbatch(words: readonly string[]): ReadSbatch {
  if (words.includes(":"))
    return { ok: false, problem: 'a heterogeneous job (" : "), expected one of its parts' };
  const command = sbatch();
  try {
    command.parse(
      words.map((word) => (Object.hasOwn(bareValues, word) ? `${word}=${bareValues[word]}` : word)),
      { from: "user" },
    );
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { ok: false, problem: error.message.replace(/^error: /, "") };
  }
  const heeded = command.options.filter(({ flags }) => !unheeded.includes(flags));
  const names = new Set(heeded.map((option) => option.attributeName()));
  const given: Given = Object.fromEntries(Object.entries(command.opts()).filter(([name]) => names.has(name)));
  const { time, hint, extraNodeInfo, ...options } = given;
  const [sockets, , threads] = extraNodeInfo ?? [];
  return {
    ok: true,
    script: command.args[0],
    options: {
      ...options,
      ...(time !== undefined && { timeMinutes: time }),
      ...((hint === "nomultithread" || hint === "compute_bound") && { threadsPerCore: 1 }),
      ...(sockets !== undefined && { socketsPerNode: sockets }),
      ...(threads !== undefined && { threadsPerCore: threads }),
    },
  };
}

function sbatch(): Command {
  const command = new Command("sbatch")
    .exitOverride()
    .configureOutput({ writeErr: () => undefined, writeOut: () => undefined })
    .helpOption(false)
    .argument("[script...]")
    .passThroughOptions()
    .option("-p, --partition <names>")
    .option("-N, --nodes <range>", "", nodeRange)
    .option("-n, --ntasks <count>", "", count)
    .option("-c, --cpus-per-task <count>", "", count)
    .option("--ntasks-per-node <count>", "", count)
    .option("--ntasks-per-socket <count>", "", count)
    .option("--ntasks-per-core <count>", "", count)
    .option("--ntasks-per-gpu <count>", "", count)
    .option("--mincpus <count>", "", count)
    .option("--mem <size>", "", megabytes)
    .option("--mem-per-cpu <size>", "", megabytes)
    .option("--mem-per-gpu <size>", "", megabytes)
    .option("--tmp <size>", "", megabytes)
    .option("-t, --time <time>", "", minutes)
    .option("--gres <list>")
    .option("-G, --gpus <count>")
    .option("--gpus-per-node <count>")
    .option("--gpus-per-task <count>")
    .option("--gpus-per-socket <count>")
    .option("--cpus-per-gpu <count>", "", count)
    .option("--sockets-per-node <count>", "", count)
    .option("--threads-per-core <count>", "", count)
    .option("-B, --extra-node-info <sockets>", "", (text) => text.split(":").map(count))
    .option("--hint <kind>")
    .option("--exclusive <who>")
    .option("-s, --oversubscribe")
    .option("-O, --overcommit")
    .option("--use-min-nodes")
    .option("--contiguous")
    .option("--requeue")
    .option("--no-requeue")
    .option("-a, --array <indexes>")
    .option("-C, --constraint <features>")
    .option("-w, --nodelist <nodes>")
    .option("-x, --exclude <nodes>")
    .option("-L, --licenses <list>")
    .option("--switches <count>", "", (text) => count(text.split("@")[0] ?? ""))
    .option("-A, --account <name>")
    .option("-q, --qos <name>")
    .option("-J, --job-name <name>");
  for (const flags of unheeded) command.option(flags);
  return command;
}

function count(text: string): number {
  if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError("expected a whole number above 0.");
}

function nodeRange(text: string): SbatchOptions["nodes"] {
  const [, least = "", most = least] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(text) ?? [];
  return { least: count(least), most: count(most) };
}

function megabytes(text: string): number {
  const read = mebibytesIn(text);
  if (read !== undefined) return read;
  throw new InvalidArgumentError("expected a size such as 2000M or 4G.");
}

function minutes(text: string): number {
  const read = minutesIn(text);
  if (read !== undefined) return read;
  throw new InvalidArgumentError("expected a time such as 90, 1:30:00 or 1-12.");
}

/** The options that a script asks for itself, in `#SBATCH` lines before its first command. */
export function wordsOfScript(text: string): readonly string[] | undefined {
  const lines = text.split("\n");
  const end = lines.findIndex((line) => line.trim() !== "" && !line.startsWith("#"));
  const words = lines
    .slice(0, end < 0 ? lines.length : end)
    .filter((line) => line.startsWith("#SBATCH"))
    .map((line) => splitWords(line.slice("#SBATCH".length)));
  return words.every((each) => each !== undefined) ? words.flat() : undefined;
}
