import { expect, test } from "vitest";
import { ccscale, jsonLines } from "./in-process.ts";
import { fixture, line, scenario } from "./scenarios.ts";

async function planned(changes: object = {}): Promise<unknown> {
  const { stdout } = await ccscale(["plan", "--json-lines"], [line(scenario(changes))]);
  return jsonLines(stdout)[0];
}

test("plan: an answer has the form of the recorded ones", async () => {
  expect(await planned({ expected: "ignored" })).toEqual({
    name: "two-sizes",
    jobs: [
      { name: "small", allocated: true, nodes: ["htc-1"], slots: 1 },
      { name: "gang", allocated: true, nodes: ["htc-3", "htc-4"] },
      { name: "too-big", allocated: false },
    ],
    newNodes: ["htc-3", "htc-4"].map((name) => ({
      name,
      nodearray: "htc",
      vmSize: "Standard_F16s_v2",
      placementGroup: null,
      jobs: ["gang"],
      available: { ncpus: 0, pcpus: 8, ngpus: 0, memgb: { bytes: 32 * 1024 ** 3 } },
    })),
    matchedNodes: ["htc-1", "htc-3", "htc-4"],
    unmatchedNodes: ["rack7"],
    failedNodes: ["htc-2"],
    existingNodes: [
      {
        name: "htc-1",
        jobs: ["small"],
        available: { ncpus: 0, pcpus: 2, ngpus: 0, memgb: { bytes: 8 * 1024 ** 3 } },
      },
    ],
    buckets: [
      { nodearray: "htc", vmSize: "Standard_F4s_v2", placementGroup: null, availableCount: 0 },
      { nodearray: "htc", vmSize: "Standard_F16s_v2", placementGroup: null, availableCount: 1 },
    ],
  });
});

test.each([
  ["camelCase", { nodeCount: 2, packingStrategy: "scatter" }],
  ["kebab-case", { "node-count": 2, "packing-strategy": "scatter" }],
  ["snake_case", { node_count: 2, packing_strategy: "scatter" }],
])("plan: jobs may be written in %s", async (_, spelling) => {
  const jobs = [{ name: "gang", constraints: [{ ncpus: 16 }], ...spelling }];
  expect(await planned({ jobs })).toMatchObject({
    jobs: [{ name: "gang", allocated: true, nodes: ["htc-3", "htc-4"] }],
  });
});

test("plan: placement groups are generated only when the configuration sets the buffer", async () => {
  const colocated = [{ name: "mpi", constraints: [{ ncpus: 16 }], nodeCount: 2, colocated: true }];
  expect(await planned({ jobs: colocated })).toMatchObject({ jobs: [{ allocated: false }] });
  const config = { nodearrays: { default: { generated_placement_group_buffer: 1 } } };
  expect(await planned({ jobs: colocated, config })).toMatchObject({
    jobs: [{ allocated: true }],
    newNodes: [{ placementGroup: "Standard_F16s_v2_pg0" }, { placementGroup: "Standard_F16s_v2_pg0" }],
  });
});

test("plan: facts of VM sizes in the configuration complete what the server leaves out", async () => {
  const bucket = {
    bucketId: "new",
    definition: { machineType: "Standard_Unheard_Of" },
    maxCount: 1,
    activeCount: 0,
    availableCount: 1,
  };
  const clusterStatus = {
    nodearrays: [{ name: "htc", nodearray: { Region: "westeurope" }, buckets: [bucket] }],
  };
  const config = { vm_sizes: { Standard_Unheard_Of: { vcpus: 64, memory_gib: 128 } } };
  expect(await planned({ clusterStatus, nodeList: { nodes: [] }, config })).toMatchObject({
    jobs: [{ name: "small" }, { name: "gang" }, { name: "too-big", allocated: false }],
    newNodes: [{ vmSize: "Standard_Unheard_Of" }],
  });
});

test("plan: recorded cases are planned the way of scalelib unless told otherwise", async () => {
  const jobs = [{ name: "alone", constraints: [{ ncpus: 1, exclusive: true }], iterations: 4 }];
  const nodesOf = async (...more: string[]) => {
    const input = [line(scenario({ jobs, schedulerNodes: [] }))];
    const { stdout } = await ccscale(["plan", "--json-lines", ...more], input);
    return jsonLines(stdout)[0];
  };
  expect(await nodesOf()).toMatchObject({ jobs: [{ slots: 4, nodes: ["htc-1"] }] });
  expect(await nodesOf("--compatibility", "none")).toMatchObject({
    jobs: [{ slots: 4, nodes: ["htc-1", "htc-3", "htc-4", "htc-5"] }],
  });
});

test("plan: what had to be left out of the server's answers is told on stderr", async () => {
  const input = [line(scenario({ nodeList: { nodes: [{ Name: "htc-9" }] } }))];
  const { code, stderr } = await ccscale(["plan", "--json-lines"], input);
  expect(code).toBe(0);
  expect(stderr).toContain('warning: two-sizes: Left out node "htc-9": NodeId:');
});

test("plan: misspelt keys of a scenario, its configuration, jobs and hosts are told on stderr", async () => {
  const jobs = [{ name: "a" }, { name: "b", constraint: { ncpus: 4 }, itertions: 4 }];
  const schedulerNodes = [{ hostname: "rack7", resorces: { ncpus: 1 } }];
  const config = { cluster_name: "demo", idle_timeot: 5 };
  const odd = scenario({ jobs, schedulerNodes, config, nodeShape: [] });
  const { code, stderr } = await ccscale(["plan", "--json-lines"], [line(odd)]);
  expect(code).toBe(0);
  expect(stderr.split("\n").filter((each) => each !== "")).toEqual(
    [
      'nodeShape: unknown, ignored; did you mean "nodeShapes"?',
      'idle_timeot: unknown, ignored; did you mean "idle_timeout"?',
      'jobs[1].constraint is not known; did you mean "constraints"?',
      'jobs[1].itertions is not known; did you mean "iterations"?',
      'schedulerNodes[0].resorces is not known; did you mean "resources"?',
    ].map((sentence) => `warning: two-sizes: ${sentence}`),
  );
});

test("plan: a scenario's file is shown as a table, with actions and reasons", async () => {
  const { code, stdout, stderr } = await ccscale(["plan", "--scenario", fixture("two-sizes.json")]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const lines = stdout.split("\n");
  expect(lines[0]).toBe(
    "NAME   HOSTNAME     JOB_IDS  EXISTS  REQUIRED  MANAGED  SLOTS  *SLOTS  VM_SIZE           MEMORY  VCPU_COUNT  STATE       PLACEMENT_GROUP",
  );
  // The slots come from the file that the configuration includes.
  expect(lines[1]).toBe(
    "htc-1  ip-0A000001  small    true    true      true     2      2       Standard_F4s_v2   8g      4           Ready",
  );
  expect(lines).toContain("  create 2 Standard_F16s_v2 of htc: htc-3, htc-4");
  expect(lines).toContain("  gang: placed, on htc-3, htc-4");
  expect(lines).toContain("  too-big: waits");
});
