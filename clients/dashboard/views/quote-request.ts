import type { QuoteAsked } from "../../../shared/api/index.ts";
import { isDictionary } from "../../../shared/json/json.ts";
import { exactDuration, parseDuration } from "../../../shared/text/durations.ts";
import { splitWords } from "../../../shared/text/shell-word.ts";
import { mebibytesIn, minutesIn } from "../../agent/drivers/slurm/amounts.ts";
import { commandLine } from "../act/command-line.ts";
import { askedIn } from "../parts/asked-in.ts";

/** What the form asks for, as people write it. Amounts are of each slot or node; empty: not said. */
export interface QuoteFields {
  readonly count: string;
  readonly unit: "slots" | "nodes";
  readonly cpus: string;
  readonly memoryGb: string;
  readonly gpus: string;
  readonly runTime: string;
  readonly nodeArray: string;
}

/** Throws SyntaxError, with what is wrong in words. */
export function jobOf({
  count,
  unit,
  cpus,
  memoryGb,
  gpus,
  runTime,
  nodeArray,
}: QuoteFields): QuoteAsked["jobs"][number] {
  const runtimeSeconds = runTime === "" ? undefined : parseDuration(runTime);
  if (runTime !== "" && runtimeSeconds === undefined)
    throw new SyntaxError(`Run time: "${runTime}", expected a length of time such as 90m, 4h or 1d12h`);
  const amounts = Object.entries({ ncpus: cpus, memgb: memoryGb, ngpus: gpus });
  const constraints = Object.fromEntries([
    ...amounts.flatMap(([name, value]) => (Number(value) > 0 ? [[name, Number(value)]] : [])),
    ...(nodeArray === "" ? [] : [["node.nodearray", nodeArray]]),
  ]);
  return {
    constraints,
    [unit === "nodes" ? "nodeCount" : "iterations"]: Number(count || "1"),
    ...(runtimeSeconds === undefined ? {} : { runtimeSeconds }),
  };
}

/** What an address asks for; undefined: nothing that the form can show. */
export function quoteIn(text: string | undefined): QuoteAsked | undefined {
  const { jobs, bySeconds } = askedIn<Partial<QuoteAsked>>(text) ?? {};
  const isMoment = typeof bySeconds === "number" && !Number.isNaN(new Date(bySeconds * 1_000).getTime());
  if (!Array.isArray(jobs) || !jobs.every(isDictionary)) return undefined;
  return isMoment ? { jobs, bySeconds } : { jobs };
}

/** The fields again of a job that they made. */
export function fieldsOf(job: Readonly<Record<string, unknown>>): QuoteFields {
  const { constraints, iterations = 1, nodeCount, runtimeSeconds } = job;
  const asked = isDictionary(constraints) ? constraints : {};
  return {
    count: String(nodeCount ?? iterations),
    unit: nodeCount === undefined ? "slots" : "nodes",
    cpus: String(asked.ncpus ?? ""),
    memoryGb: String(asked.memgb ?? ""),
    gpus: String(asked.ngpus ?? ""),
    runTime: typeof runtimeSeconds === "number" ? exactDuration(runtimeSeconds) : "",
    nodeArray: String(asked["node.nodearray"] ?? ""),
  };
}

/** What the command line takes, so that both ask for the same. */
export function quoteCommand(cluster: string, { jobs, bySeconds }: QuoteAsked): string {
  return commandLine([
    ...["ccscale", "quote", "--cluster", cluster],
    ...jobs.flatMap((job) => ["--job", JSON.stringify(job)]),
    ...(bySeconds === undefined ? [] : ["--by", new Date(bySeconds * 1_000).toISOString()]),
  ]);
}

