import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  createManualClock,
  type DefinitionInput,
  type ManualClock,
  type RunningCycleCloud,
  startCycleCloud,
} from "../../../infra/local/cyclecloud/index.ts";
import { createCycleCloud } from "../../../shared/cyclecloud/cyclecloud-client.ts";
import type { ActionCreateSet } from "../../../shared/messages/scale-action.ts";
import type { CycleCloud } from "../../../shared/ports/cyclecloud.ts";
import { catalogue } from "./reading.ts";

const account = { username: "user", password: "secret" };
const definition = (name: string): DefinitionInput =>
  JSON.parse(
    readFileSync(new URL(`../../../infra/local/cyclecloud/clusters/${name}.json`, import.meta.url), "utf8"),
  );

let clock: ManualClock;
let server: RunningCycleCloud;
let cycleCloud: CycleCloud;

beforeEach(async () => {
  clock = createManualClock();
  const definitions = ["small-cpu", "hpc", "mixed-gpu-spot"].map(definition);
  server = await startCycleCloud({ definitions, ...account, clock });
  cycleCloud = client("small-cpu");
});
afterEach(() => server.stop());

function client(cluster: string, password = account.password): CycleCloud {
  return createCycleCloud({
    connection: {
      url: server.url,
      username: account.username,
      passwordSetting: "PW",
      verifyCertificates: true,
    },
    cluster,
    password,
    catalogue,
    retryOptions: { maxRetries: 3, retryDelayInMs: 1, maxRetryDelayInMs: 20 },
  });
}

function set(fields: Partial<ActionCreateSet> = {}): ActionCreateSet {
  return {
    nodeArray: "htc",
    vmSize: "Standard_F4s_v2",
    placementGroup: null,
    count: 2,
    names: [],
    ...fields,
  };
}

async function names(of: CycleCloud = cycleCloud): Promise<string[]> {
  return (await of.readCluster()).cluster.nodes.map(({ name }) => name);
}

describe("against the simulator: reading", () => {
  test.each(["small-cpu", "hpc", "mixed-gpu-spot"])("nothing of cluster %s is set aside", async (name) => {
    const { cluster, setAside } = await client(name).readCluster();
    expect(setAside).toEqual([]);
    expect(cluster.nodeArrays.length).toBeGreaterThan(0);
    for (const bucket of cluster.nodeArrays.flatMap(({ buckets }) => buckets)) {
      expect(bucket.vm.vcpuCount).toBeGreaterThan(0);
      expect(bucket.vm.memoryBytes).toBeGreaterThan(2 ** 30);
      expect(bucket.vm.family).not.toBe(bucket.vmSize);
    }
  });

  test("a constrained size is charged in full", async () => {
    const { cluster } = await cycleCloud.readCluster();
    const buckets = cluster.nodeArrays.flatMap(({ buckets }) => buckets);
    expect(buckets.find(({ vmSize }) => vmSize === "Standard_E8-2s_v3")?.vm).toMatchObject({
      vcpuCount: 2,
      vcpuQuotaCount: 8,
    });
  });

  test("a node whose TargetState is hidden comes with null", async () => {
    await cycleCloud.createNodes({ requestId: "r-1", sets: [set()] });
    server.control.hideTargetState({ cluster: "small-cpu", names: ["htc-1"], on: true });
    const { cluster } = await cycleCloud.readCluster();
    const states = Object.fromEntries(cluster.nodes.map(({ name, targetState }) => [name, targetState]));
    expect(states).toMatchObject({ "htc-1": null, "htc-2": "Started" });
  });

  test("an unknown cluster is not worth another try", async () => {
    await expect(client("nobody").readCluster()).rejects.toMatchObject({ status: 404, retryable: false });
  });
});

test("against the simulator: what was used, by node array and in all", async () => {
  await cycleCloud.createNodes({ requestId: "r-1", sets: [set({ count: 2 })] });
  clock.advance(7200);
  const [interval] = await cycleCloud.readUsage({ timeframe: "monthToDate", granularity: "total" });
  const hours = new Map(interval?.parts.map(({ name, coreHours }) => [name, coreHours]));
  // Two nodes of four cores.
  expect(hours.get("htc")).toBeCloseTo(16, 0);
  expect([...hours.values()].reduce((sum, each) => sum + each, 0)).toBeCloseTo(
    interval?.total.coreHours ?? 0,
    6,
  );
});

