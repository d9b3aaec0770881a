import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { QueueClient } from "@azure/storage-queue";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { connectControl, type SimulatorControl } from "../../../infra/local/demo/simulator.ts";
import { type Environment, startEnvironment } from "../../../infra/local/environment/environment.ts";
import { autoscaleAnswer, type ClusterStatus } from "../../../shared/api/index.ts";
import { ccscale } from "../../clients/cli/in-process.ts";

const speed = 60;
const cluster = "execute-cluster";

let folder: string;
let environment: Environment;
let control: SimulatorControl;
let local: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "autoscale-"));
  environment = await startEnvironment({
    clusterFile: join(import.meta.dirname, "fixtures/execute.json"),
    cluster,
    config: { idle_timeout: 4, boot_timeout: 60, demand_ttl: 60, operation_timeout: 30 },
    speed,
    seed: 7,
    folder,
    snapshotSchedule: "*/1 * * * * *",
  });
  control = await connectControl(environment.cycleCloudUrl, speed);
  local = join(folder, "environment.json");
  await writeFile(local, JSON.stringify({ cluster, functionsUrl: environment.functionsUrl }));
});

afterAll(async () => {
  await environment?.stop();
  await rm(folder, { recursive: true, force: true });
});

const nodesSchema = z.object({
  nodes: z.array(
    z.object({
      Name: z.string(),
      Template: z.string(),
      TargetState: z.string(),
      PlacementGroupId: z.string().optional(),
      Configuration: z.looseObject({}),
    }),
  ),
});

/** CycleCloud's own records of the nodes that it keeps up. */
async function nodes() {
  const { username, password } = environment.account;
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const response = await fetch(`${environment.cycleCloudUrl}/clusters/${cluster}/nodes`, {
    headers: { authorization },
  });
  const all = nodesSchema.parse(await response.json()).nodes;
  return all.filter(({ TargetState }) => TargetState === "Started");
}

async function readStatus(): Promise<ClusterStatus> {
  const response = await fetch(`${environment.functionsUrl}/api/clusters/${cluster}/status`);
  return (await response.json()) as ClusterStatus;
}

async function post(arrays: readonly unknown[], query: Readonly<Record<string, string>> = {}) {
  const url = `${environment.functionsUrl}/api/clusters/${cluster}/autoscale?${new URLSearchParams(query)}`;
  const response = await fetch(url, { method: "POST", body: JSON.stringify(arrays) });
  return { status: response.status, body: (await response.json()) as unknown };
}

async function send(message: Readonly<Record<string, unknown>>): Promise<void> {
  const envelope = { version: 1, cluster, source: "tester", sequence: 1, sentAt: new Date().toISOString() };
  const queue = new QueueClient(environment.storageConnectionString, "job-demand");
  await queue.sendMessage(Buffer.from(JSON.stringify({ ...envelope, ...message })).toString("base64"));
}

async function eventually<T>(read: () => Promise<T>, expected: unknown): Promise<void> {
  const giveUpAt = Date.now() + 30_000;
  let value = await read();
  while (Date.now() < giveUpAt && JSON.stringify(value) !== JSON.stringify(expected)) {
    await sleep(200);
    value = await read();
  }
  expect(value).toEqual(expected);
}

/** How many nodes have names that start so, before their number. */
async function counts(): Promise<Record<string, number>> {
  const byName = Map.groupBy(await nodes(), ({ Name }) => Name.replace(/-\d+$/, ""));
  return Object.fromEntries([...byName].map(([name, own]) => [name, own.length] as const).sort());
}

const execute = { Name: "execute", TargetCoreCount: 128 };
const dynamic = {
  ...{ Name: "dynamic_array", Extends: "execute", TargetCount: 3, Dynamic: true },
  Configuration: { application_version: "1.2.3" },
};
const longer = { expiration_interval: "600" };

test("128 cores of execute, from the command line: 32 nodes of 4 cores", async () => {
  const wish = ["--name", "execute", "--corecount", "128", "--expiration-interval", "600"];
  const { code, stdout, stderr } = await ccscale(["autoscale", ...wish, "--local", local]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("128 cores");
  await eventually(counts, { execute: 32 });
}, 60_000);

test("execute and a dynamic array of 3 that extends it, over HTTP", async () => {
  const { status, body } = await post([execute, dynamic], longer);
  expect(status).toBe(202);
  expect(autoscaleAnswer.parse(body).targets.map(({ name }) => name)).toEqual(["execute", "dynamic_array"]);
  await eventually(counts, { dynamic_array: 3, execute: 32 });
  const own = (await nodes()).filter(({ Name }) => Name.startsWith("dynamic_array"));
  for (const { Template, Configuration } of own) {
    expect(Template).toBe("execute");
    expect(Configuration).toMatchObject({ application_version: "1.2.3" });
  }
}, 60_000);

test("4 groups of 64 cores in a second request set, from the queue, and jobs on the same array", async () => {
  const groups = { Name: "execute", TargetGroupCount: 4, GroupCoreCount: 64, MachineType: "Standard_F4s_v2" };
  await send({ kind: "targets", requestSet: "mpi", expirationInterval: 600, arrays: [groups] });
  const slot = { ncpus: 4, exclusive: true, "node.nodearray": "execute" };
  await send({
    kind: "snapshot",
    jobs: [{ name: "solver", iterations: 30, constraints: slot }],
    ttlSeconds: 600,
  });
  await eventually(counts, { dynamic_array: 3, execute: 32, "execute-64": 64 });
  const grouped = (await nodes()).filter(({ Name }) => Name.startsWith("execute-64"));
  const byGroup = Map.groupBy(grouped, ({ PlacementGroupId = "" }) => PlacementGroupId);
  expect([...byGroup.values()].map((own) => own.length)).toEqual([16, 16, 16, 16]);
  for (const [id, own] of byGroup)
    for (const { Configuration } of own)
      expect(Configuration).toMatchObject({ cyclecloud: { node: { group_id: id } } });
  await eventually(
    async () => {
      const { targets, requestSets } = await readStatus();
      const met = targets.map(({ name, asked, granted }) => `${name} ${granted}/${asked}`).sort();
      return { met, sets: requestSets.map(({ requestSet }) => requestSet) };
    },
    { met: ["dynamic_array 3/3", "execute 128/128", "execute:64 4/4"], sets: ["mpi", "standard"] },
  );
}, 60_000);

test("a dynamic array that is left out of the next request goes; what its set still names stays", async () => {
  await send({ kind: "snapshot", sequence: 2, jobs: [] });
  await post([execute], longer);
  await eventually(counts, { execute: 32, "execute-64": 64 });
}, 60_000);

test("once their interval is over, the nodes of both sets idle and go; each was made once", async () => {
  await post([execute], { expiration_interval: "2" });
  await eventually(counts, { "execute-64": 64 });
  await post([], { request_set: "mpi" });
  await eventually(counts, {});
  const ledger = await control.ledger(cluster);
  expect(ledger.created).toBe(32 + 3 + 64);
}, 60_000);

test("what cannot be followed is refused with every problem", async () => {
  const { status, body } = await post([{ Name: "execute", TargetCores: 1 }, { TargetCount: 1 }]);
  expect(status).toBe(400);
  expect(body).toMatchObject({
    problems: [expect.stringContaining("TargetCores"), expect.stringContaining("Name")],
  });
});
