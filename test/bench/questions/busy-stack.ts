import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectControl, type SimulatorControl } from "../../../infra/local/demo/simulator.ts";
import { type Environment, startEnvironment } from "../../../infra/local/environment/environment.ts";
import type { ClusterStatus, NodeView } from "../../../shared/api/index.ts";
import { demandSender } from "../../support/local-stack.ts";
import {
  clusterName,
  config,
  definition,
  type Job,
  roomyJobs,
  startedJobs,
  waitingJobs,
} from "./busy-cluster.ts";
import { ageNodes, storesOf, writePast } from "./past.ts";

const program = join(import.meta.dirname, "../../../dist/ccscale/main.js");
const speed = 60;
const patienceMs = 600_000;

/** A cluster of 2,300 nodes with the troubles of a usual week, on this machine. */
export interface BusyStack {
  readonly environment: Environment;
  /** Runs ccscale as a process of its own, from the build. */
  ccscale(argv: readonly string[]): Promise<Run>;
  stop(): Promise<void>;
}

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly milliseconds: number;
}

/** Takes some minutes. `tell` gets a word on each step. */
export async function startBusyStack(folder: string, tell: (step: string) => void): Promise<BusyStack> {
  const clusterFile = join(folder, "cluster.json");
  await writeFile(clusterFile, JSON.stringify(definition));
  const environment = await startEnvironment({
    clusterFile,
    cluster: clusterName,
    config,
    speed,
    seed: 7,
    folder,
    snapshotSchedule: "*/2 * * * * *",
  });
  try {
    const stack = onEnvironment(environment);
    await bringUp(stack, environment, tell);
    return { environment, ccscale: stack.ccscale, stop: environment.stop };
  } catch (error) {
    await environment.stop();
    throw error;
  }
}

/** What the steps below do again and again. */
interface Hands {
  ccscale(argv: readonly string[]): Promise<Run>;
  /** The same, of a command that must succeed. */
  does(...argv: readonly string[]): Promise<void>;
  send(message: string | object): Promise<void>;
  /** Posts everything that source `slurm` wants. */
  post(jobs: readonly Job[]): Promise<void>;
  get<T>(path: string): Promise<T>;
  until(what: string, isSo: (status: ClusterStatus) => boolean): Promise<ClusterStatus>;
}

