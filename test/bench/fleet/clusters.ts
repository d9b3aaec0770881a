import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Table from "cli-table3";
import { Command } from "commander";
import { type Fleet, startFleet, type Used } from "./fleet.ts";
import { clusterNamed, singleJobs } from "./load.ts";
import type { Invocation, Line } from "./worker.ts";

const slow = "slow";
const dead = "dead";
const large = "large";
/** As many as one list of a message may have. */
const jobsOfLarge = 200_000;
/** What is measured is given up when nothing came for so long. */
const longestSilenceSeconds = 180;
/** The aim: from a message to its action, for 95 of 100 of healthy clusters. */
const mostSeconds = 5;

interface Flags {
  readonly clusters: number;
  readonly nodes: number;
  readonly workers: number;
  readonly memory: number;
  readonly messages: number;
  readonly every: number;
  readonly healthy?: true;
  readonly check?: true;
}

const command = new Command("clusters")
  .description(
    "One deployment with many clusters: how soon a message becomes an action, and where its time goes",
  )
  .option("--clusters <number>", "clusters, the troubled ones included", Number, 30)
  .option("--nodes <number>", "that each has from the start", Number, 500)
  .option("--workers <number>", "processes that run the functions", Number, 3)
  .option("--memory <MB>", "of an instance, as instanceMemoryMB", Number, 2_048)
  .option("--messages <number>", "that each cluster posts", Number, 5)
  .option("--every <seconds>", "between two of them", Number, 30)
  .option("--healthy", "without the dead cluster, the slow one, and the one of 200,000 jobs")
  .option("--check", `fail when p95 is over ${mostSeconds} s`)
  .action(async (flags: Flags) => {
    const folder = await mkdtemp(join(tmpdir(), "fleet-"));
    try {
      await measure(flags, folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

/** A message, and when its post began and had ended (Unix seconds). */
interface Post {
  readonly cluster: string;
  /** Nodes that its cluster has once there is one for it. */
  readonly nodes: number;
  readonly begun: number;
  readonly posted: number;
}

async function measure(flags: Flags, folder: string): Promise<void> {
  const { clusters, nodes, workers, messages, healthy = false } = flags;
  const troubled = healthy ? [] : [slow, dead, large];
  const names = Array.from({ length: clusters - troubled.length }, (_, index) => `cluster-${index + 1}`);
  const most = nodes + messages;
  const ready = healthy ? names : [...names, large];
  const fleet = await startFleet({
    servers: [
      { definitions: ready.map((name) => clusterNamed(name, most)) },
      ...(healthy
        ? []
        : [
            { definitions: [clusterNamed(slow, most)], latencyMilliseconds: 30_000 },
            // It takes connections, and does not answer.
            { definitions: [clusterNamed(dead, most)], latencyMilliseconds: 3_600_000 },
          ]),
    ],
    // The first nodes boot in a second or two.
    speed: 60,
    workers,
    memoryMb: flags.memory,
    snapshotSchedule: "*/30 * * * * *",
    config: { verify_certificates: true },
    folder,
  });
  try {
    const began = Date.now();
    await Promise.all(ready.map((name) => fleet.post(name, singleJobs(nodes))));
    await until(fleet, () => ready.every((name) => fleet.nodesUp(name) >= nodes));
    const filledSeconds = (Date.now() - began) / 1000;
    fleet.setSpeed(1);
    const upAt = Date.now() / 1000 + 1;
    const isRead = (name: string) =>
      fleet.lines.some((line) => line.event === "snapshot" && line.cluster === name && line.atSeconds > upAt);
    await until(fleet, () => ready.every(isRead));
    const hosts = new Map<string, readonly string[]>();
    for (const name of ready) hosts.set(name, await fleet.hostnames(name));
    const busySeconds = await becomeBusy(fleet, ready, hosts);
    const [before, startedAt] = [await fleet.used(), Date.now()];
    const peak = watchMemory(fleet);
    const posts = await live(fleet, flags, { names, troubled, hosts });
    await until(fleet, () => posts.every((post) => fleet.created(post.cluster).length >= post.nodes));
    const took = { wallSeconds: (Date.now() - startedAt) / 1000, before, after: await fleet.used() };
    const waysOf = () => posts.map((post) => wayOf(fleet, post));
    let ways = waysOf();
    // A run of a function is known when it is over, a moment after its call.
    for (let tries = 0; tries < 40 && !ways.every(isWhole); tries += 1) {
      await wait(250);
      ways = waysOf();
    }
    printWays(ways, posts);
    printFigures(fleet, {
      ...took,
      filledSeconds,
      busySeconds,
      messages: posts.length,
      names,
      since: startedAt / 1000,
      peak: peak(),
    });
    const p95 = quantile(
      ways.map((way) => way["the call"] - way.begun),
      0.95,
    );
    if (flags.check && p95 > mostSeconds) process.exitCode = 1;
  } finally {
    await fleet.stop();
  }
}

/** Jobs start on all nodes at once, each of which is a row of history: what is measured comes after that. Returns seconds. */
async function becomeBusy(
  fleet: Fleet,
  names: readonly string[],
  hosts: ReadonlyMap<string, readonly string[]>,
): Promise<number> {
  const began = Date.now();
  await Promise.all([...hosts].map(([name, known]) => fleet.post(name, singleJobs(known.length, known))));
  const isPlanned = (name: string) => {
    const own = fleet.lines.filter(({ cluster, atSeconds }) => cluster === name && atSeconds > began / 1000);
    const merged = own.findIndex(({ event }) => event === "demand");
    return merged >= 0 && own.slice(merged).some(({ event }) => event === "plan");
  };
  await until(fleet, () => names.every(isPlanned));
  return (Date.now() - began) / 1000;
}

/** Every cluster posts in its own rhythm, and each message has one job more. Returns those of the healthy ones. */
async function live(
  fleet: Fleet,
  { nodes, messages, every }: Flags,
  {
    names,
    troubled,
    hosts,
  }: Record<"names" | "troubled", readonly string[]> & {
    readonly hosts: ReadonlyMap<string, readonly string[]>;
  },
): Promise<readonly Post[]> {
  const posts: Post[] = [];
  const isTroubled = new Set(troubled);
  const cluster = async (name: string) => {
    const known = hosts.get(name) ?? [];
    for (let count = 1; count <= messages; count += 1) {
      // A new phase each time, of whatever beats in seconds.
      const early = Math.random() * every * 1000;
      await wait(early);
      const begun = Date.now() / 1000;
      const jobs = name === large ? jobsOfLarge - messages + count : nodes + count;
      await fleet.post(name, singleJobs(jobs, known));
      const post = { cluster: name, nodes: nodes + count, begun, posted: Date.now() / 1000 };
      if (!isTroubled.has(name)) posts.push(post);
      await wait(every * 1000 - early);
    }
  };
  await Promise.all([...names, ...troubled].map(cluster));
  return posts;
}

/** Each station, and the one before it. */
const stations = {
  posted: "begun",
  "taken off the queue": "posted",
  "merged, a plan asked for": "taken off the queue",
  "delivered to the planner": "merged, a plan asked for",
  "planned, its action delivered": "delivered to the planner",
  "the call": "planned, its action delivered",
} as const;

/** When a message came where (Unix seconds). */
type Way = Readonly<Record<keyof typeof stations | "begun", number>>;

function wayOf(fleet: Fleet, { cluster, nodes, begun, posted }: Post): Way {
  const call = fleet.created(cluster)[nodes - 1] ?? Number.NaN;
  // A run logs the cluster that it works for; its plan is the last thing that it logs.
  const starts = (functionName: string, event: string) => {
    const runs = new Set(
      fleet.lines.flatMap((line) =>
        line.cluster === cluster && line.event === event ? [line.invocation] : [],
      ),
    );
    return fleet.invocations
      .filter((run) => run.functionName === functionName && runs.has(run.id))
      .map((run) => run.atSeconds - run.durationMs / 1000)
      .filter((startSeconds) => startSeconds > begun && startSeconds <= call);
  };
  const accepted = Math.min(...starts("accept-demand", "demand"));
  const asked = fleet.lines.find(
    (line) => line.cluster === cluster && line.event === "demand" && line.atSeconds >= accepted,
  );
  const executed = Math.max(...starts("execute-action", "action"));
  return {
    begun,
    posted,
    "taken off the queue": accepted,
    "merged, a plan asked for": asked?.atSeconds ?? Number.NaN,
    "delivered to the planner": Math.max(
      ...starts("plan-scale", "plan").filter((start) => start <= executed),
    ),
    "planned, its action delivered": executed,
    "the call": call,
  };
}

function isWhole(way: Way): boolean {
  return Object.values(way).every(Number.isFinite);
}

function printWays(ways: readonly Way[], posts: readonly Post[]): void {
  const table = tableOf(["milliseconds", "median", "p95", "longest"]);
  const row = (name: string, values: readonly number[]) =>
    table.push([name, ...[0.5, 0.95, 1].map((share) => (1000 * quantile(values, share)).toFixed(0))]);
  for (const [name, before] of Object.entries(stations) as [keyof Way, keyof Way][])
    row(
      name,
      ways.map((way) => way[name] - way[before]),
    );
  row(
    "from the post to the call",
    ways.map((way) => way["the call"] - way.begun),
  );
  process.stdout.write(`${posts.length} messages of healthy clusters\n${table.toString()}\n`);
}

function printFigures(
  { lines, invocations }: Fleet,
  run: {
    readonly wallSeconds: number;
    readonly before: readonly Used[];
    readonly after: readonly Used[];
    readonly filledSeconds: number;
    readonly busySeconds: number;
    readonly messages: number;
    readonly names: readonly string[];
    readonly since: number;
    readonly peak: ReadonlyMap<string, number>;
  },
): void {
  const cores = availableParallelism();
  const spent = run.after.map(({ name, processorSeconds }) => {
    const was = run.before.find((each) => each.name === name)?.processorSeconds ?? 0;
    return { name, seconds: processorSeconds - was };
  });
  const processes = tableOf(["process", "of a core", "most resident MB"]);
  for (const { name, seconds } of spent)
    processes.push([
      name,
      `${((100 * seconds) / run.wallSeconds).toFixed(0)} %`,
      run.peak.get(name)?.toFixed(0) ?? "",
    ]);
  const ofWorkers = spent
    .filter(({ name }) => name.startsWith("worker"))
    .reduce((sum, { seconds }) => sum + seconds, 0);
  const all = spent.reduce((sum, { seconds }) => sum + seconds, 0) / run.wallSeconds / cores;
  const during = <T extends Invocation | Line>(items: readonly T[]) =>
    items.filter(({ atSeconds }) => atSeconds >= run.since);
  const events = (event: string) => during(lines).filter((line) => line.event === event);
  const late = new Set(events("snapshot-late").map(({ cluster }) => cluster));
  const figures = tableOf(["", ""]);
  figures.push(
    ["until all had their first nodes", `${run.filledSeconds.toFixed(1)} s`],
    ["until all of these were busy", `${run.busySeconds.toFixed(1)} s`],
    ["measured for", `${run.wallSeconds.toFixed(0)} s`],
    ["plans", events("plan").length],
    ["processor time of the workers, a message", `${((1000 * ofWorkers) / run.messages).toFixed(0)} ms`],
    [
      `plans of ${jobsOfLarge.toLocaleString("en")} jobs`,
      events("plan").filter(({ cluster, jobs }) => cluster === large && Number(jobs) > jobsOfLarge / 2)
        .length,
    ],
    [
      "readings of healthy clusters, at most apart",
      `${longestGapSeconds(events("snapshot"), run.names).toFixed(0)} s`,
    ],
    ["skipped as late", [...late].join(", ") || "none"],
    ["runs of functions that failed", during(invocations).filter(({ succeeded }) => !succeeded).length],
    [`of the ${cores} cores, this benchmark`, `${(100 * all).toFixed(0)} %`],
    ["load of the machine", loadavg()[0]?.toFixed(1) ?? ""],
  );
  process.stdout.write(`${processes.toString()}\n${figures.toString()}\n`);
}

function longestGapSeconds(snapshots: readonly Line[], names: readonly string[]): number {
  const gaps = names.flatMap((name) => {
    const times = snapshots.filter(({ cluster }) => cluster === name).map(({ atSeconds }) => atSeconds);
    return times.slice(1).map((time, index) => time - (times[index] ?? time));
  });
  return Math.max(0, ...gaps);
}

/** The most that each process held, looked at every five seconds until it is asked. */
function watchMemory(fleet: Fleet): () => ReadonlyMap<string, number> {
  const peak = new Map<string, number>();
  const look = async () => {
    for (const { name, residentMb } of await fleet.used())
      peak.set(name, Math.max(peak.get(name) ?? 0, residentMb));
  };
  const timer = setInterval(look, 5_000);
  return () => {
    clearInterval(timer);
    return peak;
  };
}

async function until(fleet: Fleet, isSo: () => boolean): Promise<void> {
  let [seen, seenAt] = [0, Date.now()];
  while (!isSo()) {
    if (fleet.invocations.length > seen) [seen, seenAt] = [fleet.invocations.length, Date.now()];
    if (Date.now() - seenAt > longestSilenceSeconds * 1000)
      throw new Error("Cannot measure: nothing happened for three minutes");
    await wait(250);
  }
}

/** Only those that are known: two messages that one plan answers share some of their stations. */
function quantile(values: readonly number[], share: number): number {
  const known = values.filter(Number.isFinite).toSorted((a, b) => a - b);
  return known[Math.ceil(share * known.length) - 1] ?? Number.NaN;
}

function tableOf(head: string[]): Table.Table {
  return new Table({ head, style: { head: [], border: [], compact: true } });
}

await command.parseAsync();
process.exit();
