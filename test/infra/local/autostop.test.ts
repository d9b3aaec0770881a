import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { QueueClient } from "@azure/storage-queue";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { connectControl, type SimulatorControl } from "../../../infra/local/demo/simulator.ts";
import { type Environment, startEnvironment } from "../../../infra/local/environment/environment.ts";
import type { ClusterStatus } from "../../../shared/cycle/status.ts";
import { fakeJetpack, runAutostop } from "../../support/autostop.ts";

const cluster = "stops";
const speed = 300;
const password = 'local "nodes" only';
const login = `Basic ${Buffer.from(`node:${password}`).toString("base64")}`;
/** Room for 60 nodes of one size, which are up and gone within a second. */
const definition = {
  name: cluster,
  region: "westeurope",
  quotas: { westeurope: { cores: 400 } },
  times: { boot: { minSeconds: 100, medianSeconds: 150, maxSeconds: 300 } },
  nodearrays: [{ name: "htc", machineTypes: ["Standard_F4s_v2"], maxCount: 60 }],
};

let folder: string;
let environment: Environment;
let control: SimulatorControl;
let sequence = 0;

// The timer never fires: whatever is seen of the cluster after its first snapshot is seen because of an event.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "autostop-"));
  const clusterFile = join(folder, "cluster.json");
  await writeFile(clusterFile, JSON.stringify(definition));
  const idle = { idle_time_before_jobs: 0, idle_time_after_jobs: 0 };
  environment = await startEnvironment({
    clusterFile,
    cluster,
    config: { idle_timeout: 3_600, demand_ttl: 600, autostop: { ...idle, username: "node" } },
    speed,
    seed: 7,
    folder,
    snapshotSchedule: "0 0 0 1 1 *",
    settings: { AUTOSTOP_LOGIN: "basic", AUTOSTOP_PASSWORD: password },
  });
  control = await connectControl(environment.cycleCloudUrl, speed);
  await want(50);
  const snapshot = `${environment.functionsUrl}/admin/functions/snapshot-nodes`;
  await fetch(snapshot, { method: "POST", body: '{"input": ""}' });
}, 240_000);

afterAll(async () => {
  await environment?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Posts that so many jobs wait, each for a node of its own. */
async function want(iterations: number): Promise<void> {
  sequence += 1;
  const jobs = iterations === 0 ? [] : [{ name: "job", iterations, constraints: { ncpus: 4 } }];
  const message = { version: 1, kind: "snapshot", cluster, source: "pbs", sequence, jobs };
  const sentAt = new Date().toISOString();
  const queue = new QueueClient(environment.storageConnectionString, "job-demand");
  await queue.sendMessage(Buffer.from(JSON.stringify({ ...message, sentAt })).toString("base64"));
}

async function readStatus(): Promise<ClusterStatus> {
  const response = await fetch(`${environment.functionsUrl}/api/clusters/${cluster}/status`);
  return (await response.json()) as ClusterStatus;
}

async function eventually<T>(read: () => Promise<T>, isThere: (value: T) => boolean): Promise<T> {
  const giveUpAt = Date.now() + 100_000;
  for (;;) {
    const value = await read();
    if (isThere(value) || Date.now() > giveUpAt) return value;
    await sleep(200);
  }
}

const node = z.object({ Name: z.string(), InstanceId: z.string().default(""), TargetState: z.string() });
const nodeList = z.object({ nodes: z.array(node) });

/** Nodes as CycleCloud has them: name and instance id of those that are to stay. */
async function nodes(): Promise<readonly { readonly Name: string; readonly InstanceId: string }[]> {
  const { username, password } = environment.account;
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const url = `${environment.cycleCloudUrl}/clusters/${cluster}/nodes`;
  const answer = nodeList.parse(await (await fetch(url, { headers: { authorization } })).json());
  return answer.nodes.filter(({ TargetState }) => TargetState === "Started");
}

async function autostop(instance: string, authorization = login): Promise<number> {
  const url = `${environment.functionsUrl}/api/clusters/${cluster}/autostop?instance=${instance}`;
  const response = await fetch(url, { headers: { authorization } });
  await response.text();
  return response.status;
}

/** What the script on a node says, asked again while it is told to wait. */
async function script(instance: string): Promise<string> {
  const path = await fakeJetpack(folder, {
    "cyclecloud.instance.id": instance,
    "autostop.url": `${environment.functionsUrl}/api/clusters/${cluster}/autostop`,
    "autostop.username": "node",
    "autostop.password": password,
  });
  const run = async () => (await runAutostop(path)).out;
  return eventually(run, (out) => !out.includes("not now"));
}

test("events of CycleCloud alone show the nodes: 50 are up before any timer has fired", async () => {
  const status = await eventually(readStatus, ({ nodes }) => nodes.Ready === 50);
  expect(status.nodes).toEqual({ Ready: 50 });
}, 240_000);

test("who cannot log in is granted nothing", async () => {
  const [node] = await nodes();
  expect(await autostop(node?.InstanceId ?? "", "Basic bm9kZTpndWVzcw==")).toBe(401);
});

test("50 nodes ask at once while 20 are needed: exactly 20 stay", async () => {
  await want(20);
  await eventually(readStatus, ({ demand }) => demand[0]?.sequence === sequence);
  const asking = (await nodes()).map(({ InstanceId }) => autostop(InstanceId));
  const answers = await Promise.all(asking);
  expect(answers.filter((status) => status === 200)).toHaveLength(30);
  expect(answers.filter((status) => status === 409)).toHaveLength(20);
  await eventually(nodes, (left) => left.length <= 20);
  // As many more events and plans as follow change nothing.
  await sleep(4_000);
  expect(await nodes()).toHaveLength(20);
  expect((await control.ledger(cluster)).created).toBe(50);
}, 240_000);

test("the script on a node: no while it is needed, yes when it is not, gone after that", async () => {
  const before = await nodes();
  const instance = before[0]?.InstanceId ?? "";
  expect(await script(instance)).toMatch(/^autostop: no: .*is planned on it/);
  await want(19);
  await eventually(readStatus, ({ demand }) => demand[0]?.sequence === sequence);
  expect(await script(instance)).toMatch(/^autostop: yes, /);
  expect(await eventually(nodes, (left) => left.length === 19)).toHaveLength(19);
  expect(
    await eventually(
      () => script(instance),
      (out) => out.includes("no node"),
    ),
  ).toMatch(/no node/);
}, 240_000);

test("a VM that vanishes is replaced before any timer has fired, and the status shows it", async () => {
  const [victim] = await nodes();
  const command = `${environment.cycleCloudUrl}/_control/kill`;
  await fetch(command, { method: "POST", body: JSON.stringify({ cluster, names: [victim?.Name] }) });
  const ledger = await eventually(
    () => control.ledger(cluster),
    ({ created }) => created === 51,
  );
  expect(ledger.created).toBe(51);
  expect((await readStatus()).lostNodes).toMatchObject([{ reason: "VMDisappeared", nodeName: victim?.Name }]);
}, 240_000);

test("the password of nodes is in no log", async () => {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".log"));
  expect(files).toContain("functions-host.log");
  for (const file of files) {
    const text = await readFile(join(folder, file), "utf8");
    expect(text).not.toContain(password);
    expect(text).not.toContain(login.replace("Basic ", ""));
  }
});
