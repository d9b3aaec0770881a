import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { QueueClient } from "@azure/storage-queue";
import { z } from "zod";
import { connectControl, type SimulatorControl } from "../../infra/local/demo/simulator.ts";
import {
  type Environment,
  type EnvironmentOptions,
  startEnvironment,
} from "../../infra/local/environment/environment.ts";
import type { ClusterStatus } from "../../shared/api/index.ts";
import { jobDemandQueue } from "../../shared/app/names.ts";
import { emptyAccount } from "./azurite.ts";

/** A timer that does not fire while a test runs: snapshots are then taken when the test says so, and on events. */
export const never = "0 0 0 1 1 *";

const clusters = join(import.meta.dirname, "../../infra/local/cyclecloud/clusters");

/** A stack that does nothing takes 0.15 of a processor with five looks at its queues and one snapshot each second, 0.02 with few of both. */
const unhurried = { AzureFunctionsJobHost__extensions__queues__maxPollingInterval: "00:00:00.500" };

/** The command line as it is installed: it starts in half the time of its sources. */
export const builtCcscale = join(import.meta.dirname, "../../dist/ccscale/main.js");

/** What differs from the usual stack: cluster `small-cpu`, sixty times as fast as life, a snapshot every other second. */
export interface StackOptions extends Partial<Omit<EnvironmentOptions, "folder">> {
  /** A definition that no file holds. */
  readonly definition?: { readonly name: string } & Readonly<Record<string, unknown>>;
}

/** A node as CycleCloud's REST API has it. */
export type NodeRecord = z.output<typeof nodeSchema>;

/** The local environment of one test file, with what tests do there again and again. */
export interface LocalStack {
  readonly environment: Environment;
  readonly cluster: string;
  /** Logs, and whatever a test writes; gone after `stop`. */
  readonly folder: string;
  /** The file that `ccscale --local` reads. */
  readonly local: string;
  readonly simulator: SimulatorControl;
  /** Puts a message into the demand queue: a text as it is, anything else as JSON in base64. */
  send(message: string | object): Promise<void>;
  /** Posts a snapshot of what source `pbs` wants; the answer is its sequence, which goes up from 1. */
  post(jobs: readonly object[], fields?: Readonly<Record<string, unknown>>): Promise<number>;
  /** Has a snapshot taken now. */
  snapshot(): Promise<void>;
  /** Has one taken each second until it is done: with snapshots `never`, none comes while a test only looks. */
  withSnapshots<T>(wait: () => Promise<T>): Promise<T>;
  readStatus(): Promise<ClusterStatus>;
  /** CycleCloud's own records of the nodes that it keeps up. */
  nodes(): Promise<readonly NodeRecord[]>;
  stop(): Promise<void>;
}

/** Starts everything on free ports of this machine. Call it in `beforeAll`, and `stop` in `afterAll`. */
export async function startStack({ definition, ...options }: StackOptions = {}): Promise<LocalStack> {
  for (let tries = 1; ; tries += 1) {
    const folder = await mkdtemp(join(tmpdir(), "stack-"));
    try {
      return await startIn(folder, await withDefinition(folder, definition, options));
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      // A free port was chosen, and another process took it before it was listened on.
      if (tries === 3 || !String(error).includes("EADDRINUSE")) throw error;
    }
  }
}