describe("against the simulator: nodes", () => {
  test("created nodes are found by their request, with their bucket, and become ready", async () => {
    const answer = await cycleCloud.createNodes({ requestId: "r-1", sets: [set({ count: 3 })] });
    expect(answer).toMatchObject({ outcome: "accepted", sets: [{ added: 3 }] });
    const nodes = await cycleCloud.nodesOfRequest("r-1");
    expect(nodes?.map(({ name }) => name)).toEqual(["htc-1", "htc-2", "htc-3"]);
    expect(nodes?.[0]).toMatchObject({ nodeArray: "htc", vmSize: "Standard_F4s_v2", placementGroup: null });
    clock.advance(3600);
    const { cluster } = await cycleCloud.readCluster();
    const created = cluster.nodes.filter(({ nodeArray }) => nodeArray === "htc");
    expect(created.map(({ status }) => status)).toEqual(["Ready", "Ready", "Ready"]);
    expect(created.every(({ hostname }) => hostname !== null && !hostname.includes("."))).toBe(true);
  });

  test("the same request twice makes its nodes once; the second is refused and can be confirmed", async () => {
    const request = { requestId: "r-1", sets: [set()] };
    await cycleCloud.createNodes(request);
    expect(await cycleCloud.createNodes(request)).toMatchObject({ outcome: "refused" });
    expect(await cycleCloud.nodesOfRequest("r-1")).toHaveLength(2);
    expect(await names()).toHaveLength(3);
  });

  test("a request for a bucket that does not exist is refused and leaves nothing to confirm", async () => {
    const answer = await cycleCloud.createNodes({ requestId: "r-1", sets: [set({ nodeArray: "nobody" })] });
    expect(answer).toMatchObject({ outcome: "refused", message: expect.stringContaining("nobody") });
    expect(await cycleCloud.nodesOfRequest("r-1")).toBeUndefined();
  });

  test("fewer nodes than asked come with the reason, set by set", async () => {
    const sets = [set({ count: 100 }), set({ nodeArray: "memory", vmSize: "Standard_D8as_v5", count: 1 })];
    const answer = await cycleCloud.createNodes({ requestId: "r-1", sets });
    if (answer.outcome === "refused") expect.fail(answer.message);
    expect(answer.sets[0]?.added).toBeLessThan(100);
    expect(answer.sets[0]?.message).toBeTruthy();
    expect(answer.sets[1]).toEqual({ added: 1 });
  });

  test("nodes are shut down by id, and one that may not be is told", async () => {
    await cycleCloud.createNodes({ requestId: "r-1", sets: [set()] });
    clock.advance(3600);
    server.control.keepAlive({ cluster: "small-cpu", names: ["htc-2"], on: true });
    const nodeIds = (await cycleCloud.nodesOfRequest("r-1"))?.map(({ nodeId }) => nodeId) ?? [];
    const answer = await cycleCloud.shutdownNodes({ requestId: "r-2", nodeIds });
    if (answer.outcome === "refused") expect.fail(answer.message);
    expect(answer.nodes.map(({ name, error }) => [name, error !== undefined])).toEqual([
      ["htc-1", false],
      ["htc-2", true],
    ]);
    clock.advance(3600);
    expect(await names()).toEqual(["scheduler", "htc-2"]);
  });
});

describe("against the simulator: failed nodes", () => {
  test("are all retried, those that did not fail are left alone", async () => {
    await cycleCloud.createNodes({ requestId: "r-1", sets: [set({ count: 3 })] });
    clock.advance(3600);
    server.control.fail({ cluster: "small-cpu", names: ["htc-1", "htc-3"] });
    const statuses = async () => {
      const { cluster } = await cycleCloud.readCluster();
      return cluster.nodes.filter(({ nodeArray }) => nodeArray === "htc").map(({ status }) => status);
    };
    expect(await statuses()).toEqual(["Failed", "Ready", "Failed"]);
    await cycleCloud.retryFailedNodes();
    expect(await statuses()).not.toContain("Failed");
    clock.advance(3600);
    expect(await statuses()).toEqual(["Ready", "Ready", "Ready"]);
  });
});

describe("against the simulator: accidents", () => {
  test.each([
    { name: "no answer", fault: { kind: "no-answer", acts: true } },
    { name: "a 503 after the fact", fault: { kind: "status", status: 503, acts: true } },
  ] as const)(
    "a create that ends with $name had its effect once, and its request id says so",
    async ({ fault }) => {
      server.control.fault({ ...fault, path: "/nodes/create" });
      expect(await cycleCloud.createNodes({ requestId: "r-1", sets: [set()] })).toMatchObject({
        outcome: "refused",
      });
      expect(await cycleCloud.nodesOfRequest("r-1")).toHaveLength(2);
      expect(await names()).toHaveLength(3);
    },
  );

  test("a create that never arrived is simply sent again", async () => {
    server.control.fault({
      kind: "status",
      status: 429,
      retryAfterSeconds: 0,
      path: "/nodes/create",
      times: 2,
    });
    expect(await cycleCloud.createNodes({ requestId: "r-1", sets: [set()] })).toMatchObject({
      outcome: "accepted",
    });
    expect(server.control.calls.recent().map(({ status }) => status)).toEqual([429, 429, 202]);
  });

  test("a truncated status is an error, and the next one is whole again", async () => {
    server.control.fault({ kind: "truncated", path: "/status" });
    await expect(cycleCloud.readCluster()).rejects.toMatchObject({ kind: "upstream", retryable: true });
    expect(await names()).toEqual(["scheduler"]);
  });

  test("a wrong password is tried once per call: four calls do not lock the account", async () => {
    const wrong = client("small-cpu", "wrong");
    for (let i = 0; i < 4; i++) {
      await expect(wrong.readCluster()).rejects.toMatchObject({ status: 401, retryable: false });
    }
    expect(await names()).toEqual(["scheduler"]);
  });
});
