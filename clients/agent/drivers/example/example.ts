import { z } from "zod";
import { shortHostname } from "../../../../shared/engine/index.ts";
import { describeProblems } from "../../../../shared/messages/index.ts";
import type {
  Answers,
  Command,
  Context,
  DriverKind,
  Job,
  NodeEvent,
  Reading,
  SchedulerNode,
} from "../driver.ts";
import { readRecords } from "../records.ts";
import { type JobLine, jobLine, linesOf, type NodeLine, nodeLine } from "./listing.ts";

/**
 * The smallest complete driver, for a scheduler that does not exist: copy this folder to begin a new one. `exq` lists jobs
 * and `exnodes` hosts, as lines of columns with their number at the end; `exctl` opens, closes, adds and removes hosts.
 */
export const example: DriverKind = {
  name: "example",
  configure(section) {
    const parsed = settingsSchema.safeParse(section, { reportInput: true });
    if (!parsed.success) return { ok: false, problems: describeProblems(parsed.error) };
    return {
      ok: true,
      driver: {
        // Hosts before jobs: a job that starts in between is then told to run, and not to wait.
        reads: () => [
          [{ kind: "command", name: "hosts", program: "exnodes", args: ["--list"] }],
          [{ kind: "command", name: "jobs", program: "exq", args: ["--list", "--queue", parsed.data.queue] }],
        ],
        interpret: (answers, context) => interpret(answers, context, parsed.data),
        commandsFor: (event, { memory }) => ({ commands: commandsFor(event), memory }),
      },
    };
  },
};

const settingsSchema = z.strictObject({
  /** Becomes an argument of a command: it must not be taken for an option. */
  queue: z
    .string()
    .regex(/^\w[\w.-]{0,99}$/, "expected a name of a queue")
    .default("default"),
  /** The node array for every job of the queue; any, when it is not given. */
  node_array: z.string().min(1).max(256).optional(),
});

type Settings = z.infer<typeof settingsSchema>;

function interpret(answers: Answers, context: Context, settings: Settings): Reading {
  const hostLines = linesOf(answers.hosts?.text, "hosts");
  if (hostLines === undefined) return { known: false, reason: '"exnodes" printed no whole list of hosts' };
  const jobLines = linesOf(answers.jobs?.text, "jobs");
  if (jobLines === undefined) return { known: false, reason: '"exq" printed no whole list of jobs' };
  const hosts = readRecords(hostLines, nodeLine, { nameOf: (line) => `host ${firstOf(line)}` });
  const jobs = readRecords(jobLines, jobLine, { nameOf: (line) => `job ${firstOf(line)}`, hostsOf });
  const busy = new Set([
    ...jobs.records.flatMap((job) => job.hosts),
    ...jobs.setAside.flatMap(({ executingHostnames = [] }) => executingHostnames),
  ]);
  return {
    known: true,
    jobs: jobs.records.map((job) => toJob(job, settings)),
    nodes: hosts.records.map((host) => toNode(host, busy)),
    setAside: [...hosts.setAside, ...jobs.setAside],
    silent: hosts.records.flatMap(({ hostname, state }) => (state === "away" ? [hostname] : [])),
    corrections: hosts.records.flatMap((host) => correction(host, context)),
    memory: {},
  };
}

function toJob(
  { id, cpus, memoryGiB, hosts, user, account, queue }: JobLine,
  { node_array: array }: Settings,
): Job {
  return {
    name: id,
    constraints: {
      ncpus: cpus,
      memgb: memoryGiB,
      ...(array === undefined ? {} : { "node.nodearray": array }),
    },
    ...(hosts.length === 0 ? {} : { executingHostnames: hosts }),
    ...(hosts.length > 1 ? { iterations: hosts.length } : {}),
    // Whose it is, as far as the scheduler says: costs and budgets are told apart by it.
    ...(user !== undefined && { user }),
    ...(account !== undefined && { account }),
    ...(queue !== undefined && { queue }),
  };
}

/** Drained is who takes nothing new and runs nothing, for sure: a host that does not answer is not. */
function toNode({ hostname, state, cpus }: NodeLine, busy: ReadonlySet<string>): SchedulerNode {
  const isOut = state === "closed" || state === "away";
  const isDrained = state === "closed" && !busy.has(hostname);
  return { hostname, resources: { ncpus: cpus }, state: isDrained ? "drained" : isOut ? "draining" : "up" };
}

/** A host that was drained and is open again, such as after a restart of the scheduler. */
function correction({ hostname, state }: NodeLine, { draining }: Context): readonly Command[] {
  return state === "open" && draining.has(shortHostname(hostname)) ? [exctl("close", hostname)] : [];
}

/** Every command may be repeated; a name that is none of a host is nobody's. */
function commandsFor({ kind, nodes }: NodeEvent): readonly Command[] {
  const verbs = {
    "node-joined": "add",
    drain: "close",
    undrain: "open",
    "node-deleted": "remove",
    "boot-timeout": "remove",
  } as const satisfies Readonly<Record<NodeEvent["kind"], string>>;
  return nodes
    .filter(({ hostname }) => /^[a-z0-9][a-z0-9.-]*$/i.test(hostname))
    .map(({ hostname }) => exctl(verbs[kind], hostname));
}

function exctl(verb: string, hostname: string): Command {
  return { program: "exctl", args: [verb, "--host", `=${hostname}`] };
}

/** Where a job runs whose line does not check out: the column of hosts is read by itself. */
function hostsOf(line: unknown): readonly string[] {
  const hosts = Array.isArray(line) ? jobLine.shape.hosts.safeParse(line.at(3)) : undefined;
  return hosts?.success ? hosts.data : [];
}

function firstOf(line: unknown): string {
  return Array.isArray(line) ? String(line[0]) : "of no name";
}
