import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually, type LocalStack, never, startStack } from "../../../support/local-stack.ts";

/** Everything takes as long as everywhere else: a second of this machine. */
const second = { minSeconds: 60, medianSeconds: 60, maxSeconds: 60 };
const scalable = { autoscale: { enabled: true, is_hpc: false } };

const definition = {
  name: "hpc",
  region: "westeurope",
  maxCount: 40,
  maxCoreCount: 800,
  quotas: {
    westeurope: {
      cores: 900,
      families: { standardFSv2Family: 96, standardHBv3Family: 480, standardDASv5Family: 100 },
    },
  },
  times: { boot: second, start: second, terminate: second, deallocate: second },
  nodes: [{ name: "scheduler", machineType: "Standard_D4as_v5" }],
  nodearrays: [
    {
      name: "htc",
      machineTypes: ["Standard_F4s_v2", "Standard_F16s_v2"],
      maxCount: 8,
      maxCoreCount: 64,
      configuration: scalable,
    },
    {
      name: "mpi",
      machineTypes: ["Standard_HB120rs_v3"],
      maxCount: 4,
      maxCoreCount: 480,
      maxScalesetSize: 4,
      configuration: { autoscale: { enabled: true, is_hpc: true } },
    },
    {
      name: "viz",
      machineTypes: ["Standard_D8as_v5"],
      maxCount: 4,
      maxCoreCount: 32,
      shutdownPolicy: "Deallocate",
      configuration: scalable,
    },
  ],
};

/** Nothing goes by itself while a test looks. */
const config = {
  snapshot_interval: 0,
  idle_timeout: 3_600,
  boot_timeout: 1_800,
  demand_ttl: 7_200,
  max_snapshot_age: 3_600,
  failed_nodes: "keep",
};

/**
 * Few enough to be read: one that runs, an array that has its places, one too big, one placed in part, one of two nodes. They wait for
 * whole hours and ten minutes or a little more: transcripts leave out the minutes, and so have most of an hour to be printed in.
 */
export function jobsOf(nowMs: number): readonly object[] {
  const submittedAt = (minutes: number) => ({
    submittedAt: new Date(nowMs - minutes * 60_000 - 20_000).toISOString(),
  });
  const htc = { "node.nodearray": "htc" };
  return [
    {
      name: "1200",
      constraints: { ncpus: 4, ...htc },
      executingHostnames: ["ip-0A000005"],
      ...submittedAt(190),
    },
    { name: "1201", iterations: 6, constraints: { ncpus: 2, ...htc }, ...submittedAt(130) },
    { name: "1202", constraints: { ncpus: 160 }, ...submittedAt(131) },
    { name: "1203", iterations: 12, constraints: { ncpus: 4, ...htc }, ...submittedAt(71) },
    {
      name: "1204",
      nodeCount: 2,
      iterations: 2,
      colocated: true,
      exclusive: true,
      constraints: { ncpus: 120, "node.nodearray": "mpi" },
      ...submittedAt(70),
    },
  ];
}

/** A job that another node is needed for. */
export const oneMore = { name: "1205", constraints: { ncpus: 120, "node.nodearray": "mpi" } };

export async function startScene(): Promise<LocalStack> {
  const stack = await startStack({ definition, config, snapshotSchedule: never });
  await writeFiles(stack);
  return stack;
}

/** Names of the files that lines may name. Some are written by commands. */
export const files = [
  "hpc.zip",
  "jobs.json",
  "fixed.json",
  "autoscale.json",
  "agent.json",
  "etc-slurm",
  "two-sizes.json",
  "tiny.swf",
];

/** What the scheduler `lsf` posted. What is wrong with its envelope is wrong with all of it: a bad job would be set aside. */
export function lsfDemand(ttlSeconds: number): object {
  const sentAt = "2026-11-22T10:00:00Z";
  const jobs = [{ name: "1300", iterations: 4, constraints: { ncpus: 1 } }];
  return {
    version: 1,
    kind: "snapshot",
    cluster: "hpc",
    source: "lsf",
    sequence: 1,
    sentAt,
    ttlSeconds,
    jobs,
  };
}

