import type {
  Answers,
  Command,
  Context,
  DriverKind,
  Job,
  Memory,
  NodeEvent,
  Reading,
  SchedulerNode,
  SetAside,
} from "../../../clients/agent/drivers/driver.ts";
import type { ReadRecord } from "../../../clients/agent/drivers/records.ts";

/**
 * A small and correct driver, of which `contract-mistakes.test.ts` makes wrong ones by changing its text. What it takes of the
 * library is given to it, so that a changed copy can be loaded from anywhere.
 *
 * `toyjobs` prints `id <tab> cpus <tab> nodes <tab> priority <tab> user <tab> hosts`, with `-` for no hosts; `toyhosts` prints
 * `host <tab> open, closed or mute <tab> cpus <tab> licences`, and `array <tab> cpus <tab> licences` of what may come. Both end with
 * `end <tab> lines`. Jobs of a mute host are not printed: it keeps what it ran last.
 */
export function toyDriver({
  shortHostname,
  readRecords,
}: typeof import("../../../clients/library/schedulers/index.ts")): DriverKind {
  const rowsOf = (text = "") => {
    const rows = text
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t"));
    const [end, count] = rows.pop() ?? [];
    return end === "end" && Number(count) === rows.length ? rows : undefined;
  };

  const readJob = (value: unknown): ReadRecord<Job> => {
    const [name = "", cpus = "", nodes = "", priority = "", user = "", hosts = ""] = value as string[];
    if (!/^\d+$/.test(name)) return { ok: false, reason: `id: "${name}", expected a number` };
    if (![cpus, nodes, priority].every((text) => /^\d{1,9}$/.test(text)))
      return { ok: false, reason: "expected numbers of cpus, nodes and priority" };
    const job: Job = {
      name,
      constraints: { ncpus: Number(cpus) },
      priority: Number(priority),
      ...(Number(nodes) > 1 && { nodeCount: Number(nodes) }),
      ...(/^\w{1,20}$/.test(user) && { user }),
      ...(hosts !== "-" && { executingHostnames: hosts.split(",") }),
    };
    return { ok: true, record: job };
  };

  const hostsOfRow = (value: unknown) => {
    const hosts = (value as string[])[5] ?? "-";
    return hosts === "-" ? [] : hosts.split(",");
  };

  const ranBefore = ({ ran }: Memory): readonly (readonly [string, readonly string[]])[] =>
    typeof ran === "object" && ran !== null
      ? Object.entries(ran).flatMap(([host, names]) =>
          Array.isArray(names) ? [[host, names.map(String)] as const] : [],
        )
      : [];

  const interpret = (answers: Answers, { draining, memory }: Context): Reading => {
    const jobRows = rowsOf(answers.jobs?.text);
    const hostRows = rowsOf(answers.hosts?.text);
    if (jobRows === undefined || hostRows === undefined) return { known: false, reason: "no whole list" };
    if (hostRows.some(([what]) => what !== "array" && what?.startsWith("ip-") !== true))
      return { known: false, reason: "no list of hosts" };
    const read = readRecords(jobRows, readJob, {
      nameOf: (row) => `job ${(row as string[])[0]}`,
      hostsOf: hostsOfRow,
    });
    const setAside: readonly SetAside[] = read.setAside;
    const hosts = hostRows.filter(([what]) => what !== "array");
    const mute = new Set(hosts.filter(([, state]) => state === "mute").map(([host = ""]) => host));
    const kept = ranBefore(memory)
      .filter(([host]) => mute.has(host))
      .flatMap(([host, names]) =>
        names
          .filter((name) => read.records.every((job) => job.name !== name))
          .map((name): Job => ({ name, constraints: {}, executingHostnames: [host] })),
      );
    const jobs = [...read.records, ...kept];
    const busy = new Set([
      ...jobs.flatMap(({ executingHostnames = [] }) => executingHostnames),
      ...setAside.flatMap(({ executingHostnames = [] }) => executingHostnames),
    ]);
    const stateOf = (host: string, state: string): SchedulerNode["state"] => {
      if (state === "open") return "up";
      return busy.has(host) || state === "mute" ? "draining" : "drained";
    };
    const nodes = hosts.map(
      ([hostname = "", state = "", cpus = "", licences = ""]): SchedulerNode => ({
        hostname,
        resources: { ncpus: Number(cpus), licences: Number(licences) },
        state: stateOf(hostname, state),
      }),
    );
    const shapes = hostRows
      .filter(([what]) => what === "array")
      .map(([, cpus, licences]) => ({
        nodeArray: "htc",
        resources: { ncpus: Number(cpus), licences: Number(licences) },
      }));
    const reopened = hosts.filter(
      ([host = "", state]) => state === "open" && draining.has(shortHostname(host)),
    );
    const ran = hosts.map(([host = ""]) => {
      const names = jobs.filter(({ executingHostnames = [] }) => executingHostnames.includes(host));
      return [host, names.map(({ name }) => name)] as const;
    });
    return {
      known: true,
      jobs,
      nodes,
      shapes,
      setAside,
      silent: [...mute],
      corrections: reopened.map(([host = ""]) => toyctl("close", host)),
      memory: { ran: Object.fromEntries(ran) },
    };
  };

  const verbs: Readonly<Record<NodeEvent["kind"], string>> = {
    "node-joined": "add",
    drain: "close",
    undrain: "open",
    "node-deleted": "remove",
    "boot-timeout": "remove",
  };

  const toyctl = (verb: string, hostname: string): Command => ({
    program: "toyctl",
    args: [verb, ["--host", hostname].join("=")],
  });

  return {
    name: "toy",
    configure: () => ({
      ok: true,
      driver: {
        reads: () => [
          [{ kind: "command", name: "hosts", program: "toyhosts", args: [] }],
          [{ kind: "command", name: "jobs", program: "toyjobs", args: [] }],
        ],
        interpret,
        commandsFor: ({ kind, nodes }, { memory }) => ({
          commands: nodes.map(({ hostname }) => toyctl(verbs[kind], hostname)),
          memory,
        }),
      },
    }),
  };
}
