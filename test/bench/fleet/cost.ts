import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Table from "cli-table3";
import { Command, Option } from "commander";
import { type Fleet, type Invocation, startFleet } from "./fleet.ts";
import { clusterNamed, fleetConfig } from "./load.ts";
import { billOf, type Counts, countCalls, hourly, monthOf, monthOfFleet } from "./prices.ts";
import { type Held, storedIn } from "./stored.ts";

/**
 * One simulated minute of a cluster is one beat of the timer: a snapshot, and a demand message if there is demand. Larger
 * clusters get longer beats, so that a slow machine does not skip any; what is counted is counted by the beat.
 */
interface Load {
  readonly nodes: number;
  /** Nodes that go and come back every twenty beats. */
  readonly turnover: number;
  readonly beatSeconds: number;
  readonly beats: number;
}

const loads: Readonly<Record<string, Load>> = {
  idle: { nodes: 0, turnover: 0, beatSeconds: 1, beats: 60 },
  "100 nodes": { nodes: 100, turnover: 20, beatSeconds: 2, beats: 60 },
  "5,000 nodes": { nodes: 5_000, turnover: 500, beatSeconds: 5, beats: 40 },
};

const command = new Command("cost")
  .description(
    "Counts what a cluster costs in a month: runs, seconds, messages and storage calls, times their prices",
  )
  .addOption(
    new Option("--load <name>", "one kind of cluster").choices(Object.keys(loads)).makeOptionMandatory(),
  )
  .action(run);

async function run(flags: { load: string }): Promise<void> {
  const load = loads[flags.load];
  if (load === undefined) return;
  const { counts, once, held, logged } = await measure(load);
  const month = monthOf(hourly(counts, load.beats));
  const rows = Object.entries(month).map(([what, count]) => [what, Math.round(count).toLocaleString("en")]);
  const counted = new Table({
    head: [`a month, ${flags.load}`, ""],
    style: { head: [], border: [], compact: true },
  });
  counted.push(...rows);
  process.stdout.write(`${counted.toString()}\n`);
  const bill = new Table({
    head: [
      "memory, MB",
      "always ready",
      "functions, USD",
      "Service Bus, USD",
      "storage, USD",
      "together, USD",
    ],
    style: { head: [], border: [], compact: true },
  });
  for (const memoryMb of [512, 2048])
    for (const alwaysReady of [0, 2]) {
      const { functionsUsd, serviceBusUsd, storageUsd } = billOf(month, { memoryMb, alwaysReady });
      const parts = [functionsUsd, serviceBusUsd, storageUsd, functionsUsd + serviceBusUsd + storageUsd];
      bill.push([memoryMb, alwaysReady, ...parts.map((usd) => usd.toFixed(2))]);
    }
  process.stdout.write(`${bill.toString()}\n`);
  const fleet = new Table({
    head: [
      "clusters, 512 MB",
      "functions, USD",
      "Service Bus, USD",
      "blob writes and lists, USD",
      "other storage, USD",
      "together, USD",
    ],
    style: { head: [], border: [], compact: true },
  });
  const each = Object.entries(counts).map(([what, count]) => [what, count - once[what as keyof Counts]]);
  const parts = {
    once: hourly(once, load.beats),
    cluster: hourly(Object.fromEntries(each) as unknown as Counts, load.beats),
  };
  for (const clusters of [1, 10, 100]) {
    const of = billOf(monthOfFleet(parts, clusters), { memoryMb: 512, alwaysReady: 0 });
    const { functionsUsd, serviceBusUsd, storageUsd, blobWritesUsd } = of;
    const usd = [functionsUsd, serviceBusUsd, blobWritesUsd, storageUsd - blobWritesUsd];
    fleet.push([clusters, ...[...usd, functionsUsd + serviceBusUsd + storageUsd].map((n) => n.toFixed(2))]);
  }
  process.stdout.write(`${fleet.toString()}\n`);
  const kept = new Table({
    head: ["kept", "blobs or rows", "KB each", "KB"],
    style: { head: [], border: [], compact: true },
  });
  for (const { name, count, bytes } of held)
    kept.push([name, count, (bytes / count / 1000).toFixed(1), (bytes / 1000).toFixed(0)]);
  process.stdout.write(`${kept.toString()}\n`);
  const { lines, bytes } = monthOf(hourly({ ...counts, ...logged }, load.beats)) as Counts & Logged;
  const megabytes = (bytes / 1e6).toFixed(0);
  process.stdout.write(`the app's own log: ${Math.round(lines)} lines a month, ${megabytes} MB\n`);
}

