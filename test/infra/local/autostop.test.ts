import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fakeJetpack, runAutostop } from "../../support/autostop.ts";
import { eventually, type LocalStack, never, startStack } from "../../support/local-stack.ts";

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

let stack: LocalStack;

// The timer never fires: whatever is seen of the cluster after its first snapshot is seen because of an event.
beforeAll(async () => {
  const idle = { idle_time_before_jobs: 0, idle_time_after_jobs: 0 };
  stack = await startStack({
    definition,
    config: { idle_timeout: 3_600, demand_ttl: 600, autostop: { ...idle, username: "node" } },
    speed,
    snapshotSchedule: never,
    settings: { AUTOSTOP_LOGIN: "basic", AUTOSTOP_PASSWORD: password },
  });
  await want(50);
  await stack.snapshot();
});

afterAll(() => stack?.stop());

/** Posts that so many jobs wait, each for a node of its own; the sequence of the message. */
function want(iterations: number): Promise<number> {
  return stack.post([{ name: "job", iterations, constraints: { ncpus: 4 } }]);
}

async function autostop(instance: string, authorization = login): Promise<number> {
  const url = `${stack.environment.functionsUrl}/api/clusters/${cluster}/autostop?instance=${instance}`;
  const response = await fetch(url, { headers: { authorization } });
  await response.text();
  return response.status;
}

/** What the script on a node says, asked again while it is told to wait. */
async function script(instance: string): Promise<string> {
  const path = await fakeJetpack(stack.folder, {
    "cyclecloud.instance.id": instance,
    "autostop.url": `${stack.environment.functionsUrl}/api/clusters/${cluster}/autostop`,
    "autostop.username": "node",
    "autostop.password": password,
  });
  const run = async () => (await runAutostop(path)).out;
  return eventually(run, (out) => !out.includes("not now"));
}

test("events of CycleCloud alone show the nodes: 50 are up before any timer has fired", async () => {
  const status = await eventually(stack.readStatus, ({ nodes }) => nodes.Ready === 50);
  expect(status.nodes).toEqual({ Ready: 50 });
});

test("who cannot log in is granted nothing", async () => {
  const [node] = await stack.nodes();
  expect(await autostop(node?.InstanceId ?? "", "Basic bm9kZTpndWVzcw==")).toBe(401);
});

test("50 nodes ask at once while 20 are needed: exactly 20 stay", async () => {
  const sequence = await want(20);
  await eventually(stack.readStatus, ({ demand }) => demand[0]?.sequence === sequence);
  const asking = (await stack.nodes()).map(({ InstanceId }) => autostop(InstanceId));
  const answers = await Promise.all(asking);
  expect(answers.filter((status) => status === 200)).toHaveLength(30);
  expect(answers.filter((status) => status === 409)).toHaveLength(20);
  await eventually(stack.nodes, (left) => left.length <= 20);
  // The same demand again makes another plan, which changes nothing.
  const planned = async () => (await stack.readStatus()).plans[0]?.planId;
  const before = await planned();
  await want(20);
  expect(await eventually(planned, (planId) => planId !== before)).not.toBe(before);
  expect(await stack.nodes()).toHaveLength(20);
  expect((await stack.simulator.ledger(cluster)).created).toBe(50);
});

test("the script on a node: no while it is needed, yes when it is not, gone after that", async () => {
  const before = await stack.nodes();
  const instance = before[0]?.InstanceId ?? "";
  expect(await script(instance)).toMatch(/^autostop: no: .*is planned on it/);
  const sequence = await want(19);
  await eventually(stack.readStatus, ({ demand }) => demand[0]?.sequence === sequence);
  expect(await script(instance)).toMatch(/^autostop: yes, /);
  expect(await eventually(stack.nodes, (left) => left.length === 19)).toHaveLength(19);
  expect(
    await eventually(
      () => script(instance),
      (out) => out.includes("no node"),
    ),
  ).toMatch(/no node/);
});

test("a VM that vanishes is replaced before any timer has fired, and the status shows it", async () => {
  const [victim] = await stack.nodes();
  await stack.simulator.tell("kill", { cluster, names: [victim?.Name] });
  const ledger = await eventually(
    () => stack.simulator.ledger(cluster),
    ({ created }) => created === 51,
  );
  expect(ledger.created).toBe(51);
  expect((await stack.readStatus()).lostNodes).toMatchObject([
    { reason: "VMDisappeared", nodeName: victim?.Name },
  ]);
});

test("the password of nodes is in no log", async () => {
  const files = (await readdir(stack.folder)).filter((file) => file.endsWith(".log"));
  expect(files).toContain("functions-host.log");
  for (const file of files) {
    const text = await readFile(join(stack.folder, file), "utf8");
    expect(text).not.toContain(password);
    expect(text).not.toContain(login.replace("Basic ", ""));
  }
});