const longNames: Readonly<Record<string, string>> = {
  "-N": "--nodes",
  "-n": "--ntasks",
  "-c": "--cpus-per-task",
  "-t": "--time",
  "-p": "--partition",
  "-G": "--gpus",
  "-J": "--job-name",
  "-A": "--account",
  "-o": "--output",
  "-e": "--error",
};
const readNames = [
  ...["--nodes", "--ntasks", "--ntasks-per-node", "--cpus-per-task", "--mem", "--mem-per-cpu"],
  ...["--gpus", "--gpus-per-node", "--gpus-per-task", "--time", "--partition"],
];
/** They change nothing of what a job takes. */
const passedOver = ["--job-name", "--account", "--output", "--error", "--mail-type", "--mail-user", "--wrap"];

/**
 * The fields for a line as sbatch takes it, without a scheduler: its partition counts as the node array of that name. What the line
 * leaves out, such as the memory of a task, Slurm alone knows. Throws SyntaxError for an option that is not read here.
 */
export function fieldsOfSbatch(line: string): QuoteFields {
  const given = optionsOf(line);
  const of = <T>(name: string, read: (text: string) => T | undefined): T | undefined => {
    const text = given.get(name);
    const value = text === undefined ? undefined : read(text);
    if (text !== undefined && value === undefined) refuse(`"${text}" of ${name} cannot be read`);
    return value;
  };
  const nodes = of("--nodes", countIn);
  const tasks = of("--ntasks", countIn) ?? (of("--ntasks-per-node", countIn) ?? 1) * (nodes ?? 1);
  const [mem, gpusOfNode] = [of("--mem", mebibytesIn), of("--gpus-per-node", gpusIn)];
  // An amount of a node, and no number of nodes: on one.
  const isOnNodes = nodes !== undefined || mem !== undefined || gpusOfNode !== undefined;
  const count = isOnNodes ? (nodes ?? 1) : tasks;
  const tasksEach = Math.ceil(tasks / count);
  const cpus = tasksEach * (of("--cpus-per-task", countIn) ?? 1);
  const mebibytes = mem ?? (of("--mem-per-cpu", mebibytesIn) ?? 0) * cpus;
  const gpusOfTask = of("--gpus-per-task", gpusIn);
  const gpus =
    gpusOfNode ?? (gpusOfTask === undefined ? (of("--gpus", gpusIn) ?? 0) / count : gpusOfTask * tasksEach);
  const minutes = of("--time", minutesIn);
  return {
    count: String(count),
    unit: isOnNodes ? "nodes" : "slots",
    cpus: String(cpus),
    memoryGb: mebibytes === 0 ? "" : String(mebibytes / 1024),
    gpus: gpus === 0 ? "" : String(Math.ceil(gpus)),
    runTime: minutes === undefined ? "" : exactDuration(minutes * 60),
    nodeArray: given.get("--partition") ?? "",
  };
}

function optionsOf(line: string): ReadonlyMap<string, string> {
  const words = [...(splitWords(line) ?? refuse("a quotation mark is not closed"))];
  if (words[0] === "sbatch") words.shift();
  const given = new Map<string, string>();
  while (words[0]?.startsWith("-")) {
    const word = words.shift() ?? "";
    // `-n64`, `--ntasks=64`, `-n 64`
    const [, short, glued, long, value] = /^(?:(-\w)(.*)|(--[\w-]+)(?:=(.*))?)$/.exec(word) ?? [];
    const name = longNames[short ?? ""] ?? long ?? word;
    if (!readNames.includes(name) && !passedOver.includes(name))
      refuse(`${name} is not read here: leave it out, or ask ccscale quote --slurm beside Slurm`);
    given.set(name, value ?? (glued || words.shift()) ?? "");
  }
  return given;
}

/** The least of a range. */
function countIn(text: string): number | undefined {
  const [, count] = /^([1-9]\d{0,8})(?:-\d{1,9})?$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count);
}

/** `2`, `a100:2` */
function gpusIn(text: string): number | undefined {
  return countIn(text.slice(text.lastIndexOf(":") + 1));
}

function refuse(problem: string): never {
  throw new SyntaxError(`sbatch: ${problem}`);
}