/** What the app itself logs; the host's lines and requests come on top. */
interface Logged {
  readonly lines: number;
  readonly bytes: number;
}

interface Measured {
  readonly counts: Counts;
  /** Of that, what a deployment does once for all of its clusters. */
  readonly once: Counts;
  /** At the end. */
  readonly held: readonly Held[];
  readonly logged: Logged;
}

async function measure(load: Load): Promise<Measured> {
  const { nodes, turnover, beatSeconds, beats } = load;
  const folder = await mkdtemp(join(tmpdir(), "cost-"));
  const cluster = "counted";
  const fleet = await startFleet({
    servers: [{ definitions: [clusterNamed(cluster, Math.max(20, nodes))] }],
    speed: 60 / beatSeconds,
    snapshotSchedule: `*/${beatSeconds} * * * * *`,
    config: { ...fleetConfig, idle_timeout: 5 * beatSeconds, demand_ttl: 5 * 60 },
    folder,
  });
  const post = (count: number) => {
    const job = { name: "load", constraints: { ncpus: 4, exclusive: true }, nodeCount: count };
    return nodes === 0 ? Promise.resolve() : fleet.post(cluster, [job]);
  };
  try {
    await settle(fleet, { cluster, post, load });
    const from = {
      calls: (await fleet.storageCalls()).length,
      invocations: fleet.invocations.length,
      lines: fleet.lines.length,
    };
    for (let beat = 0; beat < beats; beat += 1) {
      await post(beat % 40 < 20 ? nodes - turnover : nodes);
      await wait(beatSeconds * 1000);
    }
    const calls = (await fleet.storageCalls()).slice(from.calls);
    const invocations = fleet.invocations.slice(from.invocations);
    const counts = { ...runs(invocations), ...countCalls(calls) };
    const once = {
      ...runs(invocations.filter(({ functionName }) => functionName === "snapshot-nodes")),
      ...countCalls(calls.filter((call) => /\/config\?.*comp=list/.test(call))),
    };
    const lines = fleet.lines.slice(from.lines);
    const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(JSON.stringify(line)), 0);
    const held = await storedIn(fleet.connectionString);
    return { counts, once, held, logged: { lines: lines.length, bytes } };
  } finally {
    await fleet.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function runs(invocations: readonly Invocation[]): Pick<Counts, "executions" | "activeSeconds" | "messages"> {
  return {
    executions: invocations.length,
    // At least a second each is billed, in steps of a tenth. Runs that share an instance share the time, too: this is the most.
    activeSeconds: invocations.reduce(
      (total, { durationMs }) => total + Math.max(1, Math.ceil(durationMs / 100) / 10),
      0,
    ),
    // Sent, received, settled.
    messages:
      3 * invocations.filter(({ functionName }) => /plan-scale|execute-action/.test(functionName)).length,
  };
}

/** Waits until the cluster has all of its nodes and the first things are done that happen once. */
async function settle(
  fleet: Fleet,
  at: { readonly cluster: string; readonly post: (count: number) => Promise<void>; readonly load: Load },
): Promise<void> {
  const { nodes, beatSeconds } = at.load;
  const ends = Date.now() + 180_000;
  do {
    await at.post(nodes);
    await wait(beatSeconds * 1000);
  } while (fleet.nodes(at.cluster) < nodes && Date.now() < ends);
  if (fleet.nodes(at.cluster) < nodes)
    throw new Error(`Cannot measure: ${fleet.nodes(at.cluster)} of ${nodes} nodes`);
  for (let beat = 0; beat < 8; beat += 1) {
    await at.post(nodes);
    await wait(beatSeconds * 1000);
  }
}

await command.parseAsync();
process.exit();
