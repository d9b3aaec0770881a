import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { autoscaleAnswer } from "../../../shared/api/index.ts";
import { ccscale } from "../../clients/cli/in-process.ts";
import { eventually, type LocalStack, startStack } from "../../support/local-stack.ts";

const cluster = "execute-cluster";
let stack: LocalStack;

beforeAll(async () => {
  stack = await startStack({
    clusterFile: join(import.meta.dirname, "fixtures/execute.json"),
    cluster,
    config: {
      idle_timeout: 4,
      boot_timeout: 60,
      demand_ttl: 60,
      operation_timeout: 30,
      target_attributes: ["Configuration.application_*"],
    },
  });
});

afterAll(() => stack?.stop());

async function post(arrays: readonly unknown[], query: Readonly<Record<string, string>> = {}) {
  const url = `${stack.environment.functionsUrl}/api/clusters/${cluster}/autoscale?${new URLSearchParams(query)}`;
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(arrays),
  });
  return { status: response.status, body: (await response.json()) as unknown };
}

async function send(message: Readonly<Record<string, unknown>>): Promise<void> {
  const envelope = { version: 1, cluster, source: "tester", sequence: 1, sentAt: new Date().toISOString() };
  await stack.send({ ...envelope, ...message });
}

async function becomes<T>(read: () => Promise<T>, expected: unknown): Promise<void> {
  const isThere = (value: T) => JSON.stringify(value) === JSON.stringify(expected);
  expect(await eventually(read, isThere)).toEqual(expected);
}

/** How many nodes have names that start so, before their number. */
async function counts(): Promise<Record<string, number>> {
  const byName = Map.groupBy(await stack.nodes(), ({ Name }) => Name.replace(/-\d+$/, ""));
  return Object.fromEntries([...byName].map(([name, own]) => [name, own.length] as const).sort());
}

const execute = { Name: "execute", TargetCoreCount: 128 };
const dynamic = {
  Name: "dynamic_array",
  Extends: "execute",
  TargetCount: 3,
  Dynamic: true,
  Configuration: { application_version: "1.2.3" },
};
const longer = { expiration_interval: "600" };

test("128 cores of execute, from the command line: 32 nodes of 4 cores", async () => {
  const wish = ["--name", "execute", "--corecount", "128", "--expiration-interval", "600"];
  const { code, stdout, stderr } = await ccscale(["autoscale", ...wish, "--local", stack.local]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("128 cores");
  await becomes(counts, { execute: 32 });
});

test("execute and a dynamic array of 3 that extends it, over HTTP", async () => {
  const { status, body } = await post([execute, dynamic], longer);
  expect(status).toBe(202);
  expect(autoscaleAnswer.parse(body).targets.map(({ name }) => name)).toEqual(["execute", "dynamic_array"]);
  await becomes(counts, { dynamic_array: 3, execute: 32 });
  const own = (await stack.nodes()).filter(({ Name }) => Name.startsWith("dynamic_array"));
  for (const { Template, Configuration } of own) {
    expect(Template).toBe("execute");
    expect(Configuration).toMatchObject({ application_version: "1.2.3" });
  }
});

test("4 groups of 64 cores in a second request set, from the queue, and jobs on the same array", async () => {
  const groups = { Name: "execute", TargetGroupCount: 4, GroupCoreCount: 64, MachineType: "Standard_F4s_v2" };
  await send({ kind: "targets", requestSet: "mpi", expirationInterval: 600, arrays: [groups] });
  const slot = { ncpus: 4, exclusive: true, "node.nodearray": "execute" };
  await send({
    kind: "snapshot",
    jobs: [{ name: "solver", iterations: 30, constraints: slot }],
    ttlSeconds: 600,
  });
  await becomes(counts, { dynamic_array: 3, execute: 32, "execute-64": 64 });
  const grouped = (await stack.nodes()).filter(({ Name }) => Name.startsWith("execute-64"));
  const byGroup = Map.groupBy(grouped, ({ PlacementGroupId = "" }) => PlacementGroupId);
  expect([...byGroup.values()].map((own) => own.length)).toEqual([16, 16, 16, 16]);
  for (const [id, own] of byGroup)
    for (const { Configuration } of own)
      expect(Configuration).toMatchObject({ cyclecloud: { node: { group_id: id } } });
  await becomes(
    async () => {
      const { targets, requestSets } = await stack.readStatus();
      const met = targets.map(({ name, asked, granted }) => `${name} ${granted}/${asked}`).sort();
      return { met, sets: requestSets.map(({ requestSet }) => requestSet) };
    },
    { met: ["dynamic_array 3/3", "execute 128/128", "execute:64 4/4"], sets: ["mpi", "standard"] },
  );
});

test("a dynamic array that is left out of the next request goes; what its set still names stays", async () => {
  await send({ kind: "snapshot", sequence: 2, jobs: [] });
  await post([execute], longer);
  await becomes(counts, { execute: 32, "execute-64": 64 });
});

test("once their interval is over, the nodes of both sets idle and go; each was made once", async () => {
  await post([execute], { expiration_interval: "2" });
  await becomes(counts, { "execute-64": 64 });
  await post([], { request_set: "mpi" });
  await becomes(counts, {});
  const ledger = await stack.simulator.ledger(cluster);
  expect(ledger.created).toBe(32 + 3 + 64);
});

test("what cannot be followed is refused with every problem", async () => {
  const { status, body } = await post([{ Name: "execute", TargetCores: 1 }, { TargetCount: 1 }]);
  expect(status).toBe(400);
  expect(body).toMatchObject({
    problems: [expect.stringContaining("TargetCores"), expect.stringContaining("Name")],
  });
});
