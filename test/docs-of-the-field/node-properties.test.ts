import { describe, expect, test } from "vitest";
import { type NodeProperty, nodeProperties, plan } from "../../shared/engine/index.ts";
import {
  array,
  bucket,
  cluster,
  deallocated,
  historyRow,
  input,
  job,
  node,
  nodesOf,
  nowSeconds,
} from "../shared/engine/tiny.ts";

const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
const createdSeconds = nowSeconds - 5_000;
const matchedSeconds = nowSeconds - 60;
const goneSeconds = nowSeconds - 3_600;

/** One node that runs, and one that is deallocated; no new one can be made. */
const world = cluster({
  nodeArrays: [
    array({
      name: "hpc",
      location: "westus2",
      spot: true,
      buckets: [
        bucket({
          vmSize: "Standard_HB120rs_v3",
          available: 1,
          vcpus: 120,
          memoryGiB: 456,
          gpus: 1,
          vm: { pcpuCount: 60, coresPerSocket: 30, family: "standardHBrsv3Family", infiniband: true },
          fields: { bucketId: "bucket-1", placementGroups: [{ name: "pg0", activeCount: 2 }] },
        }),
      ],
    }),
  ],
  nodes: [
    node("hpc-7", {
      nodeArray: "hpc",
      vmSize: "Standard_HB120rs_v3",
      location: "westus2",
      spot: true,
      placementGroup: "pg0",
      privateIp: "10.0.0.7",
      hostname: "ip-0A000007",
      keepAlive: true,
    }),
    node("hpc-8", {
      nodeArray: "hpc",
      vmSize: "Standard_HB120rs_v3",
      location: "westus2",
      spot: true,
      placementGroup: "pg0",
      hostname: null,
      ...deallocated,
    }),
  ],
});
const history = [
  historyRow("hpc-7", { createdSeconds, lastMatchSeconds: matchedSeconds }),
  historyRow("hpc-8", { createdSeconds, deletedSeconds: goneSeconds }),
];

/** Where a job goes that asks for one value of a property, and nothing else. */
function placesOf(property: NodeProperty, value: unknown): readonly string[] {
  const jobs = [job("j", { [`node.${property}`]: value })];
  return nodesOf(plan(input({ cluster: world, history, jobs })), "j");
}

const rows = [
  ["bucket_id", "identifies node array, VM size and placement group", "bucket-1", "bucket-2"],
  ["colocated", "whether the node is in a placement group", true, false],
  ["cores_per_socket", "CPU cores of a socket", 30, 60],
  ["create_time", "when the node was created, as a time", iso(createdSeconds), iso(nowSeconds)],
  ["create_time_remaining", "seconds in which it should become Ready; -1 once it is", -1, 0],
  ["create_time_unix", "when it was created, in Unix seconds", createdSeconds, nowSeconds],
  ["exists", "whether CycleCloud has made it", true, false],
  ["gpu_count", "GPUs", 1, 0],
  ["hostname", "its host name", "ip-0A000007", "ip-0A000008"],
  ["hostname_or_uuid", "its host name, or else something unique", "ip-0A000007", "ip-0A000008"],
  ["infiniband", "whether its VM size has InfiniBand", true, false],
  ["instance_id", "Azure's id of its VM", "vm-hpc-7", "vm-hpc-9"],
  ["keep_alive", "whether CycleCloud protects it from deletion", true, null],
  ["last_match_time", "when a job was last matched with it, as a time", iso(matchedSeconds), iso(nowSeconds)],
  ["last_match_time_unix", "the same in Unix seconds", matchedSeconds, nowSeconds],
  ["location", "its Azure region", "westus2", "westeurope"],
  ["memory", "its memory, as Azure reports it", "memory::456g", "memory::448g"],
  ["name", "its name in CycleCloud", "hpc-7", "hpc-9"],
  ["nodearray", "its node array", "hpc", "htc"],
  ["pcpu_count", "physical CPUs", 60, 120],
  ["placement_group", "its placement group, in which nodes are close to each other", "pg0", "pg1"],
  ["private_ip", "its IP address, if it has one", "10.0.0.7", "10.0.0.8"],
  ["spot", "whether it uses spare capacity at a lower price", true, false],
  ["state", "its state in CycleCloud", "Ready", "Failed"],
  ["vcpu_count", "virtual CPUs", 120, 60],
  ["version", "which form the properties have", "1", "0"],
  ["vm_family", "the family of its VM size", "standardHBrsv3Family", "standardFFamily"],
  ["vm_size", "its VM size", "Standard_HB120rs_v3", "Standard_F4"],
  ["fqdn", "its host name with the domain, or without where there is none", "ip-0A000007", "ip-0A000008"],
] as const satisfies readonly (readonly [NodeProperty, string, unknown, unknown])[];

describe("scalelib, node properties", () => {
  test.each(rows)("node.%s: %s", (property, _, value, other) => {
    expect(placesOf(property, value)).toEqual(["hpc-7"]);
    expect(placesOf(property, other)).not.toContain("hpc-7");
  });

  test("node.hostname is null while the node has none", () => {
    expect(placesOf("hostname", null)).toEqual(["hpc-8"]);
  });

  test.each([
    ["delete_time", "when the node was deleted, as a time", iso(goneSeconds)],
    ["delete_time_unix", "the same in Unix seconds", goneSeconds],
  ] as const)("node.%s: %s", (property, _, value) => {
    expect(placesOf(property, value)).toEqual(["hpc-8"]);
    expect(placesOf(property, null)).toEqual(["hpc-7"]);
  });
});

describe("scalelib, node properties: time-outs", () => {
  const timeouts = {
    idleTimeoutSeconds: { default: 300, byNodeArray: {} },
    bootTimeoutSeconds: { default: 600, byNodeArray: {} },
  };
  const goes = (status: string, row: Parameters<typeof historyRow>[1], names: readonly string[] = []) => {
    const one = cluster({ nodeArrays: [array()], nodes: [node("htc-1", { status })] });
    const jobs = names.map((name) => job(name, { ncpus: 1 }));
    const past = [historyRow("htc-1", row)];
    const planned = plan(input({ cluster: one, history: past, jobs, settings: timeouts }));
    return planned.retire.map(({ cause }) => cause);
  };
  const ago = (seconds: number) => nowSeconds - seconds;

  test("idle_timeout: a node that no job was matched with for longer goes", () => {
    expect(goes("Ready", { lastMatchSeconds: ago(301) })).toEqual(["idle-timeout"]);
    expect(goes("Ready", { lastMatchSeconds: ago(299) })).toEqual([]);
  });

  test("the idle clock begins at the last match, whenever the node was made, and stands still while a job is matched", () => {
    expect(goes("Ready", { createdSeconds: ago(90_000), lastMatchSeconds: ago(10) })).toEqual([]);
    expect(goes("Ready", { lastMatchSeconds: ago(301) }, ["j"])).toEqual([]);
    expect(goes("Ready", { createdSeconds: ago(90_000), lastMatchSeconds: null })).toEqual([]);
  });

  test("boot_timeout: a node that is not Ready for longer after it was made goes, and one that boots is not idle", () => {
    const booting = { readySeconds: null, lastMatchSeconds: ago(599) };
    expect(goes("Preparing", { ...booting, createdSeconds: ago(601) })).toEqual(["boot-timeout"]);
    expect(goes("Preparing", { ...booting, createdSeconds: ago(599) })).toEqual([]);
  });
});

test("every property has its sentence", () => {
  const told = [...rows.map(([name]) => name), "delete_time", "delete_time_unix"];
  expect(told.toSorted()).toEqual(nodeProperties.toSorted());
});