/** As azslurm leaves them. */
const azslurmFiles = {
  "autoscale.json": JSON.stringify({
    cluster_name: "hpc",
    url: "https://cyclecloud.example.com",
    username: "autoscale",
    lock_file: "/tmp/scalelib.lock",
  }),
  "slurm.conf": "ReturnToService=2\nSuspendTime=300\nResumeTimeout=1800\nResumeRate=100\n",
  "azure.conf":
    "PartitionName=htc Nodes=htc-[1-50] Default=YES State=UP\nNodename=htc-[1-50] Feature=cloud STATE=CLOUD CPUs=4 RealMemory=7168\n",
  "keep_alive.conf": "SuspendExcNodes=htc-3\n",
};

async function writeFiles({ folder, environment }: LocalStack): Promise<void> {
  const { cycleCloudUrl: url, account } = environment;
  const connection = { cluster_name: "hpc", url, username: account.username, verify_certificates: true };
  const agent = { cluster: "hpc", source: "slurm", driver: "slurm", state_folder: join(folder, "agent") };
  const contents: Readonly<Record<string, unknown>> = {
    "jobs.json": [{ name: "1400", iterations: 3, constraints: { ncpus: 2 } }],
    "fixed.json": lsfDemand(7_200),
    "autoscale.json": { ...connection, ...config, idle_timeout: 1_800, output_columns: ["name", "state"] },
    "agent.json": agent,
  };
  for (const [name, content] of Object.entries(contents))
    await writeFile(join(folder, name), JSON.stringify(content));
  await mkdir(join(folder, "etc-slurm"));
  for (const [name, text] of Object.entries(azslurmFiles))
    await writeFile(join(folder, "etc-slurm", name), text);
  for (const name of ["two-sizes.json", "slots.json", "tiny.swf"])
    await copyFile(join(import.meta.dirname, "../fixtures", name), join(folder, name));
  await mkdir(slurmOf(folder));
  await writeProgram(folder, "sinfo", `cat '${recorded}/sinfo.txt'`);
  // Without a heading it is asked for switches.
  await writeProgram(
    folder,
    "squeue",
    `test "$1" = --noheader && exec cat '${recorded}/switches.txt'; cat '${recorded}/squeue.txt'`,
  );
  // By the second word what is asked of it: partitions, licences, reservations, its configuration; nodes as JSON or as lines.
  const file = `'${recorded}'/$2.txt`;
  const answers = [
    `*assoc_mgr*) cat '${recorded}/limits.txt';;`,
    `*node*--oneliner*) cat '${recorded}/specs.txt';;`,
    `*) test -f ${file} && cat ${file} || cat '${recorded}/scontrol.txt';;`,
  ];
  await writeProgram(folder, "scontrol", `case "$*" in ${answers.join(" ")} esac`);
}

async function writeProgram(folder: string, name: string, command: string): Promise<void> {
  await writeFile(join(slurmOf(folder), name), `#!/bin/sh\n${command}\n`, { mode: 0o755 });
}

/** A Slurm whose node htc-1 runs two jobs while more wait, as its programs told it. */
const recorded = join(import.meta.dirname, "../../agent/drivers/fixtures/slurm/one-node-runs-two-jobs");

/** Where programs are that answer as a Slurm once did. */
export function slurmOf(folder: string): string {
  return join(folder, "slurm");
}

/** Posts what the scheduler wants and waits until it is planned and nothing is on its way any more. */
export async function wants(stack: LocalStack, jobs: readonly object[]): Promise<void> {
  await asks(stack, jobs);
  await settled(stack);
}

/** Posts what the scheduler wants and waits until it is planned. */
export async function asks(stack: LocalStack, jobs: readonly object[]): Promise<void> {
  const sequence = await stack.post(jobs, { ttlSeconds: 7_200 });
  await eventually(stack.readStatus, ({ demand, plans }) => {
    const received = demand.find((source) => source.sequence === sequence)?.receivedAtSeconds;
    return received !== undefined && (plans[0]?.atSeconds ?? 0) > received;
  });
}

/** While a test waits a snapshot comes every second, and a plan a second after what asks for it: later than that nothing comes by itself. */
const quietSeconds = 2.5;

export async function settled(stack: LocalStack): Promise<void> {
  await eventually(stack.readStatus, ({ openOperations, plans, atSeconds, nodes }) => {
    const isQuiet = atSeconds - (plans[0]?.atSeconds ?? atSeconds) > quietSeconds;
    return isQuiet && openOperations === 0 && moving.every((state) => nodes[state] === undefined);
  });
}

/** States that nodes leave by themselves. */
export const moving: readonly string[] = [
  "Acquiring",
  "Preparing",
  "Stopping",
  "Terminating",
  "Restarting",
  "Reimaging",
];