async function startIn(folder: string, options: Partial<EnvironmentOptions>): Promise<LocalStack> {
  const clusterFile = options.clusterFile ?? join(clusters, "small-cpu.json");
  const speed = options.speed ?? 60;
  const cluster = options.cluster ?? basename(clusterFile, ".json");
  const usual = { config: {}, seed: 7, snapshotSchedule: "*/2 * * * * *" };
  const { connectionString: storage } = await emptyAccount();
  const environment = await startEnvironment({
    ...usual,
    ...options,
    settings: { ...unhurried, ...options.settings },
    clusterFile,
    cluster,
    speed,
    folder,
    storage,
  });
  const local = join(folder, "environment.json");
  await writeFile(local, JSON.stringify(environment));
  let sequence = 0;
  const send = demandSender(environment.storageConnectionString);
  const snapshot = async () => {
    const url = `${environment.functionsUrl}/admin/functions/snapshot-nodes`;
    const headers = { "content-type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body: '{"input": ""}' });
    if (response.status !== 202) throw new Error(`Cannot run snapshot-nodes: HTTP ${response.status}`);
  };
  return {
    environment,
    cluster,
    folder,
    local,
    simulator: await connectControl(environment.cycleCloudUrl, speed),
    send,
    post: async (jobs, fields = {}) => {
      sequence += 1;
      const sentAt = new Date().toISOString();
      const envelope = { version: 1, kind: "snapshot", cluster, source: "pbs", sequence, sentAt };
      await send({ ...envelope, jobs, ...fields });
      return sequence;
    },
    snapshot,
    withSnapshots: async (wait) => {
      const timer = setInterval(() => void snapshot().catch(() => {}), 1_000);
      try {
        await snapshot();
        return await wait();
      } finally {
        clearInterval(timer);
      }
    },
    readStatus: async () => {
      const response = await fetch(`${environment.functionsUrl}/api/clusters/${cluster}/status`);
      if (!response.ok) throw new Error(`Cannot read the status: HTTP ${response.status}`);
      return (await response.json()) as ClusterStatus;
    },
    nodes: () => startedNodes(environment),
    stop: async () => {
      await environment.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function withDefinition(
  folder: string,
  definition: StackOptions["definition"],
  options: Partial<EnvironmentOptions>,
): Promise<Partial<EnvironmentOptions>> {
  if (definition === undefined) return options;
  const clusterFile = join(folder, "cluster.json");
  await writeFile(clusterFile, JSON.stringify(definition));
  return { cluster: definition.name, ...options, clusterFile };
}

/** Puts messages on the demand queue: an object as JSON, a text as it is. */
export function demandSender(storageConnectionString: string): (message: string | object) => Promise<void> {
  const queue = new QueueClient(storageConnectionString, jobDemandQueue);
  return async (message) => {
    const text =
      typeof message === "string" ? message : Buffer.from(JSON.stringify(message)).toString("base64");
    await queue.sendMessage(text);
  };
}

/** Less than a test may take, so that a test that waits in vain can show what it read last. */
const patienceMs = 240_000;
/** A status costs the service and its storage 30 ms of a processor. */
const lookEveryMs = 500;

/** Reads again and again until it is there. After a long while it gives what was read last, for the test to judge. */
export async function eventually<T>(read: () => Promise<T>, isThere: (value: T) => boolean): Promise<T> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    const value = await read();
    if (isThere(value) || Date.now() > giveUpAt) return value;
    await sleep(lookEveryMs);
  }
}

const nodeSchema = z.object({
  Name: z.string(),
  NodeId: z.string(),
  Template: z.string(),
  MachineType: z.string(),
  Status: z.string(),
  TargetState: z.string(),
  Hostname: z.string().optional(),
  PrivateIp: z.string().optional(),
  InstanceId: z.string().default(""),
  PlacementGroupId: z.string().optional(),
  Configuration: z.looseObject({}),
});
const nodesSchema = z.object({ nodes: z.array(nodeSchema) });

async function startedNodes({
  account,
  cycleCloudUrl,
  cluster,
}: Environment): Promise<readonly NodeRecord[]> {
  const login = Buffer.from(`${account.username}:${account.password}`).toString("base64");
  const response = await fetch(`${cycleCloudUrl}/clusters/${cluster}/nodes`, {
    headers: { authorization: `Basic ${login}` },
  });
  const { nodes } = nodesSchema.parse(await response.json());
  return nodes.filter(({ TargetState }) => TargetState === "Started");
}
