import {
  type Answers,
  type Command,
  type Context,
  type DriverKind,
  type Job,
  type NodeEvent,
  type Reading,
  type SchedulerNode,
  shortHostname,
} from "cyclecloud-autoscale/schedulers";

/** A driver for `toyq`, a scheduler that does not exist: docs/schedulers.md shows what it prints. */
export const driver: DriverKind = {
  name: "toyq",
  configure(section) {
    const queue = queueOf(section);
    if (queue === undefined) return { ok: false, problems: ["queue: expected the name of a queue"] };
    return {
      ok: true,
      driver: {
        reads: () => [[{ kind: "command", name: "all", program: "toyq", args: [`--queue=${queue}`] }]],
        interpret,
        commandsFor: ({ kind, nodes }, { memory }) => ({
          commands: nodes.map(({ hostname }) => toyctl(verbs[kind], hostname)),
          memory,
        }),
      },
    };
  },
};

export default driver;

function queueOf(section: unknown): string | undefined {
  const queue = typeof section === "object" && section !== null && "queue" in section ? section.queue : "all";
  return typeof queue === "string" && /^\w+$/.test(queue) ? queue : undefined;
}

const verbs = {
  "node-joined": "add",
  drain: "close",
  undrain: "open",
  "node-deleted": "remove",
  "boot-timeout": "remove",
} as const satisfies Record<NodeEvent["kind"], string>;

function toyctl(verb: string, hostname: string): Command {
  return { program: "toyctl", args: [verb, `--host=${hostname}`] };
}

function interpret({ all }: Answers, { draining }: Context): Reading {
  const rows = (all?.text ?? "")
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));
  const [end, count] = rows.pop() ?? [];
  const isWhole = end === "end" && Number(count) === rows.length;
  if (!isWhole || rows.some(([what]) => what !== "job" && what !== "host"))
    return { known: false, reason: '"toyq" printed no whole list' };
  const jobs = rows.filter(([what]) => what === "job").map(toJob);
  const busy = new Set(jobs.flatMap(({ executingHostnames = [] }) => executingHostnames));
  const nodes = rows.filter(([what]) => what === "host").map((row) => toNode(row, busy));
  const reopened = nodes.filter(
    ({ hostname, state }) => state === "up" && draining.has(shortHostname(hostname)),
  );
  const corrections = reopened.map(({ hostname }) => toyctl("close", hostname));
  return { known: true, jobs, nodes, setAside: [], silent: [], corrections, memory: {} };
}

function toJob([, name = "", cpus = "", host = "-"]: readonly string[]): Job {
  return { name, constraints: { ncpus: Number(cpus) }, ...(host !== "-" && { executingHostnames: [host] }) };
}

/** Drained: takes nothing new, and runs nothing. Its node is deleted then. */
function toNode([, hostname = "", state]: readonly string[], busy: ReadonlySet<string>): SchedulerNode {
  if (state === "open") return { hostname, resources: {}, state: "up" };
  return { hostname, resources: {}, state: busy.has(hostname) ? "draining" : "drained" };
}
