import { Command } from "commander";
import { parseSwf, type SwfJob } from "../../../shared/backtest/index.ts";
import { parseJson } from "../../../shared/json/json.ts";
import {
  demandWarnings,
  parseDemand,
  placeBefore,
  problemsInPlace,
  readJobDetails,
  type SetAside,
  wholly,
  withItemsAside,
} from "../../../shared/messages/index.ts";
import type { DemandToSend } from "../../../shared/ports/index.ts";
import { counted, printable } from "../../../shared/text/text.ts";
import { byOption, dryRunOption, requestOf } from "../act/act-options.ts";
import { CommandFailure } from "../exit-code.ts";
import { fromScalelib } from "../from-scalelib.ts";
import { note } from "../output/note.ts";
import { listed, prettyJson } from "../output/print.ts";
import { readText } from "../read-text.ts";
import { namedCluster, reach } from "../service/reach.ts";
import { type ServiceFlags, serviceOrStorageOptions } from "../service/service-options.ts";
import type { Terminal } from "../terminal.ts";
import { wholeSecondsOption } from "../time-values.ts";

const mostProblemsShown = 20;
/** Stands for the cluster while the rest is checked, until it is known which one there is. */
const notKnownYet = "not-known-yet";

interface Flags extends ServiceFlags {
  readonly source: string;
  readonly ttl?: number;
  readonly dryRun?: true;
  readonly by?: string;
  readonly print?: true;
  readonly end?: true;
}

/** What the source wants is over: an empty snapshot, which counts for a second. */
const endSeconds = 1;

export function pushCommand(terminal: Terminal): Command {
  const command = new Command("push")
    .description("Checks a list of jobs and posts it as everything that a source wants.")
    .argument(
      "[file]",
      'jobs as JSON (ours, or what "azpbs jobs" and "azge jobs" print) or an SWF trace (.swf, .swf.gz); "-" is standard input',
      "-",
    )
    .requiredOption("--source <name>", "the scheduler of these jobs; replaces its earlier demand")
    .option("--ttl <length>", "how long they count without a new push, such as 10m", wholeSecondsOption(1))
    .addOption(dryRunOption())
    .addOption(byOption())
    .option("--end", "says that the source wants nothing any more; reads no file, and its jobs end at once")
    .option("--print", "prints the message for the queue, and calls nothing")
    .action((file: string, flags: Flags) => push(terminal, file, flags));
  return serviceOrStorageOptions(command);
}

async function push(terminal: Terminal, file: string, flags: Flags): Promise<void> {
  if (flags.print === true) {
    const cluster = await namedCluster(flags);
    if (cluster === undefined) throw noCluster();
    const { demand, setAside, warnings } = await demandIn(file, { ...flags, cluster }, terminal);
    terminal.stdout.write(prettyJson(demand));
    tellWarnings(terminal, warnings);
    tellAside(terminal, { count: setAside.length, items: setAside });
    return;
  }
  // Checked first: a file that cannot be used causes no call.
  const { demand, placeInFile, warnings } = await demandIn(file, flags, terminal);
  const { service } = await reach(flags);
  const body = { ...demand, cluster: service.cluster };
  const { by, dryRun } = requestOf(flags, "push");
  const query = { dry_run: dryRun, by };
  const { summary, setAside } = await service.ask("post-demand", { query, body });
  terminal.stdout.write(`${printable(summary)}\n`);
  tellWarnings(terminal, warnings);
  const items = setAside.items.map((item) => ({ ...item, index: placeInFile(item) }));
  tellAside(terminal, { count: setAside.count, items });
}

function noCluster(): CommandFailure {
  return new CommandFailure(
    "Cannot print the message: no cluster is named, and --print does not ask the service",
    "Name it with --cluster or in CCSCALE_CLUSTER, or the configuration that names it with --config.",
  );
}