function onEnvironment(environment: Environment): Hands {
  const base = `${environment.functionsUrl}/api/clusters/${clusterName}`;
  let sequence = 0;
  const send = demandSender(environment.storageConnectionString);
  const get = async <T>(path: string): Promise<T> => {
    const response = await fetch(`${base}/${path}`);
    if (!response.ok) throw new Error(`Cannot read "${path}": HTTP ${response.status}`);
    return (await response.json()) as T;
  };
  const ccscale = (argv: readonly string[]) => ran(argv, environment.functionsUrl);
  return {
    ccscale,
    send,
    get,
    does: async (...argv) => {
      const { code, stderr } = await ccscale(argv);
      if (code !== 0) throw new Error(`ccscale ${argv.join(" ")} ended with ${code}: ${stderr}`);
    },
    post: async (jobs) => {
      sequence += 1;
      const envelope = { version: 1, kind: "snapshot", cluster: clusterName, source: "slurm", sequence };
      const body = JSON.stringify({ ...envelope, sentAt: new Date().toISOString(), jobs });
      // Larger than a message of the queue may be.
      const response = await fetch(`${base}/demand`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      if (!response.ok) throw new Error(`Cannot post jobs: HTTP ${response.status} ${await response.text()}`);
    },
    until: async (what, isSo) => {
      const giveUpAt = Date.now() + patienceMs;
      for (;;) {
        const status = await get<ClusterStatus>("status");
        if (isSo(status)) return status;
        if (Date.now() > giveUpAt)
          throw new Error(`Cannot go on: no ${what}; ${JSON.stringify(status.nodes)}`);
        await sleep(1_000);
      }
    },
  };
}

async function bringUp(hands: Hands, environment: Environment, tell: (step: string) => void): Promise<void> {
  const { until, post, does, send } = hands;
  const stores = storesOf(environment.storageConnectionString);
  const simulator = await connectControl(environment.cycleCloudUrl, speed);
  await until("first snapshot", ({ snapshot }) => snapshot !== null);
  tell("writing the past");
  await writePast(stores, Date.now() / 1000);

  tell("2,300 nodes boot");
  const nowMs = Date.now();
  const started = startedJobs(nowMs);
  await post(started);
  await until("2,130 nodes", ({ nodes }) => (nodes.Ready ?? 0) >= 2_130);
  // No job needs them, so they idle.
  await does(
    "create-nodes",
    "--count",
    "170",
    "--nodearray",
    "spot",
    "--reason",
    "warm spares",
    "--by",
    "bob",
  );
  await until("2,300 nodes", ({ nodes }) => (nodes.Ready ?? 0) >= 2_300);

  tell("jobs run, and 10,000 wait");
  await trouble(hands, simulator);
  const running = await withHosts(hands, started);
  await post([...running, ...waitingJobs(nowMs)]);
  await until("plan", planned(Date.now() / 1000));

  tell("an operator decides this and that");
  await decisions(hands);
  await send(demandOf("pbs", { ttlSeconds: 2, jobs: [{ name: "old-1", constraints: { ncpus: 4 } }] }));
  await send(demandOf("lsf", { ttlSeconds: -4, jobs: [] }));
  await until("silent source", ({ demand, rejections }) => rejections.length > 0 && demand.length > 1);
  await until("quiet", quiet);
  await ageNodes(stores, Date.now() / 1000);
  await simulator.tell("speed", { speed: 0.01 });

  tell("some nodes boot, and then somebody pauses the cluster");
  const booting = [...running, ...waitingJobs(nowMs), ...roomyJobs(95_000, 10, nowMs)];
  await post(booting);
  await until("nodes that boot", ({ nodes }) => (nodes.Acquiring ?? 0) + (nodes.Preparing ?? 0) >= 10);
  await does("pause", "--by", "ann", "--reason", "quota talks");
  await failures(hands, simulator);
  await post([...booting, ...roomyJobs(95_100, 5, nowMs)]);
  await until("plan", planned(Date.now() / 1000));
}

/** Evictions, as Azure has them. */
async function trouble(hands: Hands, simulator: SimulatorControl): Promise<void> {
  const cluster = clusterName;
  await simulator.tell("drought", { cluster, nodearray: "spot", machineType: "Standard_D16as_v5" });
  await simulator.tell("evict", { cluster, names: namesFrom("spot", 31, 9) });
  await hands.until("evictions", ({ lostNodes }) => lostNodes.length > 0);
}

/** Nodes that fail while the cluster is paused: otherwise they go at once, because jobs wait for their room. */
async function failures(hands: Hands, simulator: SimulatorControl): Promise<void> {
  const fail = (nodes: readonly string[], message: string) =>
    simulator.tell("fail", { cluster: clusterName, names: nodes, message });
  await fail(
    namesFrom("htc", 11, 6),
    "Software Configuration: exit code 32 of mount /shared: Connection timed out",
  );
  await fail(namesFrom("hpc", 21, 3), "InfiniBand port down");
  await fail(namesFrom("gpu", 5, 1), "Xid 79: GPU has fallen off the bus");
  await hands.until("failures", ({ nodes }) => (nodes.Failed ?? 0) >= 10);
}

function namesFrom(array: string, from: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${array}-${from + index}`);
}

async function decisions({ does }: Hands): Promise<void> {
  const ann = ["--by", "ann"];
  const bob = ["--by", "bob"];
  await does("config", "set", "idle_timeout.htc", "1800", "--yes", ...ann);
  await does("drain", "htc-101", "htc-102", "--reason", "disk errors", ...bob);
  await does("keep-alive", "on", "mem-3", "--for", "2d", "--reason", "user debugs there", ...bob);
  await does("ignore", "hpc-7", "--reason", "with the vendor", ...ann);
  await does("autoscale", "--name", "gpu", "--instancecount", "50", "--expiration-interval", "86400");
}

/** The jobs with the hosts on which the plan has placed them; those whose node is not up wait. */
async function withHosts({ get }: Hands, jobs: readonly Job[]): Promise<readonly Job[]> {
  const hosts = new Map<string, string[]>();
  const { nodes } = await get<{ readonly nodes: readonly NodeView[] }>("nodes?limit=10000");
  for (const { state, hostname, jobs: placed } of nodes) {
    if (state !== "Ready" || hostname === null) continue;
    for (const { job } of placed) hosts.set(job, [...(hosts.get(job) ?? []), hostname]);
  }
  return jobs.map((job) => {
    const executingHostnames = hosts.get(job.name) ?? [];
    return executingHostnames.length < (job.nodeCount ?? 1) ? job : { ...job, executingHostnames };
  });
}

function planned(fromSeconds: number) {
  return ({ plans }: ClusterStatus) => (plans[0]?.atSeconds ?? 0) > fromSeconds;
}

function quiet({ openOperations, atSeconds, plans }: ClusterStatus): boolean {
  return openOperations === 0 && atSeconds - (plans[0]?.atSeconds ?? atSeconds) > 5;
}

function demandOf(source: string, fields: object): object {
  const sentAt = new Date().toISOString();
  return { version: 1, kind: "snapshot", cluster: clusterName, source, sequence: 1, sentAt, ...fields };
}

function ran(argv: readonly string[], url: string): Promise<Run> {
  const startedAt = performance.now();
  const env = { ...process.env, CCSCALE_URL: url, CCSCALE_CLUSTER: clusterName };
  const child = spawn(process.execPath, [program, ...argv], { env, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (text) => {
    stdout += text;
  });
  child.stderr.on("data", (text) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) =>
      resolve({ code: code ?? 1, stdout, stderr, milliseconds: performance.now() - startedAt }),
    );
  });
}