/** Throws CommandFailure with every problem and its place in the file. */
async function demandIn(
  file: string,
  flags: Pick<Flags, "source" | "ttl" | "cluster" | "end">,
  terminal: Terminal,
): Promise<{
  readonly demand: DemandToSend;
  readonly setAside: readonly SetAside[];
  /** The index in the file of an item of the demand, which lists invalid items last. */
  readonly placeInFile: (item: Pick<SetAside, "kind" | "index">) => number;
  readonly warnings: readonly string[];
}> {
  const format = /\.swf(\.gz)?$/.test(file) ? "swf" : "json";
  const read = flags.end === true ? nothing : readJobs(await readText(file, terminal), format);
  if ("problem" in read)
    throw new CommandFailure(`Cannot push ${named(file)}: ${read.problem}`, "Nothing was posted.");
  const nowMs = Date.now();
  const ttlSeconds = flags.end === true ? endSeconds : flags.ttl;
  const demand: DemandToSend = {
    version: 1,
    kind: "snapshot",
    cluster: flags.cluster ?? notKnownYet,
    source: flags.source,
    // Grows from push to push, also across machines.
    sequence: nowMs,
    sentAt: new Date(nowMs).toISOString(),
    ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
    jobs: read.jobs,
    nodes: read.nodes,
  };
  const parsed = parseDemand(demand);
  if (!parsed.ok) throw refusal(file, parsed.problems);
  const { jobs, nodes } = parsed.message;
  // A file without any readable item is the wrong file: posting it would remove the source's demand.
  const whole = jobs.length + nodes.length === 0 ? wholly(parsed) : parsed;
  if (!whole.ok) throw refusal(file, whole.problems);
  return {
    demand: { ...demand, ...withItemsAside(parsed, demand) },
    setAside: parsed.setAside,
    placeInFile: (item) => placeBefore(parsed, demand, item),
    warnings: demandWarnings(parsed, { ...demand }),
  };
}

/** What has no effect, with its place in the file: what is posted in its place holds it no more. */
function tellWarnings(terminal: Terminal, warnings: readonly string[]): void {
  for (const warning of warnings.slice(0, mostProblemsShown))
    note(terminal, `warning: ${printable(warning)}`);
  const more = warnings.length - mostProblemsShown;
  if (more > 0) note(terminal, `and ${counted(more, "warnings")} more`);
}

function tellAside(
  terminal: Terminal,
  { count, items }: { readonly count: number; readonly items: readonly SetAside[] },
): void {
  if (count === 0) return;
  const lines = items.slice(0, mostProblemsShown).flatMap((item) => problemsInPlace(item));
  const were = count === 1 ? "1 item was" : `${count} items were`;
  note(terminal, listed(`${were} set aside; the rest counts:`, lines.slice(0, mostProblemsShown)));
}

function refusal(file: string, problems: readonly string[]): CommandFailure {
  const what = listed(`Cannot push ${named(file)}:`, problems, mostProblemsShown);
  return new CommandFailure(what, "Nothing was posted.");
}

function named(file: string): string {
  return file === "-" ? "standard input" : `"${file}"`;
}

/** What a file says that a scheduler wants, before it is checked. */
interface Pushed {
  readonly jobs: readonly unknown[];
  readonly nodes: readonly unknown[];
}

const nothing: Pushed = { jobs: [], nodes: [] };

type ReadJobs = Pushed | { readonly problem: string };

/** Reads a list of jobs (ours, or of azpbs and azge), an object with `jobs` and `nodes`, or an SWF trace, whose jobs all wait at once. */
export function readJobs(text: string, format: "json" | "swf"): ReadJobs {
  if (format === "swf") return { jobs: parseSwf(text).map(fromTrace), nodes: [] };
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (text.trim() === "") return { problem: "it is empty, expected a list of jobs" };
    return { problem: `${(error as Error).message}, expected a list of jobs` };
  }
  if (Array.isArray(value)) return { jobs: value.map(fromScalelib), nodes: [] };
  if (typeof value !== "object" || value === null) return { problem: "expected a list of jobs" };
  const { jobs, nodes = [] } = value as { readonly jobs?: unknown; readonly nodes?: unknown };
  if (!Array.isArray(jobs)) return { problem: 'expected a list of jobs, or an object with a list "jobs"' };
  if (!Array.isArray(nodes)) return { problem: 'expected "nodes" to be a list' };
  return { jobs: jobs.map(fromScalelib), nodes };
}

function fromTrace(job: SwfJob): object {
  const { name, nodes, ncpus, memoryGiB, exclusive } = job;
  const { requestedSeconds: runtimeSeconds, user, account, queue, jobName } = job;
  return {
    name,
    ...readJobDetails({ runtimeSeconds, user, account, queue, jobName }),
    constraints: { ncpus, ...(memoryGiB > 0 ? { memgb: memoryGiB } : {}) },
    ...(nodes > 1 ? { nodeCount: nodes } : {}),
    ...(exclusive ? { exclusive } : {}),
  };
}
